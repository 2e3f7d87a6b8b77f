"""The world that agent and user act on: tools over one state that can be reset, compared and forked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from mua_env.core.database import Changes, Database, Template
from mua_env.core.tasks import Action, Assertion
from mua_env.core.tools import Mode, Requestor, Toolkit, ToolResult, ToolSpec
from mua_env.core.toolsets import Kit
from mua_env.errors import TaskError


class World(Protocol):
    """What the engine needs of a world. :class:`SQLWorld` is the one over a database."""

    def load(self, actions: Iterable[Action]) -> None:
        """Go back to the initial state, then run a task's initial actions."""

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Run one tool of the agent, of the user or of the world itself; an error changes nothing."""

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
        kit: whose tools there are; the agent's toolkit alone will do where nobody else has any.
        mode: how the tools behave.
    """

    def __init__(self, template: Template, kit: Kit | type[Toolkit], *, mode: Mode = "strict") -> None:
        self.kit = kit if isinstance(kit, Kit) else Kit(kit)
        self.mode: Mode = mode
        self._bind(template.clone())

    def _bind(self, database: Database) -> None:
        kit, self.database = self.kit, database
        self.toolkit = kit.toolkit(database, mode=self.mode)
        self.user_toolkit = None if kit.user_toolkit is None else kit.user_toolkit(database, mode=self.mode)
        self._stage = None if kit.stage is None else kit.stage(database, mode=self.mode)

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
        self._settle()

    def call(
        self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent", settle: bool = True
    ) -> ToolResult:
        """Run one tool of the agent, of the user or of the world itself.

        Args:
            name: name of the tool.
            arguments: JSON text, or a mapping.
            requestor: whose tool it is.
            settle: whether what it changes is carried to the other side.
        """
        # In solo mode the user's tools are in the agent's hands: gold actions of the user still name the user.
        user = self.toolkit if self.kit.solo else self.user_toolkit
        toolkit = {"agent": self.toolkit, "user": user, "world": self._stage}[requestor]
        if toolkit is None:
            return ToolResult(f"Error: unknown tool {name!r}: the {requestor} has no tools here", ok=False)
        if requestor == "agent" and name not in toolkit.specs and name in self._users_tools:
            return ToolResult(f"Error: {name!r} is a tool of the user's; ask the user to use it", ok=False)
        return toolkit.call(name, arguments, settle=self._settle if settle else None)

    @property
    def _users_tools(self) -> Mapping[str, ToolSpec]:
        return {} if self.user_toolkit is None else self.user_toolkit.specs

    def holds(self, assertion: Assertion) -> bool:
        """Whether an assertion holds in the present state.

        Raises:
            TaskError: there is no such function, it refuses its arguments, or gives no truth value.
        """
        result = self.call(assertion.name, assertion.arguments, requestor="world")
        if not result.ok or result.content not in ("true", "false"):
            raise TaskError(f"assertion {assertion.name}({assertion.arguments}) gives {result.content}, no truth value")
        return (result.content == "true") is assertion.expected

    def _settle(self) -> None:
        if self.kit.settle is not None:
            self.kit.settle(self.database, self.mode)

    def is_terminal(self, name: str) -> bool:
        """Whether a successful call of this tool of the agent ends the episode."""
        spec = self.kit.toolkit.specs.get(name)
        return spec is not None and spec.terminal

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools."""
        return self.kit.toolkit.schemas()

    def snapshot(self) -> Changes:
        """The rows that differ from the template."""
        return self.database.changes()

    def fork(self) -> SQLWorld:
        """An independent world in the same state, on a clone of its own."""
        twin = object.__new__(type(self))
        twin.kit, twin.mode = self.kit, self.mode
        twin._bind(self.database.fork())
        return twin

    def close(self) -> None:
        """Release the clone."""
        self.database.close()
