"""Dialogues of the agenda user with the roles swapped: what a model learns from to be the user.

The agent's messages become ``user``, the user's ``assistant``; tool calls and results are left out, since a user sees
none. Everything after that is the agent's own cold start: the same chunks, the same mask, the same training.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Self

from mua_env.agents.base import Agent
from mua_env.errors import ConfigError
from mua_env.messages import AssistantMessage, Message, SystemMessage, UserMessage
from mua_env.training.demonstrations import encode_dialogue
from mua_env.training.experts import hold
from mua_env.training.seeds import derive_seed
from mua_env.training.template import SystemPrompt
from mua_env.users.agenda import AgendaSession, AgendaUser
from mua_env.users.agenda_personas import Voice, persona
from mua_env.users.base import GREETING
from mua_env.users.llm_prompts import STOP, Strategy, system_prompt

if TYPE_CHECKING:
    from mua_env.episode import Episode
    from mua_env.setting import Setting
    from mua_env.tasks import Task
    from mua_env.training.chat import ChatTokens
    from mua_env.training.trajectory import TokenTrajectory

Wording = Literal["steady", "varied"]
"""``steady``: the agenda user says one thing in one way, so that a reply can be right word for word; ``varied``: by
its persona and seed, as elsewhere."""

_CODE = re.compile(r"#[A-Z]+\d+")
_CONFIRM = re.compile(r"\(yes/no\)", re.IGNORECASE)


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


class SlippingAgent(Agent):
    """A scripted expert that names another order when it first asks for a confirmation.

    From correct agents a user learns to agree to everything; with this one it has to say no.
    """

    def __init__(self, expert: Agent) -> None:
        self._expert = expert
        self.name = f"{expert.name} (slipping)"
        self._rng = Random(0)
        self.slipped = False

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        self._expert.reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self._rng, self.slipped = Random(f"slip:{seed}"), False

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The expert's turn, with a wrong order number in the first proposal that holds one."""
        turn = self._expert.act(messages)
        if self.slipped or not turn.content or not _CONFIRM.search(turn.content) or not _CODE.search(turn.content):
            return turn
        self.slipped = True
        return AssistantMessage(content=_CODE.sub(lambda match: self._other(match.group()), turn.content, count=1))

    def _other(self, code: str) -> str:
        digits = [i for i, char in enumerate(code) if char.isdigit()]
        at = self._rng.choice(digits)
        return code[:at] + self._rng.choice([d for d in "0123456789" if d != code[at]]) + code[at + 1 :]


@dataclass
class UserDialogues:
    """Solved dialogues, roles swapped.

    Attributes:
        dialogues: messages of each: system prompt, greeting, then turn by turn, ending with the user's last.
        slips: for each, the index of the agent's message (now ``user``) that proposed a wrong order; None for none.
        tried: dialogues that were held; those that were not solved are left out.
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
        strategy: Strategy = "brief",
        seed: int,
    ) -> Self:
        """Hold ``count`` dialogues, over the settings and expert styles in turn and the tasks in order.

        Args:
            settings: domains with tasks.
            count: dialogues to hold.
            styles: of the scripted expert.
            wording: of the agenda user.
            slips: share of dialogues in which the expert slips (see `SlippingAgent`), 0 to 1.
            strategy: whose prompt stands before each dialogue.
            seed: of users, experts and slips.

        Raises:
            ConfigError: none of them was solved.
        """
        from mua_env.session import Session

        user = SteadyUser() if wording == "steady" else AgendaUser()
        sessions = [Session(setting, user) for setting in settings]
        found = cls([], [], count)
        for number in range(count):
            session = sessions[number % len(sessions)]
            turn, tasks = number // len(sessions), session.setting.tasks
            task, own = tasks[turn % len(tasks)], derive_seed(seed, "dialogue", number)
            expert = session.setting.domain.expert(style=styles[turn % len(styles)])
            slipping = SlippingAgent(expert) if Random(own).random() < slips else None
            if hold(session, slipping or expert, task, seed=own) == 1:
                found._add(session.episode, strategy)
        for session in sessions:
            session.close()
        if not found.dialogues:
            raise ConfigError(f"the expert solved none of {count} dialogues; nothing to learn from")
        return found

    def _add(self, episode: Episode, strategy: Strategy) -> None:
        messages = swapped(episode, strategy)
        own = set(_CODE.findall(episode.task.instruction))
        slip = None
        for index, message in enumerate(messages):
            heard = message.content or ""
            if isinstance(message, UserMessage) and _CONFIRM.search(heard) and own:
                wrong = set(_CODE.findall(heard)) - own
                slip = index if slip is None and wrong else slip
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
        return (
            f"{len(self.dialogues)} dialogues solved and kept of {self.tried}, "
            f"{slipped} with a wrong proposal of the agent"
        )


def _leads(messages: Sequence[Message]) -> int:
    return int(isinstance(messages[0], SystemMessage))


def swapped(episode: Episode, strategy: Strategy = "brief") -> list[Message]:
    """An episode as its user's model would have seen and said it (see `mua_env.users.llm.LLMUserSession`)."""
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
