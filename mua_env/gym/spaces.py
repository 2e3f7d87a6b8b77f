"""Gymnasium spaces of a dialogue: an agent's turn, and the messages that answer it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import Space

from mua_env.core.messages import AssistantMessage, SystemMessage, parse_agent_turn, parse_message
from mua_env.errors import ConfigError
from mua_env.gym.schema_values import NoValue, sample_schema

_PHRASES = (
    "How can I help you?",
    "Could you tell me your email address?",
    "Which order is it about?",
    "Shall I go ahead? (yes/no)",
    "That is done. Is there anything else?",
    "I am sorry, that is not possible.",
)


class AgentTurnSpace(Space[Any]):
    """An agent's turn: a plain string, or an assistant message in OpenAI form.

    A sample is a sentence for the user, or one or two tool calls whose arguments fit the tools' schemas; a tool whose
    schema nothing fits is not called.

    Args:
        tools: function schemas in OpenAI form.
        seed: seed or generator for :meth:`sample`.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]], seed: int | np.random.Generator | None = None) -> None:
        self.tools = [dict(tool) for tool in tools]
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Dialogues do not flatten into arrays."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A random legal turn: text in two of five cases, else tool calls with valid arguments."""
        if mask is not None or probability is not None:
            raise ConfigError("masks and probabilities are not supported in this space")
        rng = self.np_random
        if not self.tools or rng.random() < 0.4:
            return self._phrase()
        functions = (self._call() for _ in range(1 + int(rng.random() < 0.2)))
        calls = [
            {"id": f"sample_{i}", "type": "function", "function": function}
            for i, function in enumerate(function for function in functions if function is not None)
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls} if calls else self._phrase()

    def _phrase(self) -> dict[str, Any]:
        return {"role": "assistant", "content": _PHRASES[int(self.np_random.integers(len(_PHRASES)))]}

    def _call(self) -> dict[str, Any] | None:
        """A call whose arguments fit; ``None`` where none is found for a tool, as for a schema that nothing fits."""
        function = self.tools[int(self.np_random.integers(len(self.tools)))]["function"]
        # Tools without arguments have no schema of them, or one that says nothing.
        schema = True if function.get("parameters") is None else function["parameters"]
        try:
            values = sample_schema(schema, self.np_random, also={"type": "object"})
        except NoValue:
            return None
        return {"name": function["name"], "arguments": json.dumps(values)}

    def contains(self, x: Any) -> bool:
        """Whether it is a turn that an environment takes (its tool calls may still be answered by errors)."""
        try:
            parse_agent_turn(x)
        except ConfigError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AgentTurnSpace) and self.tools == other.tools

    def __repr__(self) -> str:
        return f"AgentTurnSpace({len(self.tools)} tools)"


class MessagesSpace(Space[Any]):
    """A tuple of messages in OpenAI form, of users and tools."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Dialogues do not flatten into arrays."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[dict[str, Any], ...]:
        """One user message with a random sentence."""
        if mask is not None or probability is not None:
            raise ConfigError("masks and probabilities are not supported in this space")
        return ({"role": "user", "content": _PHRASES[int(self.np_random.integers(len(_PHRASES)))]},)

    def contains(self, x: Any) -> bool:
        """Whether it is a tuple of user and tool messages."""
        if not isinstance(x, tuple):
            return False
        try:
            parsed = [parse_message(message) for message in x]
        except ConfigError:
            return False
        return not any(isinstance(message, AssistantMessage | SystemMessage) for message in parsed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MessagesSpace)

    def __repr__(self) -> str:
        return "MessagesSpace()"
