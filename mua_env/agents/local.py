"""An agent that is a local transformers model, token in and token out.

The same chat tokens, template and parser as in training: what was trained is what acts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message
from mua_env.errors import ConfigError, MuaError, missing_extra
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.chat_template import Detail, system_prompt, with_new_tools
from mua_env.inference.models import check_model
from mua_env.inference.text_calls import CallStyle, text_dialect

if TYPE_CHECKING:
    from mua_env.inference.backends.cache_engine import CacheEngine


class LocalAgent(Agent):
    """Samples its turns from a model in this process.

    Args:
        model: a folder or hub id with a model and its tokenizer.
        temperature: 0 (default) is greedy.
        max_new_tokens: most tokens in a turn (default 1,024); a turn that is cut there goes out as it is.
        tools: how much of the tool schemas the model is shown (default ``full``).
        policy: shown instead of the environment's policy document, as the compact form that it was trained with.
        dtype: of the weights (default ``float32``).
        calls: `native` (default) as the chat template has calls; `python`, `hermes` or `xml` for calls in text, with
            the tools in the system prompt, whatever the template knows.
        template_options: further arguments of the chat template, as ``{"enable_thinking": False}``.

    Raises:
        ConfigError: there is no such model, its tokenizer or chat template cannot serve, or some of its layers are no
            attention.
        MissingExtra: the [train] extra is not installed.
    """

    blocking = True

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        temperature: float = 0.0,
        max_new_tokens: int = 1024,
        tools: Detail = "full",
        policy: str | None = None,
        dtype: str = "float32",
        calls: CallStyle = "native",
        template_options: dict[str, Any] | None = None,
    ) -> None:
        if max_new_tokens < 1 or temperature < 0:
            raise ConfigError(
                f"max_new_tokens is at least 1 and temperature at least 0, got {max_new_tokens} and {temperature}"
            )
        dialect = text_dialect(calls)
        check_model(model)
        try:
            from mua_env.inference.backends.cache_engine import CacheEngine
            from mua_env.inference.chat_tokens import ChatTokens
            from mua_env.inference.models import load
        except ImportError as error:
            if isinstance(error, MuaError):
                raise
            raise missing_extra("train", needed_by="a local model") from error
        self.name = f"local:{model}" + ("" if dialect is None else f" ({calls} calls)")
        self._model, tokenizer = load(os.fspath(model), dtype=dtype)
        self._model.train(False)
        self._chat = ChatTokens(tokenizer, template_options, dialect=dialect)
        self._temperature, self._budget = temperature, max_new_tokens
        self._detail: Detail = tools
        self._policy = policy
        self._new_engine = partial(CacheEngine, self._model, end_id=self._chat.end_ids, pad_id=self._chat.pad_id)
        self._new_engine()  # refuses here what it would refuse in a dialogue
        self._engine: CacheEngine | None = None

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue with an empty cache."""
        # Not kept from before: copies of an agent, which hold dialogues at the same time, share all but this.
        self._engine = self._new_engine()
        self._engine.begin(temperature=self._temperature, seeds=[seed % 2**63])
        self._engine.open(0)
        self._system, self._tools, self._turn = self._policy or system_prompt, tools, 0
        self._new_tools: list[dict[str, Any]] = []
        self._last: int | None = None

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Tell the model of the tools that are new before the user's next words."""
        known = {tool["function"]["name"] for tool in self._tools}
        self._new_tools = [tool for tool in tools if tool["function"]["name"] not in known]
        self._tools = tools

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """Read the new messages and sample a turn."""
        assert self._engine is not None, "reset comes before the first turn"
        if self._turn == 0:
            shown = system_prompt(self._system, self._tools, tool_detail=self._detail)
            ids, _ = self._chat.prompt(shown, messages)
        else:
            heard = with_new_tools(messages, self._new_tools, self._detail)
            ids, _ = self._chat.suffix(heard, end=self._last)
            self._new_tools = []
        self._turn += 1
        turn = self._engine.sample([TurnRequest(0, ids, self._budget)])[0]
        self._last = turn.ids[-1]
        return self._chat.read_turn(turn.ids, turn=self._turn, before=ids, tools=self._tools)

    def usage(self) -> dict[str, float]:
        """Tokens read and sampled in this dialogue."""
        if self._engine is None:
            return {}
        stats = self._engine.stats
        return {"prompt_tokens": float(stats.read), "completion_tokens": float(stats.sampled)}
