"""Sampling for several chats at once, each with settings and a generator of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from mua_env.errors import ConfigError


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


class ChatSampler:
    """A `mua_env.inference.sampling.Sampler` for one reply of each row, with settings and a generator of its own.

    Args:
        replies: of rows, from row 0.
        device: of the model.
    """

    def __init__(self, replies: Sequence[Sampling], device: torch.device) -> None:
        self._replies = replies
        self._own = [torch.Generator(device=device).manual_seed(reply.seed % 2**63) for reply in replies]

    def pick(self, logits: torch.Tensor, rows: Sequence[int | None]) -> tuple[torch.Tensor, torch.Tensor]:
        """As `Sampler.pick`; the log-probabilities are those of temperature 1."""
        nothing = torch.zeros((), dtype=torch.long, device=logits.device)
        drawn = [
            nothing if row is None else _draw(each, self._replies[row], self._own[row])
            for each, row in zip(logits, rows, strict=True)
        ]
        picked = torch.stack(drawn)
        return picked, torch.log_softmax(logits, -1).gather(-1, picked[:, None]).squeeze(-1)

    def drop(self, row: int) -> None:
        """As `Sampler.drop`: nothing, as a row has one reply."""


def _draw(logits: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> torch.Tensor:
    if sampling.temperature == 0:
        return logits.argmax(-1)
    probabilities = torch.softmax(logits / sampling.temperature, -1)
    if sampling.top_p < 1:
        order = probabilities.argsort(descending=True, stable=True)
        before = probabilities[order].cumsum(-1) - probabilities[order]
        probabilities[order[before >= sampling.top_p]] = 0.0
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1)
