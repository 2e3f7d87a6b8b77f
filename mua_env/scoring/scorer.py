"""Scores: an episode's database against the one that the gold actions lead to, and what else a task asks for.

The paper's reward (section 3.3.3) is 1 if the task ends up done, else 0; there is no partial credit and no credit
for form. The parts and the difference that stand beside it explain a score to a person.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from mua_env.core.database import Changes
from mua_env.core.database.difference import CellDifference, compare
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import Mode
from mua_env.core.world import SQLWorld
from mua_env.errors import ConfigError
from mua_env.scoring.checks import Check, checks_of, share

RewardName = Literal["task", "outcome", "tau1", "tau1-no-outputs"]
Fault = Literal["user", "environment"]

BASES: dict[str, tuple[str, ...]] = {
    "task": ("database", "requirements"),
    "outcome": ("database",),
    "tau1": ("database", "outputs"),
    "tau1-no-outputs": ("database",),
}
"""Which parts each reward multiplies. ``outcome`` is the paper's training reward (section 4.1 drops outputs).

A task with criteria of its own (telecom, tau2-bench) names its basis itself; ``task`` adds the requirements to it,
``outcome`` leaves out what was said (``outputs``, ``judged``)."""

PARTS: tuple[str, ...] = ("database", "requirements", "outputs", "assertions", "actions", "judged")
"""All parts of a score. Only tasks with criteria of their own have the last three."""
_PLAIN_PARTS = PARTS[:3]


class Record(BaseModel):
    """What scoring needs to know of an episode: what was said and done, never how.

    ``terminal_text`` is what the arguments of the terminal call say. ``calls`` are the calls of agent and user, failed
    ones too, kept where a task asks for them. ``judged`` are a judge's verdicts on the task's statements.
    """

    model_config = ConfigDict(frozen=True)

    agent_texts: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    terminal_tool: str | None = None
    terminal_text: str = ""
    calls: tuple[Action, ...] = ()
    judged: tuple[bool | None, ...] | None = None
    truncated: bool = False
    fault: Fault | None = None


class Score(BaseModel):
    """The score of an episode.

    Attributes:
        reward: 1.0 or 0.0; ``None`` when the episode must not count (a failure that is not the agent's).
        success: ``reward == 1``; ``None`` with it.
        parts: 1.0 or 0.0 for each part, whether it is in the basis or not; ``None`` where a task has no such part.
            ``database``: it is as after the gold actions. ``requirements``, ``outputs``: those of the task.
            ``assertions``, ``actions``, ``judged``: those of its criteria (``judged`` is ``None`` without a judge).
        basis: the parts whose product is the reward.
        checks: the single checks in the basis, the database being one.
        tcr: task completion rate, the share of the checks that hold; 0 for an episode that was cut (as tau2 scores),
            ``None`` with the reward. Never mixed with success.
        tcr_at_end: the same on the state in which the episode was left, cut or not.
        initial_tcr: the same before anything was done.
        difference: where the database is not as expected.
        unmet: requirements and outputs that do not hold, in words.
        gold_failures: gold actions that failed when they were run (public tasks have some).
        fault: whose failure ended the episode, if it was not the agent's.
        truncated: the episode was cut: the reward is 0, the parts tell the state it was cut in.
        reward_name: the reward that was asked for.
        mode: ``compat`` or ``strict``.
    """

    model_config = ConfigDict(frozen=True)

    reward: float | None
    success: bool | None
    parts: dict[str, float | None]
    basis: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    tcr: float | None = None
    tcr_at_end: float | None = None
    initial_tcr: float | None = None
    difference: tuple[CellDifference, ...] = ()
    unmet: tuple[str, ...] = ()
    gold_failures: tuple[str, ...] = ()
    fault: Fault | None = None
    truncated: bool = False
    reward_name: str = "task"
    mode: Mode = "strict"
    criteria: tuple[str, ...] | None = None
    """The basis that the task itself names, if it does."""

    @property
    def unjudged(self) -> int:
        """How many statements in the basis nobody has judged; the reward counts them as if they were not there."""
        return sum(check.part == "judged" and check.holds is None for check in self.checks)

    def under(self, reward: RewardName) -> float | None:
        """What another reward gives for the same episode."""
        return _product(self.parts, basis_of(reward, self.criteria), self.fault, self.truncated)


class Gold(BaseModel):
    """The effect of a task's gold actions on a fresh database, and which of the checks hold without them."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    changes: Changes
    failures: tuple[str, ...] = ()
    initial: tuple[Check, ...] = ()


class Scorer:
    """Scores the episodes of one world; the gold effect of each task is computed once and kept.

    Args:
        make_world: makes the scratch world on which gold actions run.
        sets: for each table, the columns whose lists have no order.
        mode: ``strict`` or ``compat`` comparison.
        capacity: how many tasks' effects are kept (default 4,096; the oldest go first).
    """

    def __init__(
        self,
        make_world: Callable[[], SQLWorld],
        *,
        sets: Mapping[str, frozenset[str]],
        mode: Mode = "strict",
        capacity: int = 4096,
    ) -> None:
        self._make_world = make_world
        self._world: SQLWorld | None = None
        self._sets = sets
        self._mode: Mode = mode
        self._capacity = capacity
        self._gold: dict[str, tuple[Task, Gold]] = {}
        # Environments in several threads share the scratch world.
        self._lock = threading.Lock()

    def gold(self, task: Task) -> Gold:
        """The rows that the gold actions change. Terminal tools are left out; a failing call changes nothing."""
        with self._lock:
            kept, gold = self._gold.get(task.id, (None, None))
            # A task that a caller hands over may have the id of another.
            if kept is not None and gold is not None and _same_gold(kept, task):
                return gold
            gold = self._run_gold(task)
            self._gold[task.id] = (task, gold)
            if len(self._gold) > self._capacity:
                del self._gold[next(iter(self._gold))]
            return gold

    def _run_gold(self, task: Task) -> Gold:
        world = self._world = self._world or self._make_world()
        world.load(task.initial_actions)
        before, others = world.snapshot(), checks_of(task, world, Record(), mode=self._mode)
        failures = []
        settle = self._mode == "strict" or world.kit.settled_gold
        for action in task.actions:
            if action.requestor == "agent" and world.is_terminal(action.name):
                continue
            result = world.call(action.name, action.arguments, requestor=action.requestor, settle=settle)
            if not result.ok:
                failures.append(f"{action.name}: {result.content}")
        changes = world.snapshot()
        database = _database_check(not self._difference(task, changes, before, world))
        return Gold(changes=changes, failures=tuple(failures), initial=(database, *others))

    def _difference(self, task: Task, gold: Changes, got: Changes, world: SQLWorld) -> list[CellDifference]:
        initial = world.database.template.reader().row
        found = compare(gold, got, initial=initial, sets=self._sets, mode=self._mode)
        tables = None if task.criteria is None else task.criteria.tables
        return found if tables is None else [cell for cell in found if cell.table in tables]

    def score(self, task: Task, world: SQLWorld, record: Record, *, reward: RewardName = "task") -> Score:
        """Score an episode that has ended in ``world``."""
        gold = self.gold(task)
        difference = self._difference(task, gold.changes, world.snapshot(), world)
        others = checks_of(task, world, record, mode=self._mode)
        checks = [_database_check(not difference), *others]
        criteria = None if task.criteria is None else task.criteria.basis
        basis = basis_of(reward, criteria)
        parts = _parts(checks, _PLAIN_PARTS if criteria is None else PARTS)
        value = _product(parts, basis, record.fault, record.truncated)
        counted = tuple(check for check in checks if check.part in basis)
        at_end = None if record.fault is not None else share(counted)
        return Score(
            reward=value,
            success=None if value is None else value == 1.0,
            parts=parts,
            basis=basis,
            checks=counted,
            tcr=0.0 if at_end is not None and record.truncated else at_end,
            tcr_at_end=at_end,
            initial_tcr=share([check for check in gold.initial if check.part in basis]),
            difference=tuple(difference),
            unmet=tuple(check.name for check in others if check.holds is False),
            gold_failures=gold.failures,
            fault=record.fault,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
            criteria=criteria,
        )

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode whose world is lost: nothing is known of it, and it must not count."""
        return Score(
            reward=None,
            success=None,
            parts=dict.fromkeys(_PLAIN_PARTS),
            basis=BASES[reward],
            fault=record.fault,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
        )

    def close(self) -> None:
        """Release the scratch world. May be called again."""
        if self._world is not None:
            self._world.close()
            self._world = None


def _same_gold(one: Task, other: Task) -> bool:
    def what_counts(task: Task) -> tuple[object, ...]:
        return task.actions, task.initial_actions, task.criteria, task.requirements, task.outputs

    return one is other or what_counts(one) == what_counts(other)


def _database_check(holds: bool) -> Check:
    return Check(part="database", name="the database is as expected", holds=holds)


def _parts(checks: Sequence[Check], names: Sequence[str]) -> dict[str, float | None]:
    """Each part's product; ``None`` where a task has no such part, or nobody has judged it."""
    parts: dict[str, float | None] = dict.fromkeys(names)
    for name in names:
        verdicts = [check.holds for check in checks if check.part == name]
        if verdicts and None not in verdicts:
            parts[name] = float(all(verdicts))
    return parts


def basis_of(reward: RewardName, criteria: tuple[str, ...] | None) -> tuple[str, ...]:
    """The parts that a reward multiplies; a task's own criteria go before the reward's."""
    if criteria is None:
        return BASES[reward]
    if reward == "task":
        return (*criteria, "requirements")
    left_out = {"outcome": ("outputs", "judged"), "tau1": (), "tau1-no-outputs": ("outputs",)}[reward]
    return tuple(name for name in criteria if name not in left_out)


def check_reward(name: str) -> RewardName:
    """The reward's name, checked.

    Raises:
        ConfigError: there is no such reward.
    """
    if name not in BASES:
        raise ConfigError(f"reward is {name!r}; use one of {', '.join(map(repr, BASES))}")
    return name  # type: ignore[return-value]


def _product(
    parts: Mapping[str, float | None], basis: Sequence[str], fault: Fault | None, truncated: bool
) -> float | None:
    if fault is not None:
        return None
    if truncated:
        return 0.0
    value = 1.0
    for name in basis:
        part = parts[name]
        value *= 1.0 if part is None else part
    return value
