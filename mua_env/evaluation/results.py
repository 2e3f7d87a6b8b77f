"""What an evaluation came to: figures for each task source and user, over users, and over sources."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from pydantic import BaseModel, Field

from mua_env.evaluation.metrics import Metrics, Share, break_down, mean_of, measure
from mua_env.evaluation.outcomes import Outcome, Outcomes
from mua_env.evaluation.summary import Counting

SCHEMA_VERSION = 1


class Row(BaseModel):
    """One task source with one user.

    Attributes:
        source, user: as they were asked for.
        metrics: all figures.
        levels, kinds, rules: success by level, by intent of the request, by rule of the policy that a task falls
            under. A task with several is in each.
    """

    source: str
    user: str
    metrics: Metrics
    levels: dict[str, Share] = Field(default_factory=dict)
    kinds: dict[str, Share] = Field(default_factory=dict)
    rules: dict[str, Share] = Field(default_factory=dict)


class Spread(BaseModel):
    """How far success hangs on who the user is, on one source.

    Attributes:
        users: how many.
        mean: of their success rates.
        deviation: standard deviation of these (over n - 1); None with one user.
        low, high: the lowest and the highest, with `low_user` and `high_user`.
        upper_bounds: successes in them that nobody has judged.
    """

    users: int
    mean: float
    deviation: float | None
    low: float
    high: float
    low_user: str
    high_user: str
    upper_bounds: int = 0


class Results(BaseModel):
    """The figures of an evaluation.

    Attributes:
        agent: who acted.
        config: what was run, as in the folder's ``config.json``.
        rows: a row for each task source and user.
        users: success over sources by user, each source counting once, as the paper averages domains.
        spread: by source, over users; with ``"all"`` over the means of `users` where there are several sources.
        retaken: how many faults were taken again.
        cost_usd: of all attempts.
        notes: what must be known to compare these figures with others.
        stopped: the fault that stopped the run.
        unfinished: dialogues that were planned and not held, as the budget was used up or the run was stopped.
        folder: where everything lies; None where nothing was written.
    """

    schema_version: int = SCHEMA_VERSION
    agent: str = ""
    config: dict[str, Any] = Field(default_factory=dict)
    rows: list[Row] = Field(default_factory=list)
    users: dict[str, Share] = Field(default_factory=dict)
    spread: dict[str, Spread] = Field(default_factory=dict)
    retaken: int = 0
    cost_usd: float = 0.0
    notes: list[str] = Field(default_factory=list)
    stopped: str | None = None
    unfinished: int = 0
    folder: str | None = None

    @property
    def success(self) -> float | None:
        """The mean over users and sources; None where nothing is scored."""
        known = [share.success for share in self.users.values() if share.success is not None]
        return sum(known) / len(known) if known else None

    @property
    def scored(self) -> int:
        """How many dialogues are scored."""
        return sum(row.metrics.scored for row in self.rows)

    @property
    def failed(self) -> bool:
        """Whether the run came to nothing: nothing is scored, or faults have stopped it."""
        return self.scored == 0 or self.stopped is not None


def results_of(outcomes: Outcomes, *, counting: Counting = "scored", **more: Any) -> Results:
    """The figures of outcomes.

    Args:
        outcomes: one for each dialogue.
        counting: whether faults count.
        more: further fields of `Results`.
    """
    parts: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        parts.setdefault((outcome.source, outcome.user), []).append(outcome)
    rows = [_row(source, user, parts[source, user], counting) for source, user in parts]
    by_user: dict[str, list[Share]] = {}
    for row in rows:
        by_user.setdefault(row.user, []).append(row.metrics)
    users = {user: mean_of(shares) for user, shares in by_user.items()}
    sources = {source: [row for row in rows if row.source == source] for source in dict.fromkeys(s for s, _ in parts)}
    spread = {source: _spread((row.user, row.metrics) for row in sources[source]) for source in sources}
    # Users that were not on every source have means that cannot be compared.
    if len(sources) > 1 and len(rows) == len(sources) * len(users):
        spread["all"] = _spread(users.items())
    return Results(
        rows=rows,
        users=users,
        spread={source: found for source, found in spread.items() if found is not None},
        retaken=outcomes.retaken,
        cost_usd=round(outcomes.cost, 10),
        **more,
    )


def _row(source: str, user: str, outcomes: list[Outcome], counting: Counting) -> Row:
    return Row(
        source=source,
        user=user,
        metrics=measure(outcomes, counting=counting),
        levels=break_down(outcomes, lambda o: [] if o.level is None else [str(o.level)], counting=counting),
        kinds=break_down(outcomes, lambda o: o.kinds, counting=counting),
        rules=break_down(outcomes, lambda o: o.rules, counting=counting),
    )


def _spread(shares: Iterable[tuple[str, Share]]) -> Spread | None:
    held = list(shares)
    known = [(share.success, user) for user, share in held if share.success is not None]
    if not known:
        return None
    mean = sum(rate for rate, _ in known) / len(known)
    squares = sum((rate - mean) ** 2 for rate, _ in known)
    (low, low_user), (high, high_user) = min(known), max(known)
    return Spread(
        users=len(known),
        mean=mean,
        deviation=sqrt(squares / (len(known) - 1)) if len(known) > 1 else None,
        low=low,
        high=high,
        low_user=low_user,
        high_user=high_user,
        upper_bounds=sum(share.upper_bounds for _, share in held),
    )
