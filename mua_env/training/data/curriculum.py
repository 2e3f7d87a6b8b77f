"""Which tasks the groups of a batch are about: the data set's rows, or what a curriculum draws; and new draws for
groups that teach nothing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mua_env.core.seeds import derive_seed
from mua_env.training.config.train import CurriculumConfig
from mua_env.training.data.mixing import Mix, Place

PREFIX = "curriculum/"
"""Of the metrics that a curriculum logs, and reads again when a run goes on."""


class TaskSampler:
    """Draws tasks, the same ones in every process.

    Args:
        mix: the sources and their shares.
        seed: of the draws.
        curriculum: changes the shares; None for the data set's order.
    """

    def __init__(self, mix: Mix, *, seed: int, curriculum: Curriculum | None = None) -> None:
        self._mix, self._seed, self.curriculum = mix, seed, curriculum

    def first(self, batch: int, group: int, row: int) -> Place:
        """What a group is about, given the data set's row for it."""
        return self._mix[row] if self.curriculum is None else self._draw(batch, group, 0)

    def again(self, batch: int, group: int, attempt: int) -> Place:
        """Another task for a group, for its second attempt and further ones."""
        return self._draw(batch, group, attempt)

    def _draw(self, batch: int, group: int, attempt: int) -> Place:
        rng = random.Random(derive_seed(self._seed, "draw", batch, group, attempt))
        shares = self._mix.shares if self.curriculum is None else self.curriculum.shares
        (source,) = rng.choices(range(len(shares)), weights=shares)
        return Place(source, rng.randrange(self._mix.sizes[source]))


class Curriculum:
    """Draws more from the sources whose groups teach: those with both right and wrong rollouts.

    Every source keeps a moving average of the share of its groups that were mixed, and begins at 1, so that each is
    tried. A source is drawn in proportion to ``floor + average``: what is too easy or too hard fades to the floor,
    and comes back when the agent has changed enough for its groups to differ.

    Args:
        sources: how many.
        config: floor and memory.
    """

    def __init__(self, sources: int, config: CurriculumConfig) -> None:
        self._config = config
        self.averages = [1.0] * sources

    @property
    def shares(self) -> tuple[float, ...]:
        """How often each source is drawn; they sum to 1."""
        weights = [self._config.floor + average for average in self.averages]
        return tuple(weight / sum(weights) for weight in weights)

    def learn(self, groups: Iterable[tuple[int, bool]]) -> None:
        """Take the groups of a batch into account: the source of each, and whether it was mixed."""
        memory = self._config.memory
        for source, mixed in groups:
            self.averages[source] = memory * self.averages[source] + (1 - memory) * float(mixed)

    def metrics(self) -> dict[str, float]:
        """The averages, as ``curriculum/<source>``."""
        return {f"{PREFIX}{source}": average for source, average in enumerate(self.averages)}

    def restore(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Go on from the last of the lines that a run has logged."""
        for line in log:
            for source in range(len(self.averages)):
                value = line.get(f"{PREFIX}{source}")
                if value is not None:
                    self.averages[source] = float(value)
