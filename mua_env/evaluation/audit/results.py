"""What an audit finds, for each task and in total."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, computed_field

from mua_env.core.scores import BASES
from mua_env.core.tasks import Action
from mua_env.core.tools import Mode

IDLE = "idle"
"""What the agent that does nothing, whose reward is computed, is called beside the baselines."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class FailedCall(_Model):
    """A gold action that fails: its place in the list (from 0), and what the tool answers."""

    position: int
    tool: str
    arguments: dict[str, Any]
    answer: str
    writes: bool

    @classmethod
    def of(cls, position: int, action: Action, answer: str, *, writes: bool) -> Self:
        """An action of a list that the tool answered with an error."""
        return cls(position=position, tool=action.name, arguments=action.arguments, answer=answer, writes=writes)


class Values(_Model):
    """The gold argument values of a task by where they can come from; see :mod:`mua_env.evaluation.audit.values`.

    Attributes:
        total: how many there are.
        without_user: of these, how many no tool yields without the user.
        user_only: of these, how many no tool yields even to an agent that knows who the user is.
    """

    total: int = 0
    without_user: int = 0
    user_only: int = 0


class BaselineRun(_Model):
    """One episode of a baseline: its reward under each definition, and how it ended.

    ``bounds`` names the definitions under which the reward is an upper bound: 1, with statements nobody has judged.
    """

    rewards: dict[str, float | None]
    turns: int
    ended_by: str | None
    bounds: tuple[str, ...] = ()


class TaskAudit(_Model):
    """What the audit found about one task.

    Attributes:
        failures: gold actions that fail, in order.
        empty: the gold actions change nothing.
        idle: the reward of an agent that does and says nothing until the user leaves, under each definition.
        idle_bounds: the definitions under which that reward is an upper bound.
        unjudged: statements for a judge on which the reward hangs; an audit has no judge and counts them as met.
        initial_tcr: the share of the task's checks that hold before anything is done; ``None`` for tasks without
            criteria of their own.
        writes: gold calls of tools that write.
        same_wish: other tasks of the same user with the same instruction or the same requests.
        same_effect: other tasks of the same scene whose gold leads to the same rows.
        values: where the gold argument values can come from.
        turns: minimal number of the agent's turns; see :mod:`mua_env.evaluation.audit.values`.
        rules: ids of the policy rules that the task falls under.
        baselines: episodes that were run, by baseline.
        not_run: why the baselines could not be run, where they could not.
    """

    id: str
    level: int | None
    user: str
    actions: int
    writes: int
    failures: tuple[FailedCall, ...]
    empty: bool
    idle: dict[str, float]
    idle_bounds: tuple[str, ...] = ()
    unjudged: int = 0
    initial_tcr: float | None = None
    same_wish: tuple[str, ...]
    same_effect: tuple[str, ...]
    values: Values
    turns: int
    rules: tuple[str, ...]
    baselines: dict[str, BaselineRun] = Field(default_factory=dict)
    not_run: str | None = None

    @property
    def failing_writes(self) -> bool:
        """Whether a gold action that should write fails."""
        return any(call.writes for call in self.failures)

    @property
    def suspect(self) -> bool:
        """Whether something is wrong: gold fails, an idle agent scores under ``task``, or the task is there twice."""
        return bool(self.failures or self.same_wish or self.same_effect or self.idle["task"])


class Totals(_Model):
    """The figures of a whole task set.

    ``failing`` lists tasks with a failing gold action, ``failing_writes`` those of them where it should write.
    ``needs_user`` lists tasks with a gold argument value that no tool yields without the user.
    ``without_user`` and ``user_only`` are shares of all gold argument values (``None`` where there are none);
    ``idle_unjudged`` lists those of ``idle["task"]`` that hang on statements nobody has judged; ``initial_tcr`` is the
    mean over the tasks that have one. ``baselines`` holds the mean reward by baseline and definition, over the episodes
    that count (``None``: none does); ``bounds`` says by baseline and definition how many of them are upper bounds, and
    under ``"idle"`` how many of the rewards of 1 in ``idle`` are.
    """

    tasks: int
    failing: tuple[str, ...]
    failing_writes: tuple[str, ...]
    empty: tuple[str, ...]
    idle: dict[str, tuple[str, ...]]
    idle_unjudged: tuple[str, ...]
    initial_tcr: float | None
    same_wish: tuple[tuple[str, ...], ...]
    same_effect: tuple[tuple[str, ...], ...]
    needs_user: tuple[str, ...] = ()
    values: int
    without_user: float | None
    user_only: float | None
    writes: dict[int, int]
    turns: dict[int, int]
    rules: dict[str, int]
    baselines: dict[str, dict[str, float | None]]
    baseline_episodes: dict[str, int]
    bounds: dict[str, dict[str, int]] = Field(default_factory=dict)


