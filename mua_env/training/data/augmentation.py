"""Copies of dialogues in which rare words and digits have changed places, so that a model learns to copy them.

The names in a few thousand expert dialogues are soon known by heart, and a small model then writes the names that it
knows. A copy keeps the dialogue and exchanges its words: one mapping for the whole of it, so that what was repeated
is repeated still.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mua_env.training.data.token_trajectory import TokenTrajectory

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_RARE = 0.03
"""Words in fewer dialogues, per dialogue, are names, places or chatter; what requests are made of is in more."""


class Augmentation:
    """Exchanges tokens of one kind for each other: digits, and rare words by their case and the space before them.

    Args:
        tokenizer: of the dialogues.
        dialogues: all of them; how many a token stands in says whether it is rare.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, dialogues: Sequence[TokenTrajectory]) -> None:
        counts = Counter(token for dialogue in dialogues for token in sorted(set(dialogue.ids)))
        kinds: dict[str, list[int]] = {}
        for token, count in sorted(counts.items()):
            kind = _kind(str(tokenizer.decode([token])))
            if kind == "digit" or (kind and count < _RARE * len(dialogues)):
                kinds.setdefault(kind, []).append(token)
        self.kinds = kinds

    def copy(self, dialogue: TokenTrajectory, rng: random.Random) -> TokenTrajectory:
        """The dialogue with other digits and rare words."""
        other: dict[int, int] = {}
        for tokens in self.kinds.values():
            other.update(zip(tokens, rng.sample(tokens, len(tokens)), strict=True))
        return dataclasses.replace(
            dialogue,
            prompt_ids=[other.get(token, token) for token in dialogue.prompt_ids],
            completion_ids=[other.get(token, token) for token in dialogue.completion_ids],
        )


def _kind(text: str) -> str | None:
    """What a token may be exchanged with; None if with nothing."""
    word = text.removeprefix(" ")
    if len(text) == 1 and text in "0123456789":
        return "digit"
    if len(word) < 2 or not (word.isascii() and word.isalpha()):
        return None
    case = "lower" if word.islower() else "title" if word.istitle() else None
    return case and f"{case}{len(text) - len(word)}"
