"""Expert dialogues as token trajectories, for the cold start.

They are built by the same code as sampled ones: the same chunks, the same mask. What an expert's turn lacks
are log-probabilities; they stand as 0.0.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mua_env.core.messages import AssistantMessage, Message, SystemMessage, UserMessage
from mua_env.core.screen import counted
from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError
from mua_env.inference.chat_template import Detail, SystemPrompt
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.train import Keep
from mua_env.training.data.expert_dialogues import ExpertLog, hold_expert_dialogues, place_of, reward_of
from mua_env.training.data.token_trajectory import TokenTrajectory, begin

if TYPE_CHECKING:
    from mua_env.core.agent import Slips
    from mua_env.core.trajectory import Trajectory
    from mua_env.training.rollout.pool import MixedPool

_NUMBER = re.compile(r"\d{4,}")


@dataclass
class Demonstrations:
    """Solved dialogues of a domain's scripted expert with a pool's users.

    Attributes:
        dialogues: messages as the agent saw them, each ending with its last turn.
        systems: what the agent is shown before each.
        tried: dialogues that were held.
        tools: names of the agent's tools, and the parameters of each.
        wrong: dialogues that are kept though they were not solved.
    """

    dialogues: list[list[Message]]
    systems: list[SystemPrompt]
    tried: int
    tools: Mapping[str, Sequence[str]] = field(default_factory=dict)
    wrong: int = 0

    @classmethod
    def collect(
        cls,
        pool: MixedPool,
        *,
        count: int,
        style: str = "plain",
        tools: Detail = "full",
        seed: int,
        slips: Slips = 0.0,
        keep: Keep = "solved",
        log: ExpertLog | None = None,
    ) -> Demonstrations:
        """Hold ``count`` dialogues, over the pool's tasks in order, again with other users when they run out.

        Args:
            pool: tasks and users.
            count: how many.
            style: of the expert.
            tools: how much of the tool schemas the agent is shown.
            seed: of the users.
            slips: chance that the expert only claims a change.
            keep: ``"solved"`` leaves out dialogues that were not solved, ``"all"`` only those whose user failed.
            log: keeps the dialogues, and shares them among processes.

        Raises:
            ConfigError: none of them was solved.
            DomainError: the domain has no expert.
            RunStopped: one user after the other failed.
        """
        held = hold_expert_dialogues(pool, count=count, style=style, seed=seed, slips=slips, log=log)
        dialogues: list[list[Message]] = []
        systems: list[SystemPrompt] = []
        wrong = 0
        shown = [part.system(tools) for part in pool.parts]
        for trajectory in held:
            reward = reward_of(trajectory)
            if reward == 1 or (keep == "all" and reward is not None):
                wrong += reward != 1
                place = place_of(pool, int(trajectory.id))
                part = pool.part(place)
                dialogues.append(part.shown(messages_of(trajectory)))
                alike = trajectory.tools == part.setting.tools and not pool.task(place).policy
                systems.append(shown[place.source] if alike else part.system_of(trajectory, pool.task(place), tools))
        if not dialogues:
            what = "solved none of" if keep == "solved" else "has users that failed in all of"
            raise ConfigError(f"the expert {what} {count} dialogues of {pool.name!r}; nothing to learn from")
        return cls(dialogues, systems, count, _parameters(pool), wrong)

    @property
    def counts(self) -> dict[str, int]:
        """How many were tried, and kept, and are among the kept though they were not solved."""
        return {"tried": self.tried, "kept": len(self.dialogues), "wrong": self.wrong}

    def describe(self) -> str:
        """One line."""
        kept, lost = len(self.dialogues), self.tried - len(self.dialogues)
        wrong = f", {self.wrong} of them not solved" if self.wrong else ""
        return f"{counted(kept, 'dialogue')} kept{wrong}, {lost} left out"

    def encode(self, chat: ChatTokens, *, renumbered: int = 0, seed: int) -> list[TokenTrajectory]:
        """Trajectories of the dialogues, with ``renumbered`` further copies of each."""
        rng = random.Random(derive_seed(seed, "dialogues"))
        pairs = list(zip(self.systems, self.dialogues, strict=True))
        copies = [(system, renumber(messages, rng)) for system, messages in pairs for _ in range(renumbered)]
        return [encode_dialogue(chat, system, messages) for system, messages in [*pairs, *copies]]

    def encode_short(
        self, chat: ChatTokens, cut: Callable[[Sequence[Message]], list[list[Message]]], *, copies: int, seed: int
    ) -> list[TokenTrajectory]:
        """Trajectories of what `copy_drills` or `turn_windows` cut out of the dialogues, without a system
        prompt, each in ``copies`` versions with other numbers."""
        rng = random.Random(derive_seed(seed, cut.__name__))
        pairs = zip(self.systems, self.dialogues, strict=True)
        short = [(SystemPrompt("", None, system.schemas), part) for system, said in pairs for part in cut(said)]
        return [encode_dialogue(chat, alone, renumber(part, rng)) for alone, part in short for _ in range(copies)]


def _parameters(pool: MixedPool) -> dict[str, tuple[str, ...]]:
    functions = [tool["function"] for part in pool.parts for tool in part.setting.tools]
    # A tool without arguments may have a schema that says nothing of them.
    return {each["name"]: tuple(each.get("parameters", {}).get("properties", ())) for each in functions}


def messages_of(trajectory: Trajectory) -> list[Message]:
    """The dialogue as the agent saw it: no system message, nothing after the agent's last turn."""
    seen: list[Message] = [
        entry.message for entry in trajectory.entries if not isinstance(entry.message, SystemMessage)
    ]
    while seen and not isinstance(seen[-1], AssistantMessage):
        seen.pop()
    return seen


