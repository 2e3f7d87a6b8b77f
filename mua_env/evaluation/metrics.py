"""The figures of an evaluation: success with its interval, pass^k and pass@k, and what dialogues took.

Tasks are the sample, trials lie within them: success is the mean over tasks of each task's share, and its interval
tells how it would come out on other tasks of the same kind. Equal outcomes give equal figures; nothing is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb, pi, sqrt, tan
from statistics import NormalDist

from pydantic import BaseModel, Field

from mua_env.evaluation.outcomes import Outcome
from mua_env.evaluation.summary import Counting

LEVEL = 0.95


class Interval(BaseModel):
    """A confidence interval; `level` is how often such intervals hold the true value."""

    low: float
    high: float
    level: float = LEVEL


class Share(BaseModel):
    """Success in a part of the dialogues.

    Attributes:
        success: mean over tasks of the share of their dialogues that succeeded; None where none counts.
        interval: of it.
        tasks, dialogues: how many count.
        upper_bounds: how many of the successes hang on statements that nobody has judged. Where there are any,
            `success` is an upper bound, and every table says so.
    """

    success: float | None = None
    interval: Interval | None = None
    tasks: int = 0
    dialogues: int = 0
    upper_bounds: int = 0


class Metrics(Share):
    """All figures of a set of dialogues. Means are over the dialogues that are scored.

    Attributes:
        counting: of what `success`, `pass_k` and `pass_at_k` are shares.
        ended: how many dialogues have ended, faults included.
        scored: how many of them are scored.
        pass_k: by k, the chance that k dialogues of a task all succeed: mean of C(c, k) / C(n, k) over the tasks with
            n >= k dialogues that count, of which c succeeded (tau-bench). k = 1 is `success`.
        pass_at_k: by k, the chance that one of k succeeds: mean of 1 - C(n - c, k) / C(n, k).
        k_tasks: over how many tasks the figures for k are.
        tcr, tcr_at_end, tcr_initial: mean task completion rate of tasks with criteria of their own; on the state in
            which dialogues were left, cut or not; and before anything was done. No success rate.
        turns, tool_calls, tool_errors: means a dialogue.
        agent_tokens: mean tokens of the agent's model a dialogue; None where it keeps no account.
        faults: dialogues that are not scored, by whose failure it was.
        ended_by: how many ended how.
        cost_usd: sum over these dialogues (attempts that were taken again are not in it).
        unjudged: scored dialogues that hang on statements which nobody has judged.
    """

    counting: Counting = "scored"
    ended: int = 0
    scored: int = 0
    pass_k: dict[int, float] = Field(default_factory=dict)
    pass_at_k: dict[int, float] = Field(default_factory=dict)
    k_tasks: dict[int, int] = Field(default_factory=dict)
    tcr: float | None = None
    tcr_at_end: float | None = None
    tcr_initial: float | None = None
    turns: float | None = None
    tool_calls: float | None = None
    tool_errors: float | None = None
    agent_tokens: float | None = None
    faults: dict[str, int] = Field(default_factory=dict)
    ended_by: dict[str, int] = Field(default_factory=dict)
    cost_usd: float = 0.0
    unjudged: int = 0


def measure(outcomes: Iterable[Outcome], *, counting: Counting = "scored") -> Metrics:
    """All figures of a set of dialogues.

    Args:
        outcomes: one for each dialogue.
        counting: ``scored`` leaves faults out; ``tau-bench`` counts them as failures of the agent.
    """
    every = list(outcomes)
    scored = [outcome for outcome in every if outcome.success is not None]
    by_task = trials_by_task(every, counting=counting)
    most = max((len(trials) for trials in by_task.values()), default=0)
    counts = [(len(trials), sum(trials)) for trials in by_task.values()]
    return Metrics(
        **share(by_task, _bounds(every)).model_dump(),
        counting=counting,
        ended=len(every),
        scored=len(scored),
        pass_k={k: pass_all(counts, k) for k in range(1, most + 1)},
        pass_at_k={k: pass_any(counts, k) for k in range(1, most + 1)},
        k_tasks={k: sum(n >= k for n, _ in counts) for k in range(1, most + 1)},
        tcr=_mean(outcome.tcr for outcome in scored),
        tcr_at_end=_mean(outcome.tcr_at_end for outcome in scored),
        tcr_initial=_mean(outcome.tcr_initial for outcome in scored),
        turns=_mean(outcome.turns for outcome in scored),
        tool_calls=_mean(outcome.tool_calls for outcome in scored),
        tool_errors=_mean(outcome.tool_errors for outcome in scored),
        agent_tokens=_mean(outcome.agent_tokens for outcome in scored),
        faults=_counted(outcome.fault for outcome in every),
        ended_by=_counted(outcome.ended_by for outcome in every),
        cost_usd=round(sum(outcome.cost for outcome in every), 10),
        unjudged=sum(outcome.unjudged for outcome in scored),
    )


def trials_by_task(outcomes: Iterable[Outcome], *, counting: Counting = "scored") -> dict[tuple[str, str], list[bool]]:
    """The outcomes that count, by source and task, in the order in which they come."""
    found: dict[tuple[str, str], list[bool]] = {}
    for outcome in outcomes:
        if outcome.success is not None or counting == "tau-bench":
            found.setdefault((outcome.source, outcome.task), []).append(outcome.success is True)
    return found


def break_down(
    outcomes: Iterable[Outcome], keys: Callable[[Outcome], Iterable[str]], *, counting: Counting = "scored"
) -> dict[str, Share]:
    """Success by what dialogues have in common; one with several keys is in each of their parts.

    Args:
        outcomes: of the dialogues.
        keys: of a dialogue, as its task's level; none leaves it out.
        counting: see `measure`.
    """
    parts: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for key in keys(outcome):
            parts.setdefault(key, []).append(outcome)
    return {key: share_of(parts[key], counting=counting) for key in sorted(parts)}


def share_of(outcomes: Sequence[Outcome], *, counting: Counting = "scored") -> Share:
    """Success in outcomes; see `measure`."""
    return share(trials_by_task(outcomes, counting=counting), _bounds(outcomes))


def share(by_task: Mapping[tuple[str, str], Sequence[bool]], upper_bounds: int = 0) -> Share:
    """Success over tasks with their trials; `upper_bounds` as of `Share`."""
    rates = [sum(trials) / len(trials) for trials in by_task.values()]
    if not rates:
        return Share()
    dialogues = sum(map(len, by_task.values()))
    return Share(
        success=sum(rates) / len(rates),
        interval=clustered_interval(rates, dialogues=dialogues),
        tasks=len(rates),
        dialogues=dialogues,
        upper_bounds=upper_bounds,
    )


def clustered_interval(rates: Sequence[float], *, dialogues: int, level: float = LEVEL) -> Interval:
    """Wilson's interval for a mean of task rates, with the number of dialogues that are worth as much as independent
    ones (Korn and Graubard 1998): trials of one task are not independent of each other.

    A bootstrap over tasks gives the same where both can be had, and an interval of width 0 where all tasks came out
    alike, which a dozen solved tasks do not warrant.

    Args:
        rates: the share of each task's trials that succeeded.
        dialogues: how many trials there are in all.
        level: of confidence.
    """
    count = len(rates)
    mean = sum(rates) / count
    variance = sum((rate - mean) ** 2 for rate in rates) / (count * (count - 1)) if count > 1 else 0.0
    if variance == 0:
        # Nothing tells the trials of a task from one repeated answer: each task is worth one dialogue.
        return wilson(mean, float(count), students_t(level, 0))
    worth = min(mean * (1 - mean) / variance, float(dialogues))
    return wilson(mean, worth, students_t(level, count - 1))


def wilson(mean: float, count: float, deviations: float, *, level: float = LEVEL) -> Interval:
    """Wilson's score interval for a share of ``count`` independent trials."""
    square = deviations**2
    centre = (mean + square / (2 * count)) / (1 + square / count)
    half = deviations * sqrt(mean * (1 - mean) / count + square / (4 * count**2)) / (1 + square / count)
    # Rounding would push the ends past the mean where all trials came out alike.
    return Interval(low=max(0.0, min(mean, centre - half)), high=min(1.0, max(mean, centre + half)), level=level)


