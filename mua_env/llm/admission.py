"""How many dialogues may be begun within a budget, so that those that are begun can end.

A budget that sixteen dialogues share may be used up before any of them has ended, and then nothing is measured. What a
dialogue costs is known from those that have ended; until one has, a further one begins only where the budget is large.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from mua_env.llm.ledger import Account, Ledger, Usage, account

MOST_CALLS = 200
"""Calls that a dialogue may take while none has ended, each as dear as those so far."""
LOOK_S = 0.1
"""How often a dialogue that waits looks again, in seconds; it looks whenever one ends, too."""
RECENT = 64
"""Dialogues that are looked back at."""


class Admission:
    """Lets dialogues begin one by one. Without a limit, all of them.

    Args:
        ledger: of the models that take part.
        ended: what dialogues of the same kind have used that have ended before.
    """

    def __init__(self, ledger: Ledger | None = None, ended: Iterable[Usage] = ()) -> None:
        self._ledger = ledger or Ledger()
        self._ended: deque[Usage] = deque(ended, maxlen=RECENT)
        self._running: list[Account] = []
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def dialogue(self) -> AsyncIterator[bool]:
        """The time of one dialogue; whether it may begin.

        Waits while dialogues that have begun may need what is left of the budget. Where even one alone would go beyond
        it, the ledger is closed.
        """
        if not await self._admitted():
            yield False
            return
        mine = Account()
        self._running.append(mine)
        token = account.set(mine)
        try:
            yield True
        finally:
            account.reset(token)
            self._running.remove(mine)
            self._ended.append(mine.used)
            self._wake()

    def close_if_full(self) -> None:
        """Close the ledger where no dialogue fits into what is left, before anything is spent on beginning one."""
        if not self._running and not self._fits():
            self._ledger.close()

    async def _admitted(self) -> bool:
        while not self._fits():
            if not self._running:
                self._ledger.close()
                return False
            # Told when one ends; and what those that run have used tells something too.
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await asyncio.wait([turn], timeout=LOOK_S)
        return True

    def _fits(self) -> bool:
        if not self._ledger.limited:
            return True
        if self._ledger.exhausted:
            return not self._running  # whoever asked stops by itself; nobody waits for it
        if not self._running and not self._ended:
            return True
        each = self._each()
        if each is None:
            return False
        left = [each.less(one.used) for one in self._running]
        return self._ledger.holds(sum(left, each))

    def _each(self) -> Usage | None:
        """What a dialogue may cost, None where nobody knows: as the dearest so far, and more beside others that run."""
        if not self._ended:
            used = sum((one.used for one in self._running), Usage())
            if not used.calls:
                return None
            share = MOST_CALLS / used.calls
            return Usage(1, int(used.tokens * share), 0, used.cost_usd * share)
        # Those that end first are the short ones: what runs is looked at too.
        seen = [*self._ended, *(one.used for one in self._running)]
        more = 1 + 2 / (len(self._ended) + 1) if self._running else 1
        return Usage(1, int(max(used.tokens for used in seen) * more), 0, max(used.cost_usd for used in seen) * more)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)
