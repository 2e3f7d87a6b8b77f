"""Gymnasium spaces of a dialogue: an agent's turn, and the messages that answer it."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import Space

from mua_env.core.messages import AssistantMessage, SystemMessage, parse_agent_turn, parse_message
from mua_env.errors import ConfigError

_LETTERS = list(string.ascii_letters + string.digits + " #_-")
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

    A sample is a sentence for the user, or one or two tool calls whose arguments fit the tools' schemas.

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
            return {"role": "assistant", "content": _PHRASES[int(rng.integers(len(_PHRASES)))]}
        calls = []
        for i in range(1 + int(rng.random() < 0.2)):
            function = self.tools[int(rng.integers(len(self.tools)))]["function"]
            arguments = json.dumps(sample_schema(function["parameters"], rng))
            calls.append(
                {
                    "id": f"sample_{i}",
                    "type": "function",
                    "function": {"name": function["name"], "arguments": arguments},
                }
            )
        return {"role": "assistant", "content": None, "tool_calls": calls}

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


def sample_schema(schema: Mapping[str, Any], rng: np.random.Generator) -> Any:
    """A random value that fits a JSON schema of the kinds that tools have."""
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "examples"):
        if schema.get(key):
            return schema[key][int(rng.integers(len(schema[key])))]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return sample_schema(schema[key][int(rng.integers(len(schema[key])))], rng)
    kind = schema.get("type", "string")
    if kind == "object":
        return _sample_object(schema, rng)
    if kind == "array":
        low, high = int(schema.get("minItems", 0)), int(schema.get("maxItems", 3))
        return [sample_schema(schema.get("items", {}), rng) for _ in range(int(rng.integers(low, max(low, high) + 1)))]
    return _sample_scalar(kind, schema, rng)


def _sample_object(schema: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    properties = schema.get("properties", {})
    return {
        name: sample_schema(part, rng) for name, part in properties.items() if name in required or rng.random() < 0.5
    }


def _sample_scalar(kind: str, schema: Mapping[str, Any], rng: np.random.Generator) -> Any:
    if kind == "boolean":
        return bool(rng.integers(2))
    if kind == "null":
        return None
    low, high = schema.get("minimum", 0), schema.get("maximum", 1000)
    if kind == "integer":
        return int(rng.integers(int(low), int(high) + 1))
    if kind == "number":
        return round(float(rng.uniform(low, high)), 2)
    shortest, longest = int(schema.get("minLength", 1)), int(schema.get("maxLength", 12))
    size = int(rng.integers(shortest, max(shortest, longest) + 1))
    return "".join(_LETTERS[int(i)] for i in rng.integers(len(_LETTERS), size=size))