def encode_dialogue(chat: ChatTokens, system: SystemPrompt, messages: Sequence[Message]) -> TokenTrajectory:
    """One dialogue, whose last message is the agent's, as a trajectory with the loss mask."""
    turns = [i for i, message in enumerate(messages) if isinstance(message, AssistantMessage)]
    if not turns or turns[-1] != len(messages) - 1:
        raise ValueError("a demonstration ends with a turn of the agent")
    trajectory = begin(*chat.prompt(system, messages[: turns[0]]))
    for number, index in enumerate(turns):
        message = messages[index]
        assert isinstance(message, AssistantMessage)
        ids = chat.agent_turn(message, before=trajectory.ids, tools=system.schemas)
        trajectory.add_agent(ids, [0.0] * len(ids))
        trajectory.tool_calls += len(message.tool_calls)
        if number + 1 < len(turns):
            trajectory.add_environment(*chat.suffix(messages[index + 1 : turns[number + 1]], end=ids[-1]))
    trajectory.check()
    return trajectory


def copy_drills(messages: Sequence[Message]) -> list[list[Message]]:
    """The exchanges of a dialogue in which the agent's tool call repeats a long number it was just told.

    Each is the telling message (as the user's) and the agent's turn, alone: what a model from nothing must
    learn first, with nothing else in the way.
    """
    drills: list[list[Message]] = []
    for before, after in itertools.pairwise(messages):
        if not isinstance(after, AssistantMessage) or isinstance(before, AssistantMessage):
            continue
        said = set(_NUMBER.findall(before.content))
        used = {n for call in after.tool_calls for n in _NUMBER.findall(call.function.arguments)}
        if said & used:
            drills.append([UserMessage(content=before.content), after])
    return drills


def turn_windows(messages: Sequence[Message]) -> list[list[Message]]:
    """Each turn of the agent with at most the three messages before it: most of what a turn depends on, at a
    fraction of the tokens. A window begins with what the agent was told, as the user's words."""
    windows: list[list[Message]] = []
    for index, message in enumerate(messages):
        if not isinstance(message, AssistantMessage):
            continue
        start = max(0, index - 3)
        while isinstance(messages[start], AssistantMessage):
            start += 1
        if start < index:
            told = UserMessage(content=messages[start].content or "")
            windows.append([told, *messages[start + 1 : index + 1]])
    return windows


def renumber(messages: Sequence[Message], rng: random.Random) -> list[Message]:
    """The same dialogue with every number of four digits or more replaced, consistently, by a random one of
    the same length: ids are opaque, and a model must copy them, not know them."""
    replaced: dict[str, str] = {}

    def swap(match: re.Match[str]) -> str:
        number = match.group()
        if number not in replaced:
            replaced[number] = "".join(rng.choice("0123456789") for _ in number)
        return replaced[number]

    return [type(m).model_validate_json(_NUMBER.sub(swap, m.model_dump_json())) for m in messages]
