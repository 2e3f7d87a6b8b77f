"""The world that agent and user act on: tools over one state that can be reset, compared and forked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self

from mua_env.core.database import Changes, Database, Template
from mua_env.core.scores import Scores
from mua_env.core.tasks import Assertion, Task
from mua_env.core.tools import Mode, Presentation, Requestor, Toolkit, ToolResult, ToolSpec
from mua_env.core.toolsets import Toolset
from mua_env.errors import EpisodeError, TaskError, ToolError


class World(Protocol):
    """What the engine needs of a world. :class:`SQLWorld` is the one over a database."""

    def load(self, task: Task | None = None) -> None:
        """Go to a task's initial state; without one, to that of the data."""

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Run one tool of the agent, of the user or of the world itself; an error changes nothing."""

    def is_terminal(self, name: str) -> bool:
        """Whether a successful call of this tool of the agent ends the episode."""

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the tools that the agent has now."""

    def reveal(self, names: Sequence[str]) -> None:
        """Give the agent tools that it did not have so far."""

    def snapshot(self) -> Any:
        """The state, in a form that the scorer of this kind of world compares."""

    def fork(self) -> Self:
        """An independent world in the same state."""

    def close(self) -> None:
        """Release it. May be called again."""


class Worlds(Protocol):
    """Makes and scores the worlds of one setting."""

    @property
    def solo(self) -> bool:
        """Whether the agent has the user's tools too, and nobody is on the line."""

    @property
    def scorer(self) -> Scores:
        """Scores their episodes."""

    def make_world(self) -> World:
        """A world of its own."""

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of all tools that an agent can have."""

    def user_schemas(self, task: Task | None = None) -> list[dict[str, Any]]:
        """Function schemas of the user's own tools, empty where it has none; for a task, of those that it has there."""


class SQLWorld:
    """Tools over a clone of a database template.

    Args:
        template: the loaded data.
        toolset: whose tools there are; the agent's toolkit alone will do where nobody else has any.
        mode: how the tools behave.
        presentation: how a public benchmark shows what they say; ``None`` for this package's own words.
    """

    def __init__(
        self,
        template: Template,
        toolset: Toolset | type[Toolkit],
        *,
        mode: Mode = "strict",
        presentation: Presentation | None = None,
    ) -> None:
        self.toolset = toolset if isinstance(toolset, Toolset) else Toolset(toolset)
        self.mode: Mode = mode
        self.presentation = presentation
        self._bind(template.clone())

    def _bind(self, database: Database) -> None:
        toolset, self.database = self.toolset, database
        self.toolkit = toolset.toolkit(database, mode=self.mode)
        self.user_toolkit = None if toolset.user_toolkit is None else toolset.user_toolkit(database, mode=self.mode)
        self._stage = None if toolset.stage is None else toolset.stage(database, mode=self.mode)

    def load(self, task: Task | None = None) -> None:
        """Roll back, then run a task's initial actions.

        Raises:
            TaskError: an initial action fails.
        """
        self.database.reset()
        for action in () if task is None else task.initial_actions:
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
        result = self._call(name, arguments, requestor, settle=settle)
        if self.presentation is None or requestor == "world":
            return result
        return replace(result, content=self.presentation.content(name, result))

    def _call(self, name: str, arguments: str | Mapping[str, Any], requestor: Requestor, *, settle: bool) -> ToolResult:
        # In solo mode the user's tools are in the agent's hands: gold actions of the user still name the user.
        user = self.toolkit if self.toolset.solo else self.user_toolkit
        toolkit = {"agent": self.toolkit, "user": user, "world": self._stage}[requestor]
        if toolkit is None:
            return _not_there(name, f"unknown tool {name!r}: the {requestor} has no tools here")
        if requestor == "agent" and name not in toolkit.specs and name in self._users_tools:
            return _not_there(name, f"{name!r} is a tool of the user's; ask the user to use it")
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
        if self.toolset.settle is not None:
            self.toolset.settle(self.database, self.mode)

    def is_terminal(self, name: str) -> bool:
        """Whether a successful call of this tool of the agent ends the episode."""
        spec = self.toolset.toolkit.specs.get(name)
        return spec is not None and spec.terminal

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools."""
        own = self.toolset.toolkit.schemas()
        return own if self.presentation is None else self.presentation.tools(own)

    def reveal(self, names: Sequence[str]) -> None:
        """Nothing to do: the agent has all tools of its toolset from the start."""

    def snapshot(self) -> Changes:
        """The rows that differ from the template."""
        return self.database.changes()

    def fork(self) -> Self:
        """An independent world in the same state, on a clone of its own."""
        twin = object.__new__(type(self))
        twin.toolset, twin.mode, twin.presentation = self.toolset, self.mode, self.presentation
        twin._bind(self.database.fork())
        return twin

    def close(self) -> None:
        """Release the clone."""
        self.database.close()


class NoWorld:
    """The world of an episode that ended before it began, because no database was to be had: nothing is done in it."""

    def __getattr__(self, name: str) -> Any:
        raise EpisodeError(f"this episode has no world ({name}): its database could not be opened")

    def fork(self) -> NoWorld:
        """As nothing is in it, itself."""
        return self

    def close(self) -> None:
        """Nothing to release."""


def _not_there(name: str, text: str) -> ToolResult:
    return ToolResult(f"Error: {text}", ok=False, error=ToolError(text, kind="unknown", name=name))
