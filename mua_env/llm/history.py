"""A model's turns as servers accept them back in a history."""

from __future__ import annotations

import json
from typing import Any

from mua_env.core.messages import AssistantMessage, dump
from mua_env.llm.client import Completion

MALFORMED = "malformed_arguments"


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


def replayable(turn: AssistantMessage) -> dict[str, Any]:
    """The turn for a history: several servers parse the arguments of past calls and fail on malformed ones."""
    message = dump(turn)
    for call in message.get("tool_calls", ()):
        text = call["function"]["arguments"]
        if not _is_object(text):
            call["function"]["arguments"] = json.dumps({MALFORMED: text}, ensure_ascii=False)
    if message.get("content") is None and not message.get("tool_calls"):
        message["content"] = ""
    return message


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
