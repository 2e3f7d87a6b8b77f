"""One environment's database: a clone of the template, with the running episode as its open transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Executable, Result, RootTransaction, select

from mua_env.core.database._changelog import TOUCHED
from mua_env.core.database._lookup import change_of, driver_error, lookup_of
from mua_env.core.database._statements import Model, TableStatements, statements_of, table_of
from mua_env.errors import EpisodeError

if TYPE_CHECKING:
    from mua_env.core.database._template import Template

RowKey = tuple[str, str]
"""Table name, and the primary key as JSON text (a list of the key columns' values)."""
Row = dict[str, Any]
Changes = dict[RowKey, Row | None]
"""The rows that differ from the template: their present content, ``None`` for a deleted row."""
_LOG = select(TOUCHED.c.table_name, TOUCHED.c.row_key).order_by(TOUCHED.c.table_name, TOUCHED.c.row_key)


class Database:
    """A clone that tools read and write. Obtain one from :meth:`Template.clone`.

    Rows are plain dictionaries. A column that is NULL is left out of them, as is a column declared with
    ``info={"hidden": True}`` (an index for look-ups that is no part of the record).

    Args:
        template: what this database is a clone of.
        connection: an open connection to the clone.
        on_close: releases the clone, after the connection is closed.
    """

    def __init__(self, template: Template, connection: Connection, on_close: Callable[[], None] | None = None) -> None:
        self.template = template
        self._connection = connection
        self._on_close = on_close
        self._transaction: RootTransaction = connection.begin()
        self._driver: Any = connection.connection.dbapi_connection
        self._closed = False

    # Reading and writing

    def get(self, model: Model, key: Any) -> Row | None:
        """The row with a primary key (a tuple for a composite one), or ``None``. The dictionary is yours to change."""
        table = table_of(model)
        return self._by_key(table, table.bind(key))

    def find(
        self, model: Model, *where: ColumnElement[bool], order_by: Any = None, limit: int | None = None
    ) -> list[Row]:
        """The rows that fulfil all conditions, by primary key unless ``order_by`` says otherwise."""
        table = table_of(model)
        statement = select(*table.visible).where(*where)
        statement = statement.order_by(*(table.keys if order_by is None else (order_by,)))
        if limit is not None:
            statement = statement.limit(limit)
        return [_as_row(table.names, row) for row in self._connection.execute(statement)]

    def insert(self, model: Model, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._connection.execute(table_of(model).insert, dict(row))

    def update(self, model: Model, key: Any, **columns: Any) -> bool:
        """Set columns of one row (``None`` removes a value). Returns whether the row exists."""
        table = table_of(model)
        values = {f"new_{name}": value for name, value in columns.items()}
        bound = {**table.bind(key), **values}
        change = change_of(table, tuple(columns), self._connection.dialect)
        if change is not None and self._driver is not None:
            return change(self._driver, bound)
        return self._connection.execute(table.update(tuple(columns)), bound).rowcount > 0

    def delete(self, model: Model, key: Any) -> bool:
        """Remove one row. Returns whether it existed."""
        table = table_of(model)
        return self._connection.execute(table.delete, table.bind(key)).rowcount > 0

    def execute(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> Result[Any]:
        """Run any SQLAlchemy statement inside the episode's transaction."""
        return self._connection.execute(statement, dict(parameters or {}))

    @property
    def spoiled_by_errors(self) -> bool:
        """Whether a failed statement outside a savepoint makes the whole transaction unusable (PostgreSQL)."""
        return self._connection.dialect.name == "postgresql"

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A block whose changes are all undone if it raises."""
        if self._connection.dialect.name != "sqlite":
            # SQLAlchemy notices here when the server is gone.
            with self._connection.begin_nested():
                yield
            return
        # By the driver: SQLAlchemy counts savepoints in their names, and compiles the statements anew for each.
        self._run("SAVEPOINT mua")
        try:
            yield
        except BaseException:
            self._run("ROLLBACK TO SAVEPOINT mua")
            self._run("RELEASE SAVEPOINT mua")
            raise
        self._run("RELEASE SAVEPOINT mua")

    # The episode

    def reset(self) -> None:
        """Undo everything since the clone was made or last reset; the cost follows what was changed."""
        if self._closed:
            raise EpisodeError("this database is closed")
        # By the driver: SQLAlchemy's transaction stays open, and costs nothing for what it need not know.
        try:
            self._driver.rollback()
            if self._connection.dialect.name == "sqlite":
                self._driver.execute("BEGIN")
        except self._connection.dialect.loaded_dbapi.Error as error:
            raise driver_error("ROLLBACK", None, error, self._connection.dialect) from error

    def changes(self) -> Changes:
        """The rows that differ from the template now, hidden columns left out."""
        reader = self.template.reader()
        changed: Changes = {}
        for row_key in self._touched():
            now, before = self.row(row_key), reader.row(row_key)
            # Equal dictionaries may still differ in type: 100 and 100.0 are told apart where a benchmark does.
            if now != before or json.dumps(now, sort_keys=True) != json.dumps(before, sort_keys=True):
                changed[row_key] = now
        return changed

    def row(self, row_key: RowKey) -> Row | None:
        """The present content of a row named as in :meth:`changes`."""
        name, key = row_key
        table = statements_of(self.template.tables[name])
        return self._by_key(table, table.bind(json.loads(key)))

    def fork(self) -> Database:
        """An independent clone with the same content; its :meth:`reset` goes back to the template as well."""
        twin = self.template.clone()
        rows = []
        for name, key in self._touched():
            table = statements_of(self.template.tables[name])
            bound = table.bind(json.loads(key))
            rows.append((table, bound, self._connection.execute(table.whole_by_key, bound).first()))
        # All old rows go before the first new one comes, so that no unique column is in the way.
        for table, bound, _ in rows:
            twin._connection.execute(table.delete, bound)
        for table, _, row in rows:
            if row is not None:
                twin._connection.execute(table.insert, dict(row._mapping))
        return twin

    def close(self) -> None:
        """Release the clone. May be called again."""
        if self._closed:
            return
        self._closed = True
        self._connection.close()
        if self._on_close is not None:
            self._on_close()

    def _run(self, statement: str) -> None:
        try:
            self._driver.execute(statement)
        except self._connection.dialect.loaded_dbapi.Error as error:
            raise driver_error(statement, None, error, self._connection.dialect) from error

    def _by_key(self, table: TableStatements, bound: dict[str, Any]) -> Row | None:
        lookup = lookup_of(table, self._connection.dialect)
        if lookup is not None and self._driver is not None:
            return lookup(self._driver, bound)
        found = self._connection.execute(table.by_key, bound).first()
        return None if found is None else _as_row(table.names, found)

    def _touched(self) -> Sequence[RowKey]:
        return [(name, _normal_key(key)) for name, key in self._connection.execute(_LOG)]


def _as_row(names: Sequence[str], values: Iterable[Any]) -> Row:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _normal_key(text: str) -> str:
    """The key's JSON in one spelling: PostgreSQL puts a space after each comma, SQLite does not."""
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
