"""An agent that does again what the agent of a recorded trajectory did."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Self

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message
from mua_env.core.trajectory import Trajectory
from mua_env.errors import EpisodeError


class ReplayAgent(Agent):
    """Takes the turns of recorded trajectories, whatever it is answered: to score them again by other rules or data.

    Args:
        trajectories: what was recorded; found again by seed, since an agent is told of no task.
    """

    name = "replay"

    def __init__(self, trajectories: Iterable[Trajectory]) -> None:
        self._recorded = {
            item.seed: [entry.message for entry in item.entries if isinstance(entry.message, AssistantMessage)]
            for item in trajectories
        }

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin the recorded dialogue of a seed.

        Raises:
            EpisodeError: nothing was recorded with it.
        """
        if seed not in self._recorded:
            raise EpisodeError(f"no recorded dialogue with seed {seed}")
        self._left = list(self._recorded[seed])

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next recorded turn.

        Raises:
            EpisodeError: the recorded dialogue ended here.
        """
        if not self._left:
            raise EpisodeError("replay: the recorded dialogue ends here")
        return self._left.pop(0)

    def fork(self) -> Self:
        """An agent that will take the same turns."""
        twin = copy.copy(self)
        twin._left = list(self._left)
        return twin
