"""What a model says aloud, and what it only thinks: one rule for every model, whoever serves it.

Thoughts are nobody's message. They are not spoken to the user, and what looks like a tool call within them is none.
A thought that never ends is thought to the end. An end without a beginning closes a thought that was open before the
text began: the header of the turn had opened it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Tags:
    """What stands before and after a thought.

    Attributes:
        begin: as the family's template writes it.
        end: the same.
        begins: pattern of all spellings of the beginning, without groups that have names; ``begin`` alone by default.
        ends: the same of the end.
        empties: the same of a thought without content, as ``<think/>``; none by default.
    """

    begin: str
    end: str
    begins: str = ""
    ends: str = ""
    empties: str = ""


# Models write the element as their trainers spelled it, and where a prompt asked for thoughts, as the prompt did.
_NAMES = (
    r"(?:[\w-]{1,20}:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratch_?pad|"
    r"(?:inner|internal)[ _-]?(?:thoughts?|monologue)|chain[ _-]of[ _-]thought|cot)"
)
THINK = Tags(
    "<think>",
    "</think>",
    rf"(?i:<[|\s]{{0,2}}{_NAMES}(?:\s[^<>]{{0,200}})?\s{{0,2}}\|?(?<!/)>)|\[THINK\]|\u25c1think\u25b7",
    rf"(?i:<[|\s]{{0,2}}/\s{{0,2}}{_NAMES}\s{{0,9}}\|?>)|\[/THINK\]|\u25c1/think\u25b7",
    rf"(?i:<{_NAMES}(?:\s[^<>]{{0,200}})?/>)",
)
"""The element of most families, ``<think>``, in whatever spelling: any case, attributes, blanks, ``<thinking>``,
``<reasoning>`` and the like, Magistral's ``[THINK]``, Kimi's triangles. Any of the ends closes any of them."""


@dataclass(frozen=True)
class Calls(Generic[T]):
    """How tool calls stand in a text.

    Attributes:
        opening: pattern of what a call begins with, without groups that have names.
        read: the text and where a call begins -> where it ends, and what was called.
    """

    opening: str
    read: Callable[[str, int], tuple[int, list[T]]]


def split_aloud(
    text: str, *, opened: bool = False, tags: Tags = THINK, calls: Calls[T] | None = None
) -> tuple[list[str], list[T]]:
    """The pieces of a text that are said aloud, and the calls among them.

    A tag within a call is part of the call, as a call within a thought is part of the thought.

    Args:
        text: what a model wrote.
        opened: whether a thought is open when it begins.
        tags: of thoughts.
        calls: how calls stand in it; None for no calls.
    """
    pattern = _pattern(tags, calls.opening if calls else None)
    said: list[str] = []
    made: list[T] = []
    thinking, begin, place = opened, 0, 0
    while found := pattern.search(text, place):
        place = found.end()
        if found.lastgroup == "end":
            if not thinking:  # all of it was a thought
                said.clear()
                made.clear()
            thinking, begin = False, place
        elif thinking:
            continue
        elif found.lastgroup == "empty":
            said.append(text[begin : found.start()])
            begin = place
        elif found.lastgroup == "begin" or calls is None:
            said.append(text[begin : found.start()])
            thinking = True
        else:
            said.append(text[begin : found.start()])
            place, functions = calls.read(text, found.start())
            made += functions
            begin = place
    if not thinking:
        said.append(text[begin:])
    return said, made


def spoken(text: str, *, opened: bool = False, tags: Tags = THINK) -> str:
    """What is said aloud of a text without calls; the text itself where it holds no thought."""
    if not opened and _pattern(tags, None).search(text) is None:
        return text
    said, _ = split_aloud(text, opened=opened, tags=tags)
    return join(said)


def join(pieces: list[str]) -> str:
    """Pieces as one text, a line each, without those that are blank."""
    return "\n".join(piece for piece in (piece.strip() for piece in pieces) if piece)


def leaves_open(text: str, tags: Tags = THINK) -> bool:
    """Whether a thought is open where a text ends, as after the header of a turn."""
    marks = [found.lastgroup for found in _pattern(tags, None).finditer(text)]
    return bool(marks) and marks[-1] == "begin"


def after_thoughts(text: str, tags: Tags = THINK) -> str:
    """What stands behind the last end of a thought; the whole text where there is none."""
    ends = [found.end() for found in _pattern(tags, None).finditer(text) if found.lastgroup == "end"]
    return text[ends[-1] :] if ends else text


@lru_cache(maxsize=64)
def _pattern(tags: Tags, opening: str | None) -> re.Pattern[str]:
    named = {
        "begin": tags.begins or re.escape(tags.begin),
        "end": tags.ends or re.escape(tags.end),
        "empty": tags.empties,
        "call": opening,
    }
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in named.items() if pattern))
