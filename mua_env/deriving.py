"""Agendas for public tasks: the part that does not depend on the domain."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from mua_env.database import Rows
from mua_env.tasks import Goal, Task

HAND_OVER = "transfer_to_human_agents"
"""The tool that hands a dialogue over to a human agent, in every public benchmark read here."""


def user_of(task: Task, users: Collection[str], owners: Mapping[str, str]) -> str | None:
    """The user that a public task is about, where the task itself does not say: tau2's do not.

    It is the first that a gold call's argument names, or that owns the record that one names, or else the first whose
    id stands in the instruction.

    Args:
        task: the task.
        users: ids of all users.
        owners: user of each record that has one, by the record's id.
    """
    if task.user_id is not None:
        return task.user_id
    values = [value for action in task.actions for value in action.arguments.values() if isinstance(value, str)]
    for value in [*values, *re.findall(r"\w+", task.instruction)]:
        if value in users:
            return str(value)
        if value in owners:
            return str(owners[value])
    return None


class Deriver(Protocol):
    """Derives the goals of public tasks over one set of rows."""

    def goal(self, task: Task) -> Goal | None:
        """The agenda of a task, or ``None`` where there is none."""

    def close(self) -> None:
        """Release what it holds."""


class DerivedGoals:
    """Derived agendas, over whatever rows a task belongs to.

    The rows of the last call stay loaded, so that a whole split is quick.

    Args:
        make: makes the deriver of a set of rows.
    """

    def __init__(self, make: Callable[[Rows], Deriver]) -> None:
        self._make = make
        self._kept: tuple[Rows, Deriver] | None = None

    def __call__(self, task: Task, rows: Rows) -> Goal | None:
        """The derived agenda of a task over its rows."""
        if self._kept is None or self._kept[0] is not rows:
            if self._kept is not None:
                self._kept[1].close()
            self._kept = (rows, self._make(rows))
        return self._kept[1].goal(task)
