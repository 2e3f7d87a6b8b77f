"""JSON that a model wrote: the one place where the trainer reads it."""

from __future__ import annotations

import json
from typing import Any

_DEEP = "nested too deep"


def read_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None


def read_first_json(text: str) -> tuple[Any, int]:
    """The value that a text begins with, and where it ends.

    Raises:
        ValueError: it begins with none.
    """
    try:
        return json.JSONDecoder().raw_decode(text)
    except RecursionError:
        raise ValueError(_DEEP) from None


def write_json(value: object) -> str:
    """JSON in one line, as chat templates write it."""
    return json.dumps(value, ensure_ascii=False)


def arguments_of(text: str) -> dict[str, Any] | None:
    """A call's arguments, or None where they are no JSON object."""
    try:
        value = read_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
