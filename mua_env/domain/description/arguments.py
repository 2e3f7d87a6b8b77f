"""The arguments of a tool as slots: what each is a value of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from mua_env.domain.description.kinds import Choice, Kind
from mua_env.domain.description.scope import Record, Scope
from mua_env.errors import DomainError


@dataclass(frozen=True)
class Argument:
    """One slot of a tool: a value of a kind in one argument, or in several that stand side by side.

    Attributes:
        slot: its name in goals.
        kind: what it is a value of.
        names: of the tool's arguments.
    """

    slot: str
    kind: Kind
    names: tuple[str, ...]

    @property
    def record(self) -> str:
        """By which rules name what it stands for: a kind's own name, its table's class in lower case, or the slot."""
        model = getattr(self.kind, "of", None)
        own_table = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model.__name__).lower() if model is not None else ""
        return self.kind.name or own_table or self.slot

    def raw(self, arguments: Mapping[str, Any]) -> Any:
        """The value that a call's arguments hold."""
        return self.kind.raw(arguments, self.names)

    def put(self, raw: Any) -> dict[str, Any]:
        """The arguments of a call that hold a value."""
        return self.kind.arguments(raw, self.names)

    def of_person(self, person: Record) -> Any:
        """The value that a person has."""
        return self.kind.of_person(person, self.names)


@dataclass(frozen=True)
class Signature:
    """The slots of a tool, and the names of its arguments that have no kind."""

    slots: tuple[Argument, ...]
    without: tuple[str, ...] = ()

    def scope_of(self, arguments: Mapping[str, Any], scope: Scope) -> Scope:
        """Put the records that a call's arguments stand for into a scope.

        Raises:
            ToolError: there is no such record.
        """
        for slot in self.slots:
            scope[slot.record] = slot.kind.record(slot.raw(arguments), scope)
        return scope


@lru_cache(maxsize=1024)
def signature_of(method: Callable[..., Any]) -> Signature:
    """The slots of a tool (cached).

    Raises:
        DomainError: an argument's annotation is no type, or has two kinds.
    """
    function = inspect.unwrap(method)
    found: list[Argument] = []
    without: list[str] = []
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise DomainError(f"{function.__qualname__}: {error}; what annotations name must stand in the module") from None
    for name, hint in hints.items():
        if name == "return":
            continue
        kind = _kind(function.__qualname__, name, hint)
        if kind is None:
            without.append(name)
        elif found and found[-1].kind is kind and kind.fields:
            found[-1] = replace(found[-1], names=(*found[-1].names, name))
        else:
            found.append(Argument(kind.slot or name, kind, (name,)))
    return Signature(tuple(found), tuple(without))


def _kind(tool: str, name: str, hint: Any) -> Kind | None:
    if get_origin(hint) is not Annotated:
        return None
    base, *marks = get_args(hint)
    kinds = [_instance(tool, name, mark) for mark in marks if isinstance(mark, Kind) or _is_kind(mark)]
    if len(kinds) > 1:
        raise DomainError(f"{tool}: the argument {name!r} has {len(kinds)} kinds; give it one")
    if not kinds:
        return None
    kind = kinds[0]
    if isinstance(kind, Choice) and not kind.values and get_origin(base) is Literal:
        return replace(kind, values=tuple(map(str, get_args(base))))
    return kind


def _is_kind(mark: Any) -> bool:
    return isinstance(mark, type) and issubclass(mark, Kind)


def _instance(tool: str, name: str, mark: Any) -> Kind:
    """A kind that is written as its class stands for one without any settings, as ``Annotated[str, Email]``."""
    if isinstance(mark, Kind):
        return mark
    try:
        made: Kind = mark()
    except TypeError as error:
        raise DomainError(
            f"{tool}: the kind of the argument {name!r} must be called with its settings: {error}"
        ) from None
    return made
