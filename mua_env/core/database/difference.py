"""The difference of two sets of changed rows: equal is success, and what is unequal explains a failure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from mua_env.core.database import Changes, RowKey
from mua_env.core.tools import Mode

MISSING = "(absent)"
"""Stands for a value, or a whole row, that one side lacks."""


class CellDifference(BaseModel):
    """One place where the database is not as expected.

    ``column`` names a path into a JSON document where the column holds one, as ``address.zip`` or
    ``items[2].price``; it is ``"*"`` when the whole row is missing on one side.
    """

    model_config = ConfigDict(frozen=True)

    table: str
    key: str
    column: str
    expected: Any
    got: Any


def canonical(value: Any, *, mode: Mode = "strict", unordered: bool = False) -> Any:
    """A value in the form in which equality means "the same".

    ``strict``: 3 equals 3.0 and floats agree to nine decimals, but ``True`` is not 1 and "3" is not 3; with
    ``unordered``, lists are compared as multisets. ``compat`` tells 100 from 100.0 and keeps the order of
    lists, as the hash of tau-bench does.
    """
    if isinstance(value, Mapping):
        pairs = ((str(key), canonical(item, mode=mode, unordered=unordered)) for key, item in value.items())
        return ("{}", tuple(sorted(pairs, key=lambda pair: pair[0])))
    if isinstance(value, list | tuple):
        items = [canonical(item, mode=mode, unordered=unordered) for item in value]
        return ("[]", tuple(sorted(items, key=repr) if unordered and mode == "strict" else items))
    if mode == "compat":
        return (type(value).__name__, str(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (type(value).__name__, value)
    return ("number", value if isinstance(value, int) else _plain(value))


def _plain(value: float) -> int | float | str:
    """A float to nine decimals; whole ones become exact integers, and NaN equals itself."""
    if not math.isfinite(value):
        return str(value)
    rounded = round(value, 9)
    return int(rounded) if rounded.is_integer() else rounded


def compare(
    expected: Changes,
    got: Changes,
    *,
    initial: Callable[[RowKey], dict[str, Any] | None],
    sets: Mapping[str, frozenset[str]] | None = None,
    mode: Mode = "strict",
) -> list[CellDifference]:
    """Every place where two sets of changes disagree, by table and key.

    Args:
        expected: rows changed by the gold actions.
        got: rows changed by the episode.
        initial: gives the row that a side left unchanged.
        sets: for each table, the columns whose lists have no order.
        mode: see :func:`canonical`.
    """
    found: list[CellDifference] = []
    for row_key in sorted(expected.keys() | got.keys()):
        name, key = row_key
        want = expected[row_key] if row_key in expected else initial(row_key)
        have = got[row_key] if row_key in got else initial(row_key)
        unordered = (sets or {}).get(name, frozenset())
        for column, left, right in _row(want, have, unordered, mode):
            found.append(CellDifference(table=name, key=_show(key), column=column, expected=left, got=right))
    return found


def _row(
    want: dict[str, Any] | None, have: dict[str, Any] | None, unordered: frozenset[str], mode: Mode
) -> Iterator[tuple[str, Any, Any]]:
    if want is None or have is None:
        if want is not have:
            yield "*", MISSING if want is None else want, MISSING if have is None else have
        return
    for column in sorted(want.keys() | have.keys()):
        is_set = column in unordered
        yield from _cell(column, want.get(column, MISSING), have.get(column, MISSING), is_set, mode)


def _cell(path: str, want: Any, have: Any, unordered: bool, mode: Mode) -> Iterator[tuple[str, Any, Any]]:
    # What is written alike is alike in every mode; most cells are, and long documents take long to bring in form.
    if repr(want) == repr(have):
        return
    if canonical(want, mode=mode, unordered=unordered) == canonical(have, mode=mode, unordered=unordered):
        return
    if isinstance(want, Mapping) and isinstance(have, Mapping):
        for name in sorted(want.keys() | have.keys()):
            yield from _cell(f"{path}.{name}", want.get(name, MISSING), have.get(name, MISSING), unordered, mode)
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have) and not unordered:
        for i, (left, right) in enumerate(zip(want, have, strict=True)):
            yield from _cell(f"{path}[{i}]", left, right, unordered, mode)
    else:
        yield path, want, have


def _show(key: str) -> str:
    values = json.loads(key)
    return str(values[0]) if len(values) == 1 else ", ".join(map(str, values))
