"""Several task sources as one: which source a position of the mix belongs to, and which task of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mua_env.errors import ConfigError


@dataclass(frozen=True)
class Place:
    """A position of a mix: its source, and the position in that source."""

    source: int
    index: int


class Mix:
    """The order in which sources take turns.

    Every stretch of the mix holds the sources as nearly in proportion to their shares as whole numbers allow: each
    position goes to the source that is furthest behind its share (the first of equals). A source that runs out
    begins again, so that shares hold to the end.

    Args:
        sizes: number of tasks of each source.
        shares: relative weights; None for a source's size, with which each task stands in the mix once.

    Attributes:
        sizes: as given.
        shares: of each source; they sum to 1.

    Raises:
        ConfigError: a source is empty.
    """

    def __init__(self, sizes: Sequence[int], shares: Sequence[float | None] | None = None) -> None:
        if not sizes or min(sizes) < 1:
            raise ConfigError(f"every source of a mix needs at least one task, got {list(sizes)} tasks")
        self.sizes = tuple(sizes)
        given = shares or [None] * len(sizes)
        weights = [float(size if share is None else share) for size, share in zip(sizes, given, strict=True)]
        self.shares = tuple(weight / sum(weights) for weight in weights)
        self._counts = [0] * len(sizes)
        self._places: list[Place] = []

    def __len__(self) -> int:
        return sum(self.sizes)

    def __getitem__(self, position: int) -> Place:
        if not 0 <= position < len(self):
            raise IndexError(position)
        while len(self._places) <= position:
            self._extend()
        return self._places[position]

    def _extend(self) -> None:
        done = len(self._places) + 1
        behind = [share * done - count for share, count in zip(self.shares, self._counts, strict=True)]
        source = behind.index(max(behind))
        self._places.append(Place(source, self._counts[source] % self.sizes[source]))
        self._counts[source] += 1
