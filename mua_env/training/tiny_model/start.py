"""A model and its tokenizer from nothing: learned from, and shaped for, the dialogues that they will see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mua_env.inference.chat_template import TURN_START
from mua_env.inference.tool_call_text import render_turn
from mua_env.training.config.train import ScratchConfig
from mua_env.training.data.demonstrations import Demonstrations
from mua_env.training.tiny_model.from_nothing import build_model, build_tokenizer, common_phrases, set_phrases

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_CORPUS = 600
"""Dialogues that a tokenizer is learned from; more change its merges little and take longer."""


def start_from_nothing(
    demonstrations: Demonstrations, shape: ScratchConfig, *, seed: int
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A tokenizer learned from the demonstrations, and a model with random weights."""
    shown = "\n".join(dict.fromkeys(system.text for system in demonstrations.systems))
    phrases = _phrases(demonstrations, shown, shape.code_length) if shape.phrases else ()
    tokenizer = build_tokenizer(
        _corpus(demonstrations), vocabulary=shape.vocabulary, phrases=phrases, code_length=shape.code_length
    )
    return build_model(tokenizer, shape, seed=seed), tokenizer


def _phrases(demonstrations: Demonstrations, shown: str, code_length: int) -> list[str]:
    said = [
        render_turn(message)
        for messages in demonstrations.dialogues[:_CORPUS]
        for message in messages
        if message.role == "assistant"
    ]
    return [*set_phrases(shown, demonstrations.tools), *common_phrases(said, code_length=code_length)]


def _corpus(demonstrations: Demonstrations) -> Iterator[str]:
    """The texts of dialogues, message by message, with the role words and the system prompt of each."""
    for system, messages in zip(demonstrations.systems, demonstrations.dialogues[:_CORPUS], strict=False):
        yield "system\n" + system.text
        for message in messages:
            text = render_turn(message) if message.role == "assistant" else message.content
            for part in f"{message.role}\n{text}".replace(TURN_START, "").split("<tool_call>"):
                yield part.replace("</tool_call>", "")
