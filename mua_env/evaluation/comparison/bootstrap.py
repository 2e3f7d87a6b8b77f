"""The interval of a mean over tasks by the bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np

from mua_env.evaluation.metrics import LEVEL, Interval, students_t

RESAMPLES = 4000
POWER = 0.8
_AT_ONCE = 2_000_000
"""Numbers that are drawn at a time, so that thousands of tasks take no gigabytes."""


def bootstrap_interval(
    values: Sequence[float], *, largest: float, seed: int = 0, level: float = LEVEL, resamples: int = RESAMPLES
) -> Interval:
    """The interval of the mean of tasks' values.

    Tasks are drawn with replacement, and each brings its trials with it: what trials of one task have in common is in
    the spread between tasks already, and drawing them anew as well would count their noise twice (Davison and Hinkley
    1997, section 3.8). The percentiles are widened as Hesterberg (2015) says, since those of few tasks are too narrow.

    Args:
        values: one for each task.
        largest: the largest absolute value that there can be. Where all values are equal there is nothing to draw
            from; the interval then reaches as far as a share of other tasks that could have been missed.
        seed: of the draws.
        level: of confidence.
        resamples: how often tasks are drawn.
    """
    data = np.asarray(values, dtype=float)
    count, mean = len(data), float(np.mean(data))
    tail = (1 - level) / 2
    if count < 2 or float(np.ptp(data)) == 0.0:
        missed = (1 - tail ** (1 / count)) * largest
        return Interval(low=max(-largest, mean - missed), high=min(largest, mean + missed), level=level)
    rng = np.random.default_rng(seed)
    rows = max(1, _AT_ONCE // count)
    means = np.concatenate(
        [
            data[rng.integers(count, size=(min(rows, resamples - begun), count))].mean(axis=1)
            for begun in range(0, resamples, rows)
        ]
    )
    tail = NormalDist().cdf(-students_t(level, count - 1) * sqrt(count / (count - 1)))
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(low=float(low), high=float(high), level=level)


def standard_error(values: Sequence[float]) -> float | None:
    """Of the mean of tasks' values; None for fewer than two."""
    if len(values) < 2:
        return None
    return float(np.std(np.asarray(values, dtype=float), ddof=1)) / sqrt(len(values))


def detectable(values: Sequence[float], *, level: float = LEVEL, power: float = POWER) -> float | None:
    """The smallest true difference that such tasks would show, as significant at ``1 - level``, with a power.

    None where all values are equal: nothing tells how much they would spread.
    """
    error = standard_error(values)
    if not error:
        return None
    return (students_t(level, len(values) - 1) + NormalDist().inv_cdf(power)) * error
