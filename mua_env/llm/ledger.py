"""What language models have used: for a reply, an episode, a run; and a hard limit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import asdict, dataclass

from mua_env.llm.errors import LLMError


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens, and money in US dollars where LiteLLM's price list knows the model (else 0)."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost_usd + other.cost_usd,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
            self.cost_usd - other.cost_usd,
        )

    def less(self, other: Usage) -> Usage:
        """What is left of it when ``other`` is used; nothing is below 0."""
        left = self - other
        return Usage(max(0, left.calls), max(0, self.tokens - other.tokens), 0, max(0.0, left.cost_usd))

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def as_dict(self) -> dict[str, float]:
        """For trajectories and JSON."""
        return asdict(self)


class Account:
    """What one dialogue has used."""

    def __init__(self) -> None:
        self.used = Usage()


account: ContextVar[Account | None] = ContextVar("account", default=None)
"""Of the dialogue that is going on; its calls to models, in threads and on other loops too, have its context."""


class Ledger:
    """The sum over a run, safe between threads, and what calls in flight are expected to add to it.

    Args:
        max_usd, max_tokens: no call is made that is expected to go beyond either.
    """

    def __init__(self, *, max_usd: float | None = None, max_tokens: int | None = None) -> None:
        self.max_usd = max_usd
        self.max_tokens = max_tokens
        self._total = Usage()
        self._reserved = Usage()
        self._refused = False
        self._keep: Callable[[Usage], None] = lambda usage: None
        self._lock = threading.Lock()

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.max_usd is not None or self.max_tokens is not None

    @property
    def total(self) -> Usage:
        """What was used so far (replayed replies are free)."""
        return self._total

    def carry_on(self, before: Usage, keep: Callable[[Usage], None]) -> None:
        """Go on from what was used before; ``keep`` writes down each further reply."""
        with self._lock:
            self._total += before
            self._keep = keep

    def add(self, usage: Usage) -> None:
        """Count one reply."""
        mine = account.get()
        with self._lock:
            self._total += usage
            if mine is not None:
                mine.used += usage
            self._keep(usage)

    def reserve(self, expected: Usage, *, guessed: bool = False) -> bool:
        """Set aside what a call is expected to use, until `settle`; False where calls in flight must end first.

        Args:
            expected: by the call, which counts as one.
            guessed: nobody knows yet what such a call uses, so that it goes alone.

        Raises:
            LLMError: the limit is reached, or so near that the call would go beyond it (kind `budget`).
        """
        with self._lock:
            if self._reached(self._total):
                raise LLMError("budget", self._said(self._total, "the limit is reached"))
            beyond = self._beyond(self._total + self._reserved + expected)
            if self._reserved.calls and self.limited and (guessed or beyond):
                return False
            if beyond and not guessed:
                self._refused = True
                raise LLMError("budget", self._said(expected, "is about what a further call takes"))
            self._reserved += expected
            return True

    def settle(self, expected: Usage, used: Usage | None) -> None:
        """End a reservation; ``used`` is what the call has used, None for a call that failed."""
        with self._lock:
            self._reserved -= expected
        if used is not None:
            self.add(used)

    def holds(self, more: Usage) -> bool:
        """Whether so much may still be used."""
        with self._lock:
            return not self._beyond(self._total + more)

    def close(self) -> None:
        """Count the budget as used up: what is left is less than anything to come."""
        self._refused = True

    @property
    def exhausted(self) -> bool:
        """Whether no call is made any more."""
        return self._refused or self._reached(self._total)

    def _reached(self, total: Usage) -> bool:
        money = self.max_usd is not None and total.cost_usd >= self.max_usd
        return money or (self.max_tokens is not None and total.tokens >= self.max_tokens)

    def _beyond(self, total: Usage) -> bool:
        money = self.max_usd is not None and total.cost_usd > self.max_usd
        return money or (self.max_tokens is not None and total.tokens > self.max_tokens)

    def _said(self, usage: Usage, what: str) -> str:
        total = self._total
        money = self.max_usd is not None and (self.max_tokens is None or self._reached(Usage(cost_usd=total.cost_usd)))
        if self.max_usd is not None and money:
            return f"${total.cost_usd:.4f} of ${self.max_usd:g} spent: ${usage.cost_usd:.4f} {what}"
        return f"{total.tokens} of {self.max_tokens} tokens used: {usage.tokens} {what}"
