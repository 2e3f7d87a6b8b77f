"""How scripted experts read: misspelt keywords are put right, and patterns tell what a text says.

Which words those are is the business of each domain.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

_WORD = re.compile(r"[a-z']{4,}")
_LIKENESS = 0.8
"""Of `difflib`, from 0 to 1: what a keyword and a misspelling of it have at least."""


def one_slip(a: str, b: str) -> bool:
    """Whether one word is the other with one letter left out, or has its letters in another order."""
    short, long = sorted((a, b), key=len)
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return len(long) - len(short) == 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


class Mender:
    """Puts misspelt keywords right.

    Args:
        keywords: lower-case words of four letters or more that the patterns of a domain look for, or that must not be
            taken for one of these.
        misspells: whether a word (second) that looks like a keyword (first) is one, by default where it is `one_slip`:
            "charge" is no misspelt "change".
        swaps: also know keywords of which two neighbouring letters stand the wrong way round, the first letter
            staying; in short words that is too much for a measure of likeness.
    """

    def __init__(
        self, keywords: Iterable[str], *, misspells: Callable[[str, str], bool] = one_slip, swaps: bool = False
    ) -> None:
        self._keywords = tuple(keywords)
        self._misspells = misspells
        self._known = {
            word[:at] + word[at + 1] + word[at] + word[at + 2 :]: word
            for word in (self._keywords if swaps else ())
            for at in range(1, len(word) - 1)
        }
        self._known |= {word: word for word in self._keywords}
        self._word = lru_cache(maxsize=8192)(self._mended)

    def __call__(self, text: str) -> str:
        """Lower-case text with misspelt keywords put right."""
        return _WORD.sub(lambda match: self._word(match[0]), text.lower().replace("\u2019", "'"))

    def _mended(self, word: str) -> str:
        if word in self._known:
            return self._known[word]
        close = difflib.get_close_matches(word, self._keywords, n=1, cutoff=_LIKENESS)
        return close[0] if close and self._misspells(close[0], word) else word


class Told:
    """Things by name, each with a regular expression that a text about it fits."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._patterns = {name: re.compile(pattern) for name, pattern in patterns.items()}

    def __call__(self, text: str) -> str | None:
        """The first thing that a text is about, in the order of the patterns."""
        return next((name for name, pattern in self._patterns.items() if pattern.search(text)), None)


def says(text: str, what: re.Pattern[str], but: re.Pattern[str]) -> bool:
    """Whether a text says something, and nothing to the contrary."""
    return what.search(text) is not None and but.search(text) is None


def last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Where a pattern fits a text for the last time."""
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def last_text(pattern: re.Pattern[str], text: str) -> str | None:
    """What fits a pattern last in a text."""
    match = last(pattern, text)
    return match[0] if match else None
