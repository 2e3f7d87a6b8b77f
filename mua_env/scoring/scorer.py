"""The scorer: an episode's database against the one that the gold actions lead to, and what else a task asks for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from mua_env.core.database import BROKEN, Changes
from mua_env.core.database.difference import CellDifference, compare
from mua_env.core.scores import (
    PARTS,
    PLAIN_PARTS,
    Check,
    Gold,
    Record,
    RewardName,
    Score,
    basis_of,
    no_score,
    product,
    share,
)
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode
from mua_env.core.world import SQLWorld
from mua_env.scoring.checks import checks_of


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
            try:
                gold = self._run_gold(task)
            except BROKEN:  # the scratch world was lost since it was last used; another one may be had
                self._drop_world()
                gold = self._run_gold(task)
            self._gold[task.id] = (task, gold)
            if len(self._gold) > self._capacity:
                del self._gold[next(iter(self._gold))]
            return gold

    def _run_gold(self, task: Task) -> Gold:
        world = self._world = self._world or self._make_world()
        world.load(task)
        before, others = world.snapshot(), checks_of(task, world, Record(), mode=self._mode)
        failures = []
        settle = self._mode == "strict" or world.toolset.settled_gold
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
        initial = world.database.template.initial_row
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
        parts = _parts(checks, PLAIN_PARTS if criteria is None else PARTS)
        value = product(parts, basis, record.fault, record.truncated)
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
        return no_score(record, reward, self._mode)

    def close(self) -> None:
        """Release the scratch world. May be called again."""
        with self._lock:
            self._drop_world()

    def _drop_world(self) -> None:
        world, self._world = self._world, None
        if world is not None:
            world.close()


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
