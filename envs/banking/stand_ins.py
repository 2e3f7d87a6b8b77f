"""What the banking tools import of the package around them, in small versions of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

_TOOL, _CHANGES, _DISCOVERABLE = "is_tool_here", "changes_state_here", "is_discoverable_here"
_Function = TypeVar("_Function", bound=Callable[..., Any])


class ToolType(StrEnum):
    """What a tool does, as its author says."""

    READ = "read"
    WRITE = "write"
    THINK = "think"
    GENERIC = "generic"


def is_tool(tool_type: ToolType = ToolType.READ, mutates_state: bool | None = None) -> Callable[[_Function], _Function]:
    """Marks a method as a tool; what writes changes the state unless it is said not to."""

    def mark(function: _Function) -> _Function:
        setattr(function, _TOOL, True)
        setattr(function, _CHANGES, tool_type == ToolType.WRITE if mutates_state is None else mutates_state)
        return function

    return mark


def is_discoverable_tool(
    tool_type: ToolType = ToolType.READ, mutates_state: bool | None = None
) -> Callable[[_Function], _Function]:
    """Marks a tool that nobody is shown before it was found in the knowledge base."""

    def mark(function: _Function) -> _Function:
        setattr(function, _DISCOVERABLE, True)
        return is_tool(tool_type, mutates_state)(function)

    return mark


class ToolKitBase:
    """A set of tools over one database."""

    def __init__(self, db: Any = None) -> None:
        self.db = db

    def get_discoverable_tools(self) -> dict[str, Callable[..., Any]]:
        """The tools that have to be found first, by name."""
        return {
            name: getattr(self, name) for name, function in tools_of(type(self)) if hasattr(function, _DISCOVERABLE)
        }

    def has_discoverable_tool(self, tool_name: str) -> bool:
        """Whether there is one of that name."""
        return tool_name in self.get_discoverable_tools()


class DB(BaseModel):
    """A database: tables that are declared, and no others."""

    model_config = ConfigDict(extra="forbid")


class StoreModel(BaseModel):
    """A set of tools that keeps what it knows in fields of its own, as those of ``inspect_evals`` do."""

    instance: str | None = Field(default=None)


def tools_of(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The tools of a class by name, its own first, then those of its bases."""
    seen: set[str] = set()
    for owner in kind.__mro__:
        for name, value in vars(owner).items():
            if name not in seen and callable(value) and getattr(value, _TOOL, False):
                seen.add(name)
                yield name, value


TOOLKIT: dict[str, Any] = {
    "MUTATES_STATE_ATTR": _CHANGES,
    "DISCOVERABLE_ATTR": _DISCOVERABLE,
    "ToolKitBase": ToolKitBase,
    "ToolKitType": type,
    "ToolType": ToolType,
    "is_discoverable_tool": is_discoverable_tool,
    "is_tool": is_tool,
}
"""The names of ``tau2.environment.toolkit``."""
