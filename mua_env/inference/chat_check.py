"""The self-test of a chat template, before anything is trained with it or speaks by it.

A dialogue with a call, its result and a reply of the user goes through the same functions as real ones. Each content
must stand in the tokens; what the agent says must be read back as it was, after the header that it follows. Templates
that leave something out would train on dialogues in which it is missing, without a word.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall, ToolMessage, UserMessage
from mua_env.inference.chat_formats.families import PROBE_TOOL
from mua_env.inference.chat_rendering import stands_in
from mua_env.inference.chat_template import SystemPrompt
from mua_env.inference.turn_frame import MARK, RESULT

if TYPE_CHECKING:
    from mua_env.inference.chat_tokens import ChatTokens

_SYSTEM = "What the policy document says."
_OPENING = UserMessage(content="What the user asks for.")
_REPLY = UserMessage(content='Another "line"\nof the user, ünïcode 中.')
_ARGUMENTS = {"probe_key": 'a "key"\nünïcode 中, 12', "probe_flag": False, "probe_list": [1, 2]}
_CALL = AssistantMessage(
    tool_calls=(ToolCall(id="call_0_0", function=FunctionCall(name="probe_tool", arguments=json.dumps(_ARGUMENTS))),)
)
_SPEECH = AssistantMessage(content="What the agent says.")
_RESULTS = (RESULT, ToolMessage(tool_call_id="probe0001", name="probe_tool", content="Error: nothing was found"))


def check(chat: ChatTokens, *, tools: bool) -> None:
    """Try a chat template.

    Args:
        chat: what is to be tried.
        tools: whether the agent will have tools.

    Raises:
        ConfigError: something is lost; the text names the family and what it is.
    """
    system = SystemPrompt(_SYSTEM, [PROBE_TOOL] if tools else None, schemas=[PROBE_TOOL])
    prompt, _ = chat.prompt(system, [_OPENING])
    _stands(chat, _SYSTEM, prompt, "the system prompt")
    _stands(chat, _OPENING.content, prompt, "the user's opening")
    if tools:
        for part in ("probe_tool", "probe_key"):
            _stands(chat, part, prompt, "the schema of a tool")
        _reads_back(chat, _CALL, prompt, "a tool call")
        most = chat.dialect.most_calls
        for results in (_RESULTS[:1], _RESULTS[:most]):
            after = _follows(chat, results, "the result of a tool", chat.agent_turn(_CALL, tools=[PROBE_TOOL])[-1])
            _reads_back(chat, _SPEECH, after, "a turn after a tool's result")
    _reads_back(chat, _SPEECH, prompt, "a turn")
    after = _follows(chat, [_REPLY], "the user's reply", chat.end_id)
    _reads_back(chat, _SPEECH, after, "a turn after the user's reply")


def _follows(chat: ChatTokens, messages: Sequence[Message], what: str, end: int) -> list[int]:
    """The tokens after a turn, which hold what the messages say, and nothing of the turn before."""
    ids, _ = chat.suffix(messages, end=end)
    for message in messages:
        _stands(chat, message.content or "", ids, what)
    if MARK in chat.decode(ids):
        raise chat.render.refusal(f"what follows a turn cannot be told from the turn itself, before {what}")
    return ids


def _stands(chat: ChatTokens, content: str, ids: Sequence[int], what: str) -> None:
    if not stands_in(content, chat.decode(ids)):
        raise chat.render.refusal(f"{what} does not stand in the tokens ({content!r} is missing)")


def _reads_back(chat: ChatTokens, message: AssistantMessage, before: Sequence[int], what: str) -> None:
    """A turn as it is trained must say, after its header, what it is to say; so its header's thought is closed."""
    ids = chat.agent_turn(message, before=before, tools=[PROBE_TOOL])
    read = chat.read_turn(ids, before=before, tools=[PROBE_TOOL])
    if _said(read) != _said(message):
        thinking = " (its header opens a thought, which nothing closes)" if chat.thinks_after(before) else ""
        raise chat.render.refusal(
            f"{what} is not read back as it was written{thinking}: {chat.decode(ids)[:160]!r} is read as {_said(read)}"
        )


def _said(message: AssistantMessage) -> tuple[str, list[tuple[str, object]]]:
    calls = [(call.function.name, _value(call.function.arguments)) for call in message.tool_calls]
    return message.content or "", calls


def _value(arguments: str) -> object:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
