"""A model's turns as servers accept them back in a history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mua_env.core.json_reader import read_object
from mua_env.core.limits import LONGEST_ARGUMENTS
from mua_env.core.messages import AssistantMessage, dump, with_own_ids
from mua_env.llm.client import Completion

MALFORMED = "malformed_arguments"


def turn_of(completion: Completion, history: Iterable[Mapping[str, Any]]) -> AssistantMessage:
    """The completion as a turn whose calls all have ids of their own: some servers send none, or one id for all.

    Args:
        completion: what the model wrote.
        history: the messages before it.
    """
    before = list(history)
    used = {call["id"] for message in before for call in message.get("tool_calls") or ()}
    calls = with_own_ids(completion.tool_calls, used, f"call_{len(before)}")
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
    return read_object(text, longest=LONGEST_ARGUMENTS) is not None
