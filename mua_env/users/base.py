"""The seam behind which every user stands: agenda, LLM, replay, human."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from mua_env.core.messages import ToolCall, ToolMessage
from mua_env.core.tasks import Task
from mua_env.errors import EpisodeError

GREETING = "Hi! How can I help you today?"
"""What the agent is taken to have said before the user's first message (as in tau-bench)."""


class UserReply(BaseModel):
    """What a user simulator answers.

    A reply with ``tool_calls`` is no message to the agent yet: the calls are run on the user's own tools, and the user
    goes on with :meth:`UserSession.observe`. Its ``text`` and ``stop`` are not heeded.

    Attributes:
        text: what the agent reads; may be empty when ``stop`` is set.
        stop: the user ends the dialogue with this reply.
        events: structured acts that the user registered, as ``"refusal:cancel_order"``.
        fault: the reply is unusable and this is why; the episode is truncated and not scored.
        thought: what the user thought, kept from the agent (strategy ``react``).
        usage: tokens and money that the reply cost, by name.
        meta: what else belongs in the trajectory, as the prompt version.
        tool_calls: what the user does with its own tools before it speaks (an empty ``id`` is filled in).
    """

    model_config = ConfigDict(frozen=True)

    text: str
    stop: bool = False
    events: tuple[str, ...] = ()
    fault: str | None = None
    thought: str | None = None
    usage: dict[str, float] = Field(default_factory=dict)
    meta: dict[str, Any] = Field(default_factory=dict)
    tool_calls: tuple[ToolCall, ...] = ()


class UserSession(ABC):
    """One user in one episode. Holds the dialogue so far; not shared between episodes.

    Attributes:
        registers_refusals: the user itself registers a reasoned refusal of what it wants, as the event
            ``refusal:<intent>``; where it does not, the session listens (see :mod:`mua_env.scoring.refusals`).
    """

    registers_refusals: ClassVar[bool] = False

    @abstractmethod
    def reply(self, agent_text: str | None) -> UserReply:
        """Answer the agent.

        Args:
            agent_text: what the agent said; ``None`` asks for the opening message.

        Raises:
            UserFault: no usable reply could be had.
        """

    async def areply(self, agent_text: str | None) -> UserReply:
        """:meth:`reply` for the event loop. Overridden by users that wait for a network or a person."""
        return self.reply(agent_text)

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        """Go on after tool calls: call more tools, or speak.

        Args:
            results: one message for each call of the last reply, in order; errors begin with ``"Error: "``.

        Raises:
            UserFault: no usable reply could be had.
            EpisodeError: this kind of user calls no tools.
        """
        raise EpisodeError(f"{type(self).__name__} calls tools but does not define observe()")

    async def aobserve(self, results: Sequence[ToolMessage]) -> UserReply:
        """:meth:`observe` for the event loop. Overridden by users that wait for a network or a person."""
        return self.observe(results)

    @abstractmethod
    def fork(self) -> UserSession:
        """An independent user with the same history and the same future under the same input."""

    def close(self) -> None:
        """Release what the session holds. May be called again."""
        return


class UserSimulator(ABC):
    """Makes the users of episodes. One simulator serves many environments at the same time.

    Attributes:
        name: how results name it, as ``"agenda"``.
    """

    name: str

    @abstractmethod
    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        """A user for one episode of a task.

        Args:
            task: the task, with the instruction or goal.
            seed: of everything random in this user.
            context: what the session gives users: ``domain``, ``setting``, and ``tools``, the function schemas of
                the user's own tools (empty where it has none).

        Raises:
            TaskError: the task lacks what this kind of user needs.
        """

    def describe(self, task: Task) -> str:
        """How results name the user of a task: ``name``, with what qualifies it."""
        return self.name

    def close(self) -> None:
        """Release clients and caches. May be called again."""
        return
