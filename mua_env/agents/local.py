"""An agent that is a local transformers model, token in and token out.

The same chat tokens, template and parser as in training: what was trained is what acts, and it is shown what it was
shown then (`mua_env.inference.agent_view`).
"""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, get_args

from mua_env.agents.local_turns import InProcess, OnServer
from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, ToolMessage
from mua_env.errors import ConfigError, MuaError, missing_extra
from mua_env.inference.agent_view import AgentView, Results, read_view
from mua_env.inference.chat_template import Detail, system_prompt, with_new_tools
from mua_env.inference.models import check_model
from mua_env.inference.text_calls import CallStyle, text_dialect
from mua_env.llm.errors import LLMError

if TYPE_CHECKING:
    from mua_env.domain.contract import Domain
    from mua_env.inference.sampling import SampledTurn


class LocalAgent(Agent):
    """Samples its turns from a model in this process, or from a vLLM server that has the same one.

    What is None is as the model's folder says, and without `agent_view.json` there as `AgentView`'s defaults.

    Args:
        model: a folder or hub id with a model and its tokenizer.
        temperature: 0 (default) is greedy.
        max_new_tokens: most tokens in a turn; a turn that is cut there goes out as it is.
        max_tokens: most tokens of a dialogue, prompt included; beyond, it is truncated.
        tools: how much of the tool schemas the model is shown.
        policy: ``full``, ``compact`` or ``none`` of the policy document; any other text is shown instead of it.
        results: ``full``, or ``brief``: what tools returned as the domain words it for small models.
        domain: words compact policies and brief results.
        dtype: of the weights (default ``float32``).
        calls: `native` (default) as the chat template has calls; `python`, `hermes` or `xml` for calls in text, with
            the tools in the system prompt, whatever the template knows.
        template_options: further arguments of the chat template, as ``{"enable_thinking": False}``.
        url: a vLLM server's, as ``http://127.0.0.1:8000``: it samples, and only the tokenizer is loaded here.

    Raises:
        ConfigError: there is no such model, its tokenizer or chat template cannot serve, some of its layers are no
            attention, or a compact policy or brief results are asked for without a domain.
        MissingExtra: the [train] extra is not installed.
    """

    blocking = True

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        temperature: float = 0.0,
        max_new_tokens: int | None = None,
        max_tokens: int | None = None,
        tools: Detail | None = None,
        policy: str | None = None,
        results: Results | None = None,
        domain: Domain | None = None,
        dtype: str = "float32",
        calls: CallStyle = "native",
        template_options: dict[str, Any] | None = None,
        url: str | None = None,
    ) -> None:
        if min(max_new_tokens or 1, max_tokens or 1) < 1 or max_new_tokens == 0 or max_tokens == 0 or temperature < 0:
            raise ConfigError(
                "max_new_tokens and max_tokens are at least 1 and temperature at least 0, got "
                f"{max_new_tokens}, {max_tokens} and {temperature}"
            )
        dialect = text_dialect(calls)
        check_model(model)
        try:
            from mua_env.inference.chat_tokens import ChatTokens
            from mua_env.inference.models import load, load_tokenizer
        except ImportError as error:
            if isinstance(error, MuaError):
                raise
            raise missing_extra("train", needed_by="a local model") from error
        view = self.view = _view(read_view(model), max_new_tokens, max_tokens, tools, results, template_options)
        self.name = f"local:{model}" + ("" if dialect is None else f" ({calls} calls)")
        self.max_turns = view.max_turns
        self._asked_policy = view.policy if policy is None else policy
        self._policy, self._brief = _policy(self._asked_policy, domain), _brief(view.results, domain)
        self._temperature, self._url = temperature, url
        if url is None:
            weights, tokenizer = load(os.fspath(model), dtype=dtype)
            weights.train(False)
        else:
            weights, tokenizer = None, load_tokenizer(os.fspath(model))
        self._chat = ChatTokens(tokenizer, view.template_options, dialect=dialect)
        self._new_sampler = self._sampler_of(weights)
        self._new_sampler()  # refuses here what it would refuse in a dialogue
        self._sampler: InProcess | OnServer | None = None

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue with an empty cache."""
        # Not kept from before: copies of an agent, which hold dialogues at the same time, share all but this.
        self._sampler = self._new_sampler()
        self._sampler.begin(self._temperature, seed % 2**63)
        self._system = system_prompt if self._policy is None else self._policy
        self._tools, self._turn, self._length = tools, 0, 0
        self._new_tools: list[dict[str, Any]] = []
        self._past: list[Message] = []
        self._last: int | None = None

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Tell the model of the tools that are new before the user's next words."""
        known = {tool["function"]["name"] for tool in self._tools}
        self._new_tools = [tool for tool in tools if tool["function"]["name"] not in known]
        self._tools = tools

    def resume(self, history: Sequence[Message]) -> None:
        """Read what was said so far before what comes; turns of others are encoded as the chat template has them."""
        self._past = list(history)

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """Read the new messages and sample a turn.

        Raises:
            LLMError: the dialogue has as many tokens as it may have (kind ``context``).
        """
        ids = self._read(messages)
        assert self._sampler is not None, "reset comes before the first turn"
        return self._take(ids, self._sampler.sample(ids, self._budget()))

    async def aact(self, messages: Sequence[Message]) -> AssistantMessage:
        """`act` for the event loop: a server is awaited there, a model in this process computes in a thread."""
        if not isinstance(self._sampler, OnServer):
            return await asyncio.to_thread(self.act, messages)
        ids = self._read(messages)
        return self._take(ids, await self._sampler.asample(ids, self._budget()))

    def usage(self) -> dict[str, float]:
        """Tokens read and sampled in this dialogue."""
        if self._sampler is None:
            return {}
        stats = self._sampler.stats
        return {"prompt_tokens": float(stats.read), "completion_tokens": float(stats.sampled)}

    def on(self, domain: Domain) -> Self:
        """The same model for another domain."""
        twin = copy.copy(self)
        twin._policy, twin._brief = _policy(self._asked_policy, domain), _brief(self.view.results, domain)
        return twin

    def _sampler_of(self, weights: Any) -> Any:
        if self._url is not None:
            return partial(OnServer, self._url, self._chat.end_ids)
        from mua_env.inference.backends.cache_engine import CacheEngine

        engine = partial(CacheEngine, weights, end_id=self._chat.end_ids, pad_id=self._chat.pad_id)
        return lambda: InProcess(engine())

    def _read(self, messages: Sequence[Message]) -> list[int]:
        """The tokens that are new to the model."""
        past, self._past = self._past, []
        heard = [self._brief(message) for message in (*past, *messages)]
        if self._last is None:
            self._turn = sum(isinstance(message, AssistantMessage) for message in past)
            shown = system_prompt(self._system, self._tools, tool_detail=self.view.tools)
            ids, _ = self._chat.prompt(shown, heard)
        else:
            ids, _ = self._chat.suffix(with_new_tools(heard, self._new_tools, self.view.tools), end=self._last)
            self._new_tools = []
        self._length += len(ids)
        if self.view.total_tokens is not None and self._length >= self.view.total_tokens:
            raise LLMError("context", f"{self._length} tokens, and the model's dialogues have {self.view.total_tokens}")
        return ids

    def _budget(self) -> int:
        left = self.view.turn_tokens if self.view.total_tokens is None else self.view.total_tokens - self._length
        return min(self.view.turn_tokens, left)

    def _take(self, ids: Sequence[int], turn: SampledTurn) -> AssistantMessage:
        self._turn += 1
        self._length += len(turn.ids)
        self._last = turn.ids[-1]
        return self._chat.read_turn(turn.ids, turn=self._turn, before=ids, tools=self._tools)


