"""What the benchmarks share: medians, memory, tables."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mua_env import DialogueEnv
from mua_env.core.database import Database
from mua_env.core.world import SQLWorld


def median_us(
    work: Callable[[], Any],
    *,
    before: Callable[[], Any] | None = None,
    rounds: int = 1000,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Median time of ``work`` in microseconds; ``before`` runs ahead of each round and is not counted.

    ``clock=time.process_time`` counts the CPU's time alone, for what takes long enough to be interrupted.
    """
    times = []
    for _ in range(rounds // 10 + 1):  # warm
        if before is not None:
            before()
        work()
    gc.collect()
    for _ in range(rounds):
        if before is not None:
            before()
        begun = clock()
        work()
        times.append(clock() - begun)
    return statistics.median(times) * 1e6


def database_of(env: DialogueEnv) -> Database:
    """The database of an environment whose world is one."""
    world = env.session.world
    assert isinstance(world, SQLWorld)
    return world.database


def wilson(hits: int, number: int, *, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share, 0 to 1 (95 % for the default ``z``); (0, 1) of nothing."""
    if not number:
        return 0.0, 1.0
    share, square = hits / number, z * z / number
    middle = (share + square / 2) / (1 + square)
    half = z / (1 + square) * (share * (1 - share) / number + square / (4 * number)) ** 0.5
    return middle - half, middle + half


def resident_mib() -> float:
    """Resident memory of this process in MiB (Linux)."""
    gc.collect()
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS in /proc/self/status")


def show(title: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Print a table; numbers get at most one decimal, what a row lacks stays empty."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for name, row in rows.items():
        table.add_row(name, *(_text(row.get(column)) for column in columns))
    Console(width=110).print(table)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:,.1f}" if isinstance(value, float) and value < 1000 else f"{value:,.0f}"
