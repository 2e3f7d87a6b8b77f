"""Chat completions through LiteLLM: limits, retries, recordings and the ledger in one place."""

from __future__ import annotations

import asyncio
import os
import random
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

import mua_env.llm.loop as loop
from mua_env.core.messages import ToolCall
from mua_env.errors import missing_extra
from mua_env.llm.cache import ReplyCache
from mua_env.llm.errors import PASSING, LLMError, classify
from mua_env.llm.ledger import Ledger, Usage
from mua_env.llm.settings import LLMSettings
from mua_env.llm.waiting import WaitLimit

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
THINK_END = "</think>"


class ChatRequest(BaseModel):
    """What is asked of a model.

    Args:
        messages: OpenAI chat form.
        tools: OpenAI function schemas, empty for none.
        seed: forwarded to the endpoint, and to the pauses between retries.
        index: tells repeated requests with equal content apart in a recording.
        prompt_version: of the prompt that the messages were made with.
    """

    model_config = ConfigDict(frozen=True)

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] = Field(default_factory=list)
    seed: int = 0
    index: int = 0
    prompt_version: str = ""


class Completion(BaseModel):
    """A model's reply. `finish_reason` is `length` when it was cut; `text` may be None beside tool calls."""

    model_config = ConfigDict(frozen=True)

    text: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = Usage()


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
        return None if stored is None else Completion.model_validate_json(stored)

    def _keep(self, request: ChatRequest, completion: Completion) -> Completion:
        if self.cache is not None:
            self.cache.put(self._address(request), completion.model_dump_json())
        return completion

    async def _call(self, request: ChatRequest, wait: WaitLimit) -> Completion:
        self.ledger.check()
        litellm = await asyncio.to_thread(import_litellm)
        with wait.running() as left:
            try:
                async with asyncio.timeout(left), _slot(self.settings):
                    completion = await self._attempts(litellm, request, wait, left)
            except TimeoutError:
                raise LLMError("timeout", f"the episode's {wait.limit_s:g} s for waiting are used up") from None
        self.ledger.add(completion.usage)
        return completion

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
        arguments = self._arguments(litellm, request)
        return await retrying(_one_attempt, litellm.acompletion, arguments, self.settings.timeout_s)

    def _arguments(self, litellm: Any, request: ChatRequest) -> dict[str, Any]:
        settings = self.settings
        providers = frozenset(str(getattr(item, "value", item)) for item in litellm.provider_list)
        return {
            **settings.sampling(),
            **settings.route(providers),
            "messages": request.messages,
            **({"tools": request.tools} if request.tools else {}),
            **({"seed": request.seed} if settings.send_seed else {}),
            "timeout": settings.timeout_s,
            "drop_params": True,  # a provider without `seed` is no reason to fail
            "num_retries": 0,
            "max_retries": 0,
        }


def import_litellm() -> Any:
    """LiteLLM, without its fetch of a price list from the network.

    Raises:
        MissingExtra: it is not installed.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # Importing it makes pydantic warn a dozen times of its own types.
    warnings.filterwarnings("ignore", message=r".*`ReadOnly` qualifier", category=UserWarning)
    try:
        import litellm
        import tenacity  # noqa: F401
    except ImportError as error:
        raise missing_extra("llm", needed_by="a language model through LiteLLM") from error
    litellm.suppress_debug_info = True
    return litellm


async def _one_attempt(
    acompletion: Callable[..., Awaitable[Any]], arguments: Mapping[str, Any], timeout_s: float
) -> Completion:
    # The client's own timeout is per read: a body that drips in defeats it.
    try:
        async with asyncio.timeout(timeout_s):
            response = await acompletion(**arguments)
    except Exception as error:
        raise classify(error) from error
    return _read(response)


def _read(response: Any) -> Completion:
    choices: Sequence[Any] = getattr(response, "choices", None) or ()
    if not choices:
        raise LLMError("server", "the endpoint's answer holds no choice")
    message = choices[0].message
    calls = tuple(
        ToolCall.model_validate(
            {
                "id": call.id or "",
                "function": {"name": call.function.name or "", "arguments": call.function.arguments},
            }
        )
        for call in message.tool_calls or ()
    )
    return Completion(
        text=_spoken(message.content),
        tool_calls=calls,
        finish_reason=str(choices[0].finish_reason or "stop"),
        usage=_usage(response),
    )


def _spoken(text: str | None) -> str | None:
    """What is said aloud. LiteLLM takes `<think>...</think>` out; some templates have models write only its end."""
    if text is None or THINK_END not in text:
        return text
    return text.rpartition(THINK_END)[2].lstrip()


def _usage(response: Any) -> Usage:
    usage = getattr(response, "usage", None)
    cost = getattr(response, "_hidden_params", {}).get("response_cost")
    return Usage(
        calls=1,
        prompt_tokens=int(getattr(usage, "prompt_tokens", 0) or 0),
        completion_tokens=int(getattr(usage, "completion_tokens", 0) or 0),
        cost_usd=float(cost or 0.0),
    )


_slots: dict[tuple[int, str, int], asyncio.Semaphore] = {}


def _slot(settings: LLMSettings) -> asyncio.Semaphore:
    """The endpoint's semaphore on the running loop; settings that name another limit share nothing."""
    key = (id(asyncio.get_running_loop()), settings.endpoint, settings.concurrency)
    return _slots.setdefault(key, asyncio.Semaphore(settings.concurrency))
