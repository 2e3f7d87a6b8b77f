"""Turns that are several messages, each addressed: to the user, to a tool, or to the model itself.

- **gpt-oss (harmony)**: ``<|channel|>analysis<|message|>...<|end|>`` is a thought, ``<|channel|>final<|message|>...``
  is said, ``to=functions.NAME<|channel|>commentary json<|message|>{...}<|call|>`` calls a tool and ends the turn.
- **Muse Glimmer**: ``to=self``, ``to=user`` and ``to=NAME`` before ``<|message|>``; ``<|eom|>`` between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mua_env.core.messages import AssistantMessage, FunctionCall
from mua_env.core.thoughts import join
from mua_env.inference.chat_formats.argument_types import Tools
from mua_env.inference.chat_formats.dialect import Dialect
from mua_env.inference.chat_formats.json_calls import canonical
from mua_env.inference.chat_formats.tagged_calls import ATEM_FORM
from mua_env.inference.tool_call_text import message_of

_HEADER = "<|start|>assistant"
_BODY = "<|message|>"
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_BEGUN = re.compile(r"\s*(?:to=|<\|channel\|>)")
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w*)")


@dataclass(frozen=True)
class Part:
    """One message of a turn."""

    recipient: str
    channel: str
    body: str


def split_messages(text: str, ends: re.Pattern[str]) -> Iterator[Part]:
    """The messages of a turn. Text that begins no message, as of a model that does not know the form, is said."""
    for piece in text.split(_HEADER):
        header, found, body = piece.partition(_BODY)
        if not found and not _BEGUN.match(header):
            header, body = "to=user", piece
        recipient, channel = _RECIPIENT.search(header), _CHANNEL.search(header)
        yield Part(recipient[1] if recipient else "", channel[1] if channel else "", ends.split(body)[0])


@dataclass(frozen=True)
class Harmony(Dialect):
    """The dialect of gpt-oss."""

    _ends: re.Pattern[str] = field(default=re.compile(r"<\|(?:end|call|return)\|>"), repr=False)

    def parse(self, text: str, turn: int = 0, *, tools: Tools = (), opened: bool = False) -> AssistantMessage:
        """As `Dialect.parse`; arguments stay as the agent wrote them."""
        said: list[str] = []
        calls: list[FunctionCall] = []
        for part in split_messages(text, self._ends):
            if part.recipient and part.recipient not in ("user", "assistant", "all"):
                # Nothing at all is no JSON either; an empty text would be taken for no arguments.
                arguments = part.body.strip() or _BODY
                calls.append(FunctionCall(name=part.recipient.removeprefix("functions."), arguments=arguments))
            elif part.channel != "analysis":
                said.append(part.body)
        return message_of(join(said), calls, turn)

    def render(self, message: AssistantMessage, tools: Tools = ()) -> str:
        """As `Dialect.render`. What is said beside a call is a preamble, on the channel of commentary."""
        content = message.content or ""
        if not message.tool_calls:
            return f"<|channel|>final{_BODY}{content}"
        (call,) = message.tool_calls
        beside = f"<|channel|>commentary{_BODY}{content}<|end|>{_HEADER}" if content.strip() else ""
        to = f" to=functions.{call.function.name}<|channel|>commentary json"
        return f"{beside}{to}{_BODY}{canonical(call.function.arguments)}"


@dataclass(frozen=True)
class Muse(Dialect):
    """The dialect of Muse Glimmer; the calls of a turn are messages of their own."""

    _ends: re.Pattern[str] = field(default=re.compile(r"<\|(?:eom|eot)\|>"), repr=False)

    def parse(self, text: str, turn: int = 0, *, tools: Tools = (), opened: bool = False) -> AssistantMessage:
        """As `Dialect.parse`."""
        said: list[str] = []
        calls: list[FunctionCall] = []
        for part in split_messages(text, self._ends):
            if part.recipient in ("user", ""):
                said.append(part.body)
            elif part.recipient != "self":
                calls += _called(part, tools)
        return message_of(join(said), calls, turn)

    def render(self, message: AssistantMessage, tools: Tools = ()) -> str:
        """As `Dialect.render`."""
        content = message.content or ""
        parts = [f" to=user{_BODY}{content}"] if content.strip() or not message.tool_calls else []
        for call in message.tool_calls:
            written = ATEM_FORM.write([call.function], tools)
            parts.append(f" to={call.function.name}{_BODY}{written}")
        return f"<|eom|>{_HEADER}".join(parts)


def _called(part: Part, tools: Tools) -> Sequence[FunctionCall]:
    found = re.search(ATEM_FORM.opening, part.body)
    if found is None:
        return [FunctionCall(name=part.recipient, arguments=part.body.strip() or _BODY)]
    return ATEM_FORM.read(part.body, found.start(), tools)[1]
