"""What the expert knows of the records: what it has read, and which call would tell what it has not."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from mua_env.agents.scripted.expert import Call, Calls, Heard, Step, ToolFailed, call, result_of
from mua_env.domain.description import Description
from mua_env.domain.description.kinds import Caller, Key, Named
from mua_env.domain.description.kinds.keys import key_column
from mua_env.domain.description.scope import Model, Record
from mua_env.errors import ToolError

_T = TypeVar("_T")
Looking = Generator[Step, Heard, _T]
"""A part of a script that may call reading tools."""


class Missing(Exception):
    """Something that was not read yet: the call that tells it, and what keeps its result (``None`` where it failed)."""

    def __init__(self, tool: str, arguments: Mapping[str, Any], keep: Callable[[Any], None]) -> None:
        super().__init__(tool)
        self.tool, self.arguments, self.keep = tool, arguments, keep


def look(compute: Callable[[], _T]) -> Looking[_T]:
    """Run something that needs records; those that were not read yet are read, and it is run again."""
    while True:
        try:
            return compute()
        except Missing as need:
            try:
                need.keep((yield from call(need.tool, **need.arguments)))
            except ToolFailed:
                need.keep(None)


def look_together(computes: Iterable[Callable[[], Any]]) -> Looking[None]:
    """Read in one turn what several computations need; what fails is kept as such."""
    needs: dict[str, Missing] = {}
    for compute in computes:
        try:
            compute()
        except Missing as missing:
            needs[f"{missing.tool}{missing.arguments}"] = missing
        except (ToolError, KeyError):
            continue
    if len(needs) < 2:
        return
    heard = yield Calls(tuple(Call(need.tool, need.arguments) for need in needs.values()))
    for need, text in zip(needs.values(), heard[-len(needs) :], strict=True):
        try:
            need.keep(result_of(text))
        except ToolFailed:
            need.keep(None)


class Profile(dict[str, Any]):
    """The user's own row; of it the key is known at first, and the rest is read when it is needed."""

    def __init__(self, description: Description, key: Any, shown: Record | None = None) -> None:
        super().__init__({**(shown or {}), description.user_key: key})
        self._description = description

    def __missing__(self, name: str) -> Any:
        reader = self._description.readers.get(self._description.users)
        if reader is None or len(self) > 1:
            raise KeyError(name)
        tool, slot = reader
        raise Missing(tool, slot.put(self[self._description.user_key]), self._keep)

    def _keep(self, record: Any) -> None:
        # Marks that it was read, even where nothing came of it: the same call would not tell more.
        self.update(record if isinstance(record, dict) else {"": None})


class ReadSource:
    """Answers from what was read; raises :class:`Missing` for what was not."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.user: Profile | None = None
        self._kept: dict[tuple[Any, ...], Any] = {}
        self._rows: dict[tuple[Model, Any], Record] = {}

    def forget(self, result: Any = None) -> None:
        """What was read may have changed; what a tool that made a change returned is how a record is now."""
        self._kept.clear()
        self._rows.clear()
        if self.user is not None:
            self.user = Profile(self.description, self.user[self.description.user_key])
        for model in self.description.readers:
            self._keep_rows(model, [result])
        if self.user is not None:
            shown = self._rows.get((self.description.users, self.user[self.description.user_key]))
            self.user.update(shown or {})

    def record(self, model: Model, key: Any) -> Record | None:
        """The row with a primary key, or ``None``."""
        if (model, key) in self._rows:
            return self._rows[model, key]
        if model not in self.description.readers:
            raise KeyError(f"no tool reads the table {model.__tablename__!r} by its key")
        tool, slot = self.description.readers[model]
        found = self._ask(tool, slot.put(key))
        return found if isinstance(found, dict) else None

    def own(self, kind: Key) -> Sequence[Any]:
        """The user's own keys of a kind, where the user's row or a tool lists them."""
        if kind.keys is not None and self.user is not None:
            return kind.keys(self.user)
        if not kind.listed_by:
            return ()
        column = key_column(kind.of)
        listed = self._ask(kind.listed_by, self._caller(kind.listed_by)) or ()
        self._keep_rows(kind.of, listed)
        return [row[column] if isinstance(row, dict) else row for row in listed]

    def every(self, model: Model) -> Sequence[Any]:
        """Nothing: no agent reads whole tables."""
        return ()

    def labels(self, kind: Named) -> Mapping[str, Any] | None:
        """Keys by name, where a tool lists them."""
        if not kind.listed_by:
            return None
        listed = self._ask(kind.listed_by, {}) or ()
        if isinstance(listed, dict):
            return listed
        self._keep_rows(kind.of, listed)
        return {str(row[kind.label]): row[kind.key_column] for row in listed}

    def called(self, kind: Named, label: str) -> Any | None:
        """The key of the record with a name, or ``None``."""
        if not kind.found_by:
            return (self.labels(kind) or {}).get(label)
        found = self._ask(kind.found_by, {self.description.only_argument(kind.found_by): label})
        rows = found if isinstance(found, list) else [found]
        self._keep_rows(kind.of, rows)
        keys = [row[kind.key_column] if isinstance(row, dict) else row for row in rows if row is not None]
        return keys[0] if len(keys) == 1 else None

    def _keep_rows(self, model: Model, rows: Iterable[Any]) -> None:
        """What a list or a search shows whole need not be read again."""
        columns = {column.name for column in model.__table__.columns if not column.nullable and not column.info}
        for row in rows:
            if isinstance(row, dict) and columns <= row.keys():
                self._rows[model, row[key_column(model)]] = row

    def _caller(self, tool: str) -> dict[str, Any]:
        assert self.user is not None
        key = self.user[self.description.user_key]
        return {slot.names[0]: key for slot in self.description.slots(tool) if isinstance(slot.kind, Caller)}

    def _ask(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        name = (tool, *(f"{key}={value!r}" for key, value in arguments.items()))
        if name not in self._kept:
            raise Missing(tool, arguments, lambda result: self._kept.__setitem__(name, result))
        return self._kept[name]
