"""The agent's sampled text, read as an assistant message.

The format is that of Qwen and Hermes models: text for the user, and tool calls as
``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``. Nothing is repaired: what cannot be read is
passed on as a tool call with the raw text as its arguments, so that the environment answers with its
own clear error and the agent can learn from it.
"""

from __future__ import annotations

import json
import re

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall

OPEN, CLOSE = "<tool_call>", "</tool_call>"
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(.*)\Z', re.DOTALL)


def parse_turn(text: str, *, turn: int = 0) -> AssistantMessage:
    """Read one turn of the agent.

    Args:
        text: the decoded turn, without its end-of-turn marker.
        turn: number of the turn in the dialogue; it makes the ids of the tool calls unique.

    Returns:
        An assistant message. Text around the calls is joined into ``content`` (an empty string where there
        is none and no call either). A call that is cut in half, or that is no JSON object with a name, comes
        back as a call whose ``arguments`` are the raw text. Thinking is dropped: it is nobody's message.
    """
    head, *rest = _THINKING.sub("", text).split(OPEN)
    prose, calls = [head], []
    for number, part in enumerate(rest):
        body, _, after = part.partition(CLOSE)
        calls.append(ToolCall(id=f"call_{turn}_{number}", function=_function(body.strip())))
        prose.append(after)
    content = "\n".join(piece for piece in (piece.strip() for piece in prose) if piece)
    return AssistantMessage(content=content or (None if calls else ""), tool_calls=tuple(calls))


def _function(body: str) -> FunctionCall:
    try:
        call = json.loads(body)
    except ValueError:
        return _unreadable(body)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return FunctionCall(name="", arguments=body)
    arguments = call.get("arguments", {})
    return FunctionCall(name=call["name"], arguments=arguments if isinstance(arguments, str) else _dump(arguments))


def _unreadable(body: str) -> FunctionCall:
    """Keep the name where one can be seen, so that the error is about the arguments of that tool."""
    name, arguments = _NAME.search(body), _ARGUMENTS.search(body)
    raw = arguments.group(1) if arguments else body
    return FunctionCall(name=name.group(1) if name else "", arguments=raw)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def render_turn(message: AssistantMessage) -> str:
    """The text that `parse_turn` reads back: how an expert's message is written for training.

    Arguments that are valid JSON are written compactly; anything else goes as it is.
    """
    parts = []
    for call in message.tool_calls:
        try:
            arguments = _dump(json.loads(call.function.arguments))
        except ValueError:
            arguments = call.function.arguments
        parts.append(f'{OPEN}\n{{"name": {_dump(call.function.name)}, "arguments": {arguments}}}\n{CLOSE}')
    content = message.content or ""
    # As the templates do: after thoughts alone, which end in blank lines, the first call needs no line break.
    said = content.rpartition("</think>")[2].strip("\n")
    return content + ("\n" if said and parts else "") + "\n".join(parts)
