"""A domain's rows as a source of records: what the generator draws from."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from mua_env.core.database import Changes, Rows
from mua_env.domain.description.kinds.keys import Key, Named, key_column
from mua_env.domain.description.scope import Model, Record, Scope, Source


class Tables:
    """The rows of a domain, found by key and by owner.

    Args:
        rows: table name -> rows.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._by_key: dict[str, dict[Any, Record]] = {}
        self._by_owner: dict[tuple[str, str], dict[Any, list[Any]]] = {}

    def by_key(self, model: Model) -> dict[Any, Record]:
        """The rows of a table by key."""
        name = model.__tablename__
        if name not in self._by_key:
            key = key_column(model)
            # A tool leaves out what is NULL; so do these, that rules see the same.
            table = self.rows.get(name, ())
            self._by_key[name] = {row[key]: {k: v for k, v in row.items() if v is not None} for row in table}
        return self._by_key[name]

    def owned(self, model: Model, column: str, owner: Any) -> list[Any]:
        """The keys of the rows whose column names an owner."""
        name = (model.__tablename__, column)
        if name not in self._by_owner:
            found = defaultdict(list)
            for key, row in self.by_key(model).items():
                found[row.get(column)].append(key)
            self._by_owner[name] = dict(found)
        return self._by_owner[name].get(owner, [])

    @cached_property
    def labels(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Keys by name, filled as they are asked for."""
        return {}


class RowsSource:
    """Answers for one user from the rows, and from what earlier requests of the same task have changed.

    Args:
        tables: the rows.
        user: who is talking.
        user_key: the column with the user's key.
        changes: rows that are no longer as they were.
    """

    def __init__(self, tables: Tables, user: Record, user_key: str, changes: Changes | None = None) -> None:
        self._tables = tables
        self.user = user
        self._user_key = user_key
        self._changes = changes or {}

    def record(self, model: Model, key: Any) -> Record | None:
        """The row with a primary key as it is now, or ``None``."""
        if self._changes:
            changed = (model.__tablename__, json.dumps([key], ensure_ascii=False, separators=(",", ":")))
            if changed in self._changes:
                return self._changes[changed]
        return self._tables.by_key(model).get(key)

    def own(self, kind: Key) -> Sequence[Any]:
        """The user's own keys of a kind, or all where they belong to nobody."""
        if kind.keys is not None:
            return kind.keys(self.user)
        if kind.owner:
            return self._tables.owned(kind.of, kind.owner, self.user[self._user_key])
        return self.every(kind.of)

    def every(self, model: Model) -> Sequence[Any]:
        """The keys of a whole table."""
        return list(self._tables.by_key(model))

    def labels(self, kind: Named) -> Mapping[str, Any] | None:
        """Keys by name."""
        name = (kind.of.__tablename__, kind.label)
        if name not in self._tables.labels:
            table = self._tables.by_key(kind.of)
            self._tables.labels[name] = {str(row[kind.label]): key for key, row in table.items()}
        return self._tables.labels[name]

    def called(self, kind: Named, label: str) -> Any | None:
        """The key of the record with a name, or ``None``."""
        return (self.labels(kind) or {}).get(label)

    def scope(self, taken: Sequence[Any] = ()) -> Scope:
        """A scope in which only the user is known; ``taken`` are keys that other requests are about."""
        user = self.record_of_user()
        return Scope(self, user=user, taken=tuple(taken))

    def record_of_user(self) -> Record:
        """The user's row as it is now."""
        for (_, key), row in self._changes.items():
            if (
                row is not None
                and row.get(self._user_key) == self.user[self._user_key]
                and json.loads(key) == [self.user[self._user_key]]
            ):
                return row
        return self.user


class RecordingSource:
    """A source that keeps which rows it was asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.loaded: list[tuple[Model, Any]] = []

    def record(self, model: Model, key: Any) -> Record | None:
        """The row with a primary key, or ``None``."""
        self.loaded.append((model, key))
        return self._source.record(model, key)

    def own(self, kind: Key) -> Sequence[Any]:
        """The user's own keys of a kind."""
        return self._source.own(kind)

    def every(self, model: Model) -> Sequence[Any]:
        """The keys of a whole table."""
        return self._source.every(model)

    def labels(self, kind: Named) -> Mapping[str, Any] | None:
        """Keys by name."""
        return self._source.labels(kind)

    def called(self, kind: Named, label: str) -> Any | None:
        """The key of the record with a name."""
        return self._source.called(kind, label)
