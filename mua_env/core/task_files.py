"""Tasks in files: JSON Lines, a task each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from mua_env.core.tasks import Task
from mua_env.errors import TaskError, first_fault


class TaskFile(list[Task]):
    """The tasks of a file, which know their lines.

    Args:
        path: of the file.
        tasks: its tasks by the numbers of their lines.
    """

    def __init__(self, path: str | Path, tasks: Mapping[int, Task]) -> None:
        super().__init__(tasks.values())
        self.path = Path(path)
        self._lines = {task.id: line for line, task in tasks.items()}

    def where(self, task: Task) -> str:
        """``"tasks.jsonl, line 3 (task 'x')"``."""
        line = self._lines.get(task.id)
        return f"task {task.id!r}" if line is None else f"{self.path}, line {line} (task {task.id!r})"


def read_tasks(path: str | Path) -> TaskFile:
    """Read tasks from JSON Lines.

    Raises:
        TaskError: the file cannot be read, holds no task, a line is no task, or two have one id; the text names the
            line and the field.
    """
    try:
        # Not splitlines(), which also splits at characters that may stand in JSON strings, as U+2028; and without the
        # mark that some editors put before UTF-8.
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot read tasks from {str(path)!r}: {error}") from None
    tasks: dict[int, Task] = {}
    ids: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            task = Task.model_validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{path}, line {number}: {first_fault(error, whole='line')}") from None
        if task.id in ids:
            raise TaskError(f"{path}, line {number}: id: {task.id!r} is the id of an earlier task; ids must differ")
        tasks[number] = task
        ids.add(task.id)
    if not tasks:
        raise TaskError(f"{str(path)!r} holds no tasks")
    return TaskFile(path, tasks)


def task_line(task: Task) -> str:
    """A task as a line of JSON with its end, defaults left out; equal tasks give equal lines."""
    return json.dumps(task.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False) + "\n"


def write_tasks(path: str | Path, tasks: Iterable[Task]) -> None:
    """Write tasks as JSON Lines, defaults left out; equal tasks give equal bytes."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for task in tasks:
            file.write(task_line(task))
