"""Exceptions of LiteLLM read as kinds of faults."""

from __future__ import annotations

import re

from mua_env.core.outside import line
from mua_env.llm.errors import Kind, LLMError
from mua_env.llm.evidence import Evidence
from mua_env.llm.overflow import names_context, speaks_of_length

_KEY_CODES = (
    *("api_key", "apikey", "authenticat", "unauthorized", "credential", "access_token", "invalid_token"),
    *("subscription_key", "unrecognizedclient", "expiredtoken", "signaturedoesnotmatch", "accessdenied"),
)
_MONEY_CODES = (
    *(
        "insufficient",
        "billing",
        "quota_exceeded",
        "quota_exhausted",
        "exceeded_current_quota",
        "budget_exceeded",
        "arrear",
    ),
    *("payment", "credits", "depleted", "usage_limit", "balance", "overdue"),
)
_KEY = (
    r"(?:api[ _-]?key|x-api-key|credentials?|(?:access|api|security|bearer) token|subscription key|"
    r"auth(?:entication|orization)? (?:token|header))"
)
_LACKS = (
    r"(?:missing|incorrect|invalid|wrong|expired|revoked|disabled|no|provide|set|locate|not valid|not found|not set|"
    r"required)"
)
_KEYS = re.compile(rf"\b{_LACKS}\W+(?:\w+\W+){{0,4}}?{_KEY}|{_KEY}\W+(?:\w+\W+){{0,5}}?{_LACKS}\b", re.IGNORECASE)
_EMPTY_ACCOUNT = re.compile(
    r"\b(?:insufficient|exceed\w*|exhausted|too low|out of|no|not enough)\W+(?:\w+\W+){0,3}?"
    r"(?:quota|credits?|balance|funds)\b|"
    r"\b(?:quota|credits?|balance|funds|allowance)\W+(?:\w+\W+){0,3}?"
    r"(?:insufficient|exceeded|exhausted|depleted|too low|used up)\b|"
    r"\b(?:more|add|buy|purchase|top.?up|recharge|run out of)\W+(?:\w+\W+){0,3}?(?:credits?|balance|funds)\b|"
    r"\b(?:usage|spend(?:ing)?|monthly|hard) (?:limits?|caps?|quota)\b|\bbudget\W+(?:\w+\W+){0,2}?exceeded\b|"
    r"insufficient_quota|\bbilling\b|\bpayment (?:required|method)|\brecharge\b|\barrear|\boverdue\b|"
    r"\b(?:trial|subscription)\W+(?:\w+\W+){0,2}?(?:required|expired|ended|over)\b",
    re.IGNORECASE,
)
_RATE = re.compile(r"\bper[ _-]?(?:second|minute|min|hour|day)\b|\brate.?limit|\btpm\b", re.IGNORECASE)
_LATER = re.compile(
    _RATE.pattern + r"|\b(?:try again|retry\w*|wait) (?:in|after|for)?\s?(?:about |another )?(?:\d|an?\b|some\b)|"
    r"\bplease wait\b",
    re.IGNORECASE,
)


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
    if status == 401 or _is_key(evidence):
        return "auth"
    if status == 402 or _is_quota(evidence):
        return "quota"
    if status == 403 or "AuthenticationError" in names:
        return "auth"
    later = _LATER.search(text) is not None or evidence.retry_after is not None
    limited = status == 429 or "RateLimitError" in names or any("rate_limit" in code for code in evidence.codes)
    limited = limited or (_RATE.search(text) is not None and (status or 500) < 500)
    if limited and (later or not (names_context(evidence) or status == 413)):
        return "rate_limit"
    if speaks_of_length(evidence) or "ContextWindowExceededError" in names:
        return "context"
    return lasting(evidence)


def lasting(evidence: Evidence) -> Kind:
    """What a refusal is that is neither for keys, money and rates nor for length."""
    if evidence.status is not None and evidence.status < 500:
        return "bad_request"  # whatever it is wrapped in: older LiteLLM calls what it does not know a lost connection
    if "Connection error" in evidence.text or {"APIConnectionError", "ConnectError"} & evidence.names:
        return "connection"
    return "server" if evidence.status is not None else "bad_request"


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
