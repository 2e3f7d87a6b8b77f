"""One event loop, in a thread of its own, for all calls to language models of this process.

HTTP clients belong to the loop that made them. With one loop, the same code serves callers with and
without a loop of their own, connections are shared, and a time limit holds for both.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_parents: list[asyncio.AbstractEventLoop | None] = []


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on the shared loop and wait for it here."""
    future = _submit(work)
    try:
        return future.result()
    except BaseException:  # KeyboardInterrupt too: nothing may go on without its caller
        future.cancel()
        raise


async def arun(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on the shared loop and await it from any other; a cancellation reaches it."""
    return await asyncio.wrap_future(_submit(work))


def _submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    return asyncio.run_coroutine_threadsafe(work, _running_loop())


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="mua-env-llm", daemon=True).start()
        return _loop


def _forget() -> None:
    global _loop, _lock
    _lock = threading.Lock()
    # Threads do not survive a fork. The loop object is kept: clients and limits are found by its id, and a new
    # loop with the same id would get connections that belong to the parent.
    _parents.append(_loop)
    _loop = None


if hasattr(os, "register_at_fork"):  # not on Windows, which forks nothing
    os.register_at_fork(after_in_child=_forget)
