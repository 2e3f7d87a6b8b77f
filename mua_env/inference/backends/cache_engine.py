"""Sampling with a transformers model over one persistent key-value cache.

History is read once. Rows with a turn under way stand in one batch, aligned at its right end; between turns a
row's keys and values are parked, so that rows which wait cost nothing. What prompts have in common is read once.

Keys and values of all layers are kept whole, also where attention slides over a window: it is the mask that slides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from mua_env.inference.backends.base import TurnRequest, end_tokens
from mua_env.inference.backends.states import (
    Prefixes,
    State,
    as_batch,
    cache_of,
    has_windows,
    park,
    state_length,
    state_of,
    without_holes,
)
from mua_env.inference.sampling import DecoderStats, SampledTurn, Sampler, SeededSampler, cache_argument

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass
class _Turn:
    """A turn under way. ``length``: tokens of the row in the cache; ``over``: it only holds its place."""

    row: int
    budget: int
    length: int
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    over: bool = False


@dataclass
class _Row:
    state: State | None = None
    unread: list[int] = field(default_factory=list)


class CacheEngine:
    """An `Engine` over a model in this process; the model must be in eval mode while it steps.

    Args:
        model: a causal language model with attention, full or sliding, in all layers.
        end_id: the end-of-turn token or tokens, the only thing that stops a turn besides the budget.
        pad_id: any valid id, for what is masked.
        read_at_once: most tokens, padding included, that one reading pass holds; memory only.
        autocast: compute in bfloat16, whatever the weights are in.

    Raises:
        ConfigError: some layers are no attention.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        end_id: int | Sequence[int],
        pad_id: int,
        read_at_once: int = 65_536,
        autocast: bool = False,
    ) -> None:
        self._model, self._ends, self._pad = model, end_tokens(end_id), pad_id
        self._device = next(model.parameters()).device
        self._cache_argument = cache_argument(model)
        self._read_at_once, self._autocast = read_at_once, autocast
        self._slides = has_windows(model)
        self.begin(temperature=1.0, seeds=())

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """As `Backend.begin`."""
        self.begin_with(SeededSampler(temperature, seeds))

    def begin_with(self, sampler: Sampler) -> None:
        """`begin` with any way of sampling."""
        self._sampler = sampler
        self._rows: dict[int, _Row] = {}
        self._prefixes = Prefixes()
        self._turns: list[_Turn] = []
        self._batch = cache_of([], 0)
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

    @torch.no_grad()
    def sample(self, requests: Sequence[TurnRequest]) -> dict[int, SampledTurn]:
        """Turns of some rows, stepped to their ends; no other turn may be under way."""
        ended = dict(self.step(requests))
        while self._turns:
            self._advance(ended)
        return ended

    def open(self, row: int, state: State | None = None) -> None:
        """Begin a row that shares nothing with others; rows that are not opened begin with their first request.

        Args:
            row: not in use yet.
            state: what it has read already, as `state` gives it; it is not changed.
        """
        self._rows[row] = _Row(state)

    @torch.no_grad()
    def read(self, row: int, ids: Sequence[int]) -> None:
        """Read tokens of an open row in a pass of their own, without sampling a turn."""
        kept = self._rows[row]
        kept.state, kept.unread = self._read_alone([*kept.unread, *ids], kept.state), []

    def state(self, row: int) -> State:
        """What a row has read, all but the last token of its last turn. It has read something."""
        state = self._rows[row].state
        assert state is not None, f"row {row} has read nothing"
        return state

    def drop(self, rows: Iterable[int]) -> None:
        """As `Engine.drop`."""
        for row in rows:
            self._rows.pop(row, None)
            self._sampler.drop(row)

    def close(self) -> None:
        """As `Engine.close`."""
        self.begin(temperature=1.0, seeds=())

    def _opening(self, requests: Sequence[TurnRequest]) -> Iterator[list[TurnRequest]]:
        """New rows, with what they have in common read, and taken off the requests."""
        for members, state in self._prefixes.groups(requests, self._read_alone):
            for member in members:
                self.open(member.row, state)
            shared = state_length(state)
            yield from self._batches([TurnRequest(m.row, m.ids[shared:], m.budget) for m in members])

    def _read_alone(self, ids: Sequence[int], state: State | None = None) -> State:
        past = state_length(state)
        cache = cache_of(as_batch([state]) if past else [], past)
        tokens = torch.tensor([list(ids)], device=self._device)
        mask = torch.ones(1, past + len(ids), dtype=torch.long, device=self._device)
        self._forward(cache, tokens, mask, (mask.cumsum(1) - 1)[:, past:])
        self.stats.read += len(ids)
        return [(keys[0], values[0]) for keys, values in state_of(cache)]

    def _batches(self, requests: Sequence[TurnRequest]) -> list[list[TurnRequest]]:
        """Requests of similar length together, so that little of a pass is padding.

        One at a time if attention slides: its window would count the padding between what a row has read and reads.
        """
        groups: list[list[TurnRequest]] = []
        for request in sorted(requests, key=lambda each: -len(each.ids)):
            widest = len(groups[-1][0].ids) if groups else 0
            fits = groups and not self._slides and (len(groups[-1]) + 1) * widest <= self._read_at_once
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
        cache = cache_of(as_batch(states) if deep else [], deep)
        mask = mask.to(self._device)
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, deep:]
        logits = self._forward(cache, ids.to(self._device), mask, positions)
        self.stats.read += sum(map(len, chunks))
        turns = [
            _Turn(request.row, request.budget, length=before + len(chunk))
            for request, before, chunk in zip(requests, past, chunks, strict=True)
        ]
        for row in rows:
            row.state, row.unread = None, []
        self._pick(logits, turns)
        self._join(turns, without_holes(state_of(cache), mask, max(turn.length for turn in turns)))
        self._leave(ended)

    def _join(self, turns: list[_Turn], state: State) -> None:
        """Add rows that were just read to the batch; rows whose turns are over are left out of it."""
        rest = self._under_way()
        self._turns = [turn for turn in self._turns if not turn.over] + turns
        self._batch = cache_of([rest, state] if rest else [state], max(turn.length for turn in self._turns))

    def _under_way(self) -> State:
        """The batch without the rows whose turns are over; empty if there are none."""
        keep = [place for place, turn in enumerate(self._turns) if not turn.over]
        state = state_of(self._batch)
        if len(keep) == len(self._turns):
            return state if keep else []
        chosen = torch.tensor(keep, dtype=torch.long, device=self._device)
        return [(keys[chosen], values[chosen]) for keys, values in state] if keep else []

    def _advance(self, ended: dict[int, SampledTurn]) -> None:
        """One more token for every turn under way."""
        fed = [(self._pad if turn.over else turn.ids[-1], turn.length) for turn in self._turns]
        both = torch.tensor(fed, device=self._device)
        tokens, lengths = both[:, :1], both[:, 1:]
        columns = self._batch.layers[0].keys.shape[2]
        if len(fed) == 1:  # nothing before a row that stands alone
            mask = torch.ones(1, columns + 1, dtype=torch.long, device=self._device)
        else:
            mask = (torch.arange(columns + 1, device=self._device)[None] >= columns - lengths).long()
        logits = self._forward(self._batch, tokens, mask, lengths)
        for turn in self._turns:
            turn.length += 1
        self._pick(logits, self._turns)
        self._leave(ended)

    def _leave(self, ended: dict[int, SampledTurn]) -> None:
        """Park rows whose turns have just ended. Their places are freed when an eighth of the batch is free."""
        for place, turn in enumerate(self._turns):
            if not turn.over and (turn.ids[-1] in self._ends or len(turn.ids) >= turn.budget):
                turn.over = True
                row = self._rows[turn.row]
                row.state = park(state_of(self._batch), place, turn.length)
                row.unread = turn.ids[-1:]
                ended[turn.row] = SampledTurn(turn.ids, turn.logprobs)
                self.stats.sampled += len(turn.ids)
        free = sum(turn.over for turn in self._turns)
        if 8 * free > len(self._turns):
            rest = self._under_way()
            self._turns = [turn for turn in self._turns if not turn.over]
            self._batch = cache_of([rest] if rest else [], max((turn.length for turn in self._turns), default=0))

    def _pick(self, logits: torch.Tensor, turns: Sequence[_Turn]) -> None:
        """Sample a token for each turn that is not over."""
        picked, scores = self._sampler.pick(logits, [None if turn.over else turn.row for turn in turns])
        for turn, token, score in zip(turns, picked.tolist(), scores.tolist(), strict=True):
            if not turn.over:
                turn.ids.append(token)
                turn.logprobs.append(score)

    def _forward(self, cache: Any, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Logits for the next token of each row, shape (rows, vocabulary), float32."""
        self.stats.passes += 1
        with torch.autocast(self._device.type, torch.bfloat16) if self._autocast else nullcontext():
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
