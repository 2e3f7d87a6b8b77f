"""A domain with its tasks, loaded: the template, the scorer and the policy document that episodes share."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Table
from sqlalchemy.orm import DeclarativeBase

from mua_env.core.database import Template, open_template
from mua_env.core.database._statements import statements_of
from mua_env.core.task_sets import TaskSet
from mua_env.core.tools import Mode
from mua_env.core.toolsets import Kit
from mua_env.core.world import SQLWorld
from mua_env.domain.contract import Domain, load_domain
from mua_env.errors import ConfigError, DomainError
from mua_env.scoring.scorer import Scorer

_lock = threading.Lock()
_templates: dict[tuple[str, str], Template] = {}
_parents: list[Template] = []


class Setting:
    """What all environments of one domain, task source, mode and database share in a process.

    Args:
        domain: the domain.
        task_set: its tasks.
        mode: how the tools behave and databases are compared; ``None`` takes the task set's own.
        database_url: ``None`` for SQLite in memory, or a PostgreSQL server.
    """

    def __init__(
        self, domain: Domain, task_set: TaskSet, *, mode: Mode | None = None, database_url: str | None = None
    ) -> None:
        if mode not in (None, "strict", "compat"):
            raise ConfigError(f"scoring is {mode!r}; use 'strict' or 'compat'")
        self.domain = domain
        self.tasks = task_set
        self.mode: Mode = mode or task_set.mode
        self.database_url = database_url
        self.kit = task_set.kit or domain.kit()
        _check_user_tools(domain.name, self.kit)
        self.template = _template(self.kit.models or domain.models, task_set, database_url)
        self.scorer = Scorer(self.make_world, sets=_sets(self.template.tables), mode=self.mode)

    def make_world(self) -> SQLWorld:
        """A world on a clone of its own."""
        return SQLWorld(self.template, self.kit, mode=self.mode)

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools."""
        return self.kit.toolkit.schemas()

    @cached_property
    def user_tools(self) -> list[dict[str, Any]]:
        """Function schemas of the user's own tools, empty where it has none. Never given to the agent."""
        return [] if self.kit.user_toolkit is None else self.kit.user_toolkit.schemas()

    @cached_property
    def revision(self) -> str:
        """What the results hang on, in 12 hex digits: tool schemas, policy document and world."""
        users = [self.user_tools] if self.user_tools else []
        text = json.dumps([self.tools, self.tasks.policy, self.tasks.world, *users], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _check_user_tools(domain: str, kit: Kit) -> None:
    specs = {} if kit.user_toolkit is None else kit.user_toolkit.specs
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
) -> Setting:
    tasks = domain.task_set(source, path=path, policy=policy, solo=solo)
    return Setting(domain, tasks, mode=mode, database_url=url)


def load_setting(
    domain: str | Domain,
    tasks: str | TaskSet = "train",
    *,
    path: str | Path | None = None,
    mode: Mode | None = None,
    database_url: str | None = None,
    policy: str | None = None,
    solo: bool = False,
) -> Setting:
    """The setting for a domain and a task source; equal arguments share one in a process.

    Args:
        domain: the domain, or its name.
        tasks: a task source, or a task set as it is.
        path: where the files of a public benchmark lie.
        mode: how the tools behave and databases are compared; ``None`` takes the task set's own.
        database_url: ``None`` for SQLite in memory, or a PostgreSQL server.
        policy: which policy document, where a domain has several; ``None`` takes its first.
        solo: whether the agent has the user's tools too and talks to nobody.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
    """
    loaded = load_domain(domain)
    if isinstance(tasks, TaskSet):
        if policy is not None or solo:
            raise ConfigError("policy and solo belong to a task source; this TaskSet has its own policy document")
        return Setting(loaded, tasks, mode=mode, database_url=database_url)
    if not isinstance(tasks, str):
        raise ConfigError(f"tasks is a task source (as 'train') or a TaskSet, got {type(tasks).__name__}")
    return _shared(loaded, tasks, None if path is None else str(path), mode, database_url, policy, solo)
