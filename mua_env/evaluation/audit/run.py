"""Runs an audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mua_env.core.database import Changes
from mua_env.core.scores import BASES, Record, Score, check_reward
from mua_env.core.task_sets import tasks_revision
from mua_env.core.tasks import Task
from mua_env.episode.setting import Setting, SQLWorlds
from mua_env.errors import ConfigError, TaskError
from mua_env.evaluation.audit.baselines import BaselineRuns
from mua_env.evaluation.audit.calls import CallAuditor
from mua_env.evaluation.audit.duplicates import same_effect, same_wish
from mua_env.evaluation.audit.results import Audit, BaselineRun, FailedCall, TaskAudit
from mua_env.evaluation.audit.values import ValueSources, minimal_turns
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.base import UserSimulator

MOST = 20_000
"""Tasks that are audited without being asked for a limit: an endless source would never come to its end."""


def audit(
    setting: Setting,
    *,
    source: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    run_baselines: bool = True,
    user: UserSimulator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Audit the tasks of a setting.

    Args:
        setting: the domain with its tasks.
        source: how the report names them (default ``<domain>:<task source>``).
        limit: audit the first tasks only.
        seed: of users and of the random baseline (default 0).
        run_baselines: run them too (default), through sessions with real users.
        user: plays the users of the baselines (default: the agenda user).
        progress: called with the number of tasks done and the number of all.

    Raises:
        ConfigError: the source has more than 20,000 tasks and no limit was given.
    """
    if limit is None and len(setting.tasks) > MOST:
        raise ConfigError(f"{setting.tasks.name!r} has {len(setting.tasks)} tasks; say how many to audit (limit)")
    if limit is not None and limit < 1:
        raise ConfigError(f"limit is {limit}; it must be at least 1")
    count = len(setting.tasks) if limit is None else min(limit, len(setting.tasks))
    tasks = [setting.tasks[position] for position in range(count)]
    make = _Auditor if isinstance(setting.worlds, SQLWorlds) else CallAuditor
    auditor = make(setting, tasks, user or AgendaUser(), seed=seed, run_baselines=run_baselines)
    try:
        found = []
        for position, task in enumerate(tasks):
            found.append(auditor.task(task, position))
            if progress is not None:
                progress(position + 1, count)
    finally:
        auditor.close()
    return Audit(
        source=source or f"{setting.domain.name}:{setting.tasks.name}",
        domain=setting.domain.name,
        scoring=setting.mode,
        presentation=setting.presented,
        revision=setting.revision,
        tasks_revision=tasks_revision(tasks),
        variant=setting.tasks.variant,
        source_revision=setting.tasks.source_revision,
        seed=seed,
        rules=dict(setting.domain.policy_rules),
        left_out=dict(setting.tasks.left_out),
        tasks=tuple(found),
    )


class _Auditor:
    """Audits task after task in worlds that are rolled back in between."""

    def __init__(
        self, setting: Setting, tasks: Sequence[Task], user: UserSimulator, *, seed: int, run_baselines: bool
    ) -> None:
        self._setting = setting
        self._world = setting.sql.make_world()
        self._scratch = setting.domain.scratch_tools
        self._sources = ValueSources(setting.sql.make_world(), self._scratch)
        self._runs = BaselineRuns(setting, user, seed=seed) if run_baselines else None
        self._wishes = same_wish(tasks)
        self._failures: dict[str, tuple[FailedCall, ...]] = {}
        effects: dict[str, Changes] = {}
        for task in tasks:
            self._failures[task.id], effects[task.id] = self._gold(task)
        self._empty = {task_id for task_id, changes in effects.items() if not changes}
        self._effects = same_effect(tasks, effects)

    def task(self, task: Task, position: int) -> TaskAudit:
        """Everything about one task."""
        values = self._sources.of(task)
        specs = self._setting.sql.toolset.toolkit.specs
        runs, not_run = self._baselines(task, position)
        idle = self._idle(task)
        return TaskAudit(
            id=task.id,
            level=task.level,
            user="" if self._runs is None else self._runs.describe(task),
            actions=len(task.actions),
            writes=sum(action.name in specs and specs[action.name].writes for action in task.actions),
            failures=self._failures[task.id],
            empty=task.id in self._empty,
            idle={name: idle.under(check_reward(name)) or 0.0 for name in BASES},
            idle_bounds=tuple(name for name in BASES if idle.bound_under(check_reward(name))),
            unjudged=idle.unjudged,
            initial_tcr=None if task.criteria is None else idle.initial_tcr,
            same_wish=self._wishes[task.id],
            same_effect=self._effects[task.id],
            values=values,
            turns=minimal_turns(task, self._world, must_ask=values.without_user > 0, scratch=self._scratch),
            rules=self._rules(task),
            baselines=runs,
            not_run=not_run,
        )

    def close(self) -> None:
        """Release the worlds."""
        self._world.close()
        self._sources.close()
        if self._runs is not None:
            self._runs.close()

    def _gold(self, task: Task) -> tuple[tuple[FailedCall, ...], Changes]:
        """The gold actions that fail, and the rows that differ from the data after all; none if the scene stays."""
        world = self._world
        specs = self._setting.sql.toolset.toolkit.specs
        world.load(task)
        scene = world.snapshot()
        failures = []
        settle = self._setting.mode == "strict" or world.toolset.settled_gold
        for position, action in enumerate(task.actions):
            if action.requestor == "agent" and world.is_terminal(action.name):
                continue
            result = world.call(action.name, action.arguments, requestor=action.requestor, settle=settle)
            if not result.ok:
                writes = action.name in specs and specs[action.name].writes
                failures.append(FailedCall.of(position, action, result.content, writes=writes))
        after = world.snapshot()
        return tuple(failures), {} if after == scene else after

    def _idle(self, task: Task) -> Score:
        self._world.load(task)
        return self._setting.sql.scorer.score(task, self._world, Record())

    def _rules(self, task: Task) -> tuple[str, ...]:
        self._world.load(task)
        bound = set(self._setting.domain.binding_rules(task, self._world.database))
        return tuple(rule for rule in self._setting.domain.policy_rules if rule in bound)

    def _baselines(self, task: Task, position: int) -> tuple[dict[str, BaselineRun], str | None]:
        if self._runs is None:
            return {}, None
        try:
            return self._runs.run(task, position), None
        except TaskError as error:
            return {}, str(error)
