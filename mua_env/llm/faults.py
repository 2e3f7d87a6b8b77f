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

_CHAIN = 8
_DEPTH = 12
"""Mappings within JSON texts within mappings: a gateway hands on what it got as a string."""
_CODES = ("code", "type", "status", "error_type")
_READ = 20_000
"""Characters of a server's error that are looked at."""
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST = 4000
"""Characters of a message that are read: some servers send the whole request back."""

_KEY = r"(?:api[ _-]?key|x-api-key|credentials?|access token|auth(?:entication|orization)? (?:token|header))"
_LACKS = r"(?:missing|incorrect|invalid|wrong|expired|no|provide|set|locate|not valid|not found|not set|required)"
_KEYS = re.compile(rf"\b{_LACKS}\W+(?:\w+\W+){{0,4}}?{_KEY}|{_KEY}\W+(?:\w+\W+){{0,3}}?{_LACKS}\b", re.IGNORECASE)
_EMPTY_ACCOUNT = re.compile(
    r"\b(?:insufficient|exceed\w*|exhausted|too low|out of|no|not enough)\W+(?:\w+\W+){0,3}?"
    r"(?:quota|credits?|balance|funds)\b|"
    r"\b(?:quota|credits?|balance|funds)\W+(?:\w+\W+){0,3}?(?:insufficient|exceeded|exhausted|too low)\b|"
    r"insufficient_quota|billing",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:try again|retry)\w* (?:in|after)\b|\bper (?:second|minute|hour|day)\b|\brate.?limit", re.IGNORECASE
)
_SIZE = re.compile(r"\b(?:context|prompt|inputs?|sequence|tokens?|conversation)\b", re.IGNORECASE)
_MEASURE = re.compile(r"\b(?:context|length|long\w*|windows?|size|tokens?|short\w*)\b", re.IGNORECASE)
_BEYOND = re.compile(
    r"\b(?:exceed\w*|over(?:flow|run)\w*|longer|larger|greater|bigger|more|less|fewer) ?(?:than)?\b|"
    r"\btoo (?:long|large|big|many)\b|\bmax(?:imum|imal)?\b|\blimit\w*\b|\bnot enough\b|"
    r"\b(?:reduce|shorten|truncate)\b|"
    r"\b(?:does not|doesn't|cannot|can't) fit\b|\breached\b|\bout of\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(r"\bmax(?:_completion|_output|_new)?_tokens\b|\bcompletion tokens\b", re.IGNORECASE)
_LAYERS = re.compile(
    r"^(?:litellm\.\w+: |\w+(?:Error|Exception): |\w+(?:Error|Exception) -(?: |$)|Error code: \d+ - )+"
)
_NUMBER = re.compile(r"\d+(?:[,_]\d{3})*")


@dataclass(frozen=True)
class Evidence:
    """What a chain of exceptions says.

    Attributes:
        status: of the endpoint's answer, as the innermost exception has it; None where none was got.
        names: of the exceptions' classes.
        codes: what bodies hold under `code`, `type` and the like.
        text: the endpoint's own words, one after another.
        retry_after: the pause that it asks for, in seconds.
    """

    status: int | None
    names: frozenset[str]
    codes: frozenset[str]
    text: str
    retry_after: float | None = None

    @classmethod
    def of(cls, error: BaseException) -> Evidence:
        """Of an exception and all that it was raised from."""
        chain = list(_chain(error))
        found = [part for item in chain for part in _parts(item)]
        codes = {str(value).lower() for key, value in found if key in _CODES}
        # Each layer repeats the words of the one inside it.
        texts: list[str] = []
        for key, value in found:
            # Keys go before the text is cut: half a key at its end would be found by nothing.
            said = str(value)[:_READ].partition(_TRACEBACK)[0]  # LiteLLM appends its own, source lines and all
            words = _LAYERS.sub("", " ".join(scrub(said).split())[:_LONGEST])
            if key not in _CODES and words and not any(words in text for text in texts):
                texts.append(words)
        statuses = [item.status_code for item in chain if isinstance(getattr(item, "status_code", None), int)]
        names = frozenset(kind.__name__ for item in chain for kind in type(item).__mro__)
        return cls(statuses[-1] if statuses else None, names, frozenset(codes), " | ".join(texts), _pause(chain))

    @property
    def numbers(self) -> list[int]:
        """The whole numbers of the text."""
        return [int(re.sub(r"\D", "", number)) for number in _NUMBER.findall(self.text) if len(number) < 12]


class RefusedCall(LLMError):
    """A call that an endpoint refused, with what its refusal says (``evidence``)."""

    def __init__(self, kind: Kind, message: str, evidence: Evidence) -> None:
        super().__init__(kind, message, retry_after=evidence.retry_after)
        self.evidence = evidence


def classify(error: Exception) -> LLMError:
    """The `LLMError` for an exception of LiteLLM or of the event loop, by what it says."""
    if isinstance(error, LLMError):
        return error
    if isinstance(error, TimeoutError):
        return LLMError("timeout", "no complete answer within the time limit")
    evidence = Evidence.of(error)
    return RefusedCall(_kind(evidence), shown(evidence, error), evidence)


def shown(evidence: Evidence, error: Exception, limit: int = 300) -> str:
    """What a person reads of it, on one line."""
    return line(evidence.text or type(error).__name__, limit)


def outgrown(evidence: Evidence, tokens: int, *, window: int | None = None) -> bool:
    """Whether a request was refused for its length, by that length and not by words.

    Args:
        evidence: of a refusal whose words say nothing known.
        tokens: the request's own length, as near as it can be counted.
        window: how many tokens the model reads, where that is known.
    """
    if evidence.status not in (400, 413, 422, 500):
        return False
    if window is not None and tokens >= 0.8 * window:
        return True
    # The endpoint names about as many tokens as were sent, and a smaller number that is of that order too.
    near = [number for number in evidence.numbers if tokens / 1.5 <= number <= tokens * 1.5 and number > 500]
    return any(number / 8 < other < number for number in near for other in evidence.numbers)


def output_too_long(evidence: Evidence, tokens: int, max_tokens: int | None) -> bool:
    """Whether it is the room asked for the reply, and not the conversation, that the model has not."""
    if max_tokens is None or not _OUTPUT.search(evidence.text):
        return False
    return max_tokens in evidence.numbers and tokens < max_tokens / 2


def _kind(evidence: Evidence) -> Kind:
    status, names, text = evidence.status, evidence.names, evidence.text
    if "ContextWindowExceededError" in names:
        return "context"
    if {"Timeout", "APITimeoutError"} & names or status == 408:
        return "timeout"
    if status in (401, 403) or "AuthenticationError" in names or _KEYS.search(text):
        return "auth"
    if status == 402 or _is_quota(evidence):
        return "quota"
    limited = status == 429 or "RateLimitError" in names or any("rate_limit" in code for code in evidence.codes)
    if limited and (status != 413 or _LATER.search(text)):
        return "rate_limit"
    if _is_context(evidence):
        return "context"
    if "Connection error" in text or "APIConnectionError" in names or "ConnectError" in names:
        return "connection"
    return "server" if status is not None and status >= 500 else "bad_request"


def _is_quota(evidence: Evidence) -> bool:
    if evidence.status is None or evidence.status >= 500:
        return False
    if any(word in code for code in evidence.codes for word in ("insufficient", "billing", "quota_exceeded")):
        return True
    promised = evidence.retry_after is not None or _LATER.search(evidence.text)
    return not promised and _EMPTY_ACCOUNT.search(evidence.text) is not None


def _is_context(evidence: Evidence) -> bool:
    """Whether the words are of a length that is beyond what can be read; no endpoint's own phrase is asked for."""
    if any("context" in code and ("length" in code or "size" in code or "exceed" in code) for code in evidence.codes):
        return True
    if _LATER.search(evidence.text):
        return False
    if evidence.status == 413:
        return True
    sentences = re.split(r"(?<=[.!?;])\s+| \| ", evidence.text)
    return any(_speaks_of_length(sentence) for sentence in sentences)


def _speaks_of_length(sentence: str) -> bool:
    if _OUTPUT.search(sentence) and not re.search(r"\bcontext\b", sentence, re.IGNORECASE):
        return False
    return all(pattern.search(sentence) for pattern in (_SIZE, _MEASURE, _BEYOND))


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
        yield (key if key in _CODES else "code"), value


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
