"""The audit of tasks whose world is no database: of Python objects, or of a recording.

A gold value is *yielded without the user* where it stands in the result of an earlier gold call; nothing is known of
what other calls would return. The minimal turns are one for each line of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence

from mua_env.core.scores import BASES, Record, check_reward
from mua_env.core.tasks import Task
from mua_env.episode.setting import Setting
from mua_env.errors import TaskError
from mua_env.evaluation.audit.baselines import BaselineRuns
from mua_env.evaluation.audit.results import BaselineRun, FailedCall, TaskAudit, Values
from mua_env.evaluation.audit.values import leaves
from mua_env.users.base import UserSimulator


class CallAuditor:
    """Audits task after task by its gold calls; arguments as of the auditor of databases."""

    def __init__(
        self, setting: Setting, tasks: Sequence[Task], user: UserSimulator, *, seed: int, run_baselines: bool
    ) -> None:
        self._setting = setting
        self._world = setting.make_world()
        self._runs = BaselineRuns(setting, user, seed=seed) if run_baselines else None
        self._same: dict[str, list[str]] = {}
        for task in tasks:
            self._same.setdefault(_asked(task), []).append(task.id)

    def task(self, task: Task, position: int) -> TaskAudit:
        """Everything about one task."""
        world = self._world
        world.load(task)
        idle = self._setting.scorer.score(task, world, Record())
        failures, values = self._gold(task)
        runs, not_run = self._baselines(task, position)
        return TaskAudit(
            id=task.id,
            level=task.level,
            user="" if self._runs is None else self._runs.describe(task),
            actions=len(task.actions),
            writes=len(task.actions),
            failures=failures,
            empty=not task.actions,
            idle={name: idle.under(check_reward(name)) or 0.0 for name in BASES},
            same_wish=tuple(other for other in self._same[_asked(task)] if other != task.id),
            same_effect=(),
            values=values,
            turns=max(1, len(task.script)),
            rules=(),
            baselines=runs,
            not_run=not_run,
        )

    def close(self) -> None:
        """Release the worlds."""
        self._world.close()
        if self._runs is not None:
            self._runs.close()

    def _gold(self, task: Task) -> tuple[tuple[FailedCall, ...], Values]:
        failures: list[FailedCall] = []
        yielded = ""
        total = without = 0
        for position, action in enumerate(task.actions):
            for value in leaves(action.arguments):
                total += 1
                without += value not in yielded
            result = self._world.call(action.name, action.arguments, requestor=action.requestor)
            yielded += f"\n{result.content}"
            if not result.ok:
                failures.append(FailedCall.of(position, action, result.content, writes=False))
        return tuple(failures), Values(total=total, without_user=without, user_only=without)

    def _baselines(self, task: Task, position: int) -> tuple[dict[str, BaselineRun], str | None]:
        if self._runs is None:
            return {}, None
        try:
            return self._runs.run(task, position), None
        except TaskError as error:
            return {}, str(error)


def _asked(task: Task) -> str:
    """What is asked for, and where: two tasks that are equal in it are one."""
    return f"{task.instruction}\n{[turn.text for turn in task.script]}\n{task.scene!r}"
