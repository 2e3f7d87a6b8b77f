"""Chat completions through LiteLLM: limits, retries, recordings and the ledger in one place."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Any

from pydantic import ValidationError

import mua_env.llm.library as library
import mua_env.llm.loop as loop
from mua_env.errors import DataError, first_fault
from mua_env.llm.cache import ReplyCache
from mua_env.llm.chat import ChatRequest, Completion
from mua_env.llm.endpoint import Endpoint
from mua_env.llm.errors import PASSING, LLMError
from mua_env.llm.estimate import Estimate
from mua_env.llm.ledger import Ledger, Usage
from mua_env.llm.library import import_litellm
from mua_env.llm.settings import LLMSettings
from mua_env.llm.waiting import WaitLimit

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
TURN_S = 0.05
"""How often a call that waits for its share of the budget looks again, in seconds."""

_log = logging.getLogger(__name__)


class LLMClient:
    """Sends requests of many episodes to one model.

    Args:
        settings: model, endpoint, sampling, limits.
        cache: recorded replies, or None to record nothing.
        ledger: counts what is used, and stops the run at its limit.
    """

    def __init__(self, settings: LLMSettings, *, cache: ReplyCache | None = None, ledger: Ledger | None = None) -> None:
        self.settings = settings
        self.cache = cache
        self.ledger = ledger or Ledger()
        self.drops_seed = False
        self._estimate = Estimate(settings)
        self._endpoint = Endpoint(settings)

    async def aready(self) -> None:
        """Load what the first call needs, which takes seconds that are nobody's time for waiting.

        Raises:
            MissingExtra: LiteLLM is not installed.
        """
        self._note_seed(await asyncio.to_thread(import_litellm))

    def wait_limit(self) -> WaitLimit:
        """A new episode's limit for waiting."""
        return WaitLimit(self.settings.deadline_s)

    def complete(self, request: ChatRequest, wait: WaitLimit) -> Completion:
        """The model's reply.

        Raises:
            LLMError: there is none; `kind` says why.
            MissingExtra: LiteLLM is not installed.
        """
        return self._recorded(request) or self._keep(request, loop.run(self._call(request, wait)))

    async def acomplete(self, request: ChatRequest, wait: WaitLimit) -> Completion:
        """`complete` for callers on an event loop, which it never blocks."""
        return self._recorded(request) or self._keep(request, await loop.arun(self._call(request, wait)))

    def _address(self, request: ChatRequest) -> dict[str, Any]:
        settings = self.settings
        seed = {"seed": request.seed} if settings.send_seed else {}
        return {
            "model": settings.model,
            "prompt_version": request.prompt_version,
            "sampling": {**settings.sampling(), **seed},
            "messages": request.messages,
            "tools": request.tools,
            "index": request.index,
        }

    def _recorded(self, request: ChatRequest) -> Completion | None:
        if self.cache is None:
            return None
        stored = self.cache.get(self._address(request))
        if stored is None:
            return None
        try:
            return Completion.model_validate_json(stored)
        except ValidationError as error:
            raise DataError(
                f"{self.cache.folder} holds something that is no reply ({first_fault(error)}); record anew"
            ) from None

    def _keep(self, request: ChatRequest, completion: Completion) -> Completion:
        if self.cache is not None:
            self.cache.put(self._address(request), completion.model_dump_json())
        return completion

    async def _call(self, request: ChatRequest, wait: WaitLimit) -> Completion:
        expected = await self._reserve(request)
        used: Usage | None = None
        try:
            completion = await self._send(request, wait)
            used = completion.usage
        finally:
            self.ledger.settle(expected, used)
        self._estimate.learn(request.messages, request.tools, completion.usage)
        return completion

    async def _reserve(self, request: ChatRequest) -> Usage:
        """Wait until the call fits into the budget beside those in flight; what was set aside for it."""
        while True:
            expected = self._estimate.of(request.messages, request.tools)
            if self.ledger.reserve(expected, guessed=self._estimate.guesses):
                return expected
            await asyncio.sleep(TURN_S)

    async def _send(self, request: ChatRequest, wait: WaitLimit) -> Completion:
        litellm = await asyncio.to_thread(import_litellm)
        self._note_seed(litellm)
        with wait.running() as left:
            try:
                async with asyncio.timeout(left), _slot(self.settings):
                    return await self._attempts(litellm, request, wait, left)
            except TimeoutError:
                raise LLMError("timeout", f"the episode's {wait.limit_s:g} s for waiting are used up") from None

    def _note_seed(self, litellm: Any) -> None:
        if self.drops_seed or not self.settings.send_seed:
            return
        if not library.takes_seed(litellm, self.settings.route(library.providers(litellm))["model"]):
            self.drops_seed = True
            _log.warning("%s takes no seed: replies to the same request may differ", self.settings.model)

    async def _attempts(self, litellm: Any, request: ChatRequest, wait: WaitLimit, left: float) -> Completion:
        from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

        end = asyncio.get_running_loop().time() + left
        rng = random.Random(request.seed)

        def pause(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            if isinstance(error, LLMError) and error.retry_after is not None:
                return error.retry_after
            step: float = FIRST_PAUSE_S * 2 ** (state.attempt_number - 1)
            return min(LONGEST_PAUSE_S, step) * (0.5 + rng.random() / 2)

        def too_late(state: RetryCallState) -> bool:
            return asyncio.get_running_loop().time() + state.upcoming_sleep >= end

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, LLMError) and error.kind in PASSING),
            wait=pause,
            stop=lambda state: stop_after_attempt(self.settings.attempts)(state) or too_late(state),
            sleep=asyncio.sleep,
            reraise=True,
        )
        return await retrying(self._endpoint.ask, litellm, request, self._arguments(litellm, request))

    def _arguments(self, litellm: Any, request: ChatRequest) -> dict[str, Any]:
        settings = self.settings
        return {
            **settings.sampling(),
            **settings.route(library.providers(litellm)),
            **({"tools": request.tools} if request.tools else {}),
            **({"seed": request.seed} if settings.send_seed else {}),
            "timeout": settings.timeout_s,
            "drop_params": True,  # a provider without `seed` is no reason to fail; `drops_seed` says so
            "num_retries": 0,
            "max_retries": 0,
        }


_slots: dict[tuple[int, str, int], asyncio.Semaphore] = {}


def _slot(settings: LLMSettings) -> asyncio.Semaphore:
    """The endpoint's semaphore on the running loop; settings that name another limit share nothing."""
    key = (id(asyncio.get_running_loop()), settings.endpoint, settings.concurrency)
    return _slots.setdefault(key, asyncio.Semaphore(settings.concurrency))
