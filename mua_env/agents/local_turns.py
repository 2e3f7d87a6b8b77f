"""Where the turns of a local agent's dialogue come from: the model in this process, or a vLLM server that has it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mua_env.errors import MuaError
from mua_env.inference.backends.base import TurnRequest
from mua_env.llm.errors import LLMError

if TYPE_CHECKING:
    from mua_env.inference.backends.cache_engine import CacheEngine
    from mua_env.inference.sampling import DecoderStats, SampledTurn


class InProcess:
    """One dialogue's turns from a model in this process."""

    def __init__(self, engine: CacheEngine) -> None:
        self._engine = engine

    def begin(self, temperature: float, seed: int) -> None:
        """Begin a dialogue."""
        self._engine.begin(temperature=temperature, seeds=[seed])
        self._engine.open(0)

    def sample(self, ids: Sequence[int], budget: int) -> SampledTurn:
        """The turn that follows new tokens."""
        return self._engine.sample([TurnRequest(0, ids, budget)])[0]

    @property
    def stats(self) -> DecoderStats:
        """Tokens read and sampled in this dialogue."""
        return self._engine.stats


class OnServer:
    """One dialogue's turns from a vLLM server, whose prefix cache has what was read before."""

    def __init__(self, url: str, end_ids: Sequence[int]) -> None:
        from mua_env.inference.backends.vllm_server import VllmServer

        self._server = VllmServer(url, end_id=end_ids)

    def begin(self, temperature: float, seed: int) -> None:
        """Begin a dialogue."""
        self._server.begin(temperature=temperature, seeds=[seed])

    async def asample(self, ids: Sequence[int], budget: int) -> SampledTurn:
        """`sample` for the event loop.

        Raises:
            LLMError: the server gave no turn (kind ``connection``).
        """
        try:
            return await self._server.sample(0, ids, budget)
        except MuaError as error:
            raise LLMError("connection", str(error)) from error
        finally:
            # A dialogue's end is told to nobody, so no connection is left open for it.
            await self._server.aclose()

    def sample(self, ids: Sequence[int], budget: int) -> SampledTurn:
        """The turn that follows new tokens."""
        return asyncio.run(self.asample(ids, budget))

    @property
    def stats(self) -> DecoderStats:
        """Tokens read and sampled in this dialogue."""
        return self._server.stats
