"""A domain with its tasks, loaded: the template, the scorer and the policy document that episodes share."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import warnings
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Table
from sqlalchemy.orm import DeclarativeBase

from mua_env.core.database import Template, open_template
from mua_env.core.database._statements import statements_of
from mua_env.core.scores import Scores
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode, Presentation, PresentationName
from mua_env.core.toolsets import Toolset
from mua_env.core.world import SQLWorld, World, Worlds
from mua_env.domain.contract import Domain, load_domain
from mua_env.episode.run_checks import check_gold
from mua_env.errors import ConfigError, DataError, DomainError
from mua_env.scoring.scorer import Scorer

_lock = threading.Lock()
_templates: dict[tuple[str, str], Template] = {}
_parents: list[Template] = []


class SQLWorlds:
    """Clones of one database template, with the tools of a toolset as they are presented."""

    def __init__(
        self,
        domain: Domain,
        task_set: TaskSet,
        mode: Mode,
        database_url: str | None,
        presentation: Presentation | None = None,
    ) -> None:
        self.toolset = task_set.toolset or domain.toolset()
        self.presentation = presentation
        self._mode: Mode = mode
        _check_user_tools(domain.name, self.toolset)
        self.template = _template(self.toolset.models or domain.models, task_set, database_url)
        self.scorer = Scorer(self.make_world, sets=_sets(self.template.tables), mode=mode)

    @property
    def solo(self) -> bool:
        """Whether the agent has both pairs of hands."""
        return self.toolset.solo

    def make_world(self) -> SQLWorld:
        """A world on a clone of its own."""
        return SQLWorld(self.template, self.toolset, mode=self._mode, presentation=self.presentation)

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools."""
        return self._shown(self.toolset.toolkit.schemas())

    def user_schemas(self, task: Task | None = None) -> list[dict[str, Any]]:
        """Function schemas of the user's own tools, empty where it has none; the same for all tasks."""
        return [] if self.toolset.user_toolkit is None else self._shown(self.toolset.user_toolkit.schemas())

    def _shown(self, schemas: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return schemas if self.presentation is None else self.presentation.tools(schemas)


class Setting:
    """What all environments of one domain, task source, mode and database share in a process.

    Args:
        domain: the domain.
        task_set: its tasks.
        mode: how the tools behave and databases are compared; ``None`` takes the task set's own.
        database_url: ``None`` for SQLite in memory, or a PostgreSQL server.
        presentation: see :func:`load_setting`.
    """

    def __init__(
        self,
        domain: Domain,
        task_set: TaskSet,
        *,
        mode: Mode | None = None,
        database_url: str | None = None,
        presentation: PresentationName | None = None,
    ) -> None:
        if mode not in (None, "strict", "compat"):
            raise ConfigError(f"scoring is {mode!r}; use 'strict' or 'compat'")
        self.domain = domain
        self.tasks = task_set
        self.mode: Mode = mode or task_set.mode
        self.database_url = database_url
        self.presentation = _presentation(task_set, presentation)
        self.worlds: Worlds = domain.worlds(task_set, mode=self.mode, database_url=database_url) or SQLWorlds(
            domain, task_set, self.mode, database_url, self.presentation
        )
        self.scorer: Scores = self.worlds.scorer

    @property
    def presented(self) -> str:
        """How tools are shown, as results say it: ``"own"`` or ``"benchmark"``, with what could not be had of it."""
        return "own" if self.presentation is None else self.presentation.name

    @property
    def sql(self) -> SQLWorlds:
        """The database side of it, for what reads tables.

        Raises:
            ConfigError: the domain's world is no database.
        """
        if not isinstance(self.worlds, SQLWorlds):
            raise ConfigError(f"{self.domain.name}'s world is no database, so its tables cannot be read")
        return self.worlds

    def make_world(self) -> World:
        """A world of its own."""
        return self.worlds.make_world()

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools; where tasks differ in them, of all that there are."""
        return self.worlds.schemas()

    @cached_property
    def user_tools(self) -> list[dict[str, Any]]:
        """Function schemas of the user's own tools, empty where it has none. Never given to the agent."""
        return self.worlds.user_schemas()

    @cached_property
    def revision(self) -> str:
        """What the results hang on, in 12 hex digits: tool schemas, policy document and world."""
        users = [self.user_tools] if self.user_tools else []
        text = json.dumps([self.tools, self.tasks.policy, self.tasks.world, *users], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _presentation(task_set: TaskSet, wanted: PresentationName | None) -> Presentation | None:
    if wanted not in (None, "own", "benchmark"):
        raise ConfigError(f"presentation is {wanted!r}; use 'own' or 'benchmark'")
    if wanted == "own" or (wanted is None and task_set.presentation is None):
        return None
    if task_set.presentation is None:
        raise ConfigError(f"presentation 'benchmark' goes with tau1:... and tau2:... tasks, not with {task_set.name!r}")
    try:
        found = task_set.presentation()
    except DataError as error:
        if wanted == "benchmark":
            raise
        warnings.warn(f"tools are shown in this package's words: {error}", stacklevel=2)
        return None
    if found is None and wanted == "benchmark":
        raise ConfigError(
            f"presentation 'benchmark': the copy that {task_set.name!r} is read from holds data alone; name a checkout "
            "or an installed package, whose code has the tools' descriptions"
        )
    return found


def _check_user_tools(domain: str, toolset: Toolset) -> None:
    specs = {} if toolset.user_toolkit is None else toolset.user_toolkit.specs
    for name, spec in specs.items():
        if spec.terminal:
            raise DomainError(f"{domain}: the user's tool {name!r} is terminal; a user ends a dialogue by its reply")


def _template(models: type[DeclarativeBase], task_set: TaskSet, url: str | None) -> Template:
    key = (task_set.world, url or "")
    # Under the lock: two threads that ask at once would load the data twice.
    with _lock:
        if key not in _templates:
            _templates[key] = open_template(models, task_set.data(), url=url)
        return _templates[key]


def _forget_connections() -> None:
    """In a forked child: load anew what lives on a server, because two processes must not share a connection."""
    global _lock
    _lock = threading.Lock()
    for key in [key for key in _templates if key[1]]:
        # Not closed here: the connections are the parent's. The reference keeps them from being collected.
        _parents.append(_templates.pop(key))
    _shared.cache_clear()


if hasattr(os, "register_at_fork"):  # not on Windows, which forks nothing
    os.register_at_fork(after_in_child=_forget_connections)


def _sets(tables: dict[str, Table]) -> dict[str, frozenset[str]]:
    return {name: statements_of(table).sets for name, table in tables.items()}


@lru_cache(maxsize=64)
def _shared(
    domain: Domain,
    source: str,
    path: str | None,
    mode: Mode | None,
    url: str | None,
    policy: str | None,
    solo: bool,
    presentation: PresentationName | None,
    content: str,
) -> Setting:
    tasks = domain.task_set(source, path=path, policy=policy, solo=solo)
    return Setting(domain, tasks, mode=mode, database_url=url, presentation=presentation)


def load_setting(
    domain: str | Domain,
    tasks: str | TaskSet = "train",
    *,
    path: str | Path | None = None,
    mode: Mode | None = None,
    database_url: str | None = None,
    policy: str | None = None,
    solo: bool = False,
    presentation: PresentationName | None = None,
    check: bool = True,
) -> Setting:
    """The setting for a domain and a task source; equal arguments share one in a process, while a file of tasks stays
    as it is.

    Args:
        domain: the domain, or its name.
        tasks: a task source, or a task set as it is.
        path: where the files of a public benchmark lie.
        mode: how the tools behave and databases are compared; ``None`` takes the task set's own.
        database_url: ``None`` for SQLite in memory, or a PostgreSQL server.
        policy: which policy document, where a domain has several; ``None`` takes its first.
        solo: whether the agent has the user's tools too and talks to nobody.
        presentation: how tools are shown: ``"own"``, or ``"benchmark"`` for descriptions, schemas, texts of errors and
            order of keys as a public benchmark's agent reads them, taken from the user's own copy. ``None`` (default)
            is the benchmark's for its tasks where the copy has them, else the own.
        check: run the gold actions of a file's tasks, and refuse the file if some fail.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
    """
    loaded = load_domain(domain)
    if isinstance(tasks, TaskSet):
        if policy is not None or solo:
            raise ConfigError("policy and solo belong to a task source; this TaskSet has its own policy document")
        return Setting(loaded, tasks, mode=mode, database_url=database_url, presentation=presentation)
    if not isinstance(tasks, str):
        raise ConfigError(f"tasks is a task source (as 'train') or a TaskSet, got {type(tasks).__name__}")
    place = None if path is None else str(path)
    setting = _shared(loaded, tasks, place, mode, database_url, policy, solo, presentation, _content(tasks))
    if check:
        check_gold(setting)
    return setting


def _content(source: str) -> str:
    """What a file of tasks holds now, so that a changed one is read anew; nothing for other sources."""
    if not source.endswith(".jsonl"):
        return ""
    try:
        return hashlib.sha256(Path(source).read_bytes()).hexdigest()
    except OSError:
        return ""  # reading it says what is wrong
