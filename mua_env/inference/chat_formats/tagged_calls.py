"""Calls that write each argument between tags, its value as plain text: typed by the tool's schema when it is read.

- **Qwen3.5 to 3.8, Nemotron 3**: ``<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>``,
  a line each.
- **GLM-4**: ``<tool_call>NAME``, then ``<arg_key>KEY</arg_key>`` and ``<arg_value>VALUE</arg_value>``.
- **Muse Glimmer**: ``<atem:invoke name="NAME">`` with ``<atem:parameter name="KEY">VALUE</atem:parameter>``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mua_env.core.json_reader import read_object
from mua_env.core.messages import FunctionCall
from mua_env.errors import ConfigError
from mua_env.inference.chat_formats.argument_types import (
    ANY,
    Tools,
    argument_types,
    read_value,
    write_json,
    write_value,
)


@dataclass(frozen=True)
class TagForm:
    """The tags of a family.

    A value may hold the tag that ends it: only one that another argument or the end of the call follows counts.

    Attributes:
        opening: pattern of what a call begins with.
        head: pattern of a call's beginning with its ``name``.
        key: pattern of what stands before a value, with its ``key``.
        close: pattern of what stands after it.
        end: pattern of a call's end.
        frame: a call, of ``{name}`` and ``{arguments}``.
        argument: an argument, of ``{key}`` and ``{value}``.
    """

    opening: str
    head: str
    key: str
    close: str
    end: str
    frame: str
    argument: str

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(part) for part in (self.head, self.key, self.close, self.end))

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """As `CallForm.read`. An argument without its end swallows the rest of the turn."""
        head, key, close, end = self._patterns
        begin = head.match(text, start)
        if begin is None:
            return self._broken(text, start, start, "")
        name, place = begin["name"].strip(), begin.end()
        types, values = argument_types(tools, name), {}
        while argument := key.match(text, place):
            closed = close.search(text, argument.end())
            if closed is None:
                return len(text), [FunctionCall(name=name, arguments=text[begin.end() :])]
            value = text[argument.end() : closed.start()]
            values[argument["key"]] = read_value(value, types.get(argument["key"], ANY))
            place = closed.end()
        if stop := end.match(text, place):
            return stop.end(), [FunctionCall(name=name, arguments=write_json(values))]
        return self._broken(text, start, begin.end(), name)

    def _broken(self, text: str, start: int, inner: int, name: str) -> tuple[int, list[FunctionCall]]:
        """A call that cannot be read, up to its end or that of the text. Its raw text is never empty: that would be
        a call without arguments."""
        stop = self._patterns[-1].search(text, inner)
        raw = text[inner : stop.start() if stop else len(text)].strip()
        return stop.end() if stop else len(text), [FunctionCall(name=name, arguments=raw or text[start:inner])]

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """As `CallForm.write`; arguments that are no JSON object are written as they are.

        Raises:
            ConfigError: a value holds the end of an argument and what may follow it; this form has no escape for it.
        """
        return "\n".join(self._write(call, tools, python) for call in calls)

    def _write(self, call: FunctionCall, tools: Tools, python: bool) -> str:
        values = read_object(call.arguments)
        if values is None:
            return self.frame.format(name=call.name, arguments=call.arguments)
        types = argument_types(tools, call.name)
        written = {key: write_value(value, types.get(key, ANY), python=python) for key, value in values.items()}
        for key, text in written.items():
            if self._patterns[2].search(text):
                raise ConfigError(f"{call.name}: the value of {key!r} would end amid its text, {text[:120]!r}")
        arguments = "".join(self.argument.format(key=key, value=text) for key, text in written.items())
        return self.frame.format(name=call.name, arguments=arguments)


XML_FORM = TagForm(
    opening=r"<tool_call>",
    head=r"<tool_call>\s*<function=(?P<name>[^>\n]*)>\s*",
    key=r"<parameter=(?P<key>[^>\n]+)>\n?",
    close=r"\n?</parameter>\s*(?=<parameter=|</function>)",
    end=r"</function>\s*</tool_call>",
    frame="<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>",
    argument="<parameter={key}>\n{value}\n</parameter>\n",
)
GLM_FORM = TagForm(
    opening=r"<tool_call>",
    head=r"<tool_call>\s*(?P<name>[^\s<]*)\s*",
    key=r"<arg_key>(?P<key>[^<]*)</arg_key>\s*<arg_value>",
    close=r"</arg_value>\s*(?=<arg_key>|</tool_call>)",
    end=r"</tool_call>",
    frame="<tool_call>{name}\n{arguments}</tool_call>",
    argument="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
)
ATEM_FORM = TagForm(
    opening=r"<atem:function_calls>",
    head=r'<atem:function_calls>\s*<atem:invoke name="(?P<name>[^"]*)">\s*',
    key=r'<atem:parameter name="(?P<key>[^"]*)">',
    close=r"</atem:parameter>\s*(?=<atem:parameter |</atem:invoke>)",
    end=r"</atem:invoke>\s*</atem:function_calls>",
    frame='<atem:function_calls>\n<atem:invoke name="{name}">\n{arguments}</atem:invoke>\n</atem:function_calls>',
    argument='<atem:parameter name="{key}">{value}</atem:parameter>\n',
)
