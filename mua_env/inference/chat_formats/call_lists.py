"""Calls as a bare Python list, ``[get_order(order_id='#W1'), think(thought='so')]``, read by Python's parser.

BFCL and ACEBench ask models without function calling for it. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mua_env.core.call_text import read_calls, write_calls
from mua_env.core.json_reader import read_object
from mua_env.core.messages import FunctionCall
from mua_env.core.tasks import Action
from mua_env.errors import DataError
from mua_env.inference.chat_formats.argument_types import Tools, write_json

_CLOSING = {"[": "]", "(": ")", "{": "}"}
_TOKEN = re.compile(
    # A string without its end goes to the end of its line: no text is gone through twice.
    r"""(?P<string>'(?:[^'\\\n]|\\(?:.|\Z))*+(?:'|(?=\n)|\Z)|"(?:[^"\\\n]|\\(?:.|\Z))*+(?:"|(?=\n)|\Z))"""
    r"|(?P<open>[\[({])|(?P<close>[\])}])",
    re.DOTALL,
)
_NAME = re.compile(r"\[\s*([^\W\d][\w.]*)")
_FENCE = re.compile(r"\s*\n```[ \t]*(?=\n|\Z)")


class ListForm:
    """A list of calls that begins a line, alone or in a fence of code."""

    opening = r"(?:\A|(?<=\n)|(?<=</think>))[ \t]*(?:```\w*[ \t]*\n)?[ \t]*\[\s*[^\W\d][\w.]*\s*\("

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """As `CallForm.read`. A list without its end, or of what are no calls with literal arguments, comes back as one
        call whose arguments are the text."""
        begin = text.index("[", start)
        end = _end(text, begin)
        written = text[begin:end]
        if "```" in text[start:begin] and (fence := _FENCE.match(text, end)):
            end = fence.end()
        try:
            calls = read_calls(written, _parameters(tools))
            found = [FunctionCall(name=call.name, arguments=write_json(call.arguments)) for call in calls]
        except (DataError, TypeError, ValueError):  # a set or bytes are literals of Python and nothing in JSON
            name = _NAME.match(written)
            found = [FunctionCall(name=name[1] if name else "", arguments=written)]
        return end, found

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """As `CallForm.write`; arguments that are no JSON object are written as they are."""
        return f"[{', '.join(map(_written, calls))}]" if calls else ""


LIST_FORM = ListForm()


def _written(call: FunctionCall) -> str:
    values = read_object(call.arguments)
    if values is None:
        return f"{call.name}({call.arguments})"
    return write_calls([Action(name=call.name, arguments=values)])[1:-1]


def _end(text: str, begin: int) -> int:
    """Where the brackets that open at ``begin`` are closed; the end of the text where they are not."""
    waiting: list[str] = []
    for found in _TOKEN.finditer(text, begin):
        if found["open"]:
            waiting.append(_CLOSING[found["open"]])
        elif found["close"] and waiting:
            if waiting.pop() != found["close"]:
                break
            if not waiting:
                return found.end()
    return len(text)


def _parameters(tools: Tools) -> dict[str, tuple[str, ...]]:
    functions = [tool.get("function", tool) for tool in tools]
    return {each["name"]: tuple((each.get("parameters") or {}).get("properties") or ()) for each in functions}
