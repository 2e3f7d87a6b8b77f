"""A bar on standard error that counts dialogues as they end."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def terminal_only() -> Console:
    """Standard error where it is a terminal, else nowhere: a bar that is disabled still ends its line in older Rich."""
    from mua_env.core.screen import open_console

    console = open_console(stderr=True)
    return console if console.is_terminal else open_console(file=io.StringIO())


@contextmanager
def counting(
    total: int, done: int, *names: str, cost: Callable[[], float] | None = None
) -> Iterator[Callable[..., None]]:
    """A bar over dialogues, with the time that has passed and the time that is left; what it yields is called when one
    has ended, with what it adds to the counts.

    Args:
        total: how many dialogues there are.
        done: how many of them had ended before.
        names: what is counted beside them.
        cost: so far, in US dollars; shown where it is not 0.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from mua_env.core.screen import open_console

    counts: dict[str, Any] = dict.fromkeys(names, 0)
    time = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    # One column: two would stand apart where there is no rate yet.
    shown = TextColumn("{task.fields[rate]}" + ", ".join(f"{name} {{task.fields[{name}]}}" for name in names))
    columns = (TextColumn("dialogues"), BarColumn(), MofNCompleteColumn(), *time, shown)
    with Progress(*columns, console=open_console(stderr=True)) as bar:
        row = bar.add_task("", total=total, completed=done, rate="", **counts)
        begun = bar.get_time()
        ended_here = 0

        def ended(**more: int) -> None:
            nonlocal ended_here
            ended_here += 1
            for name, number in more.items():
                counts[name] += number
            spent = cost() if cost is not None else 0.0
            told = f"{ended_here / max(bar.get_time() - begun, 1e-9):.2f}/s" + (f" ${spent:.2f}" if spent else "")
            bar.update(row, advance=1, rate=f"{told}  ", **counts)

        yield ended
