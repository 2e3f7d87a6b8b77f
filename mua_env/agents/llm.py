"""An agent that is a language model, through LiteLLM: with function calling, or with calls in its text."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, dump
from mua_env.inference.text_calls import CallStyle, TextCalls, text_dialect
from mua_env.llm import ChatRequest, Completion, LLMClient, LLMSettings, Usage, make_client
from mua_env.llm.chat import replayable, turn_of


class LLMAgent(Agent):
    """Sends the dialogue and the tool schemas to a model, and returns what it answers.

    Calls with unknown names or malformed arguments are returned as they came: the environment answers them.

    Args:
        model: a LiteLLM model name, settings, or a client (to share a ledger or a recording). None reads
            `MUA_LLM_MODEL`.
        calls: `native` (default) for function calling; `python`, `hermes` or `xml` for calls in text, for models and
            endpoints without it (see `mua_env.inference.text_calls`).
        options: what `mua_env.llm.make_client` takes: `base_url`, `temperature`, `cache`, ...

    Raises:
        ConfigError: no model is named, or `calls` is none of these.
        MissingExtra: the [llm] extra is not installed.
    """

    blocking = True

    def __init__(
        self,
        model: str | LLMSettings | LLMClient | None = None,
        *,
        calls: CallStyle = "native",
        **options: Any,
    ) -> None:
        dialect = text_dialect(calls)
        self._codec = None if dialect is None else TextCalls(dialect)
        self.client = make_client(model, **options)
        # What a model scores with calls in its text is another figure than with function calling.
        self.name = f"llm:{self.client.settings.model}" + ("" if dialect is None else f" ({calls} calls)")
        self.reset(system_prompt="", tools=[], seed=0)

    @property
    def sends_tools(self) -> bool:
        """Whether the model is sent the tools' schemas; else they stand in its system prompt."""
        return self._codec is None

    @property
    def drops_seed(self) -> bool:  # type: ignore[override]  # known once the provider is
        """Whether the provider takes no seed."""
        return self.client.drops_seed

    async def aready(self) -> None:
        """Import LiteLLM."""
        await self.client.aready()

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        if self._codec is not None:
            system_prompt = self._codec.begin(system_prompt, tools)
        # Some servers refuse an empty system message; a benchmark without a policy document has none to send.
        opening = [{"role": "system", "content": system_prompt}] if system_prompt else []
        self._history: list[dict[str, Any]] = opening
        self._tools = tools if self._codec is None else []
        self._seed = seed
        self._wait = self.client.wait_limit()
        self._usage = Usage()

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Send these tools from now on."""
        if self._codec is None:
            self._tools = tools
        else:
            self._codec.equip(tools)

    def resume(self, history: Sequence[Message]) -> None:
        """Send what was said so far along with what comes."""
        self._history.extend(dump(message) for message in history)

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """Answer the new messages.

        Raises:
            LLMError: the model gave no reply; `kind` says why.
        """
        return self._take(self.client.complete(self._request(messages), self._wait))

    async def aact(self, messages: Sequence[Message]) -> AssistantMessage:
        """`act` for the event loop."""
        return self._take(await self.client.acomplete(self._request(messages), self._wait))

    def fork(self) -> Self:
        """An agent with the same history and the same client."""
        twin = copy.copy(self)
        twin._history = list(self._history)
        twin._codec = copy.copy(self._codec)
        twin._wait = self._wait.copy()
        return twin

    def usage(self) -> dict[str, float]:
        """Calls, tokens and money of this dialogue."""
        return self._usage.as_dict()

    def _request(self, messages: Sequence[Message]) -> ChatRequest:
        self._history.extend(map(dump, messages) if self._codec is None else self._codec.heard(messages))
        return ChatRequest(messages=list(self._history), tools=self._tools, seed=self._seed % 2**31)

    def _take(self, completion: Completion) -> AssistantMessage:
        self._usage += completion.usage
        if self._codec is not None and not completion.tool_calls:
            self._history.append({"role": "assistant", "content": completion.text or ""})
            return self._codec.read(completion.text)
        turn = turn_of(completion, self._history)
        # An endpoint that reads calls by itself gives them as calls, though no tools were sent.
        said = {"role": "assistant", "content": self._codec.write(turn)} if self._codec is not None else None
        self._history.append(said or replayable(turn, completion.thinking_blocks))
        return turn
