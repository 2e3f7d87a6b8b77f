"""Agendas for public tasks: the part that does not depend on the domain."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar

from sqlalchemy.orm import DeclarativeBase

from mua_env.core.database import Rows, open_template
from mua_env.core.tasks import Action, Goal, Request, Task
from mua_env.core.tools import Mode, Toolkit
from mua_env.core.world import SQLWorld

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


class Deriver(ABC):
    """Derives the goals of public tasks over one set of rows: gold calls that succeed become requests, in their order.

    Args:
        rows: the benchmark's data.
        mode: how the tools behave when gold is run; ``"compat"`` as the benchmark's own.
        toolkit: the benchmark's tools, if they are not the domain's.

    Attributes:
        models: the declarative base of the domain's tables.
        toolkit: the domain's tools.
        world: holds the state before the call that is looked at.
    """

    models: ClassVar[type[DeclarativeBase]]
    toolkit: ClassVar[type[Toolkit]]

    def __init__(self, rows: Rows, *, mode: Mode = "compat", toolkit: type[Toolkit] | None = None) -> None:
        self._users = {row["user_id"]: dict(row) for row in rows["users"]}
        self._template = open_template(self.models, rows)
        self.world = SQLWorld(self._template, toolkit or self.toolkit, mode=mode)

    def goal(self, task: Task) -> Goal | None:
        """The agenda of a task, or ``None`` where its user is not in the data."""
        user = self._users.get(task.user_id or "")
        if user is None:
            return None
        self.world.load(task.initial_actions)
        requests: list[Request] = []
        for action in task.actions:
            if action.name == HAND_OVER:
                continue
            made = list(self.requests(action, user))
            if self.world.call(action.name, action.arguments).ok:
                requests += made
        if not requests and any(action.name == HAND_OVER for action in task.actions):
            requests.append(Request(intent="human", outcome="transferred"))
        return Goal(facts=self.facts(user), requests=tuple(requests), persona="plain", derived=True)

    @abstractmethod
    def requests(self, action: Action, user: dict[str, Any]) -> Iterable[Request]:
        """The requests that a call fulfils, described from the records as they are before it."""

    @abstractmethod
    def facts(self, user: dict[str, Any]) -> dict[str, Any]:
        """What a user knows of itself."""

    def close(self) -> None:
        """Release the databases."""
        self.world.close()
        self._template.close()


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
