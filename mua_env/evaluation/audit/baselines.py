"""Agents without skill, run for real: what they score, a task set gives away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mua_env.agents.random import RandomAgent
from mua_env.agents.scripted.expert import TRANSFERRED
from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall
from mua_env.core.scores import BASES, check_reward
from mua_env.core.tasks import Task
from mua_env.core.tools import ToolSpec
from mua_env.domain.derived_goals import HAND_OVER
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.errors import DomainError
from mua_env.evaluation.audit.results import BaselineRun
from mua_env.users.base import UserSimulator

SAYS_NOTHING = "Thank you for your message."
TRANSFERS = "The user asks for a human agent."


class IdleAgent(Agent):
    """Does nothing: answers every message with the same empty courtesy until the user leaves."""

    name = "do nothing"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The same sentence."""
        return AssistantMessage(content=SAYS_NOTHING)


class TransferAgent(Agent):
    """Calls the tool that hands over at once, with a summary that fits every user, and says so if it may still speak.

    Args:
        tool: the tool; its arguments are filled with the summary.
    """

    name = "transfer at once"

    def __init__(self, tool: ToolSpec) -> None:
        arguments = dict.fromkeys(tool.arguments.model_fields, TRANSFERS)
        call = FunctionCall(name=tool.name, arguments=json.dumps(arguments))
        self._turn = AssistantMessage(tool_calls=(ToolCall(id="call_1", function=call),))

        self._called = False

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        self._called = False

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The call, then what goes with it."""
        turn = AssistantMessage(content=TRANSFERRED) if self._called else self._turn
        self._called = True
        return turn


def baselines(setting: Setting) -> list[Agent]:
    """The baselines of a domain: do nothing, transfer at once (where a tool does it or ends the dialogue), random."""
    specs = setting.kit.toolkit.specs.values()
    handing_over = [spec for spec in specs if spec.terminal or spec.name == HAND_OVER]
    return [IdleAgent(), *map(TransferAgent, handing_over[:1]), RandomAgent()]


class BaselineRuns:
    """Runs the baselines over tasks, each with a session of its own.

    Args:
        setting: the domain with its tasks.
        user: the user simulator (the agenda user in an audit).
        seed: of users and agents, together with the position of a task.
        max_turns: turns after which an episode is truncated (default 30).
    """

    def __init__(self, setting: Setting, user: UserSimulator, *, seed: int, max_turns: int = 30) -> None:
        self._session = Session(setting, user, max_turns=max_turns)
        self._agents = baselines(setting)
        self._seed = seed

    def run(self, task: Task, position: int) -> dict[str, BaselineRun]:
        """One episode of each baseline.

        Raises:
            TaskError: the user simulator cannot play the task.
        """
        seed = (self._seed * 1_000_003 + position) % 2**31
        return {agent.name: self._episode(agent, task, seed) for agent in self._agents}

    def describe(self, task: Task) -> str:
        """How results name the user of a task."""
        return self._session.user.describe(task)

    def close(self) -> None:
        """Release the session."""
        self._session.close()

    def _episode(self, agent: Agent, task: Task, seed: int) -> BaselineRun:
        session = self._session
        score = hold(session, agent, task, seed=seed).score
        if score is None:
            raise DomainError(f"task {task.id!r} ended without a score")
        return BaselineRun(
            rewards={name: score.under(check_reward(name)) for name in BASES},
            turns=session.episode.turns,
            ended_by=session.episode.ended_by,
        )
