"""Whether the tasks of a run can be run at all, and its user can play them, told before the first dialogue.

The tasks of a domain are verified when they are made, and those of public benchmarks are as they are. A file's are
neither: a gold action that fails makes a task that no agent can solve, or that every idle agent solves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mua_env.core.screen import counted
from mua_env.core.task_files import TaskFile
from mua_env.core.tasks import Task
from mua_env.errors import MuaError, TaskError
from mua_env.users.base import UserSimulator

if TYPE_CHECKING:
    from mua_env.episode.setting import Setting

_MOST = 3


def check_users(setting: Setting, user: UserSimulator, tasks: Iterable[Task]) -> None:
    """Ask the user of each task whether it can play it.

    Raises:
        TaskError: some cannot be played; the text says which, and why.
    """
    if setting.worlds.solo or setting.tasks.user is not None:  # nobody is on the line, or the tasks bring their user
        return
    faults: dict[str, str] = {}
    asked: set[str] = set()
    for task in tasks:
        if task.id in asked:
            continue
        asked.add(task.id)
        try:
            tools = setting.worlds.user_schemas(task)
            user.check(task, context={"domain": setting.domain, "setting": setting, "tools": tools})
        except MuaError as error:
            faults[task.id] = f"{_where(setting, task)}{error}"
    if faults:
        reasons = Counter(faults.values())
        told = "; ".join(reason for reason, _ in reasons.most_common(_MOST))
        more = len(faults) - sum(count for _, count in reasons.most_common(_MOST))
        rest = f"; and {more} for other reasons" if more else ""
        raise TaskError(
            f"the user {user.name!r} cannot play {len(faults):,} of {counted(len(asked), 'task')}: {told}{rest}"
        )


def check_users_of_file(setting: Setting, user: UserSimulator) -> None:
    """:func:`check_users` for all tasks of a file; sets of other sources may be without end, and are let through.

    Raises:
        TaskError: some cannot be played.
    """
    if isinstance(setting.tasks.tasks, TaskFile):
        check_users(setting, user, setting.tasks)


def _where(setting: Setting, task: Task) -> str:
    tasks = setting.tasks.tasks
    return f"{tasks.where(task)}: " if isinstance(tasks, TaskFile) else ""


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
        rest = f"; and {len(faults) - _MOST} more" if len(faults) > _MOST else ""
        raise TaskError(
            f"{'; '.join(faults[:_MOST])}{rest}. "
            f"`mua-env tasks check {setting.domain.name}:{setting.tasks.name}` lists what fails"
        )


def _fault(setting: Setting, task: Task) -> str | None:
    try:
        failures: Iterator[str] = iter(setting.scorer.gold(task).failures)
    except TaskError as error:
        return str(error)
    first = next(failures, None)
    return None if first is None else f"its gold action fails: {first}"
