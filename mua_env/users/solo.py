"""Nobody on the line: in solo mode the agent works on a ticket alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mua_env.core.tasks import Task
from mua_env.errors import TaskError
from mua_env.users.base import UserReply, UserSession, UserSimulator

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
