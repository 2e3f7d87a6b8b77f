"""Exceptions of LiteLLM read as kinds of faults.

LiteLLM gives one class for many things (a missing key is an `InternalServerError`, a context that overflows a
`BadRequestError`) and drops what the endpoint said beside its message, so the whole chain of exceptions is read: the
status of the response, the machine-readable codes of its body, the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mua_env.core.outside import line
from mua_env.core.redaction import scrub
from mua_env.llm.errors import Kind, LLMError
from mua_env.llm.overflow import names_context, speaks_of_length

_CHAIN = 8
_DEPTH = 12
"""Mappings within JSON texts within mappings: a gateway hands on what it got as a string."""
_CODES = ("code", "type", "status", "error_type", "reason")
"""What stands under these is a code where it is one word."""
_KEY_CODES = (
    *("api_key", "apikey", "authenticat", "unauthorized", "credential", "access_token", "invalid_token"),
    *("subscription_key", "unrecognizedclient", "expiredtoken", "signaturedoesnotmatch", "accessdenied"),
)
_MONEY_CODES = (
    *("insufficient", "billing", "quota_exceeded", "exceeded_current_quota", "budget_exceeded", "arrear"),
    *("payment", "credits", "usage_limit", "balance"),
)
_READ = 20_000
"""Characters of a server's error that are looked at."""
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST = 4000
"""Characters of a message that are read: some servers send the whole request back."""

_KEY = (
    r"(?:api[ _-]?key|x-api-key|credentials?|access token|subscription key|"
    r"auth(?:entication|orization)? (?:token|header))"
)
_LACKS = r"(?:missing|incorrect|invalid|wrong|expired|no|provide|set|locate|not valid|not found|not set|required)"
_KEYS = re.compile(rf"\b{_LACKS}\W+(?:\w+\W+){{0,4}}?{_KEY}|{_KEY}\W+(?:\w+\W+){{0,5}}?{_LACKS}\b", re.IGNORECASE)
_EMPTY_ACCOUNT = re.compile(
    r"\b(?:insufficient|exceed\w*|exhausted|too low|out of|no|not enough)\W+(?:\w+\W+){0,3}?"
    r"(?:quota|credits?|balance|funds)\b|"
    r"\b(?:quota|credits?|balance|funds)\W+(?:\w+\W+){0,3}?(?:insufficient|exceeded|exhausted|too low)\b|"
    r"\b(?:more|add|buy|purchase|top.?up|recharge|run out of)\W+(?:\w+\W+){0,3}?(?:credits?|balance|funds)\b|"
    r"\b(?:usage|spend(?:ing)?|monthly|hard) (?:limits?|caps?|quota)\b|\bbudget\W+(?:\w+\W+){0,2}?exceeded\b|"
    r"insufficient_quota|\bbilling\b|\bpayment (?:required|method)|\brecharge\b|\barrear",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:try again|retry\w*|wait) (?:in|after|for)?\s?(?:about |another )?(?:\d|an?\b|some\b)|"
    r"\bper[ _-]?(?:second|minute|min|hour|day)\b|\brate.?limit|\bplease wait\b|\btpm\b",
    re.IGNORECASE,
)
_LAYERS = re.compile(
    r"^(?:litellm\.\w+: |\w+(?:Error|Exception): |\w+(?:Error|Exception) -(?: |$)|Error code: \d+ - )+"
)
_NUMBER = re.compile(r"(?<![\w.\-/#])(?<!\w\[)\d+(?:[,_]\d{3})*(?![\w-]|\.\d)")


@dataclass(frozen=True)
class Evidence:
    """What a chain of exceptions says.

    Attributes:
        status: of the endpoint's answer, as the innermost exception has it; None where none was got.
        names: of the exceptions' classes.
        codes: what bodies hold under `code`, `type` and the like.
        text: the endpoint's own words, one after another.
        fields: whole numbers that bodies hold by themselves, as ``n_ctx``.
        retry_after: the pause that it asks for, in seconds.
    """

    status: int | None
    names: frozenset[str]
    codes: frozenset[str]
    text: str
    fields: frozenset[int] = frozenset()
    retry_after: float | None = None

    @classmethod
    def of(cls, error: BaseException) -> Evidence:
        """Of an exception and all that it was raised from."""
        chain = list(_chain(error))
        found = [part for item in chain for part in _parts(item)]
        codes = {str(value).lower() for key, value in found if _is_code(key, value)}
        # Each layer repeats the words of the one inside it.
        texts: list[str] = []
        for key, value in found:
            # Keys go before the text is cut: half a key at its end would be found by nothing.
            said = str(value)[:_READ].partition(_TRACEBACK)[0]  # LiteLLM appends its own, source lines and all
            words = _LAYERS.sub("", " ".join(scrub(said).split())[:_LONGEST])
            if isinstance(value, int) or _is_code(key, value) or not words:
                continue
            if not any(words in text for text in texts):
                texts.append(words)
        statuses = [item.status_code for item in chain if isinstance(getattr(item, "status_code", None), int)]
        names = frozenset(kind.__name__ for item in chain for kind in type(item).__mro__)
        fields = frozenset(value for key, value in found if isinstance(value, int) and not _is_code(key, value))
        status = statuses[-1] if statuses else None
        return cls(status, names, frozenset(codes), " | ".join(texts), fields, _pause(chain))

    @property
    def numbers(self) -> list[int]:
        """The whole numbers of text and fields, but for the status."""
        said = [int(re.sub(r"\D", "", number)) for number in _NUMBER.findall(self.text) if len(number) < 12]
        return [number for number in (*said, *self.fields) if number != self.status]


