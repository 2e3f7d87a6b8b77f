"""Tools that find the records of their arguments in ``self.at``."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func

from mua_env.core.database import Database
from mua_env.core.tools import Mode, Toolkit
from mua_env.domain.description.kinds.keys import key_column
from mua_env.domain.description.scope import DatabaseSource, Model, Record, Scope
from mua_env.errors import ToolError


class DescribedToolkit(Toolkit):
    """Base of a described domain's tools.

    Attributes:
        at: the records that the arguments of the running tool stand for, by name (under ``@obeys``).
    """

    at: Scope

    def __init__(self, db: Database, *, mode: Mode = "strict") -> None:
        super().__init__(db, mode=mode)
        self.at = Scope(DatabaseSource(db))

    def row(self, model: Model, key: Any) -> Record:
        """The row with a key.

        Raises:
            ToolError: there is none.
        """
        found = self.db.get(model, key)
        if found is None:
            raise ToolError(f"there is nothing under {key!r}")
        return found

    def only(self, model: Model, **columns: Any) -> Record:
        """The row whose columns have these values, case ignored.

        Raises:
            ToolError: there is none.
        """
        pairs = ((getattr(model, name), value) for name, value in columns.items())
        where = [func.lower(c) == v.lower() if isinstance(v, str) else c == v for c, v in pairs]
        found = self.db.find(model, *where, limit=1)
        if not found:
            said = ", ".join(f"{name} {value!r}" for name, value in columns.items())
            raise ToolError(f"there is nobody and nothing with {said}")
        return found[0]

    def add(self, model: Model, row: Record) -> Record:
        """Insert a row; returns it.

        Raises:
            ToolError: there is one with its key already.
        """
        key = row[key_column(model)]
        if self.db.get(model, key) is not None:
            raise ToolError(f"there is {key!r} already")
        self.db.insert(model, row)
        return row

    def save(self, model: Model, key: Any, **columns: Any) -> Record:
        """Set columns of a row; returns the row as it is now."""
        self.db.update(model, key, **columns)
        return self.row(model, key)
