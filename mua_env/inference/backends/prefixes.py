"""Beginnings that prompts have in common, as policy and tools are: each is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.states import State, prefix_state, shared_length

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
