"""What can go wrong between here and a language model, and whether trying again can help."""

from __future__ import annotations

from typing import Any, Literal

from mua_env.core.outside import line
from mua_env.core.redaction import scrub
from mua_env.errors import MuaError

Kind = Literal[
    "timeout",  # the endpoint did not answer in time, or the episode's time for waiting is used up
    "connection",
    "rate_limit",
    "server",  # 5xx, or a body that is no completion
    "auth",
    "bad_request",
    "context",  # the conversation is longer than the model takes
    "quota",  # 429 that no waiting mends: the account is empty
    "budget",  # this run's own limit of money or tokens
    "replay_miss",  # a recording was asked for a reply that it does not hold
]

_READ = 20_000
"""Characters of a server's error that are looked at."""
PASSING: frozenset[Kind] = frozenset({"timeout", "connection", "rate_limit", "server"})
"""The kinds that may pass by themselves; only these are tried again."""


class LLMError(MuaError):
    """A language model gave no reply.

    `kind` says why; `retry_after` is the pause that the endpoint asked for, in seconds. The text holds no keys, which
    some servers echo.
    """

    def __init__(self, kind: Kind, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{kind}: {scrub(message)}")
        self.kind: Kind = kind
        self.retry_after = retry_after


def classify(error: Exception) -> LLMError:
    """The `LLMError` for an exception of LiteLLM or of the event loop."""
    if isinstance(error, LLMError):
        return error
    if isinstance(error, TimeoutError):
        return LLMError("timeout", "no complete answer within the time limit")
    # Keys go before the text is cut: half a key at its end would be found by nothing.
    text = _one_line(scrub(str(error)[:_READ])) or type(error).__name__
    return LLMError(_kind(error, text), text, retry_after=_retry_after(error))


def _kind(error: Exception, text: str) -> Kind:
    names = {cls.__name__ for cls in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if "ContextWindowExceededError" in names:
        return "context"
    if "Timeout" in names or "APITimeoutError" in names or status == 408:
        return "timeout"
    if status == 429 or "RateLimitError" in names:
        return "quota" if "insufficient_quota" in text else "rate_limit"
    if status in (401, 403):
        return "auth"
    if "Connection error" in text or "APIConnectionError" in names:
        return "connection"
    if isinstance(status, int) and status >= 500:
        return "server"
    return "bad_request"


def _retry_after(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    try:
        return None if value is None else max(0.0, float(value))
    except ValueError:  # an HTTP date: rare, and our own backoff serves as well
        return None


def _one_line(text: str, limit: int = 300) -> str:
    return line(text, limit)
