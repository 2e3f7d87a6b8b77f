"""Generated tasks: the part of a generator that does not depend on the domain, and the online source of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, overload

from mua_env.core.tasks import Request, Task
from mua_env.domain.verifier import Candidate, Verifier, verified
from mua_env.errors import TaskError

if TYPE_CHECKING:
    from mua_env.domain.contract import Domain

_BLOCK = 16
_KEPT_BLOCKS = 256
_MOST_REPEATED = 200
_MOST_PASSED_OVER = 1000


@dataclass(frozen=True)
class Level:
    """What the tasks of a level are made of.

    Attributes:
        requests: numbers of requests to draw from.
        intents: those of the requests.
        twists: how many a task has, drawn from ``kinds``; with ``maybe`` each is left out half the time.
        personas: the users' ways to speak.
        noise: share of words with a slip, 0 to 1.
    """

    requests: tuple[int, ...]
    intents: tuple[str, ...]
    twists: int = 0
    kinds: tuple[str, ...] = ()
    maybe: bool = False
    personas: tuple[str, ...] = ("plain", "polite", "terse", "chatty", "confused", "impatient")
    noise: float = 0.0

    def draw_kinds(self, rng: Random) -> list[str]:
        """The twists of one task."""
        kinds = rng.sample(self.kinds, min(self.twists, len(self.kinds)))
        return [kind for kind in kinds if rng.random() < 0.5] if self.maybe else kinds


class TaskGenerator(ABC):
    """Makes verified tasks over one database; a domain says what it proposes.

    Attributes:
        levels: the levels that there are.
        splits: the splits that there are.
        attempts: how many candidates to try for one task.
        verifier: judges the candidates.
    """

    levels: ClassVar[Sequence[int]]
    splits: ClassVar[Sequence[str]] = ("train", "test")
    attempts: ClassVar[int]
    verifier: Verifier

    @abstractmethod
    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate | None:
        """One draw of a candidate, ``None`` where the draw comes to nothing; equal arguments give equal draws."""

    def task(self, *, level: int, seed: int, split: str, index: int) -> Task:
        """The task at a position of an endless sequence; it depends on nothing but the arguments and the data.

        Raises:
            TaskError: the level or split is unknown, or the data yields no sound task.
        """
        if level not in self.levels:
            raise TaskError(f"level is {level}; there are {', '.join(map(str, self.levels))}")
        if split not in self.splits:
            raise TaskError(f"split is {split!r}; there are {' and '.join(map(repr, self.splits))}")

        def propose(attempt: int) -> Candidate | None:
            return self.propose(level, seed, split, index, attempt)

        return verified(propose, self.verifier, attempts=self.attempts).task

    def stream(self, *, level: int, seed: int, split: str) -> Iterator[Task]:
        """:meth:`task` at 0, 1, 2, ..., without those whose goal came up before."""
        seen: set[tuple[str | None, str]] = set()
        repeated = 0
        for index in count():
            task = self.task(level=level, seed=seed, split=split, index=index)
            key = (task.user_id, task.goal.model_dump_json(include={"requests"}) if task.goal else "")
            repeated = repeated + 1 if key in seen else 0
            if repeated > _MOST_REPEATED:
                raise TaskError(f"level {level} of {split!r} has no more than {len(seen)} different tasks")
            if not repeated:
                seen.add(key)
                yield task


@dataclass(frozen=True)
class _Block:
    """The first tasks of a block, and where the others come from."""

    tasks: list[Task]
    further: Iterator[Task]


class GeneratedTasks(Sequence[Task]):
    """An endless sequence of tasks, made when they are asked for.

    Position ``i`` is always the same task for the same options, in any process and in any order of access: tasks come
    in blocks of 16, each from a seed of its own, made as far as they are asked for. The last 256 blocks are kept.

    Args:
        domain: what generates them.
        source: the source it was asked for by, for messages.
        options: ``level`` (default 1), ``seed`` (default 0), ``split`` (default ``train``), ``count`` (length that
            ``len`` reports and random choice draws from, see :meth:`drawn`; default 1,000,000), ``only`` (intents
            joined by ``+``, a question's topic as ``ask.order_status``: tasks whose requests are all of these; default
            all), ``reads`` (tasks whose gold looks something up so often, or more; default 0), ``world`` (the domain
            has seen to it).

    Raises:
        TaskError: an option is unknown or has a wrong value.
    """

    def __init__(self, domain: Domain, source: str, options: dict[str, str]) -> None:
        known = {"level": "1", "seed": "0", "split": "train", "count": "1000000", "only": "", "reads": "0", "world": ""}
        unknown = sorted(options.keys() - known.keys())
        if unknown:
            raise TaskError(f"task source {source!r}: unknown option {unknown[0]!r}; there are {', '.join(known)}")
        values = {**known, **options}
        try:
            numbers = (int(values[name]) for name in ("level", "seed", "count", "reads"))
            self._level, self._seed, self._count, self._reads = numbers
        except ValueError:
            raise TaskError(
                f"task source {source!r}: level, seed and count are whole numbers, and so is reads"
            ) from None
        if self._count < 1:
            raise TaskError(f"task source {source!r}: count is {self._count}; it must be at least 1")
        self._domain, self._given = domain, (source, dict(options))
        self._split = values["split"]
        self._only = frozenset(filter(None, values["only"].split("+")))
        self._blocks: dict[int, _Block] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[GeneratedTasks], tuple[Domain, str, dict[str, str]]]:
        return GeneratedTasks, (self._domain, *self._given)

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
        with self._lock:
            return self._made(block, offset)

    def drawn(self, position: int) -> Task:
        """The task that a random position stands for.

        Where more tasks are drawn from than are kept, it is the first of the position's block, which is made without
        the up to fifteen before it: the cost of a reset is that of one task.
        """
        return self[position if self._count <= _BLOCK * _KEPT_BLOCKS else position - position % _BLOCK]

    def __iter__(self) -> Iterator[Task]:
        return (self[i] for i in range(self._count))

    def _made(self, number: int, offset: int) -> Task:
        block = self._blocks.get(number)
        if block is None:
            seed = (self._seed << 32) + number
            made = self._domain.generate(level=self._level, seed=seed, split=self._split)
            block = self._blocks[number] = _Block([], self._chosen(made))
            if len(self._blocks) > _KEPT_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
        try:
            block.tasks.extend(islice(block.further, max(0, offset + 1 - len(block.tasks))))
        except BaseException:
            # Its iterator has ended with the error; asked again, the block must raise it again.
            del self._blocks[number]
            raise
        return block.tasks[offset]

    def _chosen(self, made: Iterator[Task]) -> Iterator[Task]:
        """Those that ``only`` and ``reads`` let through."""
        passed = 0
        for task in made:
            if (not self._only or _intents(task) <= self._only) and self._reads_enough(task):
                passed = 0
                yield task
            elif (passed := passed + 1) > _MOST_PASSED_OVER:
                raise TaskError(
                    f"only={'+'.join(sorted(self._only))}, reads={self._reads}: none of {passed} tasks of level "
                    f"{self._level} in a row is so"
                )

    def _reads_enough(self, task: Task) -> bool:
        """Whether the gold looks something up so often as was asked for."""
        if self._reads <= 0:
            return True
        specs = self._domain.toolkit.specs
        return sum(action.name in specs and not specs[action.name].writes for action in task.actions) >= self._reads


def _intents(task: Task) -> set[str]:
    """The intents of a task's requests, those of fallbacks included; a question's with its topic."""
    found = set()
    for request in task.goal.requests if task.goal else ():
        part: Request | None = request
        while part is not None:
            topic = part.slots.get("topic")
            found.add(f"{part.intent}.{topic}" if topic else part.intent)
            part = part.fallback
    return found
