"""The statements of one table, built once: SQLAlchemy compiles each a single time and caches it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Column,
    Delete,
    Insert,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.orm import DeclarativeBase

from mua_env.errors import DomainError

Model = type[DeclarativeBase]


class TableStatements:
    """Select, insert, update and delete by primary key for one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.name = table.name
        self.keys: tuple[Column[Any], ...] = tuple(table.primary_key.columns)
        if not self.keys:
            raise DomainError(f"table {table.name!r} has no primary key; every table of a domain needs one")
        self.columns: tuple[Column[Any], ...] = tuple(table.columns)
        self.visible: tuple[Column[Any], ...] = tuple(c for c in table.columns if not c.info.get("hidden"))
        self.names = tuple(c.name for c in self.visible)
        self.sets = frozenset(c.name for c in table.columns if c.info.get("set"))
        self.by_key: Select[Any] = select(*self.visible).where(*self._match())
        self.whole_by_key: Select[Any] = select(*self.columns).where(*self._match())
        self.insert: Insert = insert(table)
        self.delete: Delete = delete(table).where(*self._match())
        self._updates: dict[tuple[str, ...], Update] = {}

    def _match(self) -> list[Any]:
        return [column == bindparam(f"key_{i}", type_=column.type) for i, column in enumerate(self.keys)]

    def bind(self, key: Any) -> dict[str, Any]:
        """Parameters that select one row: ``key`` is a scalar, or a sequence for a composite key."""
        values = tuple(key) if isinstance(key, tuple | list) else (key,)
        if len(values) != len(self.keys):
            raise DomainError(f"table {self.name!r} has a key of {len(self.keys)} columns, got {key!r}")
        return {f"key_{i}": value for i, value in enumerate(values)}

    def update(self, columns: Sequence[str]) -> Update:
        """The update of the given columns, by key."""
        wanted = tuple(columns)
        statement = self._updates.get(wanted)
        if statement is None:
            unknown = [name for name in wanted if name not in self.table.columns]
            if unknown:
                raise DomainError(f"table {self.name!r} has no column {unknown[0]!r}")
            values = {name: bindparam(f"new_{name}", type_=self.table.columns[name].type) for name in wanted}
            statement = self._updates[wanted] = update(self.table).where(*self._match()).values(values)
        return statement


@lru_cache(maxsize=1024)
def statements_of(table: Table) -> TableStatements:
    """The statements of a table (cached)."""
    return TableStatements(table)


@lru_cache(maxsize=1024)
def table_of(model: Model) -> TableStatements:
    """The statements of a declarative model's table (cached)."""
    table = model.__table__
    assert isinstance(table, Table)
    return statements_of(table)
