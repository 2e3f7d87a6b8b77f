"""What all samplers of turns share: turns, counts, draws that depend on nothing but a row's seed."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from mua_env.errors import ConfigError, RunStopped

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class SampledTurn:
    """What was sampled for one row: ids, and the log-probability of each under the sampling distribution.

    The last id is the end-of-turn token, unless the row's budget ran out first.
    """

    ids: list[int]
    logprobs: list[float]


@dataclass
class DecoderStats:
    """Work done: tokens read and sampled, and forward passes."""

    read: int = 0
    sampled: int = 0
    passes: int = 0

    def add(self, other: DecoderStats) -> None:
        """Count another's work in."""
        self.read += other.read
        self.sampled += other.sampled
        self.passes += other.passes


class RowNoise:
    """Uniform numbers of one row, one a sampled token."""

    _BLOCK = 64

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._block: list[float] = []

    def next(self) -> float:
        """A number in [0, 1)."""
        if not self._block:
            self._block = self._rng.random(self._BLOCK).tolist()[::-1]
        return self._block.pop()


class Sampler(Protocol):
    """Chooses the tokens of rows. What a row is given depends on no other row."""

    def pick(self, logits: torch.Tensor, rows: Sequence[int | None]) -> tuple[torch.Tensor, torch.Tensor]:
        """One token for each row, and its log-probability; both of shape (rows,).

        Args:
            logits: shape (rows, vocabulary), float32.
            rows: which row each is; None where no token is wanted, and any will do.
        """

    def drop(self, row: int) -> None:
        """Forget a row; one of the same number begins anew. Unknown rows are ignored."""


class SeededSampler:
    """A `Sampler` with one temperature for all rows and a seed for each.

    Args:
        temperature: 0 is greedy; log-probabilities are then those of temperature 1.
        seeds: of rows, from row 0.

    Raises:
        ConfigError: the temperature is negative.
    """

    def __init__(self, temperature: float, seeds: Sequence[int]) -> None:
        if temperature < 0:
            raise ConfigError(f"temperature must be 0 or more, got {temperature}")
        self._temperature, self._seeds = temperature, seeds
        self._noise: dict[int, RowNoise] = {}

    def pick(self, logits: torch.Tensor, rows: Sequence[int | None]) -> tuple[torch.Tensor, torch.Tensor]:
        """As `Sampler.pick`."""
        scaled = logits if self._temperature == 0 else logits / self._temperature
        logprobs = torch.log_softmax(scaled, -1)
        if self._temperature == 0:
            picked = logprobs.argmax(-1)
        else:
            picked = inverse_sample(logprobs, [0.5 if row is None else self._next(row) for row in rows])
        return picked, logprobs.gather(-1, picked[:, None]).squeeze(-1)

    def drop(self, row: int) -> None:
        """As `Sampler.drop`."""
        self._noise.pop(row, None)

    def _next(self, row: int) -> float:
        if row not in self._noise:
            self._noise[row] = RowNoise(self._seeds[row])
        return self._noise[row].next()


def inverse_sample(logprobs: torch.Tensor, noise: Sequence[float]) -> torch.Tensor:
    """One token a row: where the cumulated probabilities pass the row's number.

    Args:
        logprobs: shape (rows, vocabulary).
        noise: a number in [0, 1) a row.

    Raises:
        RunStopped: the probabilities are no numbers, because the model's weights are broken.
    """
    cumulated = logprobs.double().exp().cumsum(-1)
    total = cumulated[:, -1:]
    if not bool(torch.isfinite(total).all()):
        raise RunStopped("the model's probabilities are not finite numbers: its weights are broken")
    point = torch.tensor(noise, dtype=torch.float64, device=logprobs.device)[:, None] * total
    return torch.searchsorted(cumulated, point, right=True).squeeze(-1).clamp(max=logprobs.shape[-1] - 1)


def cache_argument(model: PreTrainedModel) -> str:
    """The name of the argument that takes a cache; transformers renamed it during its version 5."""
    inner = getattr(model, "get_base_model", None)  # PEFT hands arguments on
    base = model if inner is None else inner()
    return "cache" if "cache" in inspect.signature(type(base).forward).parameters else "past_key_values"
