"""`mua-env tasks generate`: verified tasks as JSON Lines, as many as wanted."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING, Annotated

import typer

from mua_env.cli.bar import terminal_only
from mua_env.cli.options import SeedOption
from mua_env.core.outside import visible_json
from mua_env.core.paths import writing

if TYPE_CHECKING:
    from mua_env.core.tasks import Task


def generate_tasks(
    domain: Annotated[str, typer.Argument(help="Installed domain, as retail.")],
    level: Annotated[int, typer.Option("--level", help="1 (one plain request) to 5.")] = 1,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many tasks.")] = 100,
    seed: SeedOption = 0,
    split: Annotated[str, typer.Option("--split", help="train or test; they share no user.")] = "train",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output if not given.")
    ] = None,
) -> None:
    """Generate verified tasks as JSON Lines; equal seeds give equal bytes.

    Progress goes to standard error. Ctrl-C stops between two lines and leaves what is written whole.
    """
    from mua_env.domain.contract import load_domain

    tasks = islice(load_domain(domain).generate(level=level, seed=seed, split=split), count)
    with _target(output) as file, _Stop() as stop:
        try:
            _stream(tasks, file, count, stop)
        except BrokenPipeError:
            # The reader has what it wanted (as `| head`); closing the pipe once more must not complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if stop.asked:
            raise KeyboardInterrupt


def _stream(tasks: Iterator[Task], file: IO[bytes], count: int, stop: _Stop) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from mua_env.core.task_files import task_line

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("tasks"), TimeRemainingColumn())
    with Progress(*columns, console=terminal_only(), transient=True) as bar:
        row = bar.add_task("tasks", total=count)
        for task in tasks:
            file.write(visible_json(task_line(task)).encode())
            file.flush()
            bar.advance(row)
            if stop.asked:
                return


@contextlib.contextmanager
def _target(path: Path | None) -> Iterator[IO[bytes]]:
    if path is None:
        yield sys.stdout.buffer
        return
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            yield file


class _Stop:
    """Turns Ctrl-C (and a termination signal) into a question between two lines, so that no line is cut."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> _Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
