"""A user that says fixed lines, and leaves with the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mua_env.core.tasks import Task
from mua_env.users.base import UserReply, UserSession, UserSimulator


class LinesSession(UserSession):
    """One dialogue."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines

    def reply(self, agent_text: str | None) -> UserReply:
        """The next line."""
        line, *rest = self._lines
        self._lines = tuple(rest)
        return UserReply(text=line, stop=not rest)

    def fork(self) -> LinesSession:
        """A copy that goes on for itself."""
        return LinesSession(self._lines)


class LinesUser(UserSimulator):
    """Says its lines, whatever the task and the agent."""

    name = "lines"

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> LinesSession:
        """A new dialogue."""
        return LinesSession(self._lines)
