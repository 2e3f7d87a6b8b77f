"""Whether the tasks of somebody's file can be run at all, told before the first dialogue.

The tasks of a domain are verified when they are made, and those of public benchmarks are as they are. A file's are
neither: a gold action that fails makes a task that no agent can solve, or that every idle agent solves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mua_env.core.task_files import TaskFile
from mua_env.core.tasks import Task
from mua_env.errors import TaskError

if TYPE_CHECKING:
    from mua_env.episode.setting import Setting

_SHOWN = 3


def check_gold(setting: Setting) -> None:
    """Run the gold actions of every task of a file; sets of other sources are let through.

    Raises:
        TaskError: some cannot be run; the text holds the lines and what the tools say.
    """
    tasks = setting.tasks.tasks
    if not isinstance(tasks, TaskFile):
        return
    faults = [f"{tasks.where(task)}: {fault}" for task in tasks if (fault := _fault(setting, task))]
    if faults:
        rest = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise TaskError(
            f"{'; '.join(faults[:_SHOWN])}{rest}. "
            f"`mua-env tasks check {setting.domain.name}:{setting.tasks.name}` lists what fails"
        )


def _fault(setting: Setting, task: Task) -> str | None:
    try:
        failures: Iterator[str] = iter(setting.scorer.gold(task).failures)
    except TaskError as error:
        return str(error)
    first = next(failures, None)
    return None if first is None else f"its gold action fails: {first}"
