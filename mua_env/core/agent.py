"""The interface of an agent: the model that acts in a dialogue.

An agent sees what a deployed assistant would see: the system prompt (policy document), the
tool schemas, and the messages of the dialogue. It never sees the task.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from mua_env.core.messages import AssistantMessage, Message
from mua_env.errors import EpisodeError

Slips = float | Mapping[str, float]
"""The chance that a scripted agent only claims a change: of any, or by the name of the tool that makes it."""


class Agent(ABC):
    """Answers the messages of one dialogue, turn by turn.

    One instance serves one dialogue at a time: call `reset` before each. Drivers that run
    many dialogues at once make one agent for each.
    """

    name: str = "agent"
    blocking: bool = False
    """Whether `act` waits for a person or a network, so that it must not run on an event loop."""
    drops_seed: bool = False
    """Whether what answers for it takes no seed."""
    max_turns: int | None = None
    """Turns after which its dialogues are truncated, where nobody names a limit; None for the domain's own."""

    async def aready(self) -> None:
        """Load what the first turn needs, before any clock runs (default: nothing)."""
        return

    @abstractmethod
    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue.

        `system_prompt` is the policy document, `tools` the OpenAI function schemas, `seed`
        the only source of randomness the agent may use.
        """

    def resume(self, history: Sequence[Message]) -> None:
        """Take over a dialogue in its middle; comes after `reset` and before the first `act`.

        `history` is what was said and done so far, turns of the agent in whose place this one goes on included, but
        for the messages that the first `act` answers.

        Raises EpisodeError where an agent can only begin at the beginning.
        """
        raise EpisodeError(f"the agent {self.name!r} cannot take over a dialogue that was begun by another")

    def equip(self, tools: list[dict[str, Any]]) -> None:  # noqa: B027 (most agents meet no such task)
        """Take note of other tools in mid-dialogue: `tools` are all that the agent has from now on."""

    @abstractmethod
    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """Answer the messages that are new since the last call.

        They are the user's message, or one tool message for each call of the agent's last
        turn. The agent keeps the history, its own turns included.
        """

    async def aact(self, messages: Sequence[Message]) -> AssistantMessage:
        """`act` for drivers on an event loop. By default `act` itself, run in a thread if `blocking`."""
        if self.blocking:
            return await asyncio.to_thread(self.act, messages)
        return self.act(messages)

    def fork(self) -> Self:
        """An agent in the same state that goes on independently.

        Raises EpisodeError where an agent cannot be copied.
        """
        raise EpisodeError(f"the agent {self.name!r} cannot be forked")

    def usage(self) -> dict[str, float]:
        """What this dialogue has cost so far (`prompt_tokens`, `cost_usd`, ...); empty for free agents."""
        return {}
