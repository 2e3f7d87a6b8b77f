"""Several processes that train together by gloo, with what `torchrun` sets, forked from one that has imported torch."""

from __future__ import annotations

import multiprocessing
import os
import socket
import time
from collections.abc import Callable
from typing import Any


def _rank(rank: int, count: int, port: int, target: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=str(count),
        LOCAL_WORLD_SIZE=str(count),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
        ACCELERATE_USE_CPU="true",
    )
    import torch

    torch.set_num_threads(1)
    target(*arguments)


def run_ranks(count: int, target: Callable[..., None], *arguments: Any, seconds: float = 600) -> list[int | None]:
    """Run a function in ``count`` processes; their exit codes. When one fails, the others are ended, as a launcher
    does. Where they wait for each other for ever, the time is up and the codes are None."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mua_env.training.run.pipeline"])
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    children = [context.Process(target=_rank, args=(r, count, port, target, arguments)) for r in range(count)]
    for child in children:
        child.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(child.exitcode is None for child in children):
        if any(child.exitcode for child in children):
            break
        time.sleep(0.02)
    codes = [child.exitcode for child in children]
    for child in children:
        child.kill()
        child.join()
    return codes
