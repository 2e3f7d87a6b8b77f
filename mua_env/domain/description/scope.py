"""The records that a value is about, and where they come from.

A kind of value never knows who uses it: the tools answer from the database, the generator from the rows that it
draws from, the scripted expert from what it has read so far. Each of them is a :class:`Source`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mua_env.core.database import Database
from mua_env.errors import DomainError

if TYPE_CHECKING:
    from mua_env.domain.description.kinds.keys import Key, Named

Model = Any
"""A mapped class of the domain's tables."""
Record = dict[str, Any]


class Source(Protocol):
    """Whoever answers for records."""

    def record(self, model: Model, key: Any) -> Record | None:
        """The row with a primary key, or ``None``."""

    def own(self, kind: Key) -> Sequence[Any]:
        """The keys of a kind that belong to the person who is talking; all there are where they belong to nobody."""

    def every(self, model: Model) -> Sequence[Any]:
        """The keys of a whole table; none where that is not to be had."""

    def labels(self, kind: Named) -> Mapping[str, Any] | None:
        """The keys of a table's records by their names; ``None`` where they cannot be listed."""

    def called(self, kind: Named, label: str) -> Any | None:
        """The key of the record with a name, or ``None``."""


class Scope(dict[str, Any]):
    """Records by name: what is known of a request so far.

    ``user`` is who is talking, ``owner`` is whom the record in hand belongs to (all that a tool knows).

    Args:
        source: answers for records that are not known yet.
        records: what is known.
    """

    def __init__(self, source: Source, /, **records: Any) -> None:
        super().__init__(records)
        self.source = source

    def load(self, model: Model, key: Any) -> Record | None:
        """The row with a primary key, or ``None``."""
        return self.source.record(model, key)

    @property
    def person(self) -> Record:
        """Whose things are meant.

        Raises:
            DomainError: nobody is known here.
        """
        for name in ("user", "owner"):
            if name in self:
                found: Record = self[name]
                return found
        raise DomainError("no user or owner is known here; give a key its owner, or put the key's argument first")

    def has(self, names: Iterable[str]) -> bool:
        """Whether all of these are known."""
        return all(name in self for name in names)


@dataclass(frozen=True)
class DatabaseSource:
    """Answers from a database, for tools: it knows nobody who is talking."""

    database: Database

    def record(self, model: Model, key: Any) -> Record | None:
        """The row with a primary key, or ``None``."""
        return self.database.get(model, key)

    def own(self, kind: Key) -> Sequence[Any]:
        """Nothing: no tool knows who is talking."""
        return ()

    def every(self, model: Model) -> Sequence[Any]:
        """The keys of a whole table."""
        (key,) = (column.name for column in model.__table__.primary_key)
        return [row[key] for row in self.database.find(model)]

    def labels(self, kind: Named) -> Mapping[str, Any] | None:
        """The keys of a table's records by their names."""
        return {row[kind.label]: row[kind.key_column] for row in self.database.find(kind.of)}

    def called(self, kind: Named, label: str) -> Any | None:
        """The key of the record with a name, or ``None``."""
        found = self.database.find(kind.of, getattr(kind.of, kind.label) == label, limit=1)
        return found[0][kind.key_column] if found else None
