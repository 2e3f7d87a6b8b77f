"""A model's turns as servers accept them back in a history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from mua_env.core.messages import AssistantMessage, dump
from mua_env.llm.chat import Completion

MALFORMED = "malformed_arguments"
SILENCE = "(no words)"
"""Stands for a message without text: many endpoints refuse an empty content, and some a history whose roles do not
alternate, so it can neither be sent as it is nor be left out."""


def turn_of(completion: Completion, *, position: int) -> AssistantMessage:
    """The completion as a turn whose calls all have ids: results refer to calls by id, and some servers send none.

    Args:
        completion: what the model wrote.
        position: of the turn in its history.
    """
    calls = tuple(
        call if call.id else call.model_copy(update={"id": f"call_{position}_{i}"})
        for i, call in enumerate(completion.tool_calls)
    )
    return AssistantMessage(content=completion.text, tool_calls=calls)


def replayable(turn: AssistantMessage, thinking: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """The turn for a history: several servers parse the arguments of past calls and fail on malformed ones.

    Args:
        turn: of the model.
        thinking: the signed blocks that came with it; Anthropic refuses tool results whose call comes without them.
    """
    message = dump(turn)
    if thinking:
        message["thinking_blocks"] = list(thinking)
    for call in message.get("tool_calls", ()):
        text = call["function"]["arguments"]
        if not _is_object(text):
            call["function"]["arguments"] = json.dumps({MALFORMED: text}, ensure_ascii=False)
    if message.get("content") is None and not message.get("tool_calls"):
        message["content"] = ""
    return message


def sendable(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A history as every endpoint takes it: no message is blank."""
    return [_filled(message) for message in messages]


def _filled(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not (content is None or (isinstance(content, str) and not content.strip())):
        return message
    return {**message, "content": None if message.get("tool_calls") else SILENCE}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
