"""What an evaluation keeps of each dialogue: its outcome in numbers, by task, trial and user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from mua_env.core.messages import AssistantMessage, ToolMessage
from mua_env.core.scores import BASES
from mua_env.core.task_sets import tasks_revision
from mua_env.core.tasks import Request, Task
from mua_env.core.trajectory import Trajectory

Owner = Literal["user", "agent", "judge", "environment", "deadline", "reward"]
"""Whose failure a fault is; the agent's is that of its endpoint, as a wrong key, and never of its skill; the reward's
is that of a function of the caller's."""

ABOUT = "about"
"""Where a trajectory's `meta` holds what its figures are broken down by; see `about`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One dialogue in numbers.

    Attributes:
        id: of the dialogue, without the number of its attempt.
        source: domain and task source, as ``"retail:test"``.
        task, trial: which task, and the how manieth dialogue of it, from 0.
        user: the user simulator as it was asked for, as ``"agenda:persona=terse"``.
        seed: of user and agent.
        success: None where the dialogue does not count.
        turns, tool_calls, tool_errors: of the agent; errors are calls that a tool answered with one.
        agent_tokens: prompt and completion of the agent's model; None where it keeps no account.
        cost: of user, agent and judge, in US dollars.
        ended_by, cause: how it ended, and why.
        fault: whose failure it was; None for a dialogue that counts.
        tcr, tcr_at_end, tcr_initial: task completion rates of a task with criteria of its own.
        unjudged: whether it hangs on statements that nobody has judged.
        level, kinds, rules: of the task: difficulty, intents of its requests, rules of the policy that it falls under.
        task_revision: hash of the task's content; empty where it was not recorded.
        upper_bound: it is a success, and a judge could still take that away.
    """

    id: str
    source: str
    task: str
    trial: int
    user: str
    seed: int
    success: bool | None
    turns: int
    tool_calls: int
    tool_errors: int
    agent_tokens: float | None
    cost: float
    ended_by: str
    cause: str
    fault: Owner | None
    tcr: float | None
    tcr_at_end: float | None
    tcr_initial: float | None
    unjudged: bool
    level: int | None
    kinds: tuple[str, ...]
    rules: tuple[str, ...]
    task_revision: str
    upper_bound: bool = False

    @classmethod
    def of(cls, trajectory: Trajectory) -> Outcome:
        """The outcome of a trajectory, one of `mua_env.evaluate`'s or of any rollout."""
        score, meta = trajectory.score, trajectory.meta
        known = meta.get(ABOUT)
        known = known if isinstance(known, dict) else {}
        success = None if score is None or score.reward is None else score.success is True
        own = score if score is not None and success is not None and score.criteria is not None else None
        calls, errors = _calls(trajectory)
        name = str(meta.get("of", trajectory.id))
        tokens = _tokens(meta.get("agent_usage", {}))
        return cls(
            id=name,
            source=str(known.get("source") or f"{trajectory.domain}:{trajectory.tasks}"),
            task=trajectory.task_id,
            trial=int(known["trial"]) if "trial" in known else _trial(name),
            user=str(known.get("user") or trajectory.user),
            seed=trajectory.seed,
            success=success,
            turns=trajectory.turns,
            tool_calls=calls,
            tool_errors=errors,
            agent_tokens=tokens,
            cost=sum(cost_of(usage) for usage in _usages(trajectory)),
            ended_by=trajectory.ended_by or "open",
            cause=trajectory.cause or "",
            fault=None if success is not None else owner(trajectory),
            tcr=None if own is None else own.tcr,
            tcr_at_end=None if own is None else own.tcr_at_end,
            tcr_initial=None if own is None else own.initial_tcr,
            unjudged=score is not None and success is not None and score.unjudged > 0,
            level=known.get("level"),
            kinds=tuple(map(str, known.get("kinds", ()))),
            rules=tuple(map(str, known.get("rules", ()))),
            task_revision=str(known.get("task_revision", "")),
            # A reward of the caller's hangs on no statement.
            upper_bound=score is not None and score.reward_name in BASES and score.upper_bound,
        )


