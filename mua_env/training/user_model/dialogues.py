"""Dialogues of the agenda user with the roles swapped: what a model learns from to be the user.

The agent's messages become ``user``, the user's ``assistant``; tool calls and results are left out, since a user sees
none. Everything after that is the agent's own cold start: the same chunks, the same mask, the same training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Self

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, SystemMessage, UserMessage
from mua_env.core.seeds import derive_seed
from mua_env.episode.dialogue import hold
from mua_env.errors import ConfigError
from mua_env.inference.chat_template import SystemPrompt
from mua_env.training.data.demonstrations import encode_dialogue
from mua_env.training.user_model.agents import DistractedAgent, IdleAgent, SlippingAgent, values_of
from mua_env.users.agenda.nlg.personas import Voice, persona
from mua_env.users.agenda.user import AgendaSession, AgendaUser
from mua_env.users.base import GREETING
from mua_env.users.llm.guards import agrees
from mua_env.users.llm.prompts import STOP, Strategy, system_prompt

if TYPE_CHECKING:
    from mua_env.core.tasks import Task
    from mua_env.episode.episode import Episode
    from mua_env.episode.setting import Setting
    from mua_env.inference.chat_tokens import ChatTokens
    from mua_env.training.data.token_trajectory import TokenTrajectory

Wording = Literal["steady", "varied"]
"""``steady``: the agenda user says one thing in one way, so that a reply can be right word for word; ``varied``: by
its persona and seed, as elsewhere."""

_POOL = 500
"""Tasks of each setting whose values a wrong proposal may have."""


class _First(Random):
    """Draws the first of every choice."""

    def random(self) -> float:
        return 0.0


class _SteadyVoice(Voice):
    """Always the first phrasing, in forks too."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_First(0), replace(persona("terse"), opening=""))

    def fork(self) -> _SteadyVoice:
        return _SteadyVoice()


class SteadyUser(AgendaUser):
    """The agenda user in its shortest phrasings, always the same ones, without noise."""

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> AgendaSession:
        """A user for one episode; see `AgendaUser.start`."""
        session = super().start(task, seed=seed, context=context)
        session.voice = _SteadyVoice()
        return session


@dataclass
class UserDialogues:
    """Solved dialogues, roles swapped.

    Attributes:
        dialogues: messages of each: system prompt, greeting, then turn by turn, ending with the user's last.
        slips: for each, the index of the agent's message (now ``user``) that proposed something wrong; None for none.
        tried: dialogues that were held; those that the user did not end, or left with the task unsolved although the
            agent worked on it, are left out.
    """

    dialogues: list[list[Message]]
    slips: list[int | None]
    tried: int

    @classmethod
    def collect(
        cls,
        settings: Sequence[Setting],
        *,
        count: int,
        styles: Sequence[str] = ("plain", "compact"),
        wording: Wording = "steady",
        slips: float = 0.0,
        distracted: float = 0.0,
        idle: float = 0.0,
        strategy: Strategy = "brief",
        seed: int,
    ) -> Self:
        """Hold ``count`` dialogues, over the settings and expert styles in turn and the tasks in order.

        Args:
            settings: domains with tasks.
            count: dialogues to hold.
            styles: of the scripted expert.
            wording: of the agenda user.
            slips: share of dialogues in which the expert first proposes something wrong (see `SlippingAgent`), 0 to 1.
            distracted: share of those in which it says something useless in between (see `DistractedAgent`).
            idle: share of those with an agent that does nothing of use (see `IdleAgent`).
            strategy: whose prompt stands before each dialogue.
            seed: of users, experts and faults.

        Raises:
            ConfigError: the shares are more than all, or none of the dialogues is of use.
        """
        from mua_env.episode.session import Session

        if slips + distracted + idle > 1:
            raise ConfigError(
                f"slips, distracted and idle are shares of all dialogues: {slips} + {distracted} + {idle}"
            )
        user = SteadyUser() if wording == "steady" else AgendaUser()
        sessions = [Session(setting, user) for setting in settings]
        values = values_of(task for setting in settings for task in islice(setting.tasks, _POOL))
        found = cls([], [], count)
        for number in range(count):
            session = sessions[number % len(sessions)]
            turn, tasks = number // len(sessions), session.setting.tasks
            task, own = tasks[turn % len(tasks)], derive_seed(seed, "dialogue", number)
            agent: Agent = session.setting.domain.expert(style=styles[turn % len(styles)])
            drawn = Random(own).random()
            if drawn < slips:
                agent = SlippingAgent(agent, task, values)
            elif drawn < slips + distracted:
                agent = DistractedAgent(agent, task)
            elif drawn < slips + distracted + idle:
                agent = IdleAgent()
            held = hold(session, agent, task, seed=own)
            if held.reward == 1 or (isinstance(agent, IdleAgent) and session.episode.ended_by == "user_stop"):
                found._add(session.episode, strategy, agent)
        for session in sessions:
            session.close()
        if not found.dialogues:
            raise ConfigError(f"none of {count} dialogues was of use: the expert solved none of them")
        return found

    def _add(self, episode: Episode, strategy: Strategy, agent: Agent) -> None:
        messages = swapped(episode, strategy)
        slip = None
        if isinstance(agent, SlippingAgent) and agent.interrupted is not None:
            slip = next(i for i, message in enumerate(messages) if message.content == agent.interrupted)
            if agrees(messages[slip + 1].content or ""):
                return  # not noticed: no example to learn from
        self.dialogues.append(messages)
        self.slips.append(slip)

    def encode(self, chat: ChatTokens) -> list[TokenTrajectory]:
        """Trajectories whose loss mask is the user's words."""
        alone = SystemPrompt("", None)
        return [
            encode_dialogue(chat, SystemPrompt(m[0].content or "", None) if _leads(m) else alone, m[_leads(m) :])
            for m in self.dialogues
        ]

    def describe(self) -> str:
        """One line."""
        slipped = sum(slip is not None for slip in self.slips)
        return f"{len(self.dialogues)} dialogues kept of {self.tried}, {slipped} with a wrong proposal of the agent"


def _leads(messages: Sequence[Message]) -> int:
    return int(isinstance(messages[0], SystemMessage))


def swapped(episode: Episode, strategy: Strategy = "brief") -> list[Message]:
    """An episode as its user's model would have seen and said it (see `mua_env.users.llm.user.LLMUserSession`)."""
    messages: list[Message] = [
        SystemMessage(content=system_prompt(strategy, episode.task.instruction)),
        UserMessage(content=GREETING),
    ]
    for entry in episode.entries:
        text = entry.message.content or ""
        if entry.source == "user":
            line = f"{text} {STOP}".strip() if entry.hidden.get("stop") else text
            messages.append(AssistantMessage(content=line))
        elif entry.source == "agent" and isinstance(entry.message, AssistantMessage) and not entry.message.tool_calls:
            messages.append(UserMessage(content=text))
    while messages and not isinstance(messages[-1], AssistantMessage):
        messages.pop()
    return messages
