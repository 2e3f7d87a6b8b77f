"""Calls whose values are literals of a language that is nearly JSON. They are put into JSON, token by token, and read
as that.

- **LFM2**: ``<|tool_call_start|>[get_order(order_id='#W1', count=2)]<|tool_call_end|>``, as Python writes calls.
- **Gemma 4**: ``<|tool_call>call:get_order{order_id:<|"|>#W1<|"|>,count:2}<tool_call|>``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence

from mua_env.core.json_reader import read_json, read_object
from mua_env.core.messages import FunctionCall
from mua_env.inference.chat_formats.argument_types import Tools, write_json

_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")


class PythonForm:
    """LFM2's: all calls of a turn in one list."""

    begin, end = "<|tool_call_start|>", "<|tool_call_end|>"
    opening = re.escape(begin)
    _token = re.compile(
        # A string without its end takes the rest; names are taken whole: no text is gone through twice.
        r"""(?P<string>'(?:[^'\\]|\\(?:.|\Z))*+(?:'|\Z)|"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z))|(?P<close>\))"""
        r"|(?P<call>[^\W\d][\w.-]*+)\s*+\(|(?P<key>[^\W\d][\w.-]*+)\s*+=|(?P<word>[^\W\d][\w.-]*+)"
        r"|(?P<stop><\|tool_call_end\|>)",
        re.DOTALL,
    )
    _name = re.compile(r"(?<![\w.-])([^\W\d][\w.-]*+)\s*+\(")

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """As `CallForm.read`."""
        begin = start + len(self.begin)
        end, stop, written = _translate(text, begin, self._token, self._put)
        try:
            calls = read_json(written)
            functions = [FunctionCall(name=call["name"], arguments=write_json(call["arguments"])) for call in calls]
        except (ValueError, TypeError, KeyError):
            functions = []
        if functions:
            return end, functions
        name, raw = self._name.search(text, begin, stop), text[begin:stop]
        return end, [FunctionCall(name=name[1] if name else "", arguments=raw or text[start:end])]

    def _put(self, found: re.Match[str]) -> str:
        kind, token = found.lastgroup, found[0]
        if kind == "string":
            return _quote(_unescape(token[1:-1])) if token[1:].endswith(token[0]) else token
        if kind == "call":
            return f'{{"name": {write_json(found["call"])}, "arguments": {{'
        if kind == "key":
            return f"{write_json(found['key'])}: "
        if kind == "close":
            return "}}"
        return _CONSTANTS.get(token, token)

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """As `CallForm.write`; arguments that are no JSON object are written as they are."""
        written = ", ".join(f"{call.name}({_python_arguments(call.arguments)})" for call in calls)
        return f"{self.begin}[{written}]{self.end}" if written else ""


class GemmaForm:
    """Gemma 4's: keys are bare, strings stand between marks of their own."""

    begin, end, quote = "<|tool_call>", "<tool_call|>", '<|"|>'
    opening = re.escape(begin)
    _head = re.compile(r"<\|tool_call>\s*call:\s*(?P<name>[^\s{<]*)\s*")
    _token = re.compile(
        r'(?P<string><\|"\|>.*?<\|"\|>)|(?P<json>"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z))'
        r"|(?<=[{,])\s*+(?P<key>[^\s{}\[\],:<\"][^{}\[\],:<\"]*+):|(?P<word>\w++)|(?P<stop><tool_call\|>)",
        re.DOTALL,
    )

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """As `CallForm.read`."""
        head = self._head.match(text, start)
        begin = head.end() if head else start + len(self.begin)
        name = head["name"] if head else ""
        end, stop, written = _translate(text, begin, self._token, self._put)
        values = read_object(written)
        raw = text[begin:stop].strip() or text[start:end]
        return end, [FunctionCall(name=name, arguments=raw if values is None else write_json(values))]

    def _put(self, found: re.Match[str]) -> str:
        kind, token = found.lastgroup, found[0]
        if kind == "string":
            return _quote(token[len(self.quote) : -len(self.quote)])
        if kind == "key":
            return f"{write_json(found['key'].strip())}:"
        return _CONSTANTS.get(token, token)

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """As `CallForm.write`; arguments that are no JSON object are written as they are."""
        return "".join(f"{self.begin}call:{call.name}{self._arguments(call.arguments)}{self.end}" for call in calls)

    def _arguments(self, arguments: str) -> str:
        values = read_object(arguments)
        return arguments if values is None else self._write(values)

    def _write(self, value: object) -> str:
        if isinstance(value, str):
            # The mark itself cannot be quoted by it; JSON's own quotes are read as well.
            return _quote(value).replace("<", r"\u003c") if self.quote in value else f"{self.quote}{value}{self.quote}"
        if isinstance(value, dict):  # sorted, as the template has them
            pairs = sorted(value.items(), key=lambda pair: pair[0].lower())
            return f"{{{','.join(f'{self._key(key)}:{self._write(part)}' for key, part in pairs)}}}"
        if isinstance(value, list):
            return f"[{','.join(map(self._write, value))}]"
        return write_json(value)

    def _key(self, key: str) -> str:
        return key if _PLAIN.fullmatch(key) else self._write(key)


PYTHON_FORM = PythonForm()
GEMMA_FORM = GemmaForm()


def _translate(
    text: str, begin: int, token: re.Pattern[str], put: Callable[[re.Match[str]], str]
) -> tuple[int, int, str]:
    """The text from ``begin`` with each token replaced, up to the token ``stop`` or the end of the text.

    Returns:
        Where it ends with the mark and without it, and what it became.
    """
    parts: list[str] = []
    place = begin
    for found in token.finditer(text, begin):
        parts.append(text[place : found.start()])
        if found.lastgroup == "stop":
            return found.end(), found.start(), "".join(parts)
        parts.append(put(found))
        place = found.end()
    return len(text), len(text), "".join([*parts, text[place:]])


def _python_arguments(arguments: str) -> str:
    values = read_object(arguments)
    if values is None:
        return arguments
    return ", ".join(f"{key}={_python(value)}" for key, value in values.items())


def _python(value: object) -> str:
    if isinstance(value, str):
        return f"'{_escape(value)}'"
    return str(value) if value is None or isinstance(value, bool) else write_json(value)


def _escape(value: str) -> str:
    marks: Iterable[tuple[str, str]] = (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"))
    for mark, written in marks:
        value = value.replace(mark, written)
    return value


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2]), text)


def _quote(value: str) -> str:
    """A JSON string in ASCII: two halves of a surrogate pair come together when it is read."""
    return json.dumps(value)
