"""Two runs compared dialogue by dialogue: the same task, trial and user met both agents.

result = compare("runs/before", "runs/after")
print(result.difference, result.interval, result.flip_rate)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from mua_env.core.trajectory import read_trajectories
from mua_env.errors import ConfigError, DataError, did_you_mean
from mua_env.evaluation.comparison.bootstrap import bootstrap_interval, detectable
from mua_env.evaluation.metrics import Interval
from mua_env.evaluation.outcomes import Outcome, Outcomes
from mua_env.evaluation.rollout_folder import trajectory_file
from mua_env.evaluation.stored_run import read_config
from mua_env.evaluation.summary import Counting

By = Literal["seed", "task"]
Metric = Literal["success", "tcr", "turns", "tool_errors"]
METRICS: Mapping[str, Callable[[Outcome], float | None]] = {
    "success": lambda outcome: None if outcome.success is None else float(outcome.success),
    "tcr": lambda outcome: outcome.tcr,
    "turns": lambda outcome: None if outcome.success is None else float(outcome.turns),
    "tool_errors": lambda outcome: None if outcome.success is None else float(outcome.tool_errors),
}
SETTINGS = (
    "revision", "mode", "presentation", "reward", "max_turns", "user", "user_options", "judge", "temperature",
    "thinking",
)  # fmt: skip
"""What of two configs ought to be equal for a difference to be the agents' alone."""

Key = tuple[str, ...]


class Comparison(BaseModel):
    """What two runs come to beside each other; `difference` is the second's mean less the first's.

    Attributes:
        a, b: the runs.
        metric: what is compared.
        by: what pairs are made of: task, trial and seed, or the task alone.
        tasks, pairs: how many there are in both.
        mean_a, mean_b: means over tasks, of the pairs alone.
        difference: with its `interval` (95 %, bootstrap over tasks).
        significant: whether the interval holds no 0.
        flip_rate: share of the pairs in which one succeeded and the other did not; None by task, and for other metrics.
        won, lost: how many pairs only the second, and only the first, solved.
        variance_removed: share of the variance of an unpaired difference that pairing took away; None where there is
            none, below 0 where pairing did harm.
        detectable: the smallest true difference that would show with 80 % power at 5 %; None where nothing differs.
        upper_bounds_a, upper_bounds_b: successes that hang on statements nobody has judged; where there are any, the
            run's success is an upper bound, and so the difference is no judged one.
        left_out: dialogues that make no pair, by why.
        notes: what else differs between the runs.
    """

    a: str
    b: str
    metric: str = "success"
    by: By = "seed"
    tasks: int
    pairs: int
    mean_a: float
    mean_b: float
    difference: float
    interval: Interval
    flip_rate: float | None = None
    won: int = 0
    lost: int = 0
    variance_removed: float | None = None
    detectable: float | None = None
    upper_bounds_a: int = 0
    upper_bounds_b: int = 0
    left_out: dict[str, int] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)

    @property
    def significant(self) -> bool:
        """Whether the interval holds no 0."""
        return not self.interval.low <= 0 <= self.interval.high


def compare(
    a: str | Path,
    b: str | Path,
    *,
    by: By = "seed",
    metric: Metric = "success",
    counting: Counting = "scored",
    seed: int = 0,
) -> Comparison:
    """Compare two runs.

    Args:
        a, b: folders of rollouts or evaluations, or files of trajectories.
        by: ``"seed"`` pairs dialogues of the same task, trial and user seed; ``"task"`` the means of tasks, for runs
            whose users were not the same.
        metric: ``"success"``, ``"tcr"``, ``"turns"`` or ``"tool_errors"``.
        counting: ``"scored"`` leaves faults out, ``"tau-bench"`` counts them as failures.
        seed: of the bootstrap.

    Raises:
        ConfigError: there is no such metric.
        DataError: a run cannot be read, or the two have nothing in common.
    """
    runs = [list(Outcomes(read_trajectories(trajectory_file(run)))) for run in (a, b)]
    names = _names(str(a), str(b))
    found = compare_outcomes(*runs, names=names, by=by, metric=metric, counting=counting, seed=seed)
    configs: list[dict[str, Any]] = [read_config(trajectory_file(run).parent) for run in (a, b)]
    return found.model_copy(update={"notes": [*found.notes, *_differing(*configs)]})


