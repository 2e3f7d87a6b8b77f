"""Values that a text states, and whether they are known: ids, emails, postal codes, money, dates, names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_WORD = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[A-Za-z0-9]+(?:[_'-][A-Za-z0-9]+)*", re.ASCII)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_MONTH = rf"(?P<month>{'|'.join(f'{name[:3]}(?:{name[3:]})?' if len(name) > 3 else name for name in _MONTHS)})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_SPOKEN = (
    re.compile(rf"\b{_MONTH} {_DAY}", re.IGNORECASE),
    re.compile(rf"(?<!\d){_DAY}(?: of)? {_MONTH}\b", re.IGNORECASE),
)
_PARTIAL = 3
"""Characters of the shortest part of an id by which a person may name it ("ending in 567")."""

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MONEY = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)|\b(\d[\d,]*(?:\.\d+)?) (?:dollars|usd)\b", re.IGNORECASE)
_ID = re.compile(r"#?\b(?=[\w-]*\d)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*\b", re.ASCII)
_CAPITALS = re.compile(r"\b[A-Z0-9]{6}\b")
_NAME = re.compile(r"\b(?:[Nn]ame is|[Nn]ame:|I am|I'm|[Tt]his is) ([A-Z][a-z]+(?:[ -][A-Z][a-z]+)+)")
_ENOUGH_DIGITS = 3


@dataclass
class Tokens:
    """What a body of text holds, by kind: words, numbers, days (month and day)."""

    words: set[str] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    days: set[tuple[int, int]] = field(default_factory=set)

    @classmethod
    def of(cls, *parts: Any) -> Tokens:
        """The tokens of texts, and of anything that JSON can hold."""
        found = cls()
        for part in parts:
            found.add(part if isinstance(part, str) else json.dumps(part, ensure_ascii=False))
        return found

    def add(self, text: str) -> None:
        """Take in a text."""
        self.words.update(word.lower() for word in _WORD.findall(text))
        self.numbers.update(map(_number, _NUMBER.findall(text)))
        self.days.update(day for day, _ in _days(text))

    def holds_word(self, word: str) -> bool:
        """Whether the word is there, or a longer one that begins or ends with it."""
        low = word.lower()
        if low in self.words:
            return True
        return len(low) >= _PARTIAL and any(known.endswith(low) or known.startswith(low) for known in self.words)


def unknown_values(text: str, *known: Tokens) -> list[str]:
    """The values in a text that none of the known tokens account for, as they are written there."""
    left, found = text, []
    for day, written in _days(text):
        left = left.replace(written, " ")
        if not any(day in tokens.days for tokens in known):
            found.append(written)
    for kind in (_EMAIL, _NAME, _ID, _CAPITALS):
        for match in kind.finditer(left):
            value = match[1] if kind is _NAME else match[0]
            if _counts(kind, value) and not _known(kind, value, known):
                found.append(value)
        left = kind.sub(" ", left) if kind is _EMAIL else left
    found += [match[0] for match in _MONEY.finditer(left) if not _holds_number(match[1] or match[2], known)]
    return list(dict.fromkeys(found))


def _counts(kind: re.Pattern[str], value: str) -> bool:
    if kind is _ID:
        return sum(char.isdigit() for char in value) >= _ENOUGH_DIGITS or bool(
            _CAPITALS.fullmatch(value) and not value.isdigit()
        )
    if kind is _CAPITALS:
        # A shouted word is no id; one that no vowel makes speakable is.
        return value.isalpha() and not re.search("[AEIOUY]", value)
    return True


def _known(kind: re.Pattern[str], value: str, known: tuple[Tokens, ...]) -> bool:
    if kind is _NAME:
        return all(any(tokens.holds_word(word) for tokens in known) for word in re.split("[ -]", value))
    bare = value.lstrip("#")
    if any(tokens.holds_word(bare) for tokens in known):
        return True
    if bare.replace(",", "").isdigit() and _holds_number(bare, known):
        return True
    pieces = re.split("[_-]", bare)
    return len(pieces) > 1 and all(any(piece.lower() in tokens.words for tokens in known) for piece in pieces)


def _holds_number(text: str, known: tuple[Tokens, ...]) -> bool:
    value = _number(text)
    return any(value in tokens.numbers for tokens in known)


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip(".") or 0)


def _days(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Days with the words that state them."""
    for match in _ISO.finditer(text):
        yield (int(match[2]), int(match[3])), match[0]
    for pattern in _SPOKEN:
        for match in pattern.finditer(text):
            short = match["month"][:3].lower()
            month = next(number for number, name in enumerate(_MONTHS, start=1) if name.startswith(short))
            yield (month, int(match["day"])), match[0]