def _view(
    view: AgentView,
    turn_tokens: int | None,
    total_tokens: int | None,
    tools: Detail | None,
    results: Results | None,
    template_options: dict[str, Any] | None,
) -> AgentView:
    asked = {
        "turn_tokens": turn_tokens,
        "total_tokens": total_tokens,
        "tools": tools,
        "results": results,
        "template_options": template_options,
    }
    return view.model_copy(update={name: value for name, value in asked.items() if value is not None})


def _policy(policy: str, domain: Domain | None) -> str | None:
    """The text that is shown instead of the environment's policy document; None for that document."""
    if policy not in get_args(Detail):
        return policy
    if policy == "compact":
        return _needed(domain, "a compact policy document").policy(compact=True)
    return None if policy == "full" else ""


def _brief(results: Results, domain: Domain | None) -> Any:
    if results == "full":
        return lambda message: message
    words = _needed(domain, "brief results").brief

    def shorten(message: Message) -> Message:
        if not isinstance(message, ToolMessage):
            return message
        return message.model_copy(update={"content": words(message.name, message.content)})

    return shorten


def _needed(domain: Domain | None, what: str) -> Domain:
    if domain is None:
        raise ConfigError(
            f"the model is to be shown {what}, in its domain's words: make it by agent_factory, or give it a domain"
        )
    return domain
