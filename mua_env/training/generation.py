"""Batched sampling for many dialogues over one persistent key-value cache.

History is read once: a turn feeds only what is new since the last one. Rows differ in length, so chunks are
padded on the left and the cache has masked holes; it is packed again when holes take too much of it.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mua_env.errors import ConfigError
from mua_env.training.stopping import RunStopped

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_MIN_SHARED_PREFIX = 16
_HOLES = 1.25


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


class DialogueDecoder:
    """Samples turns for a batch of dialogues.

    Args:
        model: a causal language model of transformers with full attention; it must be in eval mode.
        end_id: the end-of-turn token, the only thing that stops a turn besides the budget.
        pad_id: any valid id, used where a row has nothing to read.
        temperature: 0 is greedy; log-probabilities are then those of temperature 1.
        seeds: row -> seed of its sampling. What a row samples depends on no other row's seed, so that a batch can
            be held in parts.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        end_id: int,
        pad_id: int,
        temperature: float,
        seeds: Mapping[int, int],
    ) -> None:
        if temperature < 0:
            raise ConfigError(f"temperature must be 0 or more, got {temperature}")
        self._model, self._end, self._pad = model, end_id, pad_id
        self._temperature = temperature
        self._noise = {row: RowNoise(seed) for row, seed in seeds.items()}
        self._device = next(model.parameters()).device
        self._cache_argument = cache_argument(model)
        self._rows: list[int] = []
        self._unread: dict[int, list[int]] = {}
        self._cache: Any = None
        self._mask = torch.zeros(0, 0, dtype=torch.long, device=self._device)
        self.stats = DecoderStats()

    @torch.no_grad()
    def sample(self, feeds: Mapping[int, Sequence[int]], budgets: Mapping[int, int]) -> dict[int, SampledTurn]:
        """Read the new tokens of some rows and sample a turn for each of them.

        The first call names all rows and feeds their prompts. Later calls feed what follows the row's last
        turn; rows that are left out wait.

        Args:
            feeds: row -> new token ids, at least one.
            budgets: row -> most tokens to sample, at least one.
        """
        if not feeds:
            return {}
        if min(map(len, feeds.values())) < 1 or min(budgets[row] for row in feeds) < 1:
            raise ConfigError("each row needs at least one new token and a budget of at least one")
        if self._cache is None:
            self._open(feeds)
            feeds = self._share_prefix(feeds)
        self._pack()
        logits = self._read({row: [*self._unread.pop(row, []), *ids] for row, ids in feeds.items()})
        turns = self._decode(logits, feeds, budgets)
        self._unread.update({row: turn.ids[-1:] for row, turn in turns.items()})
        return turns

    def drop(self, rows: Iterable[int]) -> None:
        """Forget rows whose dialogues have ended."""
        gone = set(rows)
        keep = [index for index, row in enumerate(self._rows) if row not in gone]
        if len(keep) == len(self._rows) or self._cache is None:
            return
        self._rows = [self._rows[index] for index in keep]
        if keep:
            chosen = torch.tensor(keep, device=self._device)
            self._cache.batch_select_indices(chosen)
            self._mask = self._mask[chosen]

    def _open(self, feeds: Mapping[int, Sequence[int]]) -> None:
        from transformers import DynamicCache

        self._rows = list(feeds)
        self._cache = DynamicCache(config=self._model.config)
        self._mask = torch.zeros(len(self._rows), 0, dtype=torch.long, device=self._device)

    def _share_prefix(self, feeds: Mapping[int, Sequence[int]]) -> dict[int, Sequence[int]]:
        """Read the beginning that all prompts share (the system prompt) once instead of once a row."""
        prompts = list(feeds.values())
        shared = sum(1 for _ in itertools.takewhile(lambda ids: len(set(ids)) == 1, zip(*prompts, strict=False)))
        shared = min(shared, min(map(len, prompts)) - 1)
        if len(prompts) < 2 or shared < _MIN_SHARED_PREFIX:
            return dict(feeds)
        prefix = torch.tensor([list(prompts[0][:shared])], device=self._device)
        ones = torch.ones_like(prefix)
        self._forward(prefix, ones, ones.cumsum(1) - 1)
        self._cache.batch_repeat_interleave(len(prompts))
        self._mask = ones.repeat(len(prompts), 1)
        self.stats.read += shared
        return {row: ids[shared:] for row, ids in feeds.items()}

    def _read(self, chunks: Mapping[int, Sequence[int]]) -> torch.Tensor:
        width = max(map(len, chunks.values()))
        ids = torch.full((len(self._rows), width), self._pad, dtype=torch.long)
        fresh = torch.zeros_like(ids)
        for index, row in enumerate(self._rows):
            chunk = chunks.get(row, ())
            if chunk:
                ids[index, width - len(chunk) :] = torch.tensor(list(chunk))
                fresh[index, width - len(chunk) :] = 1
        ids, fresh = ids.to(self._device), fresh.to(self._device)
        past = self._mask.sum(1, keepdim=True)
        self._mask = torch.cat([self._mask, fresh], 1)
        self.stats.read += int(fresh.sum())
        return self._forward(ids, self._mask, (past + fresh.cumsum(1) - 1).clamp(min=0))

    def _forward(self, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Logits for the next token of each row, shape (rows, vocabulary), float32."""
        self.stats.passes += 1
        out = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: self._cache},
        )
        logits: torch.Tensor = out.logits[:, -1].float()
        return logits

    def _decode(
        self, logits: torch.Tensor, feeds: Mapping[int, Sequence[int]], budgets: Mapping[int, int]
    ) -> dict[int, SampledTurn]:
        active = torch.tensor([row in feeds for row in self._rows], device=self._device)
        budget = torch.tensor([budgets[row] if row in feeds else 0 for row in self._rows], device=self._device)
        picked: list[torch.Tensor] = []
        scores: list[torch.Tensor] = []
        emitted: list[torch.Tensor] = []
        for step in itertools.count(1):
            token, score = self._pick(logits, active)
            picked.append(token)
            scores.append(score)
            emitted.append(active)
            active = active & (token != self._end) & (step < budget)
            if not bool(active.any()):
                break
            self._mask = torch.cat([self._mask, active.long()[:, None]], 1)
            positions = (self._mask.sum(1, keepdim=True) - 1).clamp(min=0)
            fed = torch.where(active, token, torch.full_like(token, self._pad))
            logits = self._forward(fed[:, None], self._mask, positions)
        return self._collect(picked, scores, emitted)

    def _pick(self, logits: torch.Tensor, active: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scaled = logits if self._temperature == 0 else logits / self._temperature
        logprobs = torch.log_softmax(scaled, -1)
        if self._temperature == 0:
            token = logprobs.argmax(-1)
        else:
            flags = active.tolist()
            noise = [self._noise[row].next() if on else 0.5 for row, on in zip(self._rows, flags, strict=True)]
            token = inverse_sample(logprobs, noise)
        return token, logprobs.gather(-1, token[:, None]).squeeze(-1)

    def _collect(
        self, picked: list[torch.Tensor], scores: list[torch.Tensor], emitted: list[torch.Tensor]
    ) -> dict[int, SampledTurn]:
        ids, values = torch.stack(picked, 1).tolist(), torch.stack(scores, 1).tolist()
        counts = torch.stack(emitted, 1).sum(1).tolist()
        self.stats.sampled += sum(counts)
        return {
            row: SampledTurn(ids[index][: counts[index]], values[index][: counts[index]])
            for index, row in enumerate(self._rows)
            if counts[index]
        }

    def _pack(self) -> None:
        """Move each row's entries to the right end of the cache, so that no column is a hole for all."""
        columns, longest = self._mask.shape[1], int(self._mask.sum(1).max()) if self._mask.numel() else 0
        if columns <= _HOLES * longest:
            return
        order = self._mask.argsort(dim=1, stable=True)[:, columns - longest :]
        self._mask = self._mask.gather(1, order)
        for layer in self._cache.layers:
            index = order[:, None, :, None].expand(-1, layer.keys.shape[1], -1, layer.keys.shape[3])
            layer.keys, layer.values = layer.keys.gather(2, index), layer.values.gather(2, index)


def cache_argument(model: PreTrainedModel) -> str:
    """The name of the argument that takes a cache; transformers renamed it during its version 5."""
    inner = getattr(model, "get_base_model", None)  # PEFT hands arguments on
    base = model if inner is None else inner()
    return "cache" if "cache" in inspect.signature(type(base).forward).parameters else "past_key_values"
