"""How model families write a turn with tool calls, and which of them a chat template is made for.

- **Hermes** (Qwen2.5, Qwen3, and models whose template has no place for tools): see `mua_env.inference.tool_call_text`.
- **Llama 3.1**: the whole turn is ``{"name": ..., "parameters": {...}}``, sometimes after ``<|python_tag|>``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.inference.tool_call_text import OPEN, parse_turn, render_turn

PYTHON_TAG = "<|python_tag|>"
_LEFTOVER = "<|eom_id|>"
_CALL = re.compile(r'(?:\A|(?<=\n))[ \t]*(?:<\|python_tag\|>|\{\s*"(?:name|type|function|parameters)"\s*:)')
"""Where calls begin: at the start of a line, so that an object quoted within a sentence is none."""
_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_PARAMETERS = re.compile(r'"parameters"\s*:\s*(.*)\Z', re.DOTALL)


@dataclass(frozen=True)
class Dialect:
    """Reads and writes the turns of a model family.

    Attributes:
        name: for messages and settings.
        parse: the text of a turn and its number -> the message; never fails, see `parse_turn`.
        render: a message -> the text that ``parse`` reads back.
        in_template: whether the chat template renders tool calls by itself.
    """

    name: str
    parse: Callable[[str, int], AssistantMessage]
    render: Callable[[AssistantMessage], str]
    in_template: bool = True


def _parse_hermes(text: str, turn: int) -> AssistantMessage:
    return parse_turn(text, turn=turn)


def parse_llama_turn(text: str, turn: int = 0) -> AssistantMessage:
    """Read a turn of Llama 3.1.

    Calls begin at a line that starts with ``<|python_tag|>`` or with an object whose first key is one of a call's;
    several are separated by semicolons or blanks. Nothing is repaired: a call that is cut in half comes back with
    the raw text as its arguments.
    """
    text = text.replace(_LEFTOVER, "")
    found = _CALL.search(text)
    if found is None:
        return AssistantMessage(content=text.strip())
    prose, rest = text[: found.start()].strip(), text[found.start() :].strip()
    functions: list[FunctionCall] = []
    while rest := rest.removeprefix(PYTHON_TAG).lstrip(" \t\r\n;,"):
        function, rest = _next_function(rest)
        functions.append(function)
    functions = functions or [FunctionCall(name="", arguments="")]
    calls = tuple(ToolCall(id=f"call_{turn}_{n}", function=function) for n, function in enumerate(functions))
    return AssistantMessage(content=prose or None, tool_calls=calls)


def _next_function(text: str) -> tuple[FunctionCall, str]:
    """The first call of a text, and what follows it; all of the text where it cannot be read."""
    try:
        call, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        name, parameters = _NAME.search(text), _PARAMETERS.search(text)
        raw = parameters.group(1) if parameters else text
        return FunctionCall(name=name.group(1) if name else "", arguments=raw), ""
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return FunctionCall(name="", arguments=text[:end]), text[end:]
    arguments = call.get("parameters", call.get("arguments", {}))
    written = arguments if isinstance(arguments, str) else _dump(arguments)
    return FunctionCall(name=call["name"], arguments=written), text[end:]


def render_llama_turn(message: AssistantMessage) -> str:
    """The text that `parse_llama_turn` reads back. Llama 3.1's template knows a single call without text only."""
    parts = [message.content] if message.content else []
    calls = []
    for call in message.tool_calls:
        try:
            arguments = _dump(json.loads(call.function.arguments))
        except ValueError:
            arguments = call.function.arguments
        calls.append(f'{{"name": {_dump(call.function.name)}, "parameters": {arguments}}}')
    return "\n".join([*parts, *(["; ".join(calls)] if calls else [])])


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


HERMES = Dialect("hermes", _parse_hermes, render_turn)
HERMES_AS_TEXT = Dialect("hermes as text", _parse_hermes, render_turn, in_template=False)
LLAMA = Dialect("llama 3.1", parse_llama_turn, render_llama_turn)

_PROBE: list[dict[str, Any]] = [
    {"role": "user", "content": "probe"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "probe", "type": "function", "function": {"name": "probe_tool", "arguments": {"probe_key": "1"}}}
        ],
    },
]


def detect(render: Callable[[list[dict[str, Any]]], str]) -> Dialect:
    """The dialect that a chat template writes tool calls in.

    Args:
        render: makes text of messages by the template.

    Returns:
        `HERMES_AS_TEXT` where the template shows no call at all or another form than those known here: then
        calls are written as text, and the model is to learn them.
    """
    try:
        text = render(_PROBE)
    except Exception:  # templates raise errors of their own for what they do not know
        return HERMES_AS_TEXT
    if "probe_tool" not in text:
        return HERMES_AS_TEXT
    if OPEN in text:
        return HERMES
    return LLAMA if '"parameters"' in text else HERMES_AS_TEXT
