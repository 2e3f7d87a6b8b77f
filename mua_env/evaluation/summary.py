"""Counts and means over the dialogues of a rollout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import comb
from typing import Any, Literal

from pydantic import BaseModel, Field

from mua_env.core.scores import Score
from mua_env.core.trajectory import Trajectory
from mua_env.llm.errors import kind_of

Counting = Literal["scored", "tau-bench"]
"""Of what success and pass^k are shares: of the dialogues that are scored (a fault is nobody's failure; tau2-bench does
so too), or of all (a fault is a failure of the agent), as tau-bench counts."""


class Summary(BaseModel):
    """What a rollout came to. Faults are in none of the means, unless `counting` says otherwise.

    A dialogue that was taken again after a fault counts as it came out last.

    Attributes:
        episodes: how many have ended.
        scored: how many of them count.
        tasks: how many tasks they are about.
        counting: of what `success` and `pass_k` are shares.
        success: share of the scored ones that succeeded; None when none is scored.
        turns: mean turns of the scored ones.
        ended_by: how many ended how.
        faults: how many failed, by the first words of the cause (with who it was, where that is not the user).
        causes: for each of these, the commonest cause as a whole.
        retaken: how many faults were taken again.
        guards: how many replies of model users broke a guard, by guard.
        usage: what users, agents and judges have used, summed, in dialogues that were taken again too.
        tcr: mean task completion rate of the scored ones whose tasks have criteria of their own (Telecom, tau2); the
            share of a task's checks that hold, 0 where the dialogue was cut. It is no success rate: a task counts as
            done only when all of them hold.
        tcr_at_end: the same on the states in which dialogues were left, cut or not.
        tcr_initial: the same before anything was done; the difference is the gain.
        unjudged: how many of the scored ones hang on statements that nobody has judged.
        upper_bounds: how many of these are counted as successes. Where there are any, `success` and `pass_k` are upper
            bounds, and every table says so.
        pass_k: by k, the chance that k dialogues of a task all succeed: the mean of C(c, k) / C(n, k) over the tasks
            with n >= k dialogues that count, of which c succeeded. Only where a task has several dialogues.
        pass_k_tasks: over how many tasks that is; 0 where no task has enough, and there is no value.
    """

    episodes: int = 0
    scored: int = 0
    tasks: int = 0
    counting: Counting = "scored"
    success: float | None = None
    turns: float | None = None
    ended_by: dict[str, int] = Field(default_factory=dict)
    faults: dict[str, int] = Field(default_factory=dict)
    causes: dict[str, str] = Field(default_factory=dict)
    retaken: int = 0
    guards: dict[str, int] = Field(default_factory=dict)
    usage: dict[str, float] = Field(default_factory=dict)
    tcr: float | None = None
    tcr_at_end: float | None = None
    tcr_initial: float | None = None
    unjudged: int = 0
    upper_bounds: int = 0
    pass_k: dict[int, float] = Field(default_factory=dict)
    pass_k_tasks: dict[int, int] = Field(default_factory=dict)


class _Ended(BaseModel):
    """What is kept of a dialogue while others are read."""

    task: str
    by: str
    cause: str
    turns: int
    score: Score | None


def summarize(trajectories: Iterable[Trajectory], *, counting: Counting = "scored") -> Summary:
    """Counts and means over trajectories.

    Args:
        trajectories: in the order in which they ended.
        counting: see `Counting`.
    """
    guards: Counter[str] = Counter()
    usage: Counter[str] = Counter()
    last: dict[str, _Ended] = {}
    retaken = 0
    for number, item in enumerate(trajectories):
        events = (event for entry in item.entries for event in entry.hidden.get("events", ()))
        guards.update(event.removeprefix("guard:") for event in events if event.startswith("guard:"))
        _add(usage, "user", item.usage)
        _add(usage, "agent", item.meta.get("agent_usage", {}))
        _add(usage, "judge", item.meta.get("judge", {}).get("usage", {}))
        again = item.meta.get("of")
        if again in last:
            del last[again]
            retaken += 1
        name = item.id if again is None and item.id not in last else again or f"{item.id} {number}"
        cause = item.cause or "unscored"
        last[name] = _Ended(
            task=item.task_id, by=item.ended_by or "open", cause=cause, turns=item.turns, score=item.score
        )
    ended = list(last.values())
    made = _counted(ended, counting)
    return made.model_copy(
        update={
            "retaken": retaken,
            "guards": dict(sorted(guards.items())),
            "usage": {name: round(value, 10) for name, value in sorted(usage.items())},
        }
    )


def pass_k(outcomes: Iterable[tuple[str, bool]]) -> dict[int, float]:
    """By k, the chance that k dialogues of a task all succeed, over tasks (source: tau-bench's pass^k).

    Args:
        outcomes: the task of each dialogue, and whether it succeeded.

    Returns:
        The mean of C(c, k) / C(n, k) over the tasks with n >= k, for k from 1 to the largest n; empty where that is
        less than 2.
    """
    tries: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    for task, success in outcomes:
        tries[task] += 1
        wins[task] += success
    most = max(tries.values(), default=0)
    if most < 2:
        return {}
    shares = {
        k: [comb(wins[task], k) / comb(count, k) for task, count in tries.items() if count >= k]
        for k in range(1, most + 1)
    }
    return {k: sum(values) / len(values) for k, values in shares.items()}


def fault_name(cause: str) -> str:
    """The first words of a cause, with who failed where that is said: ``"agent: auth"``."""
    first, *rest = cause.split(": ")
    return f"{first}: {kind_of(cause)}" if rest and first in ("agent", "judge") and kind_of(cause) else first


def _counted(ended: list[_Ended], counting: Counting) -> Summary:
    scores = [(item, item.score) for item in ended if item.score is not None and item.score.reward is not None]
    faults = [item for item in ended if item.score is None or item.score.reward is None]
    outcomes = [(item.task, score.success is True) for item, score in scores]
    if counting == "tau-bench":
        outcomes += [(item.task, False) for item in faults]
    trials = Counter(task for task, _ in outcomes)
    most = max(Counter(item.task for item in ended).values(), default=0)
    causes: dict[str, Counter[str]] = {}
    for item in faults:
        causes.setdefault(fault_name(item.cause), Counter())[item.cause] += 1
    own = [score for _, score in scores if score.criteria is not None]
    return Summary(
        episodes=len(ended),
        scored=len(scores),
        tasks=len({item.task for item in ended}),
        counting=counting,
        success=_mean([float(success) for _, success in outcomes]),
        turns=_mean([item.turns for item, _ in scores]),
        ended_by=dict(sorted(Counter(item.by for item in ended).items())),
        faults={name: counts.total() for name, counts in sorted(causes.items())},
        causes={name: counts.most_common(1)[0][0] for name, counts in sorted(causes.items())},
        tcr=_mean(score.tcr for score in own),
        tcr_at_end=_mean(score.tcr_at_end for score in own),
        tcr_initial=_mean(score.initial_tcr for score in own),
        unjudged=sum(score.unjudged > 0 for score in own),
        upper_bounds=sum(score.upper_bound for score in own),
        pass_k=pass_k(outcomes),
        pass_k_tasks={k: sum(count >= k for count in trials.values()) for k in range(1, most + 1) if most > 1},
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _add(total: Counter[str], who: str, usage: dict[str, Any]) -> None:
    for name, value in usage.items():
        if isinstance(value, int | float):  # agents of the caller's keep accounts of their own kind
            total[f"{who}/{name}"] += value  # type: ignore[assignment]
