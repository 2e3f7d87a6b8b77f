"""One request to an endpoint through LiteLLM: what came back, or what its refusal means for this request."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import mua_env.llm.library as library
from mua_env.core.messages import ToolCall
from mua_env.core.thoughts import spoken
from mua_env.llm.answers import Answer, heard
from mua_env.llm.chat import ChatRequest, Completion, sendable, wordless_calls
from mua_env.llm.errors import LLMError
from mua_env.llm.estimate import rough_tokens
from mua_env.llm.faults import RefusedCall, classify, lasting
from mua_env.llm.ledger import Usage
from mua_env.llm.overflow import Asked, only_the_reply, overflows
from mua_env.llm.settings import LLMSettings


class Endpoint:
    """A model at its endpoint, with what the answers so far have told of it.

    Args:
        settings: of the model.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._window: int | None = None
        self._asked_window = False
        self._taken = 0
        self._beside_calls: str | None = None

    async def ask(self, litellm: Any, request: ChatRequest, arguments: Mapping[str, Any]) -> Completion:
        """Send a request once; a second time where a server seems to mind how wordless calls are written.

        Args:
            litellm: the library.
            request: what is asked.
            arguments: for LiteLLM, but for the messages.

        Raises:
            LLMError: there is no reply; `kind` says why.
        """
        first = self._beside_calls  # another request may change it meanwhile
        try:
            return await self._send(litellm, request, arguments, first)
        except RefusedCall as error:
            if not (_of_form(error) and wordless_calls(request.messages)):
                raise
            other = "" if first is None else None
            try:
                reply = await self._send(litellm, request, arguments, other)
            except LLMError:
                raise error from None
            self._beside_calls = other
            return reply

    async def _send(
        self, litellm: Any, request: ChatRequest, arguments: Mapping[str, Any], beside_calls: str | None
    ) -> Completion:
        answer = Answer()
        token = heard.set(answer)
        try:
            # The client's own timeout is per read: a body that drips in defeats it.
            async with asyncio.timeout(self._settings.timeout_s):
                messages = sendable(request.messages, beside_calls=beside_calls)
                response = await litellm.acompletion(messages=messages, **arguments)
            reply = read_reply(response, answer)
        except Exception as error:
            # Without the original error: its text, in a printed traceback, may hold the key.
            raise await self._by_length(litellm, request, classify(error, answered=answer.taken)) from None
        finally:
            heard.reset(token)
        self._taken = max(self._taken, rough_tokens(request.messages, request.tools))
        return reply

    async def _by_length(self, litellm: Any, request: ChatRequest, error: LLMError) -> LLMError:
        """The error, or the right one where the request's own length says more of it than the endpoint's words."""
        if not isinstance(error, RefusedCall) or error.kind not in ("bad_request", "server", "context"):
            return error
        evidence = error.evidence
        asked = await asyncio.to_thread(self._measure, litellm, request)
        if overflows(evidence, asked, window=await self._reads(litellm)):
            return RefusedCall("context", error.message, evidence)
        if error.kind != "context":
            return error
        reason = "max_tokens is too large: " if only_the_reply(evidence, asked) else ""
        return RefusedCall(lasting(evidence), reason + error.message, evidence)

    def _measure(self, litellm: Any, request: ChatRequest) -> Asked:
        tokens = library.count_tokens(litellm, request)
        rough = rough_tokens(request.messages, request.tools)
        said = [message for message in request.messages if message.get("role") != "system"]
        return Asked(
            tokens=tokens,
            dialogue=rough_tokens(said, []) * tokens // max(1, rough),
            characters=sum(len(str(part)) for part in (*request.messages, *request.tools)),
            opening=not any(message.get("role") == "assistant" for message in said),
            room=self._settings.max_tokens or 0,
            taken=self._taken * tokens // max(1, rough),
        )

    async def _reads(self, litellm: Any) -> int | None:
        if not self._asked_window:
            self._window = await library.window_of(litellm, self._settings)
            self._asked_window = True
        return self._window


def _of_form(error: RefusedCall) -> bool:
    """Whether a refusal may be for how a message is written."""
    return error.kind in ("bad_request", "server") and error.evidence.status in (400, 422, 500)


def read_reply(response: Any, answer: Answer) -> Completion:
    """What LiteLLM has read.

    Raises:
        LLMError: it holds no reply.
    """
    choices = getattr(response, "choices", None) or ()
    if not choices:
        raise LLMError("server", "the endpoint's answer holds no choice")
    message = choices[0].message
    calls = []
    for call in message.tool_calls or ():
        function = getattr(call, "function", None)
        text = answer.arguments(getattr(function, "arguments", None) or "{}")
        name = getattr(function, "name", None) or ""
        calls.append(ToolCall.model_validate({"id": call.id or "", "function": {"name": name, "arguments": text}}))
    return Completion(
        text=_spoken(message.content),
        tool_calls=tuple(calls),
        finish_reason=str(choices[0].finish_reason or "stop"),
        usage=_usage(response),
        thinking_blocks=tuple(dict(block) for block in getattr(message, "thinking_blocks", None) or ()),
    )


def _spoken(text: str | None) -> str | None:
    """What is said aloud. LiteLLM takes out a thought at the beginning that has both its ends, and no other."""
    return None if text is None else spoken(text)


def _usage(response: Any) -> Usage:
    usage = getattr(response, "usage", None)
    cost = getattr(response, "_hidden_params", {}).get("response_cost")
    return Usage(
        calls=1,
        prompt_tokens=int(getattr(usage, "prompt_tokens", 0) or 0),
        completion_tokens=int(getattr(usage, "completion_tokens", 0) or 0),
        cost_usd=float(cost or 0.0),
    )
