"""One deadline for all the waiting of an episode."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from mua_env.llm.errors import LLMError


class WaitLimit:
    """A stopwatch with a limit: it runs only while a reply is waited for.

    The time that the other side of the dialogue takes is not counted, so that a slow agent
    does not use up its user's limit. Retries, pauses and queueing are.
    """

    def __init__(self, limit_s: float, spent_s: float = 0.0) -> None:
        self.limit_s = limit_s
        self.spent_s = spent_s

    def copy(self) -> WaitLimit:
        """A stopwatch that goes on from here by itself."""
        return WaitLimit(self.limit_s, self.spent_s)

    @contextmanager
    def running(self) -> Iterator[float]:
        """Count the time inside the block; yields the seconds that are left.

        Raises:
            LLMError: none are left (kind `timeout`).
        """
        left = self.limit_s - self.spent_s
        if left <= 0:
            raise LLMError("timeout", f"the episode's {self.limit_s:g} s for waiting are used up")
        begin = time.monotonic()
        try:
            yield left
        finally:
            self.spent_s += time.monotonic() - begin
