"""Keys and values of rows: parked, stacked into a batch, and what prompts have in common."""

from __future__ import annotations

from collections.abc import Sequence

import torch

State = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values of each layer: shape (heads, tokens, width) of a row, (rows, heads, tokens, width) of a batch."""


def state_length(state: State | None) -> int:
    """Tokens that a row has read."""
    return 0 if state is None else state[0][0].shape[-2]


def prefix_state(state: State, length: int) -> State:
    """The first tokens of a row's state; a view."""
    return [(keys[:, :length], values[:, :length]) for keys, values in state]


def park(state: State, place: int, length: int) -> State:
    """One row out of a batch that is aligned at the right end; a copy."""
    return [(keys[place, :, -length:].clone(), values[place, :, -length:].clone()) for keys, values in state]


def stack(states: Sequence[State | None], length: int, *, batched: bool = False) -> State:
    """Rows (or batches) as one batch of ``length`` tokens, aligned at the right end, zeros before them."""
    known = next(state for state in states if state is not None)
    return [
        (_stack(states, layer, 0, length, batched), _stack(states, layer, 1, length, batched))
        for layer in range(len(known))
    ]


def _stack(states: Sequence[State | None], layer: int, part: int, length: int, batched: bool) -> torch.Tensor:
    like = next(state for state in states if state is not None)[layer][part]
    heads, width = like.shape[-3], like.shape[-1]
    counts = [state[layer][part].shape[0] if batched and state is not None else 1 for state in states]
    out = like.new_zeros(sum(counts), heads, length, width)
    start = 0
    for state, count in zip(states, counts, strict=True):
        if state is not None:
            tensor = state[layer][part]
            out[start : start + count, :, length - tensor.shape[-2] :] = tensor
        start += count
    return out


def shared_length(sequences: Sequence[Sequence[int]]) -> int:
    """How many first ids all sequences have in common."""
    first, last = min(map(list, sequences)), max(map(list, sequences))
    # What the least and the greatest share, all between them share.
    shared = 0
    for a, b in zip(first, last, strict=False):
        if a != b:
            break
        shared += 1
    return shared
