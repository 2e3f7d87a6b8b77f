"""What language models have used: for a reply, an episode, a run; and a hard limit."""

from __future__ import annotations

import threading
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

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def as_dict(self) -> dict[str, float]:
        """For trajectories and JSON."""
        return asdict(self)


class Ledger:
    """The sum over a run, safe between threads.

    Args:
        max_usd, max_tokens: at or above either, no further call is made.
    """

    def __init__(self, *, max_usd: float | None = None, max_tokens: int | None = None) -> None:
        self.max_usd = max_usd
        self.max_tokens = max_tokens
        self._total = Usage()
        self._lock = threading.Lock()

    @property
    def total(self) -> Usage:
        """What was used so far (replayed replies are free)."""
        return self._total

    def add(self, usage: Usage) -> None:
        """Count one reply."""
        with self._lock:
            self._total += usage

    def check(self) -> None:
        """Raise LLMError (kind `budget`) when a limit is reached. Calls already in flight are not stopped."""
        total = self._total
        if self.max_usd is not None and total.cost_usd >= self.max_usd:
            raise LLMError("budget", f"${total.cost_usd:.4f} spent, the limit is ${self.max_usd:g}")
        if self.max_tokens is not None and total.tokens >= self.max_tokens:
            raise LLMError("budget", f"{total.tokens} tokens used, the limit is {self.max_tokens}")

    @property
    def exhausted(self) -> bool:
        """Whether `check` would raise."""
        try:
            self.check()
        except LLMError:
            return True
        return False
