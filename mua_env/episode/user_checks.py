"""Whether a user can play the tasks of a run, told before its first dialogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mua_env.core.task_files import TaskFile
from mua_env.core.tasks import Task
from mua_env.errors import MuaError, TaskError
from mua_env.users.base import UserSimulator

if TYPE_CHECKING:
    from mua_env.episode.setting import Setting

_SHOWN = 3


def check_users(setting: Setting, user: UserSimulator, tasks: Iterable[Task]) -> None:
    """Ask the user of each task whether it can play it.

    Raises:
        TaskError: some cannot be played; the text says which, and why.
    """
    if setting.worlds.solo or setting.tasks.user is not None:  # nobody is on the line, or the tasks bring their user
        return
    context = {"domain": setting.domain, "setting": setting, "tools": setting.user_tools}
    faults: dict[str, str] = {}
    for task in tasks:
        if task.id in faults:
            continue
        try:
            user.check(task, context=context)
        except MuaError as error:
            faults[task.id] = f"{_where(setting, task)}{error}"
    if faults:
        rest = f"; and {len(faults) - _SHOWN} more tasks" if len(faults) > _SHOWN else ""
        raise TaskError(f"the user {user.name!r} cannot play {'; '.join(list(faults.values())[:_SHOWN])}{rest}")


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
