"""Kinds that stand for a record: by its code, by its name, or because it is the caller's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Self

from mua_env.core.database import Rows
from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, longest_first, with_roles
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Model, Record, Scope
from mua_env.errors import DomainError, ToolError

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which are taken for digits."""
_SOMEBODY_ELSES = 0.2
"""How often a value that may break a rule is somebody else's."""
_ENDING = re.compile(r"(?<![\w#-])\d{3,6}(?!\w)", re.ASCII)
_QUOTED = re.compile(r"[\"\u201c\u300c\u300a]([^\"\u201d\u300d\u300b]{1,80})[\"\u201d\u300d\u300b]")


def key_column(model: Model) -> str:
    """The name of a table's key.

    Raises:
        DomainError: the key has several columns.
    """
    names = [column.name for column in model.__table__.primary_key]
    if len(names) != 1:
        raise DomainError(f"the table {model.__tablename__!r} has {len(names)} key columns; a kind of value needs one")
    return str(names[0])


@dataclass(frozen=True, eq=False)
class Key(Kind):
    """The key of a record, a code that people read out: an order number.

    Attributes:
        shape: of the code: ``#`` is a digit, ``@`` a capital letter, anything else itself, as ``"H#####"``.
        of: the table that it is the key of.
        owner: the column of that table that names the user whose record it is; empty where it is nobody's.
        pattern: a regular expression in place of the shape.
        listed_by: the tool that lists the caller's own records (its only argument is a :class:`Caller`).
        keys: the keys of what is a user's own, from the user's row, where that lists them.
        contents: what a record can be told by where its owner does not know the code.
        users: the table of users, where rules or other kinds need the owner's row.
    """

    shape: str = ""
    of: Model = field(default=None, kw_only=True)
    owner: str = field(default="", kw_only=True)
    pattern: str = field(default="", kw_only=True)
    listed_by: str = field(default="", kw_only=True)
    keys: Callable[[Record], Sequence[Any]] | None = field(default=None, kw_only=True)
    contents: Callable[[Record], Sequence[str]] | None = field(default=None, kw_only=True)
    users: Model = field(default=None, kw_only=True)

    code = 4

    @cached_property
    def finder(self) -> re.Pattern[str]:
        """Finds such a code."""
        marks = {"#": r"\d", "@": "[A-Z]"}
        shape = self.pattern or "".join(marks.get(char, re.escape(char)) for char in self.shape)
        if not shape:
            raise DomainError(f"{self.noun!r} is a key without a shape; write one as 'H#####', or a pattern")
        return re.compile(rf"(?<![A-Za-z0-9])(?:{shape})(?![A-Za-z0-9])", LOOK)

    def new(self, rng: Random) -> str:
        """A random code of this shape."""
        return "".join(rng.choice({"#": "0123456789", "@": _LETTERS}.get(char, char)) for char in self.shape)

    def several(self, rng: Random, count: int) -> list[str]:
        """So many codes, no two alike.

        Raises:
            DomainError: the shape does not have so many.
        """
        if count > 10 ** self.shape.count("#") * len(_LETTERS) ** self.shape.count("@"):
            raise DomainError(f"there are no {count} codes of the shape {self.shape!r}; give it more digits")
        found: dict[str, None] = {}
        while len(found) < count:
            found[self.new(rng)] = None
        return list(found)

    def mentions(self, text: str) -> Sequence[Mention]:
        """Codes of this shape."""
        return with_roles([Mention(m.start(), m.end(), m[0].upper()) for m in self.finder.finditer(text)], text)

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Right where it is one of those mentioned: a proposal may be about several records."""
        found = [str(mention.value).upper() for mention in self.mentions(text)]
        return None if not found else str(wanted).upper() in found

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """One of the user's own that no other request is about; a wild one may be somebody else's."""
        if wild and (self.owner or self.keys) and rng.random() < _SOMEBODY_ELSES:
            every = scope.source.every(self.of)
            return rng.choice(every) if every else None
        own = [key for key in scope.source.own(self) if key not in scope.get("taken", ())]
        return rng.choice(own) if own else None

    def record(self, raw: Any, scope: Scope) -> Any:
        """The row. A tool, which knows nobody who is talking, gets the owner's row beside it."""
        found = scope.load(self.of, raw)
        if found is None:
            raise ToolError(f"there is no {self.noun} {raw!r}")
        if self.users is not None and "user" not in scope:
            scope["owner"] = scope.load(self.users, found[self.owner])
        return found

    def clue(self, raw: Any, scope: Scope) -> list[str] | None:
        """Contents that only this record of the user's has, or ``None``."""
        if self.contents is None:
            return None
        mine = self._contents(raw, scope)
        others = [self._contents(key, scope) for key in scope.source.own(self) if key != raw]
        return sorted(mine) if mine and not any(mine <= other for other in others) else None

    def recall(self, text: str, scope: Scope) -> list[Any]:
        """The user's records of which a text names the end of the code, or else the contents, best first."""
        own = list(scope.source.own(self))
        endings = _ENDING.findall(text)
        if endings or self.contents is None:
            # Whoever says the end of a code means that, even where none of theirs ends so.
            return [key for key in own if any(str(key).endswith(end) for end in endings)]
        held = {key: self._contents(key, scope) for key in own}
        known = {name: name for names in held.values() for name in names}
        said = {mention.value for mention in longest_first(known, text)}
        fit = [key for key, names in held.items() if names and names <= said]
        return sorted(fit, key=lambda key: -len(held[key])) or (
            [key for key in own if held[key] & said] if said else []
        )

    def _contents(self, key: Any, scope: Scope) -> set[str]:
        record = scope.load(self.of, key)
        return set() if record is None or self.contents is None else set(self.contents(record))


