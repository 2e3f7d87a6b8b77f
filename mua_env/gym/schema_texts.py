"""Random texts: plain ones, those of JSON schema's formats, and those that a pattern matches."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from datetime import date, datetime
from ipaddress import ip_address
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import numpy as np

_LETTERS = string.ascii_letters + string.digits + " #_-"
_PLAIN = string.ascii_lowercase + string.digits
_PRINTED = [chr(code) for code in range(32, 127)]
_CATEGORIES = {
    codes.CATEGORY_DIGIT: string.digits,
    codes.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_DIGIT: string.ascii_letters,
    codes.CATEGORY_NOT_WORD: " -.",
    codes.CATEGORY_NOT_SPACE: string.ascii_letters + string.digits,
}


def word(rng: np.random.Generator, shortest: int = 1, longest: int = 12, letters: str = _LETTERS) -> str:
    """Letters, digits and a few marks, between two lengths."""
    size = int(rng.integers(shortest, max(shortest, min(longest, shortest + 200)) + 1))
    return "".join(letters[int(at)] for at in rng.integers(len(letters), size=size))


def of_format(name: Any, rng: np.random.Generator) -> str | None:
    """A text of a format of JSON schema; ``None`` for formats that are not known."""
    make = _FORMATS.get(name) if isinstance(name, str) else None
    return None if make is None else make(rng)


def _name(rng: np.random.Generator) -> str:
    return "a" + word(rng, 3, 8, _PLAIN)


def _date(rng: np.random.Generator) -> str:
    return f"{rng.integers(2000, 2040):04}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"


def _time(rng: np.random.Generator) -> str:
    return f"{rng.integers(24):02}:{rng.integers(60):02}:{rng.integers(60):02}Z"


def _hex(rng: np.random.Generator) -> str:
    return f"{rng.integers(1, 2**16):x}"


_FORMATS: Mapping[str, Callable[[np.random.Generator], str]] = {
    "date": _date,
    "time": _time,
    "date-time": lambda rng: f"{_date(rng)}T{_time(rng)}",
    "duration": lambda rng: f"P{rng.integers(1, 30)}DT{rng.integers(1, 24)}H",
    "email": lambda rng: f"{_name(rng)}@example.com",
    "idn-email": lambda rng: f"{_name(rng)}@example.com",
    "hostname": lambda rng: f"{_name(rng)}.example.com",
    "idn-hostname": lambda rng: f"{_name(rng)}.example.com",
    "ipv4": lambda rng: f"192.0.2.{rng.integers(1, 255)}",
    "ipv6": lambda rng: f"2001:db8::{_hex(rng)}:{_hex(rng)}",
    "uri": lambda rng: f"https://example.com/{_name(rng)}",
    "url": lambda rng: f"https://example.com/{_name(rng)}",
    "iri": lambda rng: f"https://example.com/{_name(rng)}",
    "uri-reference": lambda rng: f"/{_name(rng)}",
    "iri-reference": lambda rng: f"/{_name(rng)}",
    "uri-template": lambda rng: f"/{_name(rng)}/{{id}}",
    "uuid": lambda rng: str(UUID(bytes=rng.bytes(16), version=4)),
    "json-pointer": lambda rng: f"/{_name(rng)}/0",
    "relative-json-pointer": lambda rng: f"{rng.integers(1, 9)}/{_name(rng)}",
    "regex": lambda rng: f"^{_name(rng)}$",
    "byte": lambda rng: word(rng, 8, 8, _PLAIN),
}


def has_format(text: str, name: Any) -> bool:
    """Whether a text has a format, as far as the standard library can tell; any text has one that is not known."""
    try:
        return not isinstance(name, str) or name not in _CHECKS or bool(_CHECKS[name](text))
    except ValueError:
        return False


_CHECKS: Mapping[str, Callable[[str], Any]] = {
    "date": lambda text: len(text) == 10 and date.fromisoformat(text),
    "time": lambda text: datetime.fromisoformat(f"2000-01-01T{text}").tzinfo,
    "date-time": lambda text: len(text) > 18 and datetime.fromisoformat(text).tzinfo,
    "email": lambda text: "@" in text.strip("@"),
    "idn-email": lambda text: "@" in text.strip("@"),
    "ipv4": lambda text: ip_address(text).version == 4,
    "ipv6": lambda text: ip_address(text).version == 6,
    "uuid": lambda text: str(UUID(text)) == text.lower(),
    "uri": lambda text: urlsplit(text).scheme,
    "url": lambda text: urlsplit(text).scheme,
    "iri": lambda text: urlsplit(text).scheme,
    "hostname": lambda text: re.fullmatch(r"(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*(?<!-)", text),
}


def of_pattern(pattern: str, rng: np.random.Generator, effort: int = 0) -> str:
    """A text that a regular expression matches, as far as it can be built without looking around.

    Args:
        pattern: as in a JSON schema; one that Python cannot read gives a plain text.
        rng: draws.
        effort: what repeats does so up to so many times more than it must, beside a few.
    """
    try:
        tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return word(rng)
    groups: dict[int, str] = {}
    text = "".join(_piece(code, value, rng, effort, groups) for code, value in tree)
    return text or ""


def _piece(code: Any, value: Any, rng: np.random.Generator, effort: int, groups: dict[int, str]) -> str:
    def whole(tree: Any) -> str:
        return "".join(_piece(part, inner, rng, effort, groups) for part, inner in tree)

    if code is codes.LITERAL:
        return chr(value)
    if code is codes.NOT_LITERAL:
        return _pick(rng, [char for char in _PLAIN if ord(char) != value])
    if code is codes.ANY:
        return _pick(rng, _PLAIN)
    if code is codes.IN:
        return _pick(rng, _class(value))
    if code is codes.BRANCH:
        return whole(value[1][int(rng.integers(len(value[1])))])
    if code is codes.SUBPATTERN:
        groups[value[0]] = whole(value[3])
        return groups[value[0]]
    if code is codes.ATOMIC_GROUP:
        return whole(value)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least, most, tree = value
        times = int(rng.integers(least, min(int(most), least + 3 + 2 * effort) + 1))
        return "".join(whole(tree) for _ in range(min(times, 1000)))
    return groups.get(value, "") if code is codes.GROUPREF else ""  # anchors and looks around stand for nothing


def _class(parts: Any) -> list[str]:
    """The printed ASCII characters in a class, else its first."""
    negated = parts[0][0] is codes.NEGATE
    chars: list[str] = []
    for code, value in parts[1:] if negated else parts:
        if code is codes.LITERAL:
            chars.append(chr(value))
        elif code is codes.RANGE:
            chars += [chr(at) for at in range(value[0], min(value[1], value[0] + 200) + 1)]
        elif code is codes.CATEGORY:
            chars += _CATEGORIES.get(value, _PLAIN)
    if negated:
        return [char for char in _PRINTED if char not in chars] or ["\u00b7"]
    return [char for char in chars if " " <= char <= "~"] or chars


def _pick(rng: np.random.Generator, chars: Any) -> str:
    return str(chars[int(rng.integers(len(chars)))])