def students_t(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's t distribution, to 1 % from 3 degrees of freedom on (Abramowitz and Stegun
    26.7.5), exact for 1 and 2; with none the normal one, as there is no spread to be estimated."""
    upper = (1 + level) / 2
    z: float = NormalDist().inv_cdf(upper)
    if freedom < 1:
        return z
    if freedom == 1:
        return tan(pi * (upper - 0.5))
    if freedom == 2:
        return (2 * upper - 1) * sqrt(2 / (4 * upper * (1 - upper)))
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom**power) for power, term in enumerate(terms, 1))


def pass_all(counts: Iterable[tuple[int, int]], k: int) -> float:
    """pass^k, unbiased, from the numbers of trials and of successes of each task."""
    return _over([comb(c, k) / comb(n, k) for n, c in counts if n >= k])


def pass_any(counts: Iterable[tuple[int, int]], k: int) -> float:
    """pass@k, unbiased (Chen et al. 2021), from the numbers of trials and of successes of each task."""
    return _over([1 - comb(n - c, k) / comb(n, k) for n, c in counts if n >= k])


def mean_of(shares: Sequence[Share]) -> Share:
    """The plain mean over sources, as the paper averages domains, with the interval that theirs give together."""
    known = [(part.success, part) for part in shares if part.success is not None]
    if not known:
        return Share()
    mean = sum(success for success, _ in known) / len(known)
    lows = sqrt(sum((success - part.interval.low) ** 2 for success, part in known if part.interval)) / len(known)
    highs = sqrt(sum((part.interval.high - success) ** 2 for success, part in known if part.interval)) / len(known)
    return Share(
        success=mean,
        interval=Interval(low=max(0.0, mean - lows), high=min(1.0, mean + highs)),
        tasks=sum(part.tasks for _, part in known),
        dialogues=sum(part.dialogues for _, part in known),
        upper_bounds=sum(part.upper_bounds for _, part in known),
    )


def _bounds(outcomes: Iterable[Outcome]) -> int:
    return sum(outcome.upper_bound for outcome in outcomes)


def _over(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _counted(values: Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(value for value in values if value is not None).items()))
