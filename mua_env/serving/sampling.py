"""Sampling for several chats at once, each with settings and a generator of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from mua_env.errors import ConfigError
from mua_env.training.chat import ChatTokens
from mua_env.training.generation import DialogueDecoder

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class Sampling:
    """How one reply is sampled.

    Args:
        temperature: 0 (default) is greedy.
        top_p: share of the probability that is sampled from (default 1: all of it).
        max_tokens: most tokens of the reply (default 256).
        seed: of the reply's own generator; greedy replies do not use it.

    Raises:
        ConfigError: a value is out of its range.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 10:
            raise ConfigError(f"temperature: from 0 to 10, got {self.temperature!r}")
        if not 0 < self.top_p <= 1:
            raise ConfigError(f"top_p: above 0 and at most 1, got {self.top_p!r}")
        if self.max_tokens < 1:
            raise ConfigError(f"max_tokens: at least 1, got {self.max_tokens!r}")


State = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values of each layer for one row: what a model has read."""


class SeededDecoder(DialogueDecoder):
    """A decoder for one reply of each row. What a row draws hangs on its own seed, not on the other rows."""

    def __init__(self, model: PreTrainedModel, chat: ChatTokens, rows: Sequence[Sampling]) -> None:
        device = next(model.parameters()).device
        super().__init__(model, end_id=chat.end_id, pad_id=chat.pad_id, temperature=1.0, seeds={})
        self._draws = rows
        self._own = [torch.Generator(device=device).manual_seed(row.seed % 2**63) for row in rows]

    @torch.no_grad()
    def read_on(self, state: State | None, chunks: Sequence[Sequence[int]]) -> None:
        """Go on from a state (None: from nothing) and read chunks, one after the other. For a single row."""
        self._open({0: ()})
        if state is not None:
            for layer, (keys, values) in enumerate(state):
                self._cache.update(keys, values, layer)
            self._mask = torch.ones(1, state[0][0].shape[2], dtype=torch.long, device=self._device)
        for chunk in chunks:
            self._read({0: chunk})

    def state(self, length: int) -> State:
        """What the single row's model has read, up to a length in tokens."""
        return [(layer.keys[:, :, :length], layer.values[:, :, :length]) for layer in self._cache.layers]

    def _pick(self, logits: torch.Tensor, active: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        picked = [
            _draw(row, sampling, generator)
            for row, sampling, generator in zip(logits, self._draws, self._own, strict=True)
        ]
        token = torch.stack(picked)
        return token, torch.log_softmax(logits, -1).gather(-1, token[:, None]).squeeze(-1)


def _draw(logits: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> torch.Tensor:
    if sampling.temperature == 0:
        return logits.argmax(-1)
    probabilities = torch.softmax(logits / sampling.temperature, -1)
    if sampling.top_p < 1:
        order = probabilities.argsort(descending=True, stable=True)
        before = probabilities[order].cumsum(-1) - probabilities[order]
        probabilities[order[before >= sampling.top_p]] = 0.0
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1)
