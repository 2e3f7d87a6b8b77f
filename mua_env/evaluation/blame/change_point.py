"""Where a row of shares falls from one level to a lower one."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from mua_env.evaluation.blame.result import Value

LEAST_GAIN = 1.92
"""Log-likelihood that two levels must gain over one: half the 95 % point of chi-square with one degree of freedom."""


def change_point(values: Sequence[Value]) -> int | None:
    """The turn at which two constant shares, the first higher, explain the values best; None where one does as well."""
    best, found = LEAST_GAIN, None
    whole = _likelihood(values)
    for place in range(1, len(values)):
        before, after = values[:place], values[place:]
        if _share(before) <= _share(after):
            continue
        gain = _likelihood(before) + _likelihood(after) - whole
        if gain > best + 1e-9:
            best, found = gain, values[place].turn
    return found


def _share(values: Sequence[Value]) -> float:
    of = sum(value.of for value in values)
    return sum(value.successes for value in values) / of if of else 0.0


def _likelihood(values: Sequence[Value]) -> float:
    """Of the values under their own common share."""
    of = sum(value.of for value in values)
    wins = sum(value.successes for value in values)
    return sum(count * log(count / of) for count in (wins, of - wins) if count)
