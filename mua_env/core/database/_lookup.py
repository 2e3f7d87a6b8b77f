"""Reading and updating one row by its key through the driver.

Most of what a tool costs is such statements. SQLAlchemy compiles each once; executed through it, they would cost
several times what the driver and the encoding of the row need.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sqlalchemy import JSON, Boolean, Dialect, Float, Integer, String
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from mua_env.core.database._statements import TableStatements

_NATIVE = (Integer, Float)
_DECODED = (String, Boolean, JSON)


class Lookup:
    """The statement of one table by key, compiled for one dialect."""

    def __init__(self, table: TableStatements, dialect: Dialect) -> None:
        compiled = table.by_key.compile(dialect=dialect)
        self._text = str(compiled)
        self._positions: list[str] | None = getattr(compiled, "positiontup", None)
        self._base: type[Exception] = dialect.loaded_dbapi.Error
        self._dialect = dialect
        self._columns = [(column.name, _decoder(column.type, dialect)) for column in table.visible]

    def __call__(self, driver: Any, bound: dict[str, Any]) -> dict[str, Any] | None:
        """The row without its NULLs, or ``None``.

        Raises:
            DBAPIError: the database refuses, as SQLAlchemy tells it.
        """
        parameters: Any = bound if self._positions is None else [bound[name] for name in self._positions]
        try:
            found = driver.execute(self._text, parameters).fetchone()
        except self._base as error:
            raise driver_error(self._text, parameters, error, self._dialect) from error
        if found is None:
            return None
        return {
            name: value if decode is None else decode(value)
            for (name, decode), value in zip(self._columns, found, strict=True)
            if value is not None
        }


class Change:
    """The update of some columns of one table by key, compiled for one dialect."""

    def __init__(self, table: TableStatements, columns: tuple[str, ...], dialect: Dialect) -> None:
        compiled = table.update(columns).compile(dialect=dialect)
        self._text = str(compiled)
        self._positions: list[str] | None = getattr(compiled, "positiontup", None)
        self._base: type[Exception] = dialect.loaded_dbapi.Error
        self._dialect = dialect
        kinds = {name: bind.type for name, bind in compiled.binds.items()}
        found = {name: kind.dialect_impl(dialect).bind_processor(dialect) for name, kind in kinds.items()}
        self._encoders = {name: encode for name, encode in found.items() if encode is not None}

    def __call__(self, driver: Any, bound: dict[str, Any]) -> bool:
        """Whether the row exists.

        Raises:
            DBAPIError: the database refuses, as SQLAlchemy tells it.
        """
        values = bound | {name: encode(bound[name]) for name, encode in self._encoders.items()}
        parameters: Any = values if self._positions is None else [values[name] for name in self._positions]
        try:
            found = driver.execute(self._text, parameters)
        except self._base as error:
            raise driver_error(self._text, parameters, error, self._dialect) from error
        return bool(found.rowcount > 0)


def driver_error(text: str, parameters: Any, error: Exception, dialect: Dialect) -> BaseException:
    """An error of the driver in SQLAlchemy's form."""
    return DBAPIError.instance(text, parameters, error, dialect.loaded_dbapi.Error, dialect=dialect)


@lru_cache(maxsize=1024)
def lookup_of(table: TableStatements, dialect: Dialect) -> Lookup | None:
    """The look-up of a table (cached); ``None`` if it has columns of types that only SQLAlchemy should decode."""
    return Lookup(table, dialect) if _is_plain(table) else None


@lru_cache(maxsize=1024)
def change_of(table: TableStatements, columns: tuple[str, ...], dialect: Dialect) -> Change | None:
    """The update of some columns (cached); ``None`` if SQLAlchemy should encode some, or sets others with them."""
    alone = columns and all(column.onupdate is None for column in table.columns)
    return Change(table, columns, dialect) if alone and _is_plain(table) else None


def _is_plain(table: TableStatements) -> bool:
    plain = all(isinstance(column.type, _NATIVE + _DECODED) for column in table.columns)
    return plain and not any(isinstance(column.type, Float) and column.type.asdecimal for column in table.columns)


def _decoder(kind: TypeEngine[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    # Drivers give whole numbers and floats as they are.
    return None if isinstance(kind, _NATIVE) else kind.dialect_impl(dialect).result_processor(dialect, None)
