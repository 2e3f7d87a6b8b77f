"""The world that agent and user act on: tools over one state that can be reset, compared and forked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from mua_env.database import Changes, Database, Template
from mua_env.errors import TaskError
from mua_env.tasks import Action
from mua_env.tools import Mode, Requestor, Toolkit, ToolResult


class World(Protocol):
    """What the engine needs of a world. :class:`SQLWorld` is the one over a database."""

    def load(self, actions: Iterable[Action]) -> None:
        """Go back to the initial state, then run a task's initial actions."""

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Run one tool of the agent or of the user; an error changes nothing."""

    def is_terminal(self, name: str) -> bool:
        """Whether a successful call of this tool of the agent ends the episode."""

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the tools that the agent has now."""

    def snapshot(self) -> Changes:
        """What differs from the initial state."""

    def fork(self) -> World:
        """An independent world in the same state."""

    def close(self) -> None:
        """Release it. May be called again."""


class SQLWorld:
    """Tools over a clone of a database template.

    Args:
        template: the loaded data.
        toolkit: the agent's tools.
        user_toolkit: the user's tools over the same database, where it has any.
        mode: how the tools behave.
    """

    def __init__(
        self,
        template: Template,
        toolkit: type[Toolkit],
        *,
        user_toolkit: type[Toolkit] | None = None,
        mode: Mode = "strict",
    ) -> None:
        self._toolkit_class = toolkit
        self._user_toolkit_class = user_toolkit
        self.mode: Mode = mode
        self._bind(template.clone())

    def _bind(self, database: Database) -> None:
        self.database = database
        self.toolkit = self._toolkit_class(database, mode=self.mode)
        hands = self._user_toolkit_class
        self.user_toolkit = None if hands is None else hands(database, mode=self.mode)

    def load(self, actions: Iterable[Action] = ()) -> None:
        """Roll back, then run a task's initial actions.

        Raises:
            TaskError: an initial action fails.
        """
        self.database.reset()
        for action in actions:
            result = self.call(action.name, action.arguments, requestor=action.requestor)
            if not result.ok:
                raise TaskError(f"initial action {action.name}({action.arguments}) fails: {result.content}")

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Run one tool of the agent or of the user."""
        toolkit = self.toolkit if requestor == "agent" else self.user_toolkit
        if toolkit is None:
            return ToolResult(f"Error: unknown tool {name!r}: the user has no tools here", ok=False)
        return toolkit.call(name, arguments)

    def is_terminal(self, name: str) -> bool:
        """Whether a successful call of this tool of the agent ends the episode."""
        spec = self._toolkit_class.specs.get(name)
        return spec is not None and spec.terminal

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools."""
        return self._toolkit_class.schemas()

    def snapshot(self) -> Changes:
        """The rows that differ from the template."""
        return self.database.changes()

    def fork(self) -> SQLWorld:
        """An independent world in the same state, on a clone of its own."""
        twin = object.__new__(type(self))
        twin._toolkit_class, twin._user_toolkit_class = self._toolkit_class, self._user_toolkit_class
        twin.mode = self.mode
        twin._bind(self.database.fork())
        return twin

    def close(self) -> None:
        """Release the clone."""
        self.database.close()
