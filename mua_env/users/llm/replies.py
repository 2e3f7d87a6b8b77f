"""Reading what a model wrote as the user: the line, the thought, the stop; and what makes it unusable."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from mua_env.core.messages import ToolCall
from mua_env.core.thoughts import spoken
from mua_env.llm import Completion
from mua_env.users.llm.endings import split_ending
from mua_env.users.llm.prompts import Ending, Strategy

LONGEST = 4000
"""Characters; a customer's message beyond this is a model running on."""

_MARKUP = re.compile(r"<\|[\w.]+\|>|\[/?INST\]")
_REPLY = re.compile(r"^\s*reply\s*:", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"^\s*thought\s*:", re.IGNORECASE | re.MULTILINE)
_BETTER = re.compile(r"^\s*better\s*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Line:
    """One message of the user. `raw` is what the model wrote, which its own history keeps.

    With `calls` it is no message yet: the user acts with its own tools first, and `thought` is what it wrote beside.
    `ending` is how a line that ends the dialogue ends it, `thinking` what must come back with the calls.
    `held` marks a line whose stop was dropped.
    """

    text: str
    stop: bool
    thought: str | None
    raw: str
    calls: tuple[ToolCall, ...] = ()
    ending: Ending | None = None
    thinking: tuple[dict[str, Any], ...] = ()
    held: bool = False


class Unusable(Exception):
    """The model's reply is no message of a user; the text says why, `guard` which guard it was, if one."""

    def __init__(self, reason: str, *, guard: str | None = None) -> None:
        super().__init__(reason)
        self.guard = guard


def read_line(completion: Completion, strategy: Strategy, *, opening: bool = False, tools: bool = False) -> Line:
    """The user's line in a completion, or its tool calls if it has ``tools``.

    Raises:
        Unusable: empty, cut, garbled, over-long, a tool call, or a stop where nothing has begun.
    """
    if completion.tool_calls and tools:
        beside = spoken(completion.text or "").strip()
        return Line("", False, beside or None, beside, completion.tool_calls, thinking=completion.thinking_blocks)
    if completion.tool_calls:
        raise Unusable("it calls a tool, which only the agent may")
    raw = spoken(completion.text or "").strip()
    if not raw:
        raise Unusable("it is nothing but a thought" if (completion.text or "").strip() else "it is empty")
    if completion.finish_reason == "length":
        raise Unusable("it was cut off at the token limit")
    if len(raw) > LONGEST:
        raise Unusable(f"it is {len(raw)} characters long, the limit is {LONGEST}")
    if any(_is_garbage(char) for char in raw):
        raise Unusable("it is garbled (control characters)")
    thought, said = _split_thought(raw) if strategy == "react" else (None, raw)
    return _finish(said, thought, raw, opening)


def _finish(said: str, thought: str | None, raw: str, opening: bool) -> Line:
    text, ending = split_ending(said)
    if _MARKUP.search(text) or _MARKUP.search(thought or ""):
        raise Unusable("it is garbled (chat markup)")
    if ending is not None and opening:
        raise Unusable("it ends the dialogue before it began")
    if not text and ending is None:
        raise Unusable("it holds no message")
    return Line(text, ending is not None, thought, raw, ending=ending)


def without_stop(line: Line, heard: str) -> Line:
    """A line whose stop comes too early, as one that goes on: its words, or where it has none, a "Thank you."."""
    chinese = any("\u4e00" <= char <= "\u9fff" for char in heard)
    nothing = "" if line.text else "谢谢。" if chinese else "Thank you."
    raw = f"{split_ending(line.raw)[0]} {nothing}".strip()
    return replace(line, text=line.text or nothing, stop=False, ending=None, raw=raw, held=True)


def _split_thought(raw: str) -> tuple[str | None, str]:
    reply = _REPLY.search(raw)
    thought = _THOUGHT.search(raw)
    if reply is None:
        if thought is not None:
            raise Unusable("it holds a thought and no reply")
        return None, raw
    head = raw[: reply.start()]
    return _THOUGHT.sub("", head, count=1).strip() or None, raw[reply.end() :].strip()


def is_good(verdict: str | None) -> bool:
    """Whether a checker's answer lets a draft pass. Anything but a clear GOOD does not."""
    words = re.findall(r"[A-Za-z]+", verdict or "")
    return bool(words) and words[0].upper() == "GOOD"


def better_line(critique: str | None) -> str | None:
    """The rewritten line in a critique, or None when it has none."""
    match = _BETTER.search(critique or "")
    return (critique or "")[match.end() :].strip() or None if match else None


def _is_garbage(char: str) -> bool:
    return char == "\N{REPLACEMENT CHARACTER}" or (ord(char) < 32 and char not in "\n\r\t")
