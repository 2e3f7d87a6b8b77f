"""A run's folder: what it was, what happened, what came of it.

config.json          every setting
seeds.json           the run's seed and what is derived from it
trajectories.jsonl   every dialogue, appended as it ends (further processes: trajectories-rank<N>.jsonl)
demonstrations.jsonl the expert's dialogues (further processes: demonstrations-rank<N>.jsonl)
metrics.jsonl        every update and evaluation, appended as it is made
checkpoints/<name>   models with their tokenizers
state.json           how far the run is; with resume/ and ledger/ what `--resume` needs, until the run has ended
summary.json         the figures that a report quotes
curves.png           the metrics as a plot
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from mua_env.core.json_lines import cut_half_line, set_aside, whole_lines
from mua_env.core.paths import make_folder
from mua_env.core.trajectory import Trajectory, TrajectoryWriter, set_aside_broken
from mua_env.errors import DataError
from mua_env.evaluation.folders import Folder

SCHEMA_VERSION = 1


class RunFolder(Folder):
    """Writes a run's files. What the ledger holds too is not waited for; `sync` does.

    Args:
        path: an existing folder, see `new_run_folder`. It is this process's until it is closed.
        rank: of this process. Only rank 0 writes what all share.

    Attributes:
        listeners: told each line of metrics when it is written: phase, step and values.
        notices: broken lines that were set aside when the folder was opened, a line each.

    Raises:
        ConfigError: another process writes to the folder.
    """

    def __init__(self, path: str | os.PathLike[str], *, rank: int = 0) -> None:
        super().__init__(path, hold=rank == 0)
        self.rank = rank
        try:
            self.notices = self._mend()
        except BaseException:
            super().close()
            raise
        self._trajectories = TrajectoryWriter(self.path / self.own("trajectories"), sync=False)
        self._metrics: IO[str] | None = None
        self.listeners: list[Callable[[str, int, dict[str, Any]], None]] = []

    def _mend(self) -> list[str]:
        """Set broken lines of this process's files aside; what a checkpoint holds does not hang on them."""
        found = set_aside_broken(
            self.path / self.own("trajectories"), then="reports do without its dialogue", thorough=False
        )
        held = self.path / self.own("demonstrations")
        found += set_aside_broken(held, then="its dialogue is held again")
        if self.rank == 0:
            found += set_aside(self.path / "metrics.jsonl", _metrics_line, then="the curve does without it")
        return found

    def own(self, stem: str) -> str:
        """Name of this process's file of JSON Lines."""
        return f"{stem}.jsonl" if self.rank == 0 else f"{stem}-rank{self.rank}.jsonl"

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file, whole or not at all; only the first process does."""
        if self.rank == 0:
            super().write_json(name, value)

    def add_metrics(self, phase: str, step: int, values: dict[str, Any]) -> None:
        """Append one line of metrics."""
        if self.rank:
            return
        if self._metrics is None:
            cut_half_line(self.path / "metrics.jsonl")
            self._metrics = (self.path / "metrics.jsonl").open("a", encoding="utf-8")
        line = {"schema_version": SCHEMA_VERSION, "phase": phase, "step": step, **values}
        self._metrics.write(json.dumps(line, allow_nan=False) + "\n")
        self._metrics.flush()
        for listener in self.listeners:
            listener(phase, step, values)

    def keep_metrics(self, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Drop the lines of metrics that are not wanted, all at once or not at all; returns those that stay."""
        path = self.path / "metrics.jsonl"
        if not path.exists():
            return []
        kept = [line for line in read_metrics(self.path) if wanted(line)]
        if self.rank == 0:
            self._write_whole(path.name, "".join(json.dumps(line, allow_nan=False) + "\n" for line in kept))
        return kept

    def add_trajectory(self, trajectory: Trajectory) -> None:
        """Append one dialogue."""
        self._trajectories.write(trajectory)

    def add_missing(self, trajectories: Iterator[Trajectory]) -> None:
        """Append those that no process's file of this run holds yet."""
        known: set[str] = set()
        for file in self.path.glob("trajectories*.jsonl"):
            known |= _ids(file)
        for trajectory in trajectories:
            if trajectory.id not in known:
                self.add_trajectory(trajectory)

    def sync(self) -> None:
        """Return when this process's trajectories and metrics are on the disk."""
        self._trajectories.sync()
        if self._metrics is not None:
            os.fsync(self._metrics.fileno())

    def checkpoint(self, name: str) -> Path:
        """Where a checkpoint lies."""
        return self.path / "checkpoints" / name

    def close(self) -> None:
        """Close the files. May be called again."""
        # On a full disk closing fails as the last line did; the run has ended with that error.
        with contextlib.suppress(OSError):
            self._trajectories.close()
        if self._metrics is not None:
            with contextlib.suppress(OSError):
                self._metrics.close()
            self._metrics = None
        super().close()


def new_run_folder(base: str | os.PathLike[str], name: str) -> Path:
    """Make ``<base>/<name>``, or ``<name>-2`` and so on where that exists."""
    make_folder(base)
    for number in range(1, 10_000):
        path = Path(base) / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise DataError(f"there are 9,999 runs named {name!r} in {base}; choose another name")


def newest_run_folder(base: str | os.PathLike[str], name: str) -> Path:
    """The folder of that name with the highest number, see `new_run_folder`.

    Raises:
        DataError: there is none.
    """
    numbered = re.compile(re.escape(name) + r"(?:-(\d+))?")
    found: dict[int, Path] = {}
    for path in Path(base).glob(f"{name}*"):
        match = numbered.fullmatch(path.name)
        if match and (path / "config.json").exists():
            found[int(match[1] or 1)] = path
    if not found:
        raise DataError(f"there is no run named {name!r} in {base} to go on with; start one without --resume")
    return found[max(found)]


def is_blank(folder: Path) -> bool:
    """Whether a folder holds nothing, or a run that was killed before it wrote anything down."""
    return not folder.is_dir() or all(file.is_file() and file.stat().st_size == 0 for file in folder.iterdir())


def read_metrics(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The lines of a run's metrics. A half-written last line is left out.

    Raises:
        DataError: there is no such file.
    """
    file = Path(path) / "metrics.jsonl"
    try:
        lines = list(whole_lines(file))
    except OSError as error:
        raise DataError(f"cannot read the metrics of {path}: {error.strerror}") from None
    for number, line in lines:
        try:
            yield _metrics_line(line)
        except ValueError as error:
            raise DataError(
                f"{file}, line {number}: {error}. The line is broken: take it out of the file (a run that goes on "
                "sets it aside by itself)"
            ) from None


def _metrics_line(line: bytes) -> dict[str, Any]:
    values = json.loads(line)
    if isinstance(values, dict) and isinstance(values.get("phase"), str) and isinstance(values.get("step"), int):
        return values
    raise ValueError("it has no phase and step")


def _ids(file: Path) -> set[str]:
    """Ids of the trajectories in a file, which stand at the beginning of each line; a half-written one has none."""
    first = re.compile(rb'"id":"((?:[^"\\]|\\.)*)"')
    with file.open("rb") as lines:
        found = (first.search(line[:2000]) for line in lines if line.endswith(b"\n"))
        return {json.loads(b'"' + match[1] + b'"') for match in found if match}