class Outcomes:
    """The outcomes of a run, one for each dialogue that was asked for: one that was taken again after a fault counts as
    it came out last, and what all attempts cost is counted.

    Attributes:
        retaken: how many faults were taken again.
        cost: of all attempts, in US dollars.
    """

    def __init__(self, trajectories: Iterable[Trajectory] = ()) -> None:
        self._last: dict[str, Outcome] = {}
        self.retaken = 0
        self.cost = 0.0
        self._names: Counter[str] = Counter()
        for trajectory in trajectories:
            self.add(trajectory)

    def add(self, trajectory: Trajectory) -> Outcome:
        """Take note of a dialogue that has ended."""
        outcome = Outcome.of(trajectory)
        again = "of" in trajectory.meta
        self.retaken += again and outcome.id in self._last
        self.cost += outcome.cost
        # Files of training runs hold an id more than once: those are dialogues of their own.
        self._names[outcome.id] += not again
        number = self._names[outcome.id]
        self._last[outcome.id if number < 2 else f"{outcome.id} {number}"] = outcome
        return outcome

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._last.values())

    def __len__(self) -> int:
        return len(self._last)


def about(task: Task, *, source: str, trial: int, user: str, rules: Iterable[str] = ()) -> dict[str, Any]:
    """What a trajectory's `meta` says of its task under `ABOUT`, so that its file alone gives every figure.

    Agents read no trajectory, so that intents and rules may stand here.

    Args:
        task: the task.
        source: domain and task source.
        trial: the how manieth dialogue of the task, from 0.
        user: the user simulator as it was asked for.
        rules: ids of the policy's rules that the task falls under (`Domain.binding_rules`).
    """
    kinds: dict[str, None] = {}
    pending: list[Request] = list(task.goal.requests) if task.goal else []
    while pending:
        request = pending.pop(0)
        kinds[request.intent] = None
        if request.fallback is not None:
            pending.append(request.fallback)
    known = {"level": task.level, "kinds": list(kinds), "rules": list(rules)}
    return {
        "source": source,
        "trial": trial,
        "user": user,
        "task_revision": tasks_revision([task]),
        **{name: value for name, value in known.items() if value},
    }


def owner(trajectory: Trajectory) -> Owner:
    """Whose failure a dialogue that does not count is."""
    first = (trajectory.cause or "").partition(": ")[0]
    if first in ("agent", "judge", "deadline", "reward"):
        return first  # type: ignore[return-value]  # mypy narrows no strings by a tuple
    score = trajectory.score
    return "user" if score is not None and score.fault == "user" else "environment"


def cost_of(usage: Any) -> float:
    """US dollars in an account of what a model has used; 0 where it says nothing."""
    value = usage.get("cost_usd", 0.0) if isinstance(usage, dict) else 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def _usages(trajectory: Trajectory) -> Iterator[Any]:
    yield trajectory.usage
    yield trajectory.meta.get("agent_usage")
    judge = trajectory.meta.get("judge")
    yield judge.get("usage") if isinstance(judge, dict) else None


def _tokens(usage: Any) -> float | None:
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    known = [float(count) for count in counts if isinstance(count, int | float)]
    return sum(known) if known else None


def _calls(trajectory: Trajectory) -> tuple[int, int]:
    calls = errors = 0
    for entry in trajectory.entries:
        message = entry.message
        if isinstance(message, AssistantMessage):
            calls += len(message.tool_calls)
        elif isinstance(message, ToolMessage):
            errors += message.content.startswith("Error")
    return calls, errors


def _trial(name: str) -> int:
    """The trial in an id as a rollout gives them, ``"task#2"``; 0 in others."""
    number = name.rpartition("#")[2]
    return int(number) if number.isdecimal() and number.isascii() else 0
