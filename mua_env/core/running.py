"""Synchronous calls that need an event loop, made where one is running already, as in a notebook's cell."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


def in_loop() -> bool:
    """Whether an event loop runs in this thread, so that nothing here may start another."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """:func:`asyncio.run`; where a loop runs already, on another loop in a thread of its own, waited for here.

    An interruption cancels the work and waits until it has let go of what it holds.
    """
    if not in_loop():
        return asyncio.run(work)
    running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def told() -> T:
        task = asyncio.current_task()
        assert task is not None
        running.set_result((asyncio.get_running_loop(), task))
        return await work

    def interrupt() -> None:
        loop, task = running.result()
        loop.call_soon_threadsafe(task.cancel)

    return _in_thread(lambda: asyncio.run(told()), interrupt)


def run_apart(work: Callable[[], T]) -> T:
    """Call what starts event loops of its own; where a loop runs already, in a thread of its own, waited for here.

    An interruption is raised in that thread too, as it would be here.
    """
    return _in_thread(work, None) if in_loop() else work()


def _in_thread(work: Callable[[], T], interrupt: Callable[[], None] | None) -> T:
    outcome: Future[T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.set_result(context.run(work))
        except BaseException as error:
            outcome.set_exception(error)

    thread = threading.Thread(target=run, name="mua-env", daemon=True)
    thread.start()
    try:
        return outcome.result()
    except BaseException:
        if thread.is_alive() and not outcome.done():  # it is this thread that was interrupted
            (interrupt or (lambda: _raise_in(thread)))()
            with contextlib.suppress(BaseException):
                outcome.result()
        raise
    finally:
        thread.join()


def _raise_in(thread: threading.Thread) -> None:
    # Only a main thread hears of Ctrl-C; what the work does on one, as keeping its state, must happen here too.
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt))
