"""An agent's text cut into segments, each with its place: the block rules of a markdown parser, on bounded text.

A segment is a sentence of a paragraph or of a list item, or a row of a table. What it does depends on where it stands:
"Email" is asked for in a list under "please send me", and told in one under "on file". So each knows what introduces
its list, the heading that it stands under, and whether it is in the last block.

Time is linear in the text: each line is looked at once, by patterns that begin at its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from mua_env.users.agenda.nlu.dialogue_acts import lines

MOST_SEGMENTS = 80
"""Segments of a text that are looked at, its beginning and its end; nobody keeps more of one message in mind."""
_ENDING = 30
MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence and its place in a text.

    Attributes:
        text: without markup.
        lead: for an item, what introduces it: the sentence before the list, or the item that it is nested in.
        heading: the nearest heading above it.
        item: the number of its outermost list item through the whole text; -1 for running text.
        depth: 0 for running text, 1 for an item of a list or row of a table, 2 for what is nested in one.
        block: the number of its paragraph or list.
        last: it stands in the last block.
        title: it is a heading.
    """

    text: str
    lead: str = ""
    heading: str = ""
    item: int = -1
    depth: int = 0
    block: int = 0
    last: bool = False
    title: bool = False

    @property
    def question(self) -> bool:
        """Whether it ends with a question mark."""
        return self.text.rstrip("\"')*] ").endswith(("?", "\uff1f"))

    @property
    def place(self) -> str:
        """``title``, ``text``, ``item`` or ``nested``, with ``last`` behind it for the last block."""
        kind = "title" if self.title else ("text", "item", "nested")[self.depth]
        return f"{kind} last" if self.last else kind


_QUOTES = str.maketrans(
    {
        "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"',
        "\u2010": "-", "\u2011": "-", "\u2013": "-", "\u00a0": " ", "\u202f": " ",
    }
)  # fmt: skip
_MARKUP = re.compile(r"\*+|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|^>\s?|[\x00-\x08\x0b-\x1f]")
_ITEM = re.compile(
    r"(?:[-*\u2022\u25e6\u25aa+\u2014]\s+|(?:\*\*)?\(?(?:\d{1,2}|[a-hA-H]|[ivx]{1,4})[.)\u3001](?:\*\*)?\s+"
    r"|(?:\*\*)?\(?\d{1,2}[.)\u3001](?=[^\d\s]))(?=\S)"
)
_TITLE = re.compile(r"(?:#{1,6}\s+(.+?)#*|(?:\*\*|__)([^*_]+)(?:\*\*|__)\s*:?)\s*$")
_RULE = re.compile(r"[\s|:*=_+-]{3,}$")
_SHORT = re.compile(r"(?<![A-Za-z])(Mr|Mrs|Ms|Dr|St|Ave|Rd|Apt|No|nr|approx|vs|e\.g|i\.e|etc|a\.m|p\.m)\.(?=\s)")
_STOP = re.compile(
    r"(?<=[.?!])[\"')\]]*\s+(?![(\[]?\s*(?:yes|y)\s*[/)])|(?<=[\u3002\uff1f\uff01\uff1b])[\"')\u201d\uff09]*\s*(?=\S)"
    r"|(?<=[.?!])(?=[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_DOT = "\u2024"


def segments(text: str) -> list[Segment]:
    """The segments of a text, in order; at most :data:`MOST_SEGMENTS`."""
    found = list(_Reader().read(text.translate(_QUOTES)))
    if len(found) > MOST_SEGMENTS:
        found = found[: MOST_SEGMENTS - _ENDING] + found[-_ENDING:]
    end = max((segment.block for segment in found), default=0)
    return [replace(segment, last=segment.block == end) for segment in found]


def sentences_of(line: str) -> list[str]:
    """The sentences of a line without markup."""
    kept = _SHORT.sub(rf"\1{_DOT}", line)
    return [part.replace(_DOT, ".").strip() for part in _STOP.split(kept) if part and part.strip()]


def _plain(line: str) -> str:
    return " ".join(_MARKUP.sub("", line).split())


def _last(words: str) -> str:
    return (sentences_of(words) or [words])[-1]


class _Reader:
    """Goes through the lines of a text and keeps what the next one depends on."""

    def __init__(self) -> None:
        self.heading = ""
        self.block = 0
        self.item = -1
        self._said = ""  # the last sentence of running text
        self._lead = ""  # of the list that is open
        self._above: list[tuple[int, str]] = []  # the items that are open, outermost first, with their indentation
        self._indent = 0
        self._open = False
        self._gap = False
        self._columns: list[str] | None = None

    def read(self, text: str) -> Iterator[Segment]:
        for indent, line in islice(lines(text), MOST_LINES):
            yield from self._line(line, indent)

    def _line(self, line: str, indent: int) -> list[Segment]:
        if not line or _RULE.match(line):
            self._gap |= not line.startswith("|")
            return []
        if line.startswith("|"):
            return self._row(line)
        self._columns = None
        title, item = _TITLE.match(line), _ITEM.match(line)
        if title is not None:
            return self._title(_plain(title[1] or title[2]))
        if item is not None:
            return self._item(_plain(line[item.end() :]), indent)
        words = _plain(line)
        if self._open and (indent > self._indent or (not self._gap and words[:1].islower())):
            return self._cut(words, depth=1, lead=self._lead)  # goes on with the item above it
        return self._running(words)

    def _title(self, words: str) -> list[Segment]:
        self._running_on()
        self.heading = self._said = words
        return [Segment(words, block=self.block, title=True)] if words else []

    def _item(self, words: str, indent: int) -> list[Segment]:
        nested = self._open and indent > self._indent + 1
        if not self._open:
            self.block += self._gap
            self._lead, self._indent, self._open = self._said, indent, True
        self._gap = False
        if nested:
            self._above = [self._above[0], *(above for above in self._above[1:] if above[0] < indent)]
            lead = self._above[-1][1]
            self._above.append((indent, _last(words)))
            return self._cut(words, depth=2, lead=lead)
        self.item += 1
        self._above = [(indent, _last(words))]
        return self._cut(words, depth=1, lead=self._lead)

    def _row(self, line: str) -> list[Segment]:
        cells = [_plain(cell) for cell in line.strip("|").split("|")]
        if self._columns is None:
            self._columns = cells
            return []
        names = self._columns if len(cells) > 2 else ["", ""]
        words = ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)
        if len(cells) == 2:
            words = ": ".join(filter(None, cells))
        return self._item(words, 0)

    def _running(self, words: str) -> list[Segment]:
        self._running_on()
        found = self._cut(words, depth=0, lead="")
        if found:
            self._said = found[-1].text
        return found

    def _running_on(self) -> None:
        self.block += self._gap or self._open
        self._open = self._gap = False

    def _cut(self, words: str, *, depth: int, lead: str) -> list[Segment]:
        item = self.item if depth else -1
        return [Segment(part, lead, self.heading, item, depth, self.block) for part in sentences_of(words)]
