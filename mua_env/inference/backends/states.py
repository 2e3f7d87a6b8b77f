"""Keys and values of rows: parked, stacked into a batch, and what prompts have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from mua_env.errors import ConfigError
from mua_env.inference.backends.base import TurnRequest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_ROOM = 32
"""Tokens that fit into a batch's cache before it is copied."""

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


class RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # transformers'
    """A cache layer with room for tokens to come, which are written in place.

    transformers' own copies the whole layer for each token.
    """

    is_sliding = False

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, length: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.lazy_initialization(keys, values)
        self._keys, self._values = keys, values
        self._show(length)

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append tokens; see transformers."""
        length = self._length + key_states.shape[2]
        if length > self._keys.shape[2]:
            self._keys, self._values = (
                torch.nn.functional.pad(each, (0, 0, 0, length - each.shape[2] + _ROOM))
                for each in (self._keys, self._values)
            )
        self._keys[:, :, self._length : length] = key_states
        self._values[:, :, self._length : length] = value_states
        return self._show(length)

    def _show(self, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        self._length = length
        shown = self._keys[:, :, :length], self._values[:, :, :length]
        self.keys, self.values = shown
        return shown


def stack(parts: Sequence[State], length: int) -> list[RoomyLayer]:
    """Batches under each other, aligned at the right end of ``length`` tokens, zeros before them, room after them.

    What is longer than ``length`` loses its beginning.
    """
    return [
        RoomyLayer(
            _stacked([part[layer][0] for part in parts], length),
            _stacked([part[layer][1] for part in parts], length),
            length,
        )
        for layer in range(len(parts[0]))
    ]


def _stacked(tensors: Sequence[torch.Tensor], length: int) -> torch.Tensor:
    heads, width = tensors[0].shape[1], tensors[0].shape[3]
    out = tensors[0].new_zeros(sum(each.shape[0] for each in tensors), heads, length + _ROOM, width)
    start = 0
    for each in tensors:
        wide = min(length, each.shape[2])
        out[start : start + each.shape[0], :, length - wide : length] = each[:, :, each.shape[2] - wide :]
        start += each.shape[0]
    return out


def as_batch(states: Sequence[State | None]) -> list[State]:
    """Rows as batches of one; what has read nothing is a row of no tokens."""
    known = next(state for state in states if state is not None)
    nothing = [(keys[:, :0], values[:, :0]) for keys, values in known]
    return [[(keys[None], values[None]) for keys, values in state or nothing] for state in states]


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


def cache_of(parts: Sequence[State], length: int) -> Any:
    """transformers' cache for `stack`; an empty one for no parts. All its layers keep every token."""
    cache: Any = DynamicCache()
    cache.layers = stack(parts, length) if parts else []
    return cache


def state_of(cache: Any) -> State:
    """What a cache holds, as a batch."""
    return [(layer.keys, layer.values) for layer in cache.layers]


def has_windows(model: PreTrainedModel) -> bool:
    """Whether attention slides over a window in some layers.

    Raises:
        ConfigError: some layers have a state other than keys and values.
    """
    kinds = {type(layer) for layer in DynamicCache(config=model.config).layers}
    other = kinds - {DynamicLayer, DynamicSlidingWindowLayer}
    if other:
        names = ", ".join(sorted(kind.__name__ for kind in other))
        raise ConfigError(
            f"{type(model).__name__} has layers whose state is not keys and values ({names}), which cannot be sampled "
            "from here; serve it with vLLM"
        )
    return DynamicSlidingWindowLayer in kinds


def without_holes(state: State, mask: torch.Tensor, length: int) -> State:
    """The keys and values of a batch that a mask leaves, aligned at the right end.

    Args:
        state: a batch.
        mask: shape (rows, tokens).
        length: of the longest row.
    """
    order = mask.argsort(dim=1, stable=True)[:, mask.shape[1] - length :, None]
    return [(_gathered(keys, order), _gathered(values, order)) for keys, values in state]


def _gathered(tensor: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return tensor.gather(2, order[:, None].expand(-1, tensor.shape[1], -1, tensor.shape[3]))


_KEY = 16
"""Tokens by which a known beginning is found; shorter ones are not shared."""


class Prefixes:
    """The beginnings of a batch of dialogues."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[list[int], State]] = {}

    def groups(
        self, requests: Sequence[TurnRequest], read: Callable[[Sequence[int]], State]
    ) -> Iterator[tuple[list[TurnRequest], State | None]]:
        """First requests of rows, those with a common beginning together, and what is read of them already.

        At least one token of each prompt is left to be read; None where too little is common.

        Args:
            requests: of rows that have read nothing.
            read: reads tokens from nothing.
        """
        by_key: dict[tuple[int, ...], list[TurnRequest]] = {}
        for request in requests:
            by_key.setdefault(tuple(request.ids[:_KEY]), []).append(request)
        for key, members in by_key.items():
            yield members, self._common(key, [member.ids for member in members], read)

    def _common(
        self, key: tuple[int, ...], prompts: Sequence[Sequence[int]], read: Callable[[Sequence[int]], State]
    ) -> State | None:
        known = self._known.get(key)
        if known is None:
            shared = shared_length(prompts)
            if len(key) < _KEY or shared < _KEY:
                return None
            ids = list(prompts[0][:shared])
            known = self._known[key] = (ids, read(ids))
        shared = min(shared_length([known[0], ids]) for ids in prompts)
        return prefix_state(known[1], min(shared, min(map(len, prompts)) - 1))
