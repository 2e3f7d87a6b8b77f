"""The tools of a copy: its own classes for agent and user, over one database, with the schemas that they are shown by."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from mua_env.core.tools import Requestor
from mua_env.domain.public.tau2_presentation import tool_schemas
from mua_env.errors import DataError

from .copies import Copy
from .foreign import ForeignCode
from .retrieval import Library, Searcher
from .stand_ins import DB, TOOLKIT, is_discoverable, tools_of

_DOMAIN: Final = "tau2.domains.banking_knowledge"
_MODULES: Final = ("data_model", "db_query", "utils", "tools", "retrieval_mixins")
_SEARCHES: Final = {"bm25_grep": ("KBSearchMixin", "GrepMixin"), "bm25": ("KBSearchMixin",), "grep_only": ("GrepMixin",)}
"""Retrieval variant -> the classes that have its tools, in the order in which these are shown."""
_WAYS: Final = {"_kb_pipeline": "bm25", "_grep_pipeline": "grep"}
_OWNERS: Final = {"agent": "KnowledgeTools", "user": "KnowledgeUserTools"}

Schemas = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Hands:
    """The two sets of tools of one world, over one database."""

    agent: Any
    user: Any

    def side(self, requestor: Requestor) -> Any:
        """The tools of one side."""
        return self.user if requestor == "user" else self.agent

    def method(self, name: str, requestor: Requestor) -> Callable[..., Any] | None:
        """A tool of one side, shown or not; ``None`` where it has none of that name."""
        side = self.side(requestor)
        known = {key for key, _ in tools_of(type(side))}
        method: Callable[..., Any] | None = getattr(side, name) if name in known else None
        return method

    @property
    def database(self) -> Any:
        """The database of both."""
        return self.agent.db


class Toolkits:
    """Makes the tools of worlds from a copy's classes.

    Args:
        copy: the user's copy of tau2-bench.
        variant: the retrieval variant.

    Raises:
        DataError: the copy's code is not as it should be.
        MissingExtra: a library for the search is missing.
    """

    def __init__(self, copy: Copy, variant: str) -> None:
        assert copy.code is not None
        self._classes = _classes(copy.code)
        self._searches = _SEARCHES.get(variant, ())
        self._copy, self._root = copy, copy.code
        self._library = _library(copy)
        if "KBSearchMixin" in self._searches:
            self._library.check()
        bases = [self._class("retrieval_mixins", name) for name in self._searches]
        found = {key: Searcher(self._library, way) for key, way in _WAYS.items()}
        self._agent = type("Agent", (*bases, self._class("tools", _OWNERS["agent"])), found)
        self._user = self._class("tools", _OWNERS["user"])

    def make(self, merged: Mapping[str, Any], logged: frozenset[str]) -> Hands:
        """Fresh tools over a fresh database.

        Args:
            merged: what a task merges into the database, table by table.
            logged: tools that only read and whose calls leave a mark nevertheless, since the task's gold has them.
        """
        tables = pickle.loads(self._tables)
        _merge(tables, merged)
        database = self._class("data_model", "TransactionalDB").model_validate(tables)
        agent = self._agent(database)
        agent.set_read_log_allowlist(logged)
        return Hands(agent, self._user(database))

    @cached_property
    def _tables(self) -> bytes:
        # With the tables that the file lacks, since a task's data may be merged into those.
        model = self._class("data_model", "TransactionalDB")
        return pickle.dumps(model.model_validate(self._copy.database()).model_dump())

    @cached_property
    def agent_schemas(self) -> Schemas:
        """Function schemas of the tools that an agent is shown, by name."""
        found: Schemas = {}
        for name in self._searches:
            found |= tool_schemas(self._root, f"{_DOMAIN}.retrieval_mixins", name)
        return found | tool_schemas(self._root, f"{_DOMAIN}.tools", _OWNERS["agent"])

    @cached_property
    def user_schemas(self) -> Schemas:
        """Function schemas of the tools that a user can be shown, by name."""
        return tool_schemas(self._root, f"{_DOMAIN}.tools", _OWNERS["user"])

    @cached_property
    def discoverable(self) -> dict[str, str]:
        """The tools that are found in the knowledge base first: name -> whose they are."""
        both = {"agent": self._agent, "user": self._user}
        return {name: side for side, kind in both.items() for name, tool in tools_of(kind) if is_discoverable(tool)}

    def _class(self, module: str, name: str) -> Any:
        found = getattr(self._classes.module(f"{_DOMAIN}.{module}"), name, None)
        if found is None:
            raise DataError(f"{self._root}: {module}.py defines no {name}; is it tau2-bench v1.0.1?")
        return found


@cache
def _classes(root: Path) -> ForeignCode:
    folder = root / "domains" / "banking_knowledge"
    return ForeignCode(
        files={f"{_DOMAIN}.{name}": folder / f"{name}.py" for name in _MODULES},
        stand_ins={
            "tau2.environment.toolkit": TOOLKIT,
            "tau2.environment.db": {"DB": DB},
            "tau2.utils.utils": {"DATA_DIR": folder},
        },
        # The rest of it reads files.
        only={f"{_DOMAIN}.data_model": ("DatabaseTable", "TransactionalDB")},
    )


@cache
def _library(copy: Copy) -> Library:
    return Library(copy.documents())


def _merge(into: dict[str, Any], update: Mapping[str, Any]) -> None:
    """Objects are merged key by key, everything else is replaced."""
    for key, value in update.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def tables_of(database: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tables of a database by name, as plain objects."""
    yield from database.model_dump().items()
