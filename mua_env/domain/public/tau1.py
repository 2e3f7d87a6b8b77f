"""Reader of tau-bench's data: databases, policy document and tasks, for any of its domains.

Two layouts are read: a checkout of tau-bench (``tau_bench/envs/<domain>/``, tasks as Python files, of which
only literals are read), and the same files side by side in one folder, with the tasks as ``tasks_<split>.json``.
Source: https://github.com/sierra-research/tau-bench (MIT). Its files are the user's own; none come with this package.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from mua_env.core.database import Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Action, Goal, Task
from mua_env.core.tools import Mode
from mua_env.domain.public._reading import read_calls, read_text
from mua_env.errors import ConfigError, DataError, TaskError, first_fault

PATH_VARIABLE: Final = "TAU_BENCH_DIR"
"""Environment variable that names the folder where ``path=`` is not given."""
SPLITS: Final[Mapping[str, tuple[str, ...]]] = {"retail": ("test", "train", "dev"), "airline": ("test",)}
"""Splits of each public domain."""

Records = dict[str, dict[str, Any]]
"""One table as the benchmark stores it: key -> record."""
DeriveGoal = Callable[[Task, Rows], Goal | None]
"""Makes an agenda from a public task's gold actions and the data."""


@dataclass(frozen=True)
class Layout:
    """Where a domain's files lie: databases, policy document, tasks."""

    domain: str
    data: Path
    wiki: Path
    tasks: Path

    @classmethod
    def find(cls, domain: str, path: str | Path | None = None) -> Layout:
        """Find the files of a domain.

        Args:
            domain: ``"retail"`` or ``"airline"``.
            path: a tau-bench checkout, or a folder that holds the files or a folder ``<domain>`` with them; the
                environment variable ``TAU_BENCH_DIR`` if it is not given.

        Raises:
            ConfigError: no path was given anywhere.
            DataError: the folder does not hold the domain's files.
        """
        given = path or os.environ.get(PATH_VARIABLE)
        if not given:
            raise ConfigError(
                f"tau1 tasks need the tau-bench files: git clone https://github.com/sierra-research/tau-bench, then "
                f"pass its folder as path= (or --path), or set {PATH_VARIABLE}"
            )
        root = Path(given).expanduser()
        checkout = root / "tau_bench" / "envs" / domain
        for folder, data in ((checkout, checkout / "data"), (root / domain, root / domain), (root, root)):
            for candidate in (data, folder / "data"):
                if (candidate / "users.json").is_file():
                    return cls(domain, data=candidate, wiki=folder / "wiki.md", tasks=folder)
        raise DataError(
            f"{str(root)!r} does not hold tau-bench's {domain} data: looked for users.json in {checkout / 'data'}, "
            f"{root / domain} and {root}"
        )


def read_tables(layout: Layout, tables: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """The databases as rows.

    Args:
        layout: where the files lie.
        tables: table name -> name of its key column, which is added where records lack it.

    Raises:
        DataError: a file is missing or not an object of objects; the text names it.
    """
    rows = {}
    for table, key_column in tables.items():
        records = _read_records(layout.data / f"{table}.json")
        rows[table] = [{key_column: key, **record} for key, record in records.items()]
    return rows


def read_policy(layout: Layout) -> str:
    """The benchmark's policy document (``wiki.md``).

    Raises:
        DataError: the file cannot be read.
    """
    return _read_text(layout.wiki)


def read_tasks(layout: Layout, split: str) -> list[Task]:
    """The tasks of a split, in the benchmark's order; the id is the position in that order.

    Raises:
        TaskError: the split is unknown, its file is missing or broken; the text names file and task.
    """
    known = SPLITS.get(layout.domain, (split,))
    if split not in known:
        raise TaskError(f"tau-bench's {layout.domain} has no split {split!r}; it has {', '.join(known)}")
    as_json, as_python = layout.tasks / f"tasks_{split}.json", layout.tasks / f"tasks_{split}.py"
    if as_json.is_file():
        source, raw = as_json, _read_json(as_json)
    elif as_python.is_file():
        source, raw = as_python, read_calls(as_python, "Task", ("Action",))
    else:
        raise TaskError(f"no {as_json.name} and no {as_python.name} in {str(layout.tasks)!r}; is the checkout whole?")
    if not isinstance(raw, list):
        raise TaskError(f"{source}: expected a list of tasks, found {type(raw).__name__}")
    return [_task(source, layout.domain, split, position, item) for position, item in enumerate(raw)]


def task_set(
    domain: str,
    split: str,
    *,
    tables: Mapping[str, str],
    path: str | Path | None = None,
    mode: Mode = "compat",
    derive: DeriveGoal | None = None,
) -> TaskSet:
    """A public split with its own data and policy document.

    Args:
        domain: ``"retail"`` or ``"airline"``.
        split: as ``"test"``.
        tables: table name -> key column.
        path: see :meth:`Layout.find`.
        mode: how the tools behave by default; ``"compat"`` scores as the benchmark does.
        derive: makes the agenda of each task; without it the tasks have none.

    Raises:
        ConfigError: no path was given.
        DataError: a file is missing or broken (``TaskError`` for the tasks).
    """
    layout = Layout.find(domain, path)
    tasks = read_tasks(layout, split)
    if derive is not None:
        rows = read_tables(layout, tables)
        tasks = [task.model_copy(update={"goal": derive(task, rows)}) for task in tasks]
    return TaskSet(
        name=f"tau1:{split}",
        domain=domain,
        tasks=tasks,
        data=lambda: read_tables(layout, tables),
        policy=read_policy(layout),
        world=f"tau1:{domain}:{_digest(layout, tables)}",
        mode=mode,
    )


def _task(source: Path, domain: str, split: str, position: int, raw: Any) -> Task:
    try:
        actions = [
            Action(name=action["name"], arguments=action.get("arguments", action.get("kwargs", {})))
            for action in raw["actions"]
        ]
        return Task(
            id=str(position),
            domain=domain,
            split=split,
            user_id=raw.get("user_id"),
            instruction=raw["instruction"],
            actions=tuple(actions),
            outputs=tuple(raw.get("outputs") or ()),
        )
    except KeyError as error:
        raise TaskError(f"{source}: task {position} has no field {error.args[0]!r}") from None
    except ValidationError as error:
        raise TaskError(f"{source}: task {position}: {first_fault(error)}") from None
    except (AttributeError, TypeError):
        raise TaskError(f"{source}: task {position} is not an object with a list of actions") from None


def _read_records(path: Path) -> Records:
    records = _read_json(path)
    if not isinstance(records, dict) or not all(isinstance(record, dict) for record in records.values()):
        raise DataError(f"{path}: expected an object that holds one object per key; is this a tau-bench file?")
    return records


def _read_json(path: Path) -> Any:
    try:
        return json.loads(_read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: not valid JSON at line {error.lineno}: {error.msg}; fetch the file again") from None


def _read_text(path: Path) -> str:
    return read_text(path, copy="the tau-bench checkout")


def _digest(layout: Layout, tables: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for table in sorted(tables):
        digest.update(_read_text(layout.data / f"{table}.json").encode())
    return digest.hexdigest()[:12]
