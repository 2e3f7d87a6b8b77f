"""Sampling with a transformers model over one persistent key-value cache.

History is read once. Rows with a turn under way stand in one batch, aligned at its right end; between turns a
row's keys and values are parked, so that rows which wait cost nothing. What prompts have in common is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from mua_env.errors import ConfigError
from mua_env.training.backends.base import TurnRequest
from mua_env.training.backends.states import State, as_batch, park, prefix_state, shared_length, stack, state_length
from mua_env.training.generation import DecoderStats, RowNoise, SampledTurn, cache_argument, inverse_sample

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_KEY = 16
"""Tokens by which a known beginning is found; shorter ones are not shared."""


@dataclass
class _Turn:
    """A turn under way. ``length``: tokens of the row in the cache; ``over``: it only holds its place."""

    row: int
    budget: int
    noise: RowNoise
    length: int
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    over: bool = False


@dataclass
class _Row:
    noise: RowNoise
    state: State | None = None
    unread: list[int] = field(default_factory=list)


class CacheEngine:
    """An `Engine` over a model in this process; the model must be in eval mode while it steps.

    Args:
        model: a causal language model with full attention in all layers.
        end_id: the end-of-turn token, the only thing that stops a turn besides the budget.
        pad_id: any valid id, for what is masked.
        read_at_once: most tokens, padding included, that one reading pass holds; memory only.

    Raises:
        ConfigError: some layers have sliding-window attention.
    """

    def __init__(self, model: PreTrainedModel, *, end_id: int, pad_id: int, read_at_once: int = 65_536) -> None:
        self._model, self._end, self._pad = model, end_id, pad_id
        self._device = next(model.parameters()).device
        self._cache_argument = cache_argument(model)
        self._read_at_once = read_at_once
        if any(layer.is_sliding for layer in self._new_cache().layers):
            raise ConfigError(
                f"{type(model).__name__} has sliding-window layers, whose cache forgets; use the vLLM backend"
            )
        self.begin(temperature=1.0, seeds=())

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """As `Backend.begin`."""
        if temperature < 0:
            raise ConfigError(f"temperature must be 0 or more, got {temperature}")
        self._temperature, self._seeds = temperature, seeds
        self._rows: dict[int, _Row] = {}
        self._prefixes: dict[tuple[int, ...], tuple[list[int], State]] = {}
        self._turns: list[_Turn] = []
        self._batch = self._new_cache()
        self.stats = DecoderStats()

    @torch.no_grad()
    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        """As `Engine.step`."""
        ended: dict[int, SampledTurn] = {}
        again = [request for request in requests if request.row in self._rows]
        fresh = [request for request in requests if request.row not in self._rows]
        for group in [*self._opening(fresh), *self._batches(again)]:
            self._read(group, ended)
        if self._turns:
            self._advance(ended)
        return ended

    def drop(self, rows: Iterable[int]) -> None:
        """As `Engine.drop`."""
        for row in rows:
            self._rows.pop(row, None)

    def close(self) -> None:
        """As `Engine.close`."""
        self.begin(temperature=1.0, seeds=())

    def _opening(self, requests: Sequence[TurnRequest]) -> list[list[TurnRequest]]:
        """New rows, those with a common beginning together; the beginning is read, and taken off the requests."""
        by_key: dict[tuple[int, ...], list[TurnRequest]] = {}
        for request in requests:
            self._rows[request.row] = _Row(RowNoise(self._seeds[request.row]))
            by_key.setdefault(tuple(request.ids[:_KEY]), []).append(request)
        groups: list[list[TurnRequest]] = []
        for key, members in by_key.items():
            rest = self._share(key, members)
            groups += self._batches(rest)
        return groups

    def _share(self, key: tuple[int, ...], members: list[TurnRequest]) -> list[TurnRequest]:
        prompts = [member.ids for member in members]
        known = self._prefixes.get(key)
        if known is None:
            shared = shared_length(prompts)
            if len(key) < _KEY or shared < _KEY:
                return members
            ids = list(prompts[0][:shared])
            known = self._prefixes[key] = (ids, self._read_alone(ids))
        shared = min(shared_length([known[0], ids]) for ids in prompts)
        shared = min(shared, min(map(len, prompts)) - 1)
        for member in members:
            self._rows[member.row].state = prefix_state(known[1], shared)
        return [TurnRequest(m.row, m.ids[shared:], m.budget) for m in members]

    def _read_alone(self, ids: Sequence[int]) -> State:
        cache, tokens = self._new_cache(), torch.tensor([list(ids)], device=self._device)
        ones = torch.ones_like(tokens)
        self._forward(cache, tokens, ones, ones.cumsum(1) - 1)
        self.stats.read += len(ids)
        return [(layer.keys[0], layer.values[0]) for layer in cache.layers]

    def _batches(self, requests: Sequence[TurnRequest]) -> list[list[TurnRequest]]:
        """Requests of similar length together, so that little of a pass is padding."""
        groups: list[list[TurnRequest]] = []
        for request in sorted(requests, key=lambda each: -len(each.ids)):
            widest = len(groups[-1][0].ids) if groups else 0
            fits = groups and (len(groups[-1]) + 1) * widest <= self._read_at_once
            if fits and (2 * len(request.ids) >= widest or widest <= 64):
                groups[-1].append(request)
            else:
                groups.append([request])
        return groups

    def _read(self, requests: Sequence[TurnRequest], ended: dict[int, SampledTurn]) -> None:
        """Read the new tokens of some rows, sample a first token for each, and put them into the batch."""
        rows = [self._rows[request.row] for request in requests]
        chunks = [[*row.unread, *request.ids] for row, request in zip(rows, requests, strict=True)]
        states = [row.state for row in rows]
        past = [state_length(state) for state in states]
        width, deep = max(map(len, chunks)), max(past)
        ids = torch.full((len(rows), width), self._pad, dtype=torch.long)
        mask = torch.zeros(len(rows), deep + width, dtype=torch.long)
        for place, chunk in enumerate(chunks):
            ids[place, width - len(chunk) :] = torch.tensor(chunk)
            mask[place, deep + width - len(chunk) :] = 1
            mask[place, deep - past[place] : deep] = 1
        cache = self._new_cache()
        if deep:
            cache.layers = stack(as_batch(states), deep)
        mask = mask.to(self._device)
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, deep:]
        logits = self._forward(cache, ids.to(self._device), mask, positions)
        self.stats.read += sum(map(len, chunks))
        turns = [
            _Turn(request.row, request.budget, row.noise, length=before + len(chunk))
            for request, row, before, chunk in zip(requests, rows, past, chunks, strict=True)
        ]
        for row in rows:
            row.state, row.unread = None, []
        self._pick(logits, turns)
        self._join(turns, _without_holes(cache, mask, max(turn.length for turn in turns)))
        self._leave(ended)

    def _join(self, turns: list[_Turn], state: State) -> None:
        """Add rows that were just read to the batch; rows whose turns are over are left out of it."""
        rest = self._under_way()
        self._turns = [turn for turn in self._turns if not turn.over] + turns
        self._batch.layers = stack([rest, state] if rest else [state], max(turn.length for turn in self._turns))

    def _under_way(self) -> State:
        """The batch without the rows whose turns are over; empty if there are none."""
        keep = [place for place, turn in enumerate(self._turns) if not turn.over]
        state: State = [(layer.keys, layer.values) for layer in self._batch.layers]
        if len(keep) == len(self._turns):
            return state if keep else []
        chosen = torch.tensor(keep, dtype=torch.long, device=self._device)
        return [(keys[chosen], values[chosen]) for keys, values in state] if keep else []

    def _advance(self, ended: dict[int, SampledTurn]) -> None:
        """One more token for every turn under way."""
        tokens = torch.tensor([[self._pad if turn.over else turn.ids[-1]] for turn in self._turns], device=self._device)
        lengths = torch.tensor([[turn.length] for turn in self._turns], device=self._device)
        columns = self._batch.layers[0].keys.shape[2]
        mask = (torch.arange(columns + 1, device=self._device)[None] >= columns - lengths).long()
        logits = self._forward(self._batch, tokens, mask, lengths)
        for turn in self._turns:
            turn.length += 1
        self._pick(logits, self._turns)
        self._leave(ended)

    def _leave(self, ended: dict[int, SampledTurn]) -> None:
        """Park rows whose turns have just ended. Their places are freed when an eighth of the batch is free."""
        for place, turn in enumerate(self._turns):
            if not turn.over and (turn.ids[-1] == self._end or len(turn.ids) >= turn.budget):
                turn.over = True
                row = self._rows[turn.row]
                row.state = park([(layer.keys, layer.values) for layer in self._batch.layers], place, turn.length)
                row.unread = turn.ids[-1:]
                ended[turn.row] = SampledTurn(turn.ids, turn.logprobs)
                self.stats.sampled += len(turn.ids)
        free = sum(turn.over for turn in self._turns)
        if 8 * free > len(self._turns):
            rest = self._under_way()
            self._turns = [turn for turn in self._turns if not turn.over]
            self._batch.layers = stack([rest], max(turn.length for turn in self._turns)) if rest else []

    def _pick(self, logits: torch.Tensor, turns: Sequence[_Turn]) -> None:
        """Sample a token for each turn that is not over."""
        scaled = logits if self._temperature == 0 else logits / self._temperature
        logprobs = torch.log_softmax(scaled, -1)
        if self._temperature == 0:
            picked = logprobs.argmax(-1)
        else:
            picked = inverse_sample(logprobs, [0.5 if turn.over else turn.noise.next() for turn in turns])
        scores = logprobs.gather(-1, picked[:, None]).squeeze(-1)
        for turn, token, score in zip(turns, picked.tolist(), scores.tolist(), strict=True):
            if not turn.over:
                turn.ids.append(token)
                turn.logprobs.append(score)

    def _forward(self, cache: Any, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Logits for the next token of each row, shape (rows, vocabulary), float32."""
        self.stats.passes += 1
        out = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: cache},
        )
        logits: torch.Tensor = out.logits[:, -1].float()
        return logits

    def _new_cache(self) -> Any:
        from transformers import DynamicCache

        return DynamicCache(config=self._model.config)


def _without_holes(cache: Any, mask: torch.Tensor, length: int) -> State:
    """The keys and values that a mask leaves, aligned at the right end; ``length``: of the longest row."""
    order = mask.argsort(dim=1, stable=True)[:, mask.shape[1] - length :, None]
    state: State = []
    for layer in cache.layers:
        index = order[:, None].expand(-1, layer.keys.shape[1], -1, layer.keys.shape[3])
        state.append((layer.keys.gather(2, index), layer.values.gather(2, index)))
    return state