class RefusedCall(LLMError):
    """A call that an endpoint refused, with what its refusal says (``evidence``)."""

    def __init__(self, kind: Kind, message: str, evidence: Evidence) -> None:
        super().__init__(kind, message, retry_after=evidence.retry_after)
        self.evidence = evidence


def classify(error: Exception, *, answered: bool = False) -> LLMError:
    """The `LLMError` for an exception of LiteLLM or of the event loop, by what it says.

    Args:
        error: the exception.
        answered: whether the endpoint took the request, so that its answer is what could not be read.
    """
    if isinstance(error, LLMError):
        return error
    if isinstance(error, TimeoutError):
        return LLMError("timeout", "no complete answer within the time limit")
    evidence = Evidence.of(error)
    kind = _kind(evidence)
    if answered and (evidence.status is None or evidence.status >= 500):
        return LLMError("server", f"the endpoint's answer is no completion: {shown(evidence, error)}")
    return RefusedCall(kind, shown(evidence, error), evidence)


def shown(evidence: Evidence, error: Exception, limit: int = 300) -> str:
    """What a person reads of it, on one line."""
    return line(evidence.text or type(error).__name__, limit)


def _kind(evidence: Evidence) -> Kind:
    """The kind by status, codes and words; ``context`` is a suspicion, to be held against the request."""
    status, names, text = evidence.status, evidence.names, evidence.text
    if {"Timeout", "APITimeoutError"} & names or status == 408:
        return "timeout"
    if status in (401, 403) or "AuthenticationError" in names or _is_key(evidence):
        return "auth"
    if status == 402 or _is_quota(evidence):
        return "quota"
    later = _LATER.search(text) is not None or evidence.retry_after is not None
    limited = status == 429 or "RateLimitError" in names or any("rate_limit" in code for code in evidence.codes)
    if limited and (later or not (names_context(evidence) or status == 413)):
        return "rate_limit"
    if status not in (404, 503) and (speaks_of_length(evidence) or "ContextWindowExceededError" in names):
        return "context"
    return lasting(evidence)


def lasting(evidence: Evidence) -> Kind:
    """What a refusal is that is neither for keys, money and rates nor for length."""
    if "Connection error" in evidence.text or {"APIConnectionError", "ConnectError"} & evidence.names:
        return "connection"
    return "server" if evidence.status is not None and evidence.status >= 500 else "bad_request"


def _is_code(key: str, value: Any) -> bool:
    return key in _CODES and " " not in str(value).strip()


def _is_key(evidence: Evidence) -> bool:
    known = evidence.status is None or evidence.status < 500
    if known and any(word in code for code in evidence.codes for word in _KEY_CODES):
        return True
    return _KEYS.search(evidence.text) is not None


def _is_quota(evidence: Evidence) -> bool:
    if evidence.status is None or evidence.status >= 500:
        return False
    if any(word in code for code in evidence.codes for word in _MONEY_CODES):
        return True
    promised = evidence.retry_after is not None or _LATER.search(evidence.text)
    return not promised and _EMPTY_ACCOUNT.search(evidence.text) is not None


def _chain(error: BaseException) -> Iterator[Any]:
    item: BaseException | None = error
    seen: set[int] = set()
    while item is not None and id(item) not in seen and len(seen) < _CHAIN:
        seen.add(id(item))
        yield item
        item = item.__cause__ or item.__context__


def _parts(error: Any) -> Iterator[tuple[str, Any]]:
    """Keys and values of all that an exception holds: its text, the JSON inside it, its body."""
    if any(
        kind.__name__ == "HTTPStatusError" for kind in type(error).__mro__
    ):  # httpx: a status, and where its meaning can be looked up
        return
    text = str(error)
    yield from _leaves("", text)
    for name in ("body", "message"):
        value = getattr(error, name, None)
        if isinstance(value, str | dict | list) and value != text:
            yield from _leaves("", value)


def _leaves(key: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list) and depth < _DEPTH:
        pairs = value.items() if isinstance(value, dict) else (("", item) for item in value)
        for name, inner in pairs:
            yield from _leaves(str(name).lower(), inner, depth + 1)
    elif isinstance(value, str):
        before, inside = _json_in(value)
        if inside is not None and depth < _DEPTH:
            yield key, before
            yield from _leaves(key, inside, depth + 1)
        else:
            yield key, value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield key, value


def _json_in(text: str) -> tuple[str, Any]:
    start = text.find("{")
    if start < 0 or len(text) > 100_000:
        return text, None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return text, None
    return text[:start], value


def _pause(chain: list[Any]) -> float | None:
    for item in chain:
        headers = getattr(getattr(item, "response", None), "headers", None) or getattr(item, "headers", None)
        value = headers.get("retry-after") if headers is not None else None
        try:
            if value is not None:
                return max(0.0, float(value))
        except ValueError:  # an HTTP date: rare, and our own backoff serves as well
            continue
    return None
