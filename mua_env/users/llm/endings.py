"""How a line of a model that plays the user ends the dialogue: the marker ``###STOP###``, in whatever dress.

A marker is a name that stands alone as a token: nothing but marks on its line, or between what opens and what closes
it. A heading ("## Stop wasting my time ##") has more words in it, and an order ("Please STOP that") no marks.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from mua_env.users.llm.prompts import Ending

_SPACED = r"[ _-]?"
_NAMES: dict[Ending, str] = {
    "done": rf"{_SPACED.join('stop')}|停止|结束|终止|結束|終止",
    "transferred": rf"{_SPACED.join('transfer')}|转接|转人工|轉接",
    "out_of_scope": r"out[ _-]*of[ _-]*scope|超出范围|超出範圍",
}
_NAME = re.compile(
    rf"(?<![^\W_]){'|'.join(f'(?P<{ending}>{name})' for ending, name in _NAMES.items())}(?![^\W_])", re.IGNORECASE
)
# Marks touch the name, or are groups of hashes with blanks between them.
_LEFT = re.compile(r"(?:\\?#[ \t]*)*[^\w\s.,!?;:。]*[ \t]*$")
_RIGHT = re.compile(r"[ \t]*[^\w\s.,!?;:。]*(?:[ \t\\]*#)*[^\w\s.,!?;:。]*")
_PAIRS = {"[": "]", "<": ">", "{": "}", "(": ")", "\u3010": "\u3011", "\u300a": "\u300b", "\u300c": "\u300d"}
_RULE = re.compile(r"([*=_~+-])\1\1")
_BEGUN = re.compile(r"(?:^|[.!?。…\n])[\s\"')\]*_]*$")
_OPENED = re.compile(r"(?:^|(?<=\s))[\s(\[{<*_`\"'|\\]+$")
_SILENT = re.compile(r"[\W_]*")
_NEAR = 60
"""Characters on each side of a name in which its marks stand."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A name in a line, folded, and what stands on its sides.

    `before` and `behind` are the rest of the line, `left` and `right` the marks that end and begin these.
    """

    name: str
    ending: Ending
    before: str
    left: str
    right: str
    behind: str

    @property
    def last(self) -> bool:
        """Whether no word stands behind it."""
        return not any(map(str.isalnum, self.behind))

    @property
    def loud(self) -> bool:
        """In capitals."""
        return self.name.isupper()

    @property
    def begins(self) -> bool:
        """Whether no sentence is open before it."""
        return _BEGUN.search(self.before[-_NEAR:]) is not None

    def is_marker(self) -> bool:
        """The one question, by how much is marked: with hashes, with brackets or rules, or not at all."""
        hashes = self.left.count("#"), self.right.count("#")
        line, _, rest = self.behind.partition("\n")
        ends_line = not any(map(str.isalnum, line))
        if all(hashes) or (any(hashes) and self._closed()):
            return True
        if hashes[0] > 1:
            return ends_line and (not any(map(str.isalnum, rest)) or (self.loud and self.left.endswith("#")))
        if hashes[1] > 1:
            touches = self.right.startswith(("#", "\\"))
            return (self.loud or self.begins) if touches else (self.loud and self.begins and self.last)
        if self._closed() and self.last:
            return self.loud or self.begins
        return self.loud and self.last and self.begins and ("!" not in self.behind or not self.before.strip())

    def _closed(self) -> bool:
        left, right = self.left.strip(), self.right.strip()
        pairs = any(opening in left and closing in right for opening, closing in _PAIRS.items())
        return pairs or bool(_RULE.search(left) and _RULE.search(right))


def split_ending(said: str) -> tuple[str, Ending | None]:
    """The words of a line, and how a marker in it ends the dialogue (None for not at all).

    Words stand before the marker; where there are none, those behind it count.
    """
    folded, places = _folded(said)
    words = None
    for match in _NAME.finditer(folded):
        token = _token(folded, match)
        if not token.is_marker():
            continue
        begin, end = match.start() - len(token.left), match.end() + len(token.right)
        if words is None:
            words = _without_opener(said[: places[begin]].strip())
            ending, behind = token.ending, end
            if any(map(str.isalnum, words)):
                return words, ending
        else:  # another marker: what stands between the two counts
            return _spoken(said[places[behind] : places[begin]]), ending
    return (said.strip(), None) if words is None else (_spoken(said[places[behind] :]), ending)


def _without_opener(words: str) -> str:
    return (words[:-_NEAR] + _OPENED.sub("", words[-_NEAR:])).strip()


def _spoken(text: str) -> str:
    return "" if _SILENT.fullmatch(text) else text.strip()


def _token(folded: str, match: re.Match[str]) -> _Token:
    before, behind = folded[: match.start()], folded[match.end() :]
    left, right = _LEFT.search(before[-_NEAR:]), _RIGHT.match(behind[:_NEAR])
    marks = left[0] if left else "", right[0] if right else ""
    ending = next(name for name in _NAMES if match[name])
    return _Token(match[0], ending, before[: len(before) - len(marks[0])], *marks, behind[len(marks[1]) :])


def _folded(text: str) -> tuple[str, list[int]]:
    """A text in plain characters without those of no width, and where each of them stands in the text, with its end."""
    signs, places = [], []
    for place, char in enumerate(text):
        for sign in unicodedata.normalize("NFKC", char):
            if unicodedata.category(sign) not in ("Cf", "Mn"):
                signs.append(sign)
                places.append(place)
    return "".join(signs), [*places, len(text)]
