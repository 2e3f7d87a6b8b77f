"""A user that says again what the user of a recorded trajectory said."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mua_env.core.messages import AssistantMessage, ToolMessage
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.errors import TaskError
from mua_env.users.base import UserReply, UserSession, UserSimulator

_Heard = str | None | tuple[str, ...]
"""What a reply is an answer to: the agent's text (None at the opening), or the results of the user's own tools."""
_Turn = tuple[_Heard, UserReply]


class ReplayUser(UserSimulator):
    """Answers from recorded trajectories, for re-scoring and for regression cases.

    A recorded reply is only an answer to what was said then: when the agent says something else, or goes on after
    the record ends, that is the user's fault and the episode does not count. What the user did with its own tools
    is done again, and must show the same.

    Args:
        trajectories: what was recorded; found again by task id and seed.
    """

    name = "replay"

    def __init__(self, trajectories: Iterable[Trajectory]) -> None:
        self._turns = {(item.task_id, item.seed): _turns(item) for item in trajectories}

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ReplaySession:
        """The recorded user of a task.

        Raises:
            TaskError: nothing was recorded for this task with this seed.
        """
        turns = self._turns.get((task.id, seed))
        if turns is None:
            raise TaskError(f"no recorded dialogue of task {task.id!r} with seed {seed}")
        return ReplaySession(turns)


class ReplaySession(UserSession):
    """One recorded dialogue."""

    def __init__(self, turns: list[_Turn]) -> None:
        self._turns = turns
        self._next = 0

    def reply(self, agent_text: str | None) -> UserReply:
        """The recorded reply, or a fault where the dialogue left the record."""
        return self._answer("the agent said", agent_text)

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        """What came next in the record, or a fault where a tool of the user shows something else."""
        return self._answer("the user's tools gave", tuple(result.content for result in results))

    def _answer(self, what: str, now: _Heard) -> UserReply:
        if self._next >= len(self._turns):
            return UserReply(text="", fault="replay: the recorded dialogue ends here")
        heard, reply = self._turns[self._next]
        if heard != now:
            return UserReply(text="", fault=f"replay: {what} {now!r:.80}, then it was {heard!r:.80}")
        self._next += 1
        return reply

    def fork(self) -> ReplaySession:
        """The same dialogue from here."""
        return copy.copy(self)


def _turns(trajectory: Trajectory) -> list[_Turn]:
    turns: list[_Turn] = []
    said: _Heard = None
    for entry in trajectory.entries:
        if isinstance(entry.message, AssistantMessage):
            said = entry.message.content or ""
        elif entry.source == "user":
            for acts in entry.user_acts:
                turns.append((said, UserReply(text="", tool_calls=acts.tool_calls, thought=acts.thought)))
                said = tuple(result.content for result in acts.results)
            reply = UserReply.model_validate({"text": entry.message.content, **entry.hidden})
            turns.append((said, reply))
    return turns
