"""What can go wrong between here and a language model, and whether trying again can help."""

from __future__ import annotations

from typing import Literal, get_args

from mua_env.core.redaction import scrub
from mua_env.errors import MuaError

Kind = Literal[
    "timeout",  # the endpoint did not answer in time, or the episode's time for waiting is used up
    "connection",
    "rate_limit",
    "server",  # 5xx, or a body that is no completion
    "auth",  # a key that is wrong or missing
    "bad_request",
    "context",  # the conversation is longer than the model takes
    "quota",  # the account is empty; no waiting mends it
    "budget",  # this run's own limit of money or tokens
    "replay_miss",  # a recording was asked for a reply that it does not hold
]

PASSING: frozenset[Kind] = frozenset({"timeout", "connection", "rate_limit", "server"})
"""The kinds that may pass by themselves; only these are tried again."""
FATAL: frozenset[Kind] = frozenset({"auth", "quota", "bad_request"})
"""The kinds that meet every dialogue alike: where one ends so, the next will."""


class LLMError(MuaError):
    """A language model gave no reply.

    `kind` says why; `retry_after` is the pause that the endpoint asked for, in seconds. The text holds no keys, which
    some servers echo.
    """

    def __init__(self, kind: Kind, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{kind}: {scrub(message)}")
        self.kind: Kind = kind
        self.message = scrub(message)
        self.retry_after = retry_after


def kind_of(cause: str) -> Kind | None:
    """The kind that an episode's cause names, as in ``"agent: auth: no such key"``; None where it names none."""
    for part in cause.split(": ")[:2]:
        for kind in get_args(Kind):
            if part == kind:
                found: Kind = kind
                return found
    return None
