"""Users who say what the task holds, whatever the agent says: its own turns, or its ticket and that nobody listens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mua_env.core.tasks import Task, UserTurn
from mua_env.errors import TaskError
from mua_env.users.base import UserReply, UserSession, UserSimulator


class ScriptedUser(UserSimulator):
    """Says the lines of a task's script, one for each text of the agent, then ends the dialogue without a word."""

    name = "scripted"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ScriptedSession:
        """The user of a task.

        Raises:
            TaskError: the task has no script.
        """
        if not task.script:
            raise TaskError(f"task {task.id!r} has no script, so its user's words are not fixed")
        return ScriptedSession(task.script)


class ScriptedSession(UserSession):
    """One reading of a script."""

    def __init__(self, script: tuple[UserTurn, ...], position: int = 0) -> None:
        self._script = script
        self._position = position

    def reply(self, agent_text: str | None) -> UserReply:
        """The next line, or the end; what the agent said plays no part."""
        if self._position == len(self._script):
            return UserReply(text="", stop=True)
        turn = self._script[self._position]
        self._position += 1
        return UserReply(text=turn.text, reveals=turn.reveals)

    def fork(self) -> ScriptedSession:
        """Another at the same line."""
        return ScriptedSession(self._script, self._position)


NOBODY = "Nobody is on the line: this ticket has no customer to talk to. Go on with the tools, then call done."


class SoloUser(UserSimulator):
    """Hands over the task's ticket, and tells an agent that talks that nobody listens."""

    name = "solo"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> SoloSession:
        """The ticket of a task.

        Raises:
            TaskError: the task has none.
        """
        if not task.ticket:
            raise TaskError(f"task {task.id!r} has no ticket, so an agent cannot work on it in solo mode")
        return SoloSession(task.ticket)


class SoloSession(UserSession):
    """One ticket."""

    def __init__(self, ticket: str) -> None:
        self._ticket = ticket

    def reply(self, agent_text: str | None) -> UserReply:
        """The ticket at the opening, then always the same line."""
        return UserReply(text=self._ticket if agent_text is None else NOBODY)

    def fork(self) -> SoloSession:
        """Another with the same ticket."""
        return SoloSession(self._ticket)
