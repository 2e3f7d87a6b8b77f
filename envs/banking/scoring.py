"""Scores of banking's tasks: the database that gold leads to, calls that must have been made, judged statements."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from mua_env.core.database.difference import MISSING, CellDifference, canonical
from mua_env.core.scores import PARTS, Check, Gold, Record, RewardName, Score, basis_of, no_score, product, share
from mua_env.core.tasks import ActionCheck, Criteria, Task
from mua_env.core.tools import Mode
from mua_env.scoring.checks import was_called
from mua_env.scoring.stated import said, said_whole

from .world import BankingStage, BankingWorld

Tables = dict[str, Any]


class BankingScorer:
    """Scores episodes as tau2 does; what a task's gold actions lead to is computed once and kept.

    ``compat`` tells 25 from 25.0 in the database, as tau2's hash does, and compares calls as tau2 does. ``strict``
    takes equal numbers for the same, and asks a call that must have been made for all its arguments, and of the side
    whose it is.

    Args:
        stage: makes the worlds' objects.
        mode: which of the two.
    """

    def __init__(self, stage: BankingStage, *, mode: Mode) -> None:
        self._stage = stage
        self._mode: Mode = mode
        self._gold: dict[str, tuple[Task, Tables, Tables, Gold]] = {}
        # Environments in several threads share what is kept.
        self._lock = threading.Lock()

    def gold(self, task: Task) -> Gold:
        """What a task's gold actions come to: calls that failed, and which checks hold without any."""
        return self._kept(task)[3]

    def _kept(self, task: Task) -> tuple[Task, Tables, Tables, Gold]:
        with self._lock:
            kept = self._gold.get(task.id)
            # A task that a caller hands over may have the id of another.
            if kept is None or kept[0] != task:
                kept = self._gold[task.id] = self._run_gold(task)
            return kept

    def _run_gold(self, task: Task) -> tuple[Task, Tables, Tables, Gold]:
        world = BankingWorld(self._stage)
        world.load(task)
        before = _tables(world)
        failures = []
        for action in task.actions:
            result = world.call(action.name, action.arguments, requestor=action.requestor)
            if not result.ok or result.content.startswith("Error"):
                failures.append(f"{action.name}: {result.content}")
        after = _tables(world)
        initial = self._checks(task, after, before, Record())
        return task, before, after, Gold(changes={}, failures=tuple(failures), initial=tuple(initial))

    def _checks(self, task: Task, gold: Tables, got: Tables, record: Record) -> Iterator[Check]:
        criteria = task.criteria or Criteria()
        same = next(_differences(gold, got, self._mode), None) is None
        yield Check(part="database", name="the database is as expected", holds=same)
        uttered = said if self._mode == "compat" else said_whole
        heard = record.agent_texts if self._mode == "strict" else (*record.agent_texts, *record.texts_beside_calls)
        yield from (Check(part="outputs", name=f"said {text!r}", holds=uttered(text, heard)) for text in task.outputs)
        for check in criteria.action_checks:
            holds = was_called(check, record.calls, mode=self._mode)
            yield Check(part="actions", name=_described(check), holds=holds)
        verdicts = record.judged or (None,) * len(criteria.statements)
        for text, verdict in zip(criteria.statements, verdicts, strict=True):
            yield Check(part="judged", name=text, holds=verdict)

    def score(self, task: Task, world: Any, record: Record, *, reward: RewardName = "task") -> Score:
        """Score the state that the world was left in."""
        if record.fault is not None:
            return self.unscored(record, reward=reward)
        _, _, expected, gold = self._kept(task)
        got = _tables(world)
        checks = list(self._checks(task, expected, got, record))
        criteria = None if task.criteria is None else task.criteria.basis
        basis = basis_of(reward, criteria)
        parts = {name: _part(name, checks) for name in PARTS}
        value = product(parts, basis, None, record.truncated)
        counted = tuple(check for check in checks if check.part in basis)
        at_end = share(counted)
        return Score(
            reward=value,
            success=value == 1.0,
            parts=parts,
            basis=basis,
            checks=counted,
            tcr=0.0 if at_end is not None and record.truncated else at_end,
            tcr_at_end=at_end,
            initial_tcr=share([check for check in gold.initial if check.part in basis]),
            difference=tuple(_differences(expected, got, self._mode)),
            unmet=tuple(check.name for check in checks[1:] if check.holds is False),
            gold_failures=gold.failures,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
            criteria=criteria,
        )

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode that must not count."""
        return no_score(record, reward, self._mode)


def _tables(world: Any) -> Tables:
    state: dict[str, Tables] = world.snapshot()
    return state.get("hands", {})


def _part(name: str, checks: list[Check]) -> float | None:
    verdicts = [check.holds for check in checks if check.part == name]
    return None if not verdicts or None in verdicts else float(all(verdicts))


def _described(check: ActionCheck) -> str:
    action = check.action
    named = {name: value for name, value in action.arguments.items() if check.compare is None or name in check.compare}
    return f"the {action.requestor} called {action.name}({', '.join(f'{k}={v!r}' for k, v in named.items())})"


def _differences(gold: Tables, got: Tables, mode: Mode) -> Iterator[CellDifference]:
    """Where two databases differ, record by record and column by column."""
    for table in sorted(gold.keys() | got.keys()):
        wanted, found = gold.get(table, {}), got.get(table, {})
        if _same(wanted, found, mode):
            continue
        rows, others = wanted.get("data", {}), found.get("data", {})
        for key in sorted(rows.keys() | others.keys()):
            yield from _in_row(table, key, rows.get(key), others.get(key), mode)
        if wanted.get("notes") != found.get("notes"):
            yield _cell(table, "", "notes", wanted.get("notes"), found.get("notes"))


def _in_row(table: str, key: str, wanted: Any, found: Any, mode: Mode) -> Iterator[CellDifference]:
    if not isinstance(wanted, Mapping) or not isinstance(found, Mapping):
        if wanted != found:
            yield _cell(table, key, "*", wanted, found)
        return
    for column in sorted(wanted.keys() | found.keys()):
        one, other = wanted.get(column, MISSING), found.get(column, MISSING)
        if not _same(one, other, mode):
            yield _cell(table, key, column, one, other)


def _same(one: Any, other: Any, mode: Mode) -> bool:
    if mode == "strict":
        return bool(canonical(one) == canonical(other))
    return json.dumps(one, sort_keys=True, default=str) == json.dumps(other, sort_keys=True, default=str)


def _cell(table: str, key: str, column: str, wanted: Any, found: Any) -> CellDifference:
    return CellDifference(table=table, key=key, column=column, expected=_plain(wanted), got=_plain(found))


def _plain(value: Any) -> Any:
    if value is None:
        return MISSING
    return (
        value if isinstance(value, str | int | float | bool) else json.dumps(value, sort_keys=True, default=str)[:2000]
    )
