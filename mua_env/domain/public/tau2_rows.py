"""Other people's tasks in tau2's shape, with databases of their own, as AReaL publishes them for training.

A row is a task of tau2-bench (``id``, ``user_scenario``, ``evaluation_criteria``, ...) with ``db_path``, the database
that it is set in, relative to the folder of the file; fields may be JSON texts, and rows of several domains stand in
one file (source: the layout of inclusionAI/AReaL-tau2-data: ``tau2_rl_train.jsonl`` beside ``tau2_rl_database/``). Rows
that cannot be used are left out and counted, each with the reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from warnings import warn

from mua_env.core.database import Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Task
from mua_env.core.tools import Presentation
from mua_env.core.toolsets import Toolset
from mua_env.domain.public import tau2
from mua_env.domain.public.row_files import Row, content_of, files_of, read_files
from mua_env.domain.public.tau2 import DeriveGoal, FindUser, Layout, Mend
from mua_env.domain.public.tau2_tasks import read_task
from mua_env.errors import ConfigError, DataError, MuaError, TaskError

DOMAINS: Final = ("airline", "retail", "telecom")
_TEXTS: Final = ("user_scenario", "evaluation_criteria", "initial_state")
"""Fields that may be JSON texts."""
_BESIDE: Final = ("db.json", "db.toml")

ReadRows = Callable[[Path], Rows]


@dataclass
class _Reader:
    """Reads the rows of one domain, and keeps account of the others."""

    domain: str
    read_rows: ReadRows
    tasks: list[Task] = field(default_factory=list)
    databases: dict[str, Rows] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    ids: Counter[str] = field(default_factory=Counter)

    def read(self, row: Row) -> None:
        """Take a row, or note why it is left out."""
        try:
            if row.value is None:
                raise TaskError(row.fault)
            value = _opened(row.value)
            if (other := domain_of(value)) not in (None, self.domain):
                raise TaskError(f"of the domain {other!r}")
            name = self._database(row.folder, value)
            task = read_task(row.where, self.domain, value, split=row.where.partition(",")[0])
        except MuaError as error:
            self.left_out[row.where] = str(error)
            return
        self.ids[task.id] += 1
        again = f"#{self.ids[task.id]}" if self.ids[task.id] > 1 else ""
        self.tasks.append(task.model_copy(update={"id": task.id + again, "scene": {"database": name}}))

    def _database(self, folder: Path, row: Mapping[str, Any]) -> str:
        """Key of the database that a row is set in, which is read where it was not before."""
        path = _database_path(folder, row) or _of_benchmark(self.domain)
        name = path.name if path.is_relative_to(folder) else f"tau2-bench's {path.name}"
        if name not in self.databases:
            self.databases[name] = self.read_rows(path)
            self.paths[name] = path
        return name


def task_set(
    domain: str,
    source: str,
    *,
    read_rows: ReadRows,
    toolset: Toolset,
    own_policy: str,
    policy: Callable[[Layout], str] = lambda layout: layout.text("policy.md"),
    find_user: FindUser,
    derive: DeriveGoal,
    mend: Mend = lambda task: task,
    wording: Mapping[str, str] | None = None,
) -> TaskSet:
    """The rows of one domain in a file or folder, each set in its own database.

    The policy document is the ``policy.md`` beside the rows, else that of the user's copy of tau2-bench, else the
    domain's own; the set's ``variant`` says so where it is not tau2-bench's.

    Args:
        domain: ``"airline"``, ``"retail"`` or ``"telecom"``.
        source: the file or folder.
        read_rows: reads a database file.
        toolset: the tools.
        own_policy: the domain's own policy document.
        policy: reads the document of a copy of tau2-bench.
        find_user, derive, mend, wording: as of :func:`mua_env.domain.public.tau2.task_set`.

    Raises:
        TaskError: no row can be used; the text holds the commonest reasons.
    """
    reader = _Reader(domain, read_rows)
    for row in read_files(source, "tau2"):
        reader.read(row)
    if not reader.tasks:
        raise TaskError(f"{source}: none of {len(reader.left_out)} rows can be used: {reasons(reader.left_out)}")
    if reader.left_out:
        rows = len(reader.tasks) + len(reader.left_out)
        warn(f"{source}: {len(reader.left_out)} of {rows} rows are left out: {reasons(reader.left_out)}", stacklevel=2)
    tasks = [_derived(mend(task), reader.databases, find_user, derive) for task in _by_database(reader)]
    files = list(files_of(source, "tau2"))
    text, variant = _policy(files[0].parent, domain, policy, own_policy)
    digest = content_of(reader.paths[name] for name in sorted(reader.paths))
    return TaskSet(
        name=source,
        domain=domain,
        tasks=tasks,
        data=partial(_first, reader.databases),
        databases=reader.databases,
        policy=text,
        world=f"rows:{domain}:{digest}",
        mode="compat",
        toolset=toolset,
        variant=variant,
        source_revision=f"{', '.join(path.name for path in files)} ({content_of(files)})",
        left_out=reader.left_out,
        presentation=partial(_presentation, domain, wording or {}),
    )


def domain_of(row: Mapping[str, Any]) -> str | None:
    """The domain of a row: what it says, or what its id or its database's name begins with or holds."""
    scenario = row.get("user_scenario")
    told = scenario.get("instructions") if isinstance(scenario, dict) else None
    for said in (row.get("domain"), told.get("domain") if isinstance(told, dict) else None):
        if isinstance(said, str) and said:
            return said.lower()
    names = f"{row.get('id', '')} {Path(str(row.get('db_path') or '')).name}".lower()
    return next((name for name in DOMAINS if name in names), None)


