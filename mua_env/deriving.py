"""Agendas for public tasks: the part that does not depend on the domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mua_env.database import Rows
from mua_env.tasks import Goal, Task


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
