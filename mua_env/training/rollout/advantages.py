"""Group advantages of GRPO, as pure functions of numbers (MUA-RL §3.3.1, Eq. 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mua_env.errors import ConfigError
from mua_env.training.config.phases import Std


@dataclass(frozen=True)
class GroupAdvantages:
    """The advantages of one group of rollouts of the same query.

    Attributes:
        values: one per rollout; 0.0 where the rollout does not count, or where the group teaches nothing.
        valid: how many rollouts have a reward.
        all_equal: whether at least one rollout counts and all that count have the same reward.
        mean: of the rewards that count; None if there is none.
    """

    values: tuple[float, ...]
    valid: int
    all_equal: bool
    mean: float | None = None


def group_advantages(rewards: Sequence[float | None], *, std: Std = "population") -> GroupAdvantages:
    """``A_i = (r_i - mean(r)) / std(r)`` over the rollouts that have a reward (Eq. 2).

    A reward of None marks a failed episode: it is out of the group, for the mean and the standard
    deviation too. The paper is silent on groups whose rewards are all equal: their advantages are 0 here,
    and the group is reported. Nothing is added to the denominator; ``std="none"`` has none.

    Raises:
        ConfigError: a reward is not a finite number.
    """
    valid = [reward for reward in rewards if reward is not None]
    for reward in valid:
        if not math.isfinite(reward):
            raise ConfigError(f"a reward must be a finite number or None, got {reward!r} in {list(rewards)!r}")
    zeros = (0.0,) * len(rewards)
    if not valid:
        return GroupAdvantages(zeros, 0, False)
    # Compared, not computed: the deviation of equal floats need not come to exactly 0.
    if min(valid) == max(valid):
        return GroupAdvantages(zeros, len(valid), True, valid[0])
    mean = math.fsum(valid) / len(valid)
    deviation = 1.0 if std == "none" else _deviation(valid, mean, len(valid) - (std == "sample"))
    values = tuple(0.0 if reward is None else (reward - mean) / deviation for reward in rewards)
    return GroupAdvantages(values, len(valid), False, mean)


def _deviation(values: Sequence[float], mean: float, count: int) -> float:
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / count)


def batch_advantages(
    rewards: Sequence[float | None], group_size: int, *, std: Std = "population"
) -> list[GroupAdvantages]:
    """`group_advantages` for consecutive groups of ``group_size`` rewards.

    Raises:
        ConfigError: the rewards do not divide into groups.
    """
    if group_size < 1 or len(rewards) % group_size:
        raise ConfigError(f"{len(rewards)} rewards do not divide into groups of {group_size}")
    starts = range(0, len(rewards), group_size)
    return [group_advantages(rewards[start : start + group_size], std=std) for start in starts]
