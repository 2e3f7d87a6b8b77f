"""The tools of a copy: its own classes for agent and customer over one database, and how their tools are shown."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from mua_env.core.tools import Requestor
from mua_env.domain.public.foreign_code import ForeignCode
from mua_env.domain.public.tau2_presentation import tool_schemas

from .copies import Copy
from .retrieval import Library, Searcher
from .stand_ins import DB, TOOLKIT, tools_of

_DOMAIN: Final = "tau2.domains.banking_knowledge"
_MODULES: Final = ("data_model", "db_query", "utils", "tools", "retrieval_mixins")
LIBRARY: Final = frozenset({"datetime", "hashlib", "inspect", "json", "operator", "pydantic", "re", "typing"})
"""What the files import from elsewhere."""
SEARCHES: Final = {"bm25_grep": ("bm25", "grep"), "bm25": ("bm25",), "grep_only": ("grep",)}
"""Retrieval variant -> its ways to search, in the order in which the tools are shown."""

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


@dataclass(frozen=True)
class Classes:
    """The classes of a copy, and how their tools are shown.

    Attributes:
        agent: makes the agent's tools of a database and the tools whose reading leaves a mark.
        user: makes the customer's tools of a database.
        database: the database.
        agent_schemas: function schemas of the tools that an agent is shown, by name.
        user_schemas: those that a customer can be shown.
    """

    agent: Callable[[Any, frozenset[str]], Any]
    user: Callable[[Any], Any]
    database: Any
    agent_schemas: Schemas
    user_schemas: Schemas


class Toolkits:
    """Makes the tools of worlds.

    Args:
        classes: of a copy.
        tables: the database of it.
    """

    def __init__(self, classes: Classes, tables: Mapping[str, Any]) -> None:
        self._classes = classes
        # With the tables that the file lacks, since a task's data may be merged into those.
        self._tables = pickle.dumps(classes.database.model_validate(tables).model_dump())
        self.agent_schemas, self.user_schemas = classes.agent_schemas, classes.user_schemas

    def make(self, merged: Mapping[str, Any], logged: frozenset[str]) -> Hands:
        """Fresh tools over a fresh database.

        Args:
            merged: what a task merges into the database, table by table.
            logged: tools that only read and whose calls leave a mark nevertheless, since the task's gold has them.
        """
        tables = pickle.loads(self._tables)
        _merge(tables, merged)
        database = self._classes.database.model_validate(tables)
        return Hands(self._classes.agent(database, logged), self._classes.user(database))


def classes_of_checkout(copy: Copy, variant: str) -> Classes:
    """The classes of a checkout.

    Args:
        copy: the checkout.
        variant: the retrieval variant.

    Raises:
        DataError: its code is not as it should be.
        MissingExtra: a library for the search is missing.
    """
    assert copy.code is not None
    code, searches, root = _code(copy.code), SEARCHES.get(variant, ()), copy.code
    library = library_of(copy, variant)
    found = {"_kb_pipeline": Searcher(library, "bm25"), "_grep_pipeline": Searcher(library, "grep")}
    mixins = {"bm25": "KBSearchMixin", "grep": "GrepMixin"}
    bases = [code.named(f"{_DOMAIN}.retrieval_mixins", mixins[way]) for way in searches]
    kind = type("Agent", (*bases, code.named(f"{_DOMAIN}.tools", "KnowledgeTools")), found)

    def agent(database: Any, logged: frozenset[str]) -> Any:
        made = kind(database)
        made.set_read_log_allowlist(logged)
        return made

    shown: Schemas = {}
    for way in searches:
        shown |= tool_schemas(root, f"{_DOMAIN}.retrieval_mixins", mixins[way])
    return Classes(
        agent=agent,
        user=code.named(f"{_DOMAIN}.tools", "KnowledgeUserTools"),
        database=code.named(f"{_DOMAIN}.data_model", "TransactionalDB"),
        agent_schemas=shown | tool_schemas(root, f"{_DOMAIN}.tools", "KnowledgeTools"),
        user_schemas=tool_schemas(root, f"{_DOMAIN}.tools", "KnowledgeUserTools"),
    )


@cache
def _code(root: Path) -> ForeignCode:
    folder = root / "domains" / "banking_knowledge"
    return ForeignCode(
        files={f"{_DOMAIN}.{name}": folder / f"{name}.py" for name in _MODULES},
        stand_ins={
            "tau2.environment.toolkit": TOOLKIT,
            "tau2.environment.db": {"DB": DB},
            "tau2.utils.utils": {"DATA_DIR": folder},
        },
        library=LIBRARY,
        # The rest of it reads files.
        only={f"{_DOMAIN}.data_model": ("DatabaseTable", "TransactionalDB")},
    )


def library_of(copy: Copy, variant: str) -> Library:
    """The documents of a copy, with the index that a variant needs.

    Raises:
        MissingExtra: a library for the search is missing.
    """
    library = _library(copy)
    library.check(SEARCHES.get(variant, ()))
    return library


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
