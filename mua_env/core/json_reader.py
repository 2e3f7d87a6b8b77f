"""The one reader for JSON that a model wrote.

It takes JSON as the standard has it (RFC 8259) and nothing else: no ``NaN`` or ``Infinity``, no lone surrogates. Depth,
length, the number of values and the size of numbers are bounded, so that whatever it returns can be written again,
compared and shown. Of a key that stands twice in an object the last value counts, everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from mua_env.core.limits import DEEPEST_JSON, LARGEST_NUMBER, LONGEST_JSON, MOST_VALUES

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)


class MalformedJSON(ValueError):
    """A text is no JSON, or more than is taken; the message says what is wrong."""


class UnfitNumber(MalformedJSON):
    """A number is none, or too large; the rest may be JSON."""


def read_json(text: str | bytes, *, longest: int = LONGEST_JSON) -> Any:
    """The value of a JSON text.

    Args:
        text: characters, or bytes in UTF-8.
        longest: characters or bytes that are taken.

    Raises:
        MalformedJSON: it is no JSON, or beyond a bound.
    """
    if len(text) > longest:
        raise MalformedJSON(f"longer than {longest} characters")
    try:
        value = from_json(text, allow_inf_nan=False, cache_strings="keys")
    except (ValueError, TypeError) as error:  # a TypeError for text that cannot be encoded
        reason = "a lone surrogate, which is no text" if isinstance(error, TypeError) else str(error)
        raise MalformedJSON(reason) from None
    check_value(value)
    return value


def read_first_json(text: str) -> tuple[Any, int]:
    """The array or object that a text begins with, and where it ends.

    Raises:
        MalformedJSON: the text begins with neither, it is cut, or beyond a bound.
    """
    depth = 0
    for mark in _MARKS.finditer(text[:LONGEST_JSON]):
        if depth == 0 and mark.start() > 0:
            break
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(mark[0], 0)
        if depth > DEEPEST_JSON:
            raise MalformedJSON(f"nested more than {DEEPEST_JSON} deep")
        if depth <= 0:
            return read_json(text[: mark.end()]), mark.end()
    raise MalformedJSON("no complete JSON array or object")


def read_object(text: str | bytes, *, longest: int = LONGEST_JSON) -> dict[str, Any] | None:
    """The JSON object that a text is, or ``None`` where it is none."""
    try:
        value = read_json(text, longest=longest)
    except MalformedJSON:
        return None
    return value if isinstance(value, dict) else None


def check_value(value: Any, *, most: int | None = MOST_VALUES) -> None:
    """Hold a value of JSON's kinds against the bounds.

    Args:
        value: dictionaries, lists, texts, numbers, truth values and ``None``.
        most: values that are taken; ``None`` for any number.

    Raises:
        MalformedJSON: it is nested too deeply, or holds too many values.
        UnfitNumber: it holds a number that is none or too large.
    """
    level, depth, count = [value], 0, 1
    while level:
        deeper: list[Any] = []
        nested = False
        for part in level:
            if isinstance(part, Mapping):
                deeper += part.values()
                nested = True
            elif isinstance(part, list | tuple):
                deeper += part
                nested = True
            elif isinstance(part, int | float) and not -LARGEST_NUMBER < part < LARGEST_NUMBER:
                raise UnfitNumber(f"a number must be smaller than {LARGEST_NUMBER:.1e}")
        level, depth, count = deeper, depth + nested, count + len(deeper)
        if depth > DEEPEST_JSON:
            raise MalformedJSON(f"nested more than {DEEPEST_JSON} deep")
        if most is not None and count > most:
            raise MalformedJSON(f"more than {most} values")
