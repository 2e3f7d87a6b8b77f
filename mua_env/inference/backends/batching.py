"""Turns of many dialogues through an engine that advances all of them together, one token a step.

Dialogues join the engine and leave it between steps, so a slow user keeps nobody waiting: as long as one
dialogue has something to sample, the engine works.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Protocol

from mua_env.errors import ConfigError
from mua_env.inference.backends.base import TurnRequest

if TYPE_CHECKING:
    from mua_env.inference.sampling import DecoderStats, SampledTurn


class Engine(Protocol):
    """Advances turns, a token each a step."""

    @property
    def stats(self) -> DecoderStats:
        """As `Backend.stats`."""

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """As `Backend.begin`."""

    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        """Take new requests in, sample a token for every turn under way, and return the turns that ended."""

    def drop(self, rows: Iterable[int]) -> None:
        """As `Backend.drop`; such rows have no turn under way."""

    def close(self) -> None:
        """Release memory. May be called again."""


class Batcher:
    """A `Backend` over an `Engine`.

    Requests are taken in together where that costs little: at once when the engine is idle or at least a fourth
    of what it has under way is waiting, and otherwise after ``patience`` steps (one while users are slow), because
    reading is a pass of its own.

    As long as all users answer at once, so that nothing is waited for, what is sampled together depends on the
    dialogues alone. From the first user on who does not, steps run in a thread, and answers are made into tokens
    and connections served meanwhile.

    Args:
        engine: does the work.
        patience: most steps that a request waits for company.
    """

    def __init__(self, engine: Engine, *, patience: int = 4) -> None:
        self.engine, self._patience = engine, patience
        self._thread: ThreadPoolExecutor | None = None
        self._pump: asyncio.Task[None] | None = None
        self._reset(0)

    @property
    def stats(self) -> DecoderStats:
        """As `Backend.stats`."""
        return self.engine.stats

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """As `Backend.begin`."""
        self._reset(len(seeds))
        self.engine.begin(temperature=temperature, seeds=seeds)

    async def sample(self, row: int, ids: Sequence[int], budget: int) -> SampledTurn:
        """As `Backend.sample`.

        Raises:
            ConfigError: nothing to read or to sample, or the row has a turn under way already.
        """
        request = TurnRequest(row, ids, budget)
        if row in self._promised:
            raise ConfigError(f"row {row} asked for a turn while its last one is under way")
        promised: asyncio.Future[SampledTurn] = asyncio.get_running_loop().create_future()
        self._promised[row] = promised
        self._queue.append(request)
        if self._pump is None or self._pump.done():
            self._pump = asyncio.create_task(self._run())
        return await promised

    def drop(self, row: int) -> None:
        """As `Backend.drop`."""
        self._gone.add(row)
        self._alive.discard(row)

    async def aclose(self) -> None:
        """As `Backend.aclose`."""
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None
        self.engine.close()

    def _reset(self, rows: int) -> None:
        self._queue: list[TurnRequest] = []
        self._promised: dict[int, asyncio.Future[SampledTurn]] = {}
        self._alive = set(range(rows))
        self._slow = False
        self._gone: set[int] = set()
        self._waited = 0
        self._pump = None

    async def _run(self) -> None:
        """Step until nothing is asked for."""
        try:
            while True:
                if not self._slow:
                    # Users who answer at once have answered after this, and their dialogues have asked again.
                    await asyncio.sleep(0)
                    self._slow = len(self._alive) > len(self._promised)
                if not self._promised:
                    return
                for row, turn in (await self._step()).items():
                    promised = self._promised.pop(row)
                    if not promised.done():  # as it is when its dialogue was cancelled
                        promised.set_result(turn)
        except BaseException as error:
            for promised in self._promised.values():
                if not promised.done():
                    promised.set_exception(error)
            self._promised.clear()
            self._queue.clear()
            if not isinstance(error, Exception):
                raise

    async def _step(self) -> Mapping[int, SampledTurn]:
        gone, self._gone = self._gone, set()
        self.engine.drop(sorted(gone))
        step = partial(self.engine.step, self._admit())
        if not self._slow:
            return step()
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "mua-env-sampling")
        return await asyncio.get_running_loop().run_in_executor(self._thread, step)

    def _admit(self) -> list[TurnRequest]:
        waiting = len(self._queue)
        under_way = len(self._promised) - waiting
        patience = min(1, self._patience) if self._slow else self._patience
        if waiting and 4 * waiting < under_way and self._waited < patience:
            self._waited += 1
            return []
        admitted, self._queue, self._waited = self._queue, [], 0
        return admitted
