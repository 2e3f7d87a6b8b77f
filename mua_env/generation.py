"""The online source: a new verified task at each reset, from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

from mua_env.errors import TaskError
from mua_env.tasks import Task

if TYPE_CHECKING:
    from mua_env.domain import Domain

_BLOCK = 16
_KEPT_BLOCKS = 256


class GeneratedTasks(Sequence[Task]):
    """An endless sequence of tasks, made when they are asked for.

    Position ``i`` is always the same task for the same options, in any process and in any order of access: tasks are
    generated in blocks, each from a seed of its own. The last 256 blocks are kept.

    Args:
        domain: what generates them.
        source: the source it was asked for by, for messages.
        options: ``level`` (default 1), ``seed`` (default 0), ``split`` (default ``train``), ``count`` (length that
            ``len`` reports and random choice draws from, default 1,000,000).
    """

    def __init__(self, domain: Domain, source: str, options: dict[str, str]) -> None:
        known = {"level": "1", "seed": "0", "split": "train", "count": "1000000"}
        unknown = sorted(options.keys() - known.keys())
        if unknown:
            raise TaskError(f"task source {source!r}: unknown option {unknown[0]!r}; there are {', '.join(known)}")
        values = {**known, **options}
        try:
            self._level, self._seed, self._count = (int(values[name]) for name in ("level", "seed", "count"))
        except ValueError:
            raise TaskError(f"task source {source!r}: level, seed and count are whole numbers") from None
        self._domain = domain
        self._split = values["split"]
        self._blocks: dict[int, list[Task]] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, position: int) -> Task: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Task]: ...
    def __getitem__(self, position: int | slice) -> Task | Sequence[Task]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(self._count))]
        if position < 0:
            position += self._count
        if not 0 <= position < self._count:
            raise IndexError(position)
        block, offset = divmod(position, _BLOCK)
        return self._block(block)[offset]

    def __iter__(self) -> Iterator[Task]:
        return (self[i] for i in range(self._count))

    def _block(self, number: int) -> list[Task]:
        if number not in self._blocks:
            seed = (self._seed << 32) + number
            made = self._domain.generate(level=self._level, seed=seed, split=self._split)
            self._blocks[number] = list(islice(made, _BLOCK))
            if len(self._blocks) > _KEPT_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
        return self._blocks[number]
