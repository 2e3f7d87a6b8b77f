"""What is asked of a model, what it answers, and its turns as servers accept them back in a history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mua_env.core.json_reader import read_object
from mua_env.core.limits import LONGEST_ARGUMENTS
from mua_env.core.messages import AssistantMessage, ToolCall, dump, with_own_ids
from mua_env.core.outside import Name, Text
from mua_env.llm.ledger import Usage


class ChatRequest(BaseModel):
    """What is asked of a model.

    Args:
        messages: OpenAI chat form.
        tools: OpenAI function schemas, empty for none.
        seed: forwarded to the endpoint, and to the pauses between retries.
        index: tells repeated requests with equal content apart in a recording.
        prompt_version: of the prompt that the messages were made with.
    """

    model_config = ConfigDict(frozen=True)

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] = Field(default_factory=list)
    seed: int = 0
    index: int = 0
    prompt_version: str = ""


class Completion(BaseModel):
    """A model's reply. `finish_reason` is `length` when it was cut; `text` may be None beside tool calls.

    `thinking_blocks` are those of Anthropic's models, signed, which the next request must hold.
    """

    model_config = ConfigDict(frozen=True)

    text: Text | None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: Name = "stop"
    usage: Usage = Usage()
    thinking_blocks: tuple[dict[str, Any], ...] = ()


MALFORMED = "malformed_arguments"
SILENCE = "(no words)"
"""Stands for a message without text: many endpoints refuse an empty content, and some a history whose roles do not
alternate, so it can neither be sent as it is nor be left out."""


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


def sendable(messages: Iterable[dict[str, Any]], *, beside_calls: str | None = None) -> list[dict[str, Any]]:
    """A history as every endpoint takes it: no message is blank.

    Args:
        messages: the history.
        beside_calls: the content of a turn that has calls and no words; there are servers that refuse ``""``, and some
            that ask for it and refuse ``None`` (which LiteLLM leaves out).
    """
    return [_filled(message, beside_calls) for message in messages]


def wordless_calls(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a history has a turn with calls and no words."""
    return any(message.get("tool_calls") and _blank(message) for message in messages)


def _filled(message: dict[str, Any], beside_calls: str | None) -> dict[str, Any]:
    if not _blank(message):
        return message
    return {**message, "content": beside_calls if message.get("tool_calls") else SILENCE}


def _blank(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return content is None or (isinstance(content, str) and not content.strip())


def _is_object(text: str) -> bool:
    return read_object(text, longest=LONGEST_ARGUMENTS) is not None
