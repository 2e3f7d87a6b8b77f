"""A small grammar for composed phrasings: alternatives in brackets, values in braces.

``"[Yes|Sure][, please|]. {value}"`` has four variants. A template is parsed once; expanding it draws one number
per bracket from the given generator.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from random import Random
from typing import Literal

from mua_env.errors import ConfigError

Phrasings = Literal["all", "seen", "unseen"]
"""Which variants of a template are spoken: all, or one of two parts that share none."""

_UNSEEN = 4
"""One variant of so many is unseen."""
_LISTED = 256
"""Templates of up to so many variants have at least one unseen, where they have two at all."""
_WORD, _PLACEHOLDER = re.compile(r"[A-Za-z']+"), re.compile(r"\{\w+\}")

KEEP_OPEN, KEEP_CLOSE = "\x02", "\x03"
"""Marks around a value that noise and personas must leave as it is; removed before the text is spoken."""


class _Choice(tuple["_Sequence", ...]):
    """Alternatives."""

    __slots__ = ()


class _Value(str):
    """Name of a placeholder."""

    __slots__ = ()


_Sequence = tuple[str | _Value | _Choice, ...]


@lru_cache(maxsize=4096)
def parse(template: str) -> _Sequence:
    """The parsed template.

    Raises:
        ConfigError: a bracket or brace is not closed.
    """
    sequence, end, _ = _sequence(template, 0, nested=False)
    if end != len(template):
        raise ConfigError(f"unbalanced ']' in the template {template!r} at {end}")
    return sequence


def _sequence(text: str, at: int, *, nested: bool) -> tuple[_Sequence, int, bool]:
    parts: list[str | _Value | _Choice] = []
    literal: list[str] = []
    while at < len(text):
        char = text[at]
        if char == "]" or (nested and char == "|"):
            break
        if char in "[{":
            if literal:
                parts.append("".join(literal))
                literal = []
            part, at = _choice(text, at) if char == "[" else _value(text, at)
            parts.append(part)
            continue
        literal.append(char)
        at += 1
    if literal:
        parts.append("".join(literal))
    return tuple(parts), at, at < len(text)


def _choice(text: str, at: int) -> tuple[_Choice, int]:
    options: list[_Sequence] = []
    while True:
        option, at, more = _sequence(text, at + 1, nested=True)
        options.append(option)
        if not more:
            raise ConfigError(f"a '[' is not closed in the template {text!r}")
        if text[at] == "]":
            return _Choice(options), at + 1


def _value(text: str, at: int) -> tuple[_Value, int]:
    end = text.find("}", at)
    if end < 0:
        raise ConfigError(f"a '{{' is not closed in the template {text!r}")
    return _Value(text[at + 1 : end]), end + 1


def expand(template: str, rng: Random, values: Mapping[str, str]) -> str:
    """One variant of the template, with the values filled in."""
    out: list[str] = []
    _expand(parse(template), rng, values, out)
    return "".join(out)


def _expand(sequence: _Sequence, rng: Random, values: Mapping[str, str], out: list[str]) -> None:
    for part in sequence:
        if isinstance(part, _Choice):
            _expand(part[int(rng.random() * len(part))], rng, values, out)
        elif isinstance(part, _Value):
            out.append(values[part])
        else:
            out.append(part)


def variants(templates: str | Iterable[str]) -> int:
    """How many different texts the templates have, equal ones counted once per derivation."""
    if isinstance(templates, str):
        return _count(parse(templates))
    return sum(variants(template) for template in templates)


def _count(sequence: _Sequence) -> int:
    total = 1
    for part in sequence:
        if isinstance(part, _Choice):
            total *= sum(_count(option) for option in part)
    return total


class _Names(dict[str, str]):
    """Placeholders that stand for themselves."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def expand_part(template: str, rng: Random, values: Mapping[str, str], phrasings: Phrasings) -> str:
    """`expand` with one part of the variants: drawn again until it is of that part."""
    if phrasings == "all" or variants(template) < 2:
        return expand(template, rng, values)
    while True:
        state = rng.getstate()
        if is_unseen(template, expand(template, rng, _Names())) == (phrasings == "unseen"):
            rng.setstate(state)
            return expand(template, rng, values)


def is_unseen(template: str, variant: str) -> bool:
    """Whether a variant, its placeholders not filled in, is of the template's unseen part.

    The parts depend on the words alone. Of a template with two variants or more each part has at least one.
    """
    if variants(template) <= _LISTED:
        return variant in _unseen(template)
    return _rank(variant) % _UNSEEN == 0


@lru_cache(maxsize=4096)
def _unseen(template: str) -> frozenset[str]:
    """A part whose words are, as far as can be, also those of the rest: the sentence shall be new, not its words."""
    texts = sorted({"".join(parts) for parts in _derivations(parse(template))}, key=_rank)
    words = {text: _words(text) for text in texts}
    left = Counter(word for found in words.values() for word in found)
    many = max(1, len(texts) // _UNSEEN) if len(texts) > 1 else 0
    chosen: list[str] = []
    for text in texts:
        if len(chosen) < many and words[text] and all(left[word] > 1 for word in words[text]):
            chosen.append(text)
            left.subtract(words[text])
    # Where that does not suffice: what takes the fewest words along, and bare values last.
    rest = [text for text in texts if text not in chosen]
    rest.sort(key=lambda text: (not words[text], sum(left[word] == 1 for word in words[text])))
    return frozenset([*chosen, *rest[: many - len(chosen)]])


def _words(variant: str) -> set[str]:
    return set(_WORD.findall(_PLACEHOLDER.sub("", variant[:1].upper() + variant[1:])))


def _derivations(sequence: _Sequence) -> Iterator[tuple[str, ...]]:
    options: list[list[str]] = []
    for part in sequence:
        if isinstance(part, _Choice):
            options.append(["".join(text) for option in part for text in _derivations(option)])
        else:
            options.append([f"{{{part}}}" if isinstance(part, _Value) else part])
    return itertools.product(*options)


@lru_cache(maxsize=65536)
def _rank(variant: str) -> int:
    return int.from_bytes(hashlib.blake2b(variant.encode()).digest()[:8], "big")


def keep(value: str) -> str:
    """The value, marked as one that noise must not touch."""
    return f"{KEEP_OPEN}{value}{KEEP_CLOSE}"


def unmark(text: str) -> str:
    """The text without the marks."""
    return text.replace(KEEP_OPEN, "").replace(KEEP_CLOSE, "")
