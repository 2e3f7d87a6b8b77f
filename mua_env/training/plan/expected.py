"""What a dialogue of a run is expected to be like: a few are held by the scripted expert with the offline user.

An agent that is being trained talks longer or shorter than the expert; the figures are for planning.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mua_env.core.messages import AssistantMessage, Message, UserMessage
from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError
from mua_env.inference.chat_template import SystemPrompt
from mua_env.training.config.train import ColdStartConfig, TrainConfig

if TYPE_CHECKING:
    from mua_env.training.data.demonstrations import Demonstrations

SAMPLE = 16
"""Dialogues that are held."""
CHARACTERS = 4.0
"""Of a token, where the model's tokenizer is not at hand."""


@dataclass(frozen=True)
class ExpectedDialogue:
    """Means over the sampled dialogues.

    Attributes:
        sampled: how many were held.
        prompt: tokens before the agent's first turn.
        tokens: of the whole dialogue.
        agent: tokens of the agent.
        turns: of the agent.
        replies: of the user, its opening included: calls of a user that a model plays.
        user_prompt: tokens that such a user reads in a dialogue, its history anew for each reply.
        user_completion: tokens that it writes.
        counted: how tokens were counted.
    """

    sampled: int
    prompt: float
    tokens: float
    agent: float
    turns: float
    replies: float
    user_prompt: float
    user_completion: float
    counted: str


def expect_dialogues(config: TrainConfig) -> tuple[ExpectedDialogue, Demonstrations]:
    """Hold a few dialogues of the training tasks; also the dialogues themselves.

    Raises:
        ConfigError: the expert solves none of them.
        DomainError, TaskError: the tasks cannot be had.
    """
    from mua_env.training.data.demonstrations import Demonstrations
    from mua_env.training.rollout.pool import make_mixed_pool
    from mua_env.users.agenda.user import AgendaUser

    options = config.environment.user_options if config.environment.user == "agenda" else {}
    pool = make_mixed_pool(config.environment, user=AgendaUser(**options))
    cold = config.cold_start or ColdStartConfig()
    try:
        held = Demonstrations.collect(
            pool,
            count=min(SAMPLE, len(pool)),
            style=cold.expert_style,
            slips=cold.expert_slips,
            keep=cold.keep,
            tools=config.environment.tools,
            seed=derive_seed(config.seed, "dry run"),
        )
        instructions = [pool.task(pool.mix[number]).instruction for number in range(min(SAMPLE, len(pool)))]
    finally:
        pool.close()
    return _measure(config, held, instructions), held


def _measure(config: TrainConfig, held: Demonstrations, instructions: Sequence[str]) -> ExpectedDialogue:
    count, said = _counter(config)
    pairs = list(zip(held.systems, held.dialogues, strict=True))
    asked = [_user_side(messages, instructions, count) for _, messages in pairs]
    return ExpectedDialogue(
        sampled=len(pairs),
        prompt=_mean([_shown(system, count) + count(_text(messages[0])) for system, messages in pairs]),
        tokens=_mean([_shown(system, count) + sum(count(_text(m)) for m in messages) for system, messages in pairs]),
        agent=_mean([sum(count(_text(m)) for m in messages if _is_agent(m)) for _, messages in pairs]),
        turns=_mean([sum(map(_is_agent, messages)) for _, messages in pairs]),
        replies=_mean([replies for replies, _, _ in asked]),
        user_prompt=_mean([read for _, read, _ in asked]),
        user_completion=_mean([written for _, _, written in asked]),
        counted=said,
    )


def _user_side(messages: Sequence[Message], instructions: Sequence[str], count: Any) -> tuple[int, float, float]:
    """Replies, tokens read and tokens written by a user that a model plays. The last reply ends the dialogue and is
    not among the messages."""
    from mua_env.users.llm.prompts import system_prompt

    read = written = 0.0
    history = _mean([count(system_prompt("llm", instruction)) for instruction in instructions])
    replies = 0
    for message in messages:
        if isinstance(message, UserMessage):
            replies += 1
            read += history
            written += count(message.content)
            history += count(message.content)
        elif isinstance(message, AssistantMessage) and message.content:
            history += count(message.content)
    return replies + 1, read + history, written + 8


def _counter(config: TrainConfig) -> tuple[Any, str]:
    path = config.model.path
    if path is not None:
        from transformers import AutoTokenizer

        try:
            tokenizer: Any = AutoTokenizer.from_pretrained(path, local_files_only=True)
        except (OSError, ValueError):
            pass
        else:
            return (lambda text: len(tokenizer.encode(text, add_special_tokens=False))), "by the model's tokenizer"
    return (lambda text: len(text) / CHARACTERS), f"at {CHARACTERS:g} characters a token"


def _shown(system: SystemPrompt, count: Any) -> float:
    tools = json.dumps(system.tools) if system.tools else ""
    return float(count(system.text) + count(tools))


def _text(message: Message) -> str:
    if isinstance(message, AssistantMessage):
        from mua_env.inference.tool_call_text import render_turn

        return render_turn(message)
    return message.content or ""


def _is_agent(message: Message) -> bool:
    return isinstance(message, AssistantMessage)


def _mean(values: Sequence[float]) -> float:
    if not values:
        raise ConfigError("there is nothing to estimate from")
    return sum(values) / len(values)
