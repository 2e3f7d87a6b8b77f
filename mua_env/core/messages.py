"""Messages in OpenAI chat form, and the source of each: who said what is a type.

The pydantic models are what the engine works with; at the Gymnasium surface the same messages are plain
dictionaries (``dump``), so that an action or observation can be sent to a chat API as it is.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from mua_env.core.limits import MOST_CALLS
from mua_env.core.outside import Arguments, Name, Text, WellFormed, shown
from mua_env.errors import ConfigError, first_fault

Source = Literal["system", "user", "agent", "tool", "template"]
"""Who produced a span of a trajectory; ``template`` is what a chat template puts between messages."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class FunctionCall(_Model):
    """The function part of a tool call.

    ``arguments`` is JSON text exactly as the agent wrote it, malformed or not; a mapping is accepted and dumped.
    A ``name`` that is null is empty, and answered as an unknown tool.
    """

    name: Name
    arguments: Arguments = "{}"

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        if value is None:
            return "{}"
        if isinstance(value, str):
            return value
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            # No reader takes it as text either; a call is answered for that, as one with malformed text is.
            return "(nested too deeply to be written as JSON)"
        except (TypeError, ValueError) as error:
            raise ValueError(f"cannot be written as JSON ({error})") from None


class ToolCall(_Model):
    """One call in an assistant message. An ``id`` that is empty or was used before is replaced by the episode."""

    id: Name = ""
    type: Literal["function"] = "function"
    function: FunctionCall

    @field_validator("type", mode="before")
    @classmethod
    def _none_is_function(cls, value: object) -> object:
        return "function" if value is None else value


class SystemMessage(_Model):
    """The policy document, given to the agent once."""

    role: Literal["system"] = "system"
    content: str


class UserMessage(_Model):
    """What the user says to the agent."""

    role: Literal["user"] = "user"
    content: Text


class AssistantMessage(_Model):
    """A turn of the agent: text for the user, or tool calls, or both."""

    role: Literal["assistant"] = "assistant"
    content: Text | None = None
    tool_calls: tuple[ToolCall, ...] = ()

    @field_validator("tool_calls", mode="before")
    @classmethod
    def _none_is_empty(cls, value: object) -> object:
        return () if value is None else value


class ToolMessage(_Model):
    """The result of one tool call."""

    role: Literal["tool"] = "tool"
    tool_call_id: Name
    name: Name
    content: WellFormed


Message = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]
"""Any message of a dialogue."""

_ANY: TypeAdapter[Message] = TypeAdapter(Message)
KEPT_CALLS = MOST_CALLS + 1
"""Calls of a turn that are kept: those that are run, and one whose answer says that no more are."""
_SOURCES: dict[str, Source] = {"system": "system", "user": "user", "assistant": "agent", "tool": "tool"}


def source_of(message: Message) -> Source:
    """The source of a message, by its role."""
    return _SOURCES[message.role]


def parse_message(value: Mapping[str, Any] | Message) -> Message:
    """Read any message.

    Raises:
        ConfigError: it is no message; the text names the field.
    """
    if isinstance(value, SystemMessage | UserMessage | AssistantMessage | ToolMessage):
        return value
    try:
        return _ANY.validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"not a chat message: {_first(error)}") from None


def parse_agent_turn(action: object) -> AssistantMessage:
    """Read an action: an assistant message in OpenAI form, or a plain string (a message to the user).

    Raises:
        ConfigError: it is neither; the text names the field and the value's type.
    """
    if isinstance(action, AssistantMessage):
        return action
    if isinstance(action, str):
        return AssistantMessage(content=action)
    if not isinstance(action, Mapping):
        raise ConfigError(
            f"an action is a string or an assistant message (a mapping with 'content' and/or 'tool_calls'), "
            f"got {type(action).__name__}"
        )
    role = action.get("role", "assistant")
    if role != "assistant":
        raise ConfigError(f"an action has the role 'assistant', got {shown(role)}")
    turn = {**action, "role": "assistant"}
    if isinstance(calls := turn.get("tool_calls"), list | tuple):
        turn["tool_calls"] = calls[:KEPT_CALLS]  # before each of them is looked at
    try:
        return AssistantMessage.model_validate(turn)
    except ValidationError as error:
        raise ConfigError(f"not an assistant message: {_first(error)}") from None


def with_own_ids(calls: Iterable[ToolCall], used: Container[str], prefix: str) -> tuple[ToolCall, ...]:
    """Calls of one turn whose ids are all different and new: results refer to calls by id.

    Args:
        calls: of the turn.
        used: ids of the calls before it.
        prefix: of the ids that replace others, followed by the call's place in the turn.
    """
    found: dict[str, ToolCall] = {}
    for place, call in enumerate(calls):
        id = call.id if call.id and call.id not in used and call.id not in found else f"{prefix}_{place}"
        while id in used or id in found:
            id += "_"
        found[id] = call if id == call.id else call.model_copy(update={"id": id})
    return tuple(found.values())


def dump(message: Message) -> dict[str, Any]:
    """A message as the plain dictionary that chat APIs take (no empty ``tool_calls``)."""
    out = message.model_dump(mode="json")
    if isinstance(message, AssistantMessage) and not message.tool_calls:
        del out["tool_calls"]
    return out


def dump_all(messages: Iterable[Message]) -> tuple[dict[str, Any], ...]:
    """``dump`` for each message."""
    return tuple(dump(message) for message in messages)


def _first(error: ValidationError) -> str:
    return f"{first_fault(error)} (got {shown(error.errors(include_url=False)[0]['input'])})"
