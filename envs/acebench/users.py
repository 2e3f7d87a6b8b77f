"""The users of ACEBench's agent tasks: none in ``multi_step``, whose text is answered by the same line each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mua_env.core.tasks import Task
from mua_env.users.base import UserReply, UserSession, UserSimulator

END = "finish conversation"
"""What ends a dialogue, wherever it stands in a message."""
NUDGE = "Nobody answers questions here. Work with what the task says and what the tools return."


class NudgeUser(UserSimulator):
    """States the task, then answers any text with one line, until the agent says ``finish conversation``."""

    name = "nudge"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> NudgeSession:
        """The one who states the task."""
        return NudgeSession(str(task.scene["question"]))


class NudgeSession(UserSession):
    """One statement of a task."""

    def __init__(self, question: str) -> None:
        self._question = question

    def reply(self, agent_text: str | None) -> UserReply:
        """The task, the line, or the end."""
        if agent_text is None:
            return UserReply(text=self._question)
        return UserReply(text="", stop=True) if END in agent_text else UserReply(text=NUDGE)

    def fork(self) -> NudgeSession:
        """Another with the same task."""
        return NudgeSession(self._question)
