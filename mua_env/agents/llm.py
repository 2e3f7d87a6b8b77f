"""An agent that is a language model with function calling, through LiteLLM."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, dump
from mua_env.llm import ChatRequest, Completion, LLMClient, LLMSettings, Usage, make_client
from mua_env.llm.chat import replayable, turn_of


class LLMAgent(Agent):
    """Sends the dialogue and the tool schemas to a model, and returns what it answers.

    Calls with unknown names or malformed arguments are returned as they came: the environment answers them.

    Args:
        model: a LiteLLM model name, settings, or a client (to share a ledger or a recording). None reads
            `MUA_LLM_MODEL`.
        options: what `mua_env.llm.make_client` takes: `base_url`, `temperature`, `cache`, ...

    Raises:
        ConfigError: no model is named.
        MissingExtra: the [llm] extra is not installed.
    """

    blocking = True

    def __init__(self, model: str | LLMSettings | LLMClient | None = None, **options: Any) -> None:
        self.client = make_client(model, **options)
        self.name = f"llm:{self.client.settings.model}"
        self.reset(system_prompt="", tools=[], seed=0)

    @property
    def drops_seed(self) -> bool:  # type: ignore[override]  # known once the provider is
        """Whether the provider takes no seed."""
        return self.client.drops_seed

    async def aready(self) -> None:
        """Import LiteLLM."""
        await self.client.aready()

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        # Some servers refuse an empty system message; a benchmark without a policy document has none to send.
        opening = [{"role": "system", "content": system_prompt}] if system_prompt else []
        self._history: list[dict[str, Any]] = opening
        self._tools = tools
        self._seed = seed
        self._wait = self.client.wait_limit()
        self._usage = Usage()

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Send these tools from now on."""
        self._tools = tools

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
        twin._wait = self._wait.copy()
        return twin

    def usage(self) -> dict[str, float]:
        """Calls, tokens and money of this dialogue."""
        return self._usage.as_dict()

    def _request(self, messages: Sequence[Message]) -> ChatRequest:
        self._history.extend(dump(message) for message in messages)
        return ChatRequest(messages=list(self._history), tools=self._tools, seed=self._seed % 2**31)

    def _take(self, completion: Completion) -> AssistantMessage:
        self._usage += completion.usage
        turn = turn_of(completion, self._history)
        self._history.append(replayable(turn, completion.thinking_blocks))
        return turn
