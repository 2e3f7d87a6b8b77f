"""Calls that are JSON objects.

- **Hermes** (Qwen2.5, Qwen3, and models whose template has no place for tools):
  ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``.
- **Llama 3.1 and 3.2**: the whole turn is ``{"name": ..., "parameters": {...}}``, sometimes after ``<|python_tag|>``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mua_env.core.json_reader import read_first_json, read_json
from mua_env.core.messages import FunctionCall
from mua_env.inference.chat_formats.argument_types import Tools, write_json

OPEN, CLOSE = "<tool_call>", "</tool_call>"
PYTHON_TAG = "<|python_tag|>"
_MOST_ENDS = 8
"""Ends that are tried: a value may hold the mark itself."""
_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_ARGUMENTS = re.compile(r'"(?:arguments|parameters)"\s*:\s*(.*)\Z', re.DOTALL)


class HermesForm:
    """JSON between marks."""

    opening = re.escape(OPEN)

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """As `CallForm.read`. A call without its end is read if its JSON is whole."""
        begin = start + len(OPEN)
        first = end = text.find(CLOSE, begin)
        if first < 0:
            body = text[begin:].strip()
            return len(text), [_whole(body) or _unreadable(body)]
        for _ in range(_MOST_ENDS):
            if (call := _whole(text[begin:end])) is not None:
                return end + len(CLOSE), [call]
            if (end := text.find(CLOSE, end + 1)) < 0:
                break
        return first + len(CLOSE), [_unreadable(text[begin:first].strip())]

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """As `CallForm.write`."""
        return "\n".join(f"{OPEN}\n{_object(call, 'arguments')}\n{CLOSE}" for call in calls)


class LlamaForm:
    """Bare JSON, with ``parameters`` for the arguments.

    Calls begin at a line that starts with ``<|python_tag|>`` or with an object whose first key is one of a call's, so
    that an object quoted within a sentence is none; several are separated by semicolons or blanks.
    """

    opening = r'(?:\A|(?<=\n)|(?<=</think>))[ \t]*(?:<\|python_tag\|>|\{\s*"(?:name|type|function|parameters)"\s*:)'

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """As `CallForm.read`; nothing follows the first call but further ones."""
        rest = text[start:].replace("<|eom_id|>", "").strip()
        functions: list[FunctionCall] = []
        while rest := rest.removeprefix(PYTHON_TAG).lstrip(" \t\r\n;,"):
            function, rest = _next_function(rest)
            functions.append(function)
        return len(text), functions or [FunctionCall(name="", arguments="")]

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """As `CallForm.write`. The templates themselves know a single call without text only."""
        return "; ".join(_object(call, "parameters") for call in calls)


HERMES_FORM = HermesForm()
LLAMA_FORM = LlamaForm()


def canonical(arguments: str) -> str:
    """Arguments in one line where they are JSON; anything else as it is."""
    try:
        return write_json(read_json(arguments))
    except ValueError:
        return arguments


def _object(call: FunctionCall, key: str) -> str:
    return f'{{"name": {write_json(call.name)}, "{key}": {canonical(call.arguments)}}}'


def _whole(body: str) -> FunctionCall | None:
    """The call that a text is; None where it is no JSON."""
    try:
        call = read_json(body)
    except ValueError:
        return None
    return _function(call, body.strip())


def _function(call: object, raw: str) -> FunctionCall:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return FunctionCall(name="", arguments=raw)
    arguments = call.get("arguments", call.get("parameters", {}))
    return FunctionCall(name=call["name"], arguments=arguments if isinstance(arguments, str) else write_json(arguments))


def _unreadable(body: str) -> FunctionCall:
    """Keep the name where one can be seen, so that the error is about the arguments of that tool.

    The raw text is empty where nothing was written at all: with a name, that would be a call without arguments.
    """
    name, arguments = _NAME.search(body), _ARGUMENTS.search(body)
    raw = (arguments.group(1) if arguments else "") or body
    return FunctionCall(name=name.group(1) if name else "", arguments=raw)


def _next_function(text: str) -> tuple[FunctionCall, str]:
    """The first call of a text, and what follows it; all of the text where it cannot be read."""
    try:
        if not text.startswith("{"):
            return _unreadable(text), ""
        call, end = read_first_json(text)
    except ValueError:
        return _unreadable(text), ""
    return _function(call, text[:end]), text[end:]
