"""Agents without skill, run for real: what they score, a task set gives away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mua_env.agents.random import RandomAgent
from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message
from mua_env.core.scores import BASES, check_reward
from mua_env.core.tasks import Task
from mua_env.domain.derived_goals import HAND_OVER
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.errors import DomainError
from mua_env.evaluation.audit.results import BaselineRun
from mua_env.evaluation.audit.unskilled import TRANSFERS, TransferAgent, reason_words, talkers
from mua_env.users.base import UserSimulator

SAYS_NOTHING = "Thank you for your message."


class IdleAgent(Agent):
    """Does nothing: answers every message with the same empty courtesy until the user leaves."""

    name = "do nothing"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The same sentence."""
        return AssistantMessage(content=SAYS_NOTHING)


def baselines(setting: Setting) -> list[Agent]:
    """The baselines of a domain: do nothing, transfer at once (where a tool does it or ends the dialogue), with nothing
    to say and with every word that a reason is known by, talk without listening, random."""
    specs = setting.sql.toolset.toolkit.specs.values()
    handing_over = [spec for spec in specs if spec.terminal or spec.name == HAND_OVER][:1]
    return [
        IdleAgent(),
        *map(TransferAgent, handing_over),
        *(TransferAgent(spec, name="transfer, every reason", summary=_every_reason(setting)) for spec in handing_over),
        *talkers(setting),
        RandomAgent(),
    ]


def _every_reason(setting: Setting) -> str:
    return " ".join([TRANSFERS, *reason_words(setting.tasks.tasks), *setting.domain.policy_rules.values()])


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
