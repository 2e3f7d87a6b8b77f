"""Expert dialogues as token trajectories, for the cold start.

They are built by the same code as sampled ones: the same chunks, the same mask. What an expert's turn lacks
are log-probabilities; they stand as 0.0.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mua_env.messages import AssistantMessage, Message, SystemMessage, UserMessage
from mua_env.training.chat import ChatTokens
from mua_env.training.template import SystemPrompt
from mua_env.training.trajectory import TokenTrajectory, begin

if TYPE_CHECKING:
    from mua_env.trajectory import Trajectory

_NUMBER = re.compile(r"\d{5,}")


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
        ids = chat.agent_turn(message)
        trajectory.add_agent(ids, [0.0] * len(ids))
        trajectory.tool_calls += len(message.tool_calls)
        if number + 1 < len(turns):
            trajectory.add_environment(*chat.suffix(messages[index + 1 : turns[number + 1]]))
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


def renumber(messages: Sequence[Message], rng: random.Random) -> list[Message]:
    """The same dialogue with every number of five digits or more replaced, consistently, by a random one of
    the same length: ids are opaque, and a model must copy them, not know them."""
    replaced: dict[str, str] = {}

    def swap(match: re.Match[str]) -> str:
        number = match.group()
        if number not in replaced:
            replaced[number] = "".join(rng.choice("0123456789") for _ in number)
        return replaced[number]

    return [type(m).model_validate_json(_NUMBER.sub(swap, m.model_dump_json())) for m in messages]
