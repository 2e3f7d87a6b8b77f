"""The state hash of tau-bench: SHA-256 of the Python text of the whole database as sorted tuples.

It tells 100, 100.0 and "100" apart and depends on the order of lists. Scores here come from differences of rows;
this hash serves to prove that both see the same states.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

Records = Mapping[str, Mapping[str, Any]]


class StateHasher:
    """Hashes states that differ from a base in few records, at the cost of those records.

    Args:
        tables: table name -> key -> record, as the benchmark's JSON files hold them.
    """

    def __init__(self, tables: Mapping[str, Records]) -> None:
        self._pieces = {
            name: {key: _pair(key, record) for key, record in records.items()} for name, records in tables.items()
        }

    def digest(self, changed: Mapping[str, Mapping[str, Mapping[str, Any] | None]]) -> str:
        """Hex digest of the base with some records replaced (``None`` removes one)."""
        tables = []
        for name in sorted(self._pieces):
            pieces = dict(self._pieces[name])
            for key, record in changed.get(name, {}).items():
                if record is None:
                    pieces.pop(key, None)
                else:
                    pieces[key] = _pair(key, record)
            tables.append(f"({name!r}, {_tuple([pieces[key] for key in sorted(pieces)])})")
        return hashlib.sha256(_tuple(tables).encode("utf-8")).hexdigest()


def _pair(key: str, value: Any) -> str:
    return f"({key!r}, {_hashable(value)!r})"


def _tuple(parts: list[str]) -> str:
    """The text of a tuple whose elements have these texts."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple((key, _hashable(item)) for key, item in sorted(value.items()))
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    return value