def reasons(left_out: Mapping[str, str]) -> str:
    """Why rows were left out, the commonest first, with an example of each."""
    counts = Counter(left_out.values())
    first = {reason: where for where, reason in reversed(list(left_out.items()))}
    told = [f"{count} {reason} (as {first[reason]})" for reason, count in counts.most_common(5)]
    return "; ".join(told) + ("; and others" if len(counts) > 5 else "")


def _opened(row: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(row)
    for name in _TEXTS:
        if isinstance(found.get(name), str):
            try:
                found[name] = json.loads(found[name])
            except ValueError as error:
                raise TaskError(f"{name} is no JSON ({error})") from None
    return found


def _database_path(folder: Path, row: Mapping[str, Any]) -> Path | None:
    named = row.get("db_path")
    if named is None:
        return next((folder / name for name in _BESIDE if (folder / name).is_file()), None)
    path = (folder / str(named)).resolve()
    # A file of rows is somebody else's: what it names must not lead out of its folder.
    if not path.is_relative_to(folder.resolve()):
        raise TaskError(f"its database {named!r} lies outside of the folder")
    if not path.is_file():
        raise TaskError(f"its database {named!r} is missing")
    return folder / path.relative_to(folder.resolve())


def _of_benchmark(domain: str) -> Path:
    try:
        layout = Layout.find(domain)
    except MuaError:
        raise TaskError("it names no database, none lies beside it, and there is no copy of tau2-bench") from None
    return next(path for name in _BESIDE if (path := layout.folder / name).is_file())


def _by_database(reader: _Reader) -> list[Task]:
    """The tasks, those of a database together: deriving goals keeps one database open."""
    return sorted(reader.tasks, key=lambda task: list(reader.databases).index(task.scene["database"]))


def _derived(task: Task, databases: Mapping[str, Rows], find_user: FindUser, derive: DeriveGoal) -> Task:
    rows = databases[task.scene["database"]]
    task = task.model_copy(update={"user_id": find_user(task, rows)})
    try:
        return task.model_copy(update={"goal": derive(task, rows)})
    except (TaskError, LookupError, TypeError, ValueError, AttributeError):
        # Gold of any kind: a task without an agenda can still be played by an LLM user, and the audit says what fails.
        return task


def _policy(folder: Path, domain: str, read: Callable[[Layout], str], own: str) -> tuple[str, str]:
    beside = folder / "policy.md"
    if beside.is_file():
        return beside.read_text(encoding="utf-8"), "policy of the rows"
    try:
        return read(Layout.find(domain)), ""
    except (ConfigError, DataError):
        return own, "own policy"


def _first(databases: Mapping[str, Rows]) -> Rows:
    return next(iter(databases.values()))


def _presentation(domain: str, wording: Mapping[str, str]) -> Presentation | None:
    try:
        return tau2.presentation_of(Layout.find(domain), wording)
    except (ConfigError, DataError):
        return None
