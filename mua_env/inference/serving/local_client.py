"""A model in this process as the client that LLM users take: same recordings, same ledger, no HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mua_env.llm import ChatRequest, Completion, LLMClient, LLMError, LLMSettings, Usage, WaitLimit
from mua_env.llm.cache import ReplyCache
from mua_env.llm.ledger import Ledger

if TYPE_CHECKING:
    from mua_env.inference.serving.local_model import LocalModel

RETRY_TEMPERATURE = 0.7
"""Of further attempts at a reply, at least: a greedy one would only repeat what was refused."""


class LocalClient(LLMClient):
    """Completes requests by an engine.

    Args:
        model: the engine.
        temperature, top_p, max_tokens: sampling.
        deadline_s: limit for all waiting in one episode, in seconds.
        cache: recorded replies; their address holds the model's fingerprint, not where its folder lies.
        ledger: counts tokens, and may stop the run.
    """

    def __init__(
        self,
        model: LocalModel,
        *,
        temperature: float = 0.0,
        top_p: float = 1.0,
        max_tokens: int = 256,
        deadline_s: float = 300.0,
        cache: ReplyCache | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        from mua_env.inference.serving.decoding import Sampling

        self.model = model
        self._sampling = Sampling(temperature, top_p, max_tokens)
        settings = LLMSettings(
            f"local:{model.name}@{model.fingerprint()}",
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            deadline_s=deadline_s,
        )
        super().__init__(settings, cache=cache, ledger=ledger)

    async def _call(self, request: ChatRequest, wait: WaitLimit) -> Completion:
        from mua_env.inference.serving.decoding import Sampling
        from mua_env.inference.serving.local_model import TooLong

        self.ledger.check()
        if request.tools:
            raise LLMError("bad_request", "a local model behind this client is given no tools")
        base = self._sampling
        # A last message of the assistant's own is the beginning of the reply that is wanted.
        own = request.messages[-1]["role"] == "assistant"
        again = request.index > 0 and not own
        temperature = max(base.temperature, RETRY_TEMPERATURE) if again else base.temperature
        sampling = Sampling(temperature, base.top_p, base.max_tokens, request.seed)
        chat, begin = (request.messages[:-1], request.messages[-1]["content"]) if own else (request.messages, "")
        with wait.running() as left:
            try:
                async with asyncio.timeout(left):
                    reply = await asyncio.wrap_future(self.model.submit(chat, sampling, begin=begin))
            except TimeoutError:
                raise LLMError("timeout", f"the episode's {wait.limit_s:g} s for waiting are used up") from None
            except TooLong as error:
                raise LLMError("context", str(error)) from None
            except RuntimeError as error:
                raise LLMError("server", f"the local model failed: {error}") from error
        usage = Usage(calls=1, prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)
        self.ledger.add(usage)
        return Completion(text=reply.text, finish_reason=reply.finish_reason, usage=usage)