class Audit(_Model):
    """An audit, whole; ``model_dump_json`` gives the JSON report, totals included.

    Attributes:
        source: what was asked for, as ``"retail:tau1:test"``.
        scoring: ``compat`` or ``strict``.
        presentation: ``own`` or ``benchmark``: how tools are shown, to the random baseline and in answers.
        revision: of the world (tools, policy document, data); ``tasks_revision``: of the tasks.
        variant: which policy document, where there are several; ``source_revision``: the release of a public
            benchmark's tasks.
        seed: of users and of the random baseline.
        rules: the domain's policy rules: id -> the rule in a sentence.
        left_out: rows of somebody else's file that are no tasks here: where they stand -> why.
    """

    source: str
    domain: str
    scoring: Mode
    presentation: str = "own"
    revision: str
    tasks_revision: str
    variant: str = ""
    source_revision: str = ""
    seed: int
    rules: dict[str, str]
    left_out: dict[str, str] = Field(default_factory=dict)
    tasks: tuple[TaskAudit, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def totals(self) -> Totals:
        """The figures of the whole set."""
        return _totals(self.tasks, self.rules)


def _totals(tasks: Sequence[TaskAudit], rules: Iterable[str]) -> Totals:
    def ids(holds: Callable[[TaskAudit], object]) -> tuple[str, ...]:
        return tuple(task.id for task in tasks if holds(task))

    values = sum(task.values.total for task in tasks)
    bound = Counter(rule for task in tasks for rule in task.rules)
    names = tuple(dict.fromkeys(name for task in tasks for name in task.baselines))
    return Totals(
        tasks=len(tasks),
        failing=ids(lambda task: task.failures),
        failing_writes=ids(lambda task: task.failing_writes),
        empty=ids(lambda task: task.empty),
        idle={name: tuple(task.id for task in tasks if task.idle[name] == 1) for name in BASES},
        idle_unjudged=ids(lambda task: task.idle["task"] == 1 and task.unjudged),
        initial_tcr=_average([task.initial_tcr for task in tasks if task.initial_tcr is not None]),
        same_wish=_groups(tasks, lambda task: task.same_wish),
        same_effect=_groups(tasks, lambda task: task.same_effect),
        needs_user=ids(lambda task: task.values.without_user),
        values=values,
        without_user=_share(sum(task.values.without_user for task in tasks), values),
        user_only=_share(sum(task.values.user_only for task in tasks), values),
        writes=dict(sorted(Counter(task.writes for task in tasks).items())),
        turns=dict(sorted(Counter(task.turns for task in tasks).items())),
        rules={rule: bound[rule] for rule in rules},
        baselines={name: {reward: _mean(tasks, name, reward) for reward in BASES} for name in names},
        baseline_episodes={name: sum(name in task.baselines for task in tasks) for name in names},
        bounds={
            IDLE: {reward: sum(reward in task.idle_bounds for task in tasks) for reward in BASES},
            **{name: {reward: _bounds(tasks, name, reward) for reward in BASES} for name in names},
        },
    )


def _groups(tasks: Sequence[TaskAudit], others: Callable[[TaskAudit], tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    found = (tuple(sorted((task.id, *others(task)), key=_by_number)) for task in tasks if others(task))
    return tuple(dict.fromkeys(found))


def _by_number(task_id: str) -> tuple[int, str]:
    return (int(task_id) if task_id.isdecimal() else 0, task_id)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _mean(tasks: Sequence[TaskAudit], baseline: str, reward: str) -> float | None:
    runs = [task.baselines[baseline].rewards[reward] for task in tasks if baseline in task.baselines]
    return _average([value for value in runs if value is not None])


def _bounds(tasks: Sequence[TaskAudit], baseline: str, reward: str) -> int:
    return sum(reward in task.baselines[baseline].bounds for task in tasks if baseline in task.baselines)


def _average(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
