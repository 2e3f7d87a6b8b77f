"""An agent that takes random legal turns: a floor for comparisons, and a fuzzer."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, parse_agent_turn
from mua_env.gym.spaces import AgentTurnSpace


class RandomAgent(Agent):
    """Samples the action space: a sentence, or tool calls with arguments that fit their schemas."""

    name = "random"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue; equal seeds take equal turns."""
        self._space = AgentTurnSpace(tools, seed=seed)

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Sample from these tools from now on."""
        self._space.tools = tools

    def resume(self, history: Sequence[Message]) -> None:
        """Go on; what was said plays no part."""

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next turn; what was said plays no part."""
        return parse_agent_turn(self._space.sample())

    def fork(self) -> Self:
        """An agent that will take the same turns."""
        return copy.deepcopy(self)