@dataclass(frozen=True, eq=False)
class Named(Kind):
    """A record that everyone calls by its name, while the tools take its key: a book, a course, a room.

    Attributes:
        of: the table.
        label: the column with the name; no two records may share one.
        listed_by: the tool without arguments that lists all of them; or
        found_by: the tool that finds one by its name, its only argument.
    """

    of: Model = None
    label: str = ""
    listed_by: str = field(default="", kw_only=True)
    found_by: str = field(default="", kw_only=True)
    labels: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False)

    asking = "the_name"

    @property
    def key_column(self) -> str:
        """The name of the table's key."""
        return key_column(self.of)

    def in_world(self, rows: Rows, translations: Sequence[Mapping[str, str]]) -> Self:
        """With the names that there are: a user notices another one of them."""
        there = {str(row[self.label]): row[self.key_column] for row in rows.get(self.of.__tablename__, ())}
        return replace(super().in_world(rows, translations), labels=there)

    def mentions(self, text: str) -> Sequence[Mention]:
        """Names that there are."""
        return with_roles(longest_first({name: name for name in self.labels}, text), text)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The key of the record that a text names last."""
        there = scope.source.labels(self)
        if there is not None:
            found = [mention for mention in with_roles(longest_first(there, text), text) if mention.role == "new"]
            return found[-1].value if found else None
        keys = (scope.source.called(self, quoted.strip()) for quoted in reversed(_QUOTED.findall(text)))
        return next((key for key in keys if key is not None), None)

    def say(self, wanted: Any, speech: Speech) -> str:
        """The name; in quotation marks where the agent cannot know all names."""
        return speech.keep(f'"{wanted}"' if self.found_by else str(wanted))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """The name."""
        return str(self.record(raw, scope)[self.label])

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any."""
        every = [key for key in scope.source.every(self.of) if key not in scope.get("taken", ())]
        return rng.choice(every) if every else None

    def wanted(self, raw: Any, scope: Scope) -> Any:
        """The name."""
        return self.record(raw, scope)[self.label]

    def record(self, raw: Any, scope: Scope) -> Any:
        """The row."""
        found = scope.load(self.of, raw)
        if found is None:
            raise ToolError(f"there is no {self.noun} {raw!r}")
        return found


@dataclass(frozen=True, eq=False)
class Caller(Kind):
    """The caller's own key: never asked for and never said, since the agent has it once it has identified the user.

    Attributes:
        of: the table of users.
    """

    of: Model = None

    known_by_user = False

    def record(self, raw: Any, scope: Scope) -> Any:
        """The row; in a tool it is the owner's too."""
        found = scope.load(self.of, raw)
        if found is None:
            raise ToolError(f"there is no {self.noun} {raw!r}")
        if "user" not in scope:
            scope["owner"] = found
        return found
