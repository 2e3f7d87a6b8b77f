"""Sets of tasks: in which world they are set, and how a set is asked for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mua_env.core.database import Rows
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode, Presentation
from mua_env.core.toolsets import Toolset
from mua_env.errors import TaskError, did_you_mean

if TYPE_CHECKING:
    from mua_env.core.scores import RewardName


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
        reward: what counts by default (``"tau1"`` for tau-bench's tasks, as the benchmark does).
        world: key of the data: two sets with equal keys share one template.
        toolset: the tools, where they are not the domain's own.
        variant: which policy document, where there are several, as ``"workflow"`` or ``"manual-solo"``.
        source_revision: which release of a public benchmark it is, by its content.
        user: the user simulator that the tasks bring with them, whatever user was asked for (default: none).
        presentation: reads how a public benchmark shows its tools, ``None`` where the copy does not hold that.
    """

    name: str
    domain: str
    tasks: Sequence[Task]
    data: Callable[[], Rows]
    policy: str
    world: str
    mode: Mode = "strict"
    reward: RewardName = "task"
    toolset: Toolset | None = None
    variant: str = ""
    source_revision: str = ""
    user: Any = None
    presentation: Callable[[], Presentation | None] | None = None
    _index: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __getitem__(self, position: int) -> Task:
        return self.tasks[position]

    def drawn(self, position: int) -> Task:
        """The task that a randomly drawn position stands for: generated tasks have some that cost less."""
        drawn: Callable[[int], Task] = getattr(self.tasks, "drawn", self.tasks.__getitem__)
        return drawn(position)

    def by_id(self, task_id: str) -> Task:
        """The task with an id, or with the one that an agent is shown (see :func:`shown_id`).

        Raises:
            TaskError: there is none.
        """
        if not self._index:
            self._index.update({shown_id(task.id): position for position, task in enumerate(self.tasks)})
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


_A_NAME = re.compile(r"[\w.#-]{1,32}")


def shown_id(task_id: str) -> str:
    """A task's id as an agent may read it.

    What is longer than a name, or of more than letters, digits and ``._#-``, describes the task: tau2's telecom ids
    name what is broken, and so the repair. Such an id is shown as its hash, ``"task-0123456789ab"``.
    """
    if _A_NAME.fullmatch(task_id):
        return task_id
    return f"task-{hashlib.sha256(task_id.encode()).hexdigest()[:12]}"


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
