"""Sets of tasks: in which world they are set, and how a set is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mua_env.core.database import Rows
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode
from mua_env.core.toolsets import Kit
from mua_env.errors import TaskError, did_you_mean


@dataclass(frozen=True)
class TaskSet:
    """Tasks with the world that they are set in.

    Attributes:
        name: the source it was asked for by, as ``"train"`` or ``"tau1:test"``.
        domain: name of the domain.
        tasks: the tasks, in order.
        data: gives the rows of the database (called once per process).
        policy: the policy document, markdown.
        mode: how the tools behave by default (``"compat"`` for public benchmarks quoted as such).
        world: key of the data: two sets with equal keys share one template.
        kit: the tools, where they are not the domain's own.
        variant: which policy document, where there are several, as ``"workflow"`` or ``"manual-solo"``.
        source_revision: which release of a public benchmark it is, by its content.
    """

    name: str
    domain: str
    tasks: Sequence[Task]
    data: Callable[[], Rows]
    policy: str
    world: str
    mode: Mode = "strict"
    kit: Kit | None = None
    variant: str = ""
    source_revision: str = ""
    _index: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __getitem__(self, position: int) -> Task:
        return self.tasks[position]

    def by_id(self, task_id: str) -> Task:
        """The task with an id.

        Raises:
            TaskError: there is none.
        """
        if not self._index:
            self._index.update({task.id: position for position, task in enumerate(self.tasks)})
        position = self._index.get(str(task_id))
        if position is None:
            hint = did_you_mean(str(task_id), self._index)
            raise TaskError(f"no task {task_id!r} in {self.domain} {self.name!r} ({len(self)} tasks).{hint}")
        return self.tasks[position]

    @cached_property
    def revision(self) -> str:
        """First 12 hex digits of the SHA-256 of the tasks: recorded with every result."""
        return tasks_revision(self.tasks)


def tasks_revision(tasks: Iterable[Task]) -> str:
    """First 12 hex digits of the SHA-256 of tasks."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(task.model_dump_json().encode())
    return digest.hexdigest()[:12]


def select_level(tasks: Iterable[Task], level: int | None) -> list[Task]:
    """The tasks of one level, or all of them for ``None``."""
    return [task for task in tasks if level is None or task.level == level]


def parse_source(source: str) -> tuple[str, dict[str, str]]:
    """Split ``"train:level=2"`` into its name and options: ``("train", {"level": "2"})``.

    Parts without ``=`` belong to the name, so ``"tau1:test"`` stays whole.
    """
    names, options = [], {}
    for part in source.split(":"):
        key, equals, value = part.partition("=")
        if equals:
            options[key] = value
        else:
            names.append(part)
    return ":".join(names), options