def compare_outcomes(
    a: Iterable[Outcome],
    b: Iterable[Outcome],
    *,
    names: tuple[str, str] = ("A", "B"),
    by: By = "seed",
    metric: str = "success",
    counting: Counting = "scored",
    seed: int = 0,
) -> Comparison:
    """`compare` for outcomes that are at hand."""
    if metric not in METRICS:
        raise ConfigError(f"metric is {metric!r}; use one of {', '.join(METRICS)}.{did_you_mean(metric, METRICS)}")
    if by not in ("seed", "task"):
        raise ConfigError(f"by is {by!r}; use 'seed' or 'task'")
    left, right = list(a), list(b)
    left_out: Counter[str] = Counter()
    notes: list[str] = []
    keys = _key(left, right, by, notes)
    values = [_values(outcomes, keys, METRICS[metric], counting, left_out) for outcomes in (left, right)]
    _drop_changed(left, right, values, left_out)
    both = [key for key in values[0] if key in values[1]]
    for mine, other in (values, values[::-1]):
        left_out["not in the other run"] += sum(len(held) for key, held in mine.items() if key not in other)
    if not both:
        raise DataError(_nothing_in_common(left, right, by))
    by_task: dict[Key, list[tuple[float, float]]] = {}
    for key in both:
        pair = (float(np.mean(values[0][key])), float(np.mean(values[1][key])))
        by_task.setdefault(key[:2], []).append(pair)
    means = np.array([np.mean(pairs, axis=0) for pairs in by_task.values()])
    differences = (means[:, 1] - means[:, 0]).tolist()
    flat = [pair for pairs in by_task.values() for pair in pairs]
    flips = metric == "success" and by == "seed"
    bounds = [sum(o.upper_bound for o in outcomes) if metric == "success" else 0 for outcomes in (left, right)]
    if any(bounds):
        notes.append(f"successes that hang on statements nobody has judged: {bounds[0]}; {bounds[1]}")
    return Comparison(
        a=names[0],
        b=names[1],
        metric=metric,
        by=by,
        tasks=len(by_task),
        pairs=len(flat),
        mean_a=float(means[:, 0].mean()),
        mean_b=float(means[:, 1].mean()),
        difference=float(np.mean(differences)),
        interval=bootstrap_interval(differences, largest=_largest(metric, means), seed=seed),
        flip_rate=sum(x != y for x, y in flat) / len(flat) if flips else None,
        won=sum(y > x for x, y in flat) if flips else 0,
        lost=sum(x > y for x, y in flat) if flips else 0,
        variance_removed=_variance_removed(means),
        detectable=detectable(differences),
        upper_bounds_a=bounds[0],
        upper_bounds_b=bounds[1],
        left_out={why: count for why, count in sorted(left_out.items()) if count},
        notes=notes,
    )


def _key(left: list[Outcome], right: list[Outcome], by: By, notes: list[str]) -> Callable[[Outcome], Key]:
    users = [{outcome.user for outcome in outcomes} for outcomes in (left, right)]
    shared = bool(users[0] & users[1])
    if not shared:
        notes.append(f"the users differ: {', '.join(sorted(users[0]))}; {', '.join(sorted(users[1]))}")

    def key(outcome: Outcome) -> Key:
        task: Key = (outcome.source.partition(":")[0], outcome.task)
        user = (outcome.user,) if shared else ()
        return (*task, *user) if by == "task" else (*task, *user, str(outcome.trial), str(outcome.seed))

    return key


def _values(
    outcomes: Iterable[Outcome],
    key: Callable[[Outcome], Key],
    metric: Callable[[Outcome], float | None],
    counting: Counting,
    left_out: Counter[str],
) -> dict[Key, list[float]]:
    values: dict[Key, list[float]] = {}
    for outcome in outcomes:
        value = metric(outcome)
        if value is None and outcome.success is None and counting == "tau-bench":
            value = 0.0
        if value is None:
            left_out["not scored" if outcome.success is None else "no such figure"] += 1
        else:
            values.setdefault(key(outcome), []).append(value)
    return values


def _drop_changed(
    left: list[Outcome], right: list[Outcome], values: list[dict[Key, list[float]]], left_out: Counter[str]
) -> None:
    """Leave out tasks that have the same id in both runs, and not the same content."""
    known = [{(o.source.partition(":")[0], o.task): o.task_revision for o in outcomes} for outcomes in (left, right)]
    changed = {key for key, it in known[0].items() if it and known[1].get(key) and known[1][key] != it}
    for held in values:
        for key in [key for key in held if key[:2] in changed]:
            left_out["of a task whose content differs"] += len(held.pop(key))


def _largest(metric: str, means: Any) -> float:
    return 1.0 if metric in ("success", "tcr") else float(np.abs(means).max())


def _variance_removed(means: Any) -> float | None:
    if len(means) < 2:
        return None
    apart = float(means[:, 0].var(ddof=1) + means[:, 1].var(ddof=1))
    return 1 - float((means[:, 1] - means[:, 0]).var(ddof=1)) / apart if apart else None


def _nothing_in_common(left: list[Outcome], right: list[Outcome], by: By) -> str:
    tasks = [{(o.source.partition(":")[0], o.task) for o in outcomes} for outcomes in (left, right)]
    if by == "seed" and tasks[0] & tasks[1]:
        return (
            "no dialogue of the two runs has the same task, trial and seed; hold both with the same --seed, or compare "
            "the means of tasks (--by task)"
        )
    return "the two runs have no task in common that is scored in both"


def _differing(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    told = [] if not a or not b else [(name, a.get(name), b.get(name)) for name in SETTINGS]
    sources: list[Any] = [config.get("tasks") for config in (a, b)]  # of an evaluation, each with what it hangs on
    if all(isinstance(tasks, dict) for tasks in sources):
        told += [
            (f"{part} of {source}", sources[0][source].get(part), sources[1][source].get(part))
            for source in sources[0]
            if source in sources[1]
            for part in sources[0][source]
        ]
    return [f"{name} differs: {x!r}; {y!r}" for name, x, y in told if x != y]


def _names(a: str, b: str) -> tuple[str, str]:
    """The folders' own names, unless they are the same."""
    short = (Path(a).name, Path(b).name)
    return short if short[0] != short[1] else (a, b)
