"""A run's folder: what it was, what happened, what came of it.

config.json          every setting
seeds.json           the run's seed and what is derived from it
trajectories.jsonl   every dialogue, appended as it ends (further processes: trajectories-rank<N>.jsonl)
metrics.jsonl        every update and evaluation, appended as it is made
checkpoints/<name>   models with their tokenizers
summary.json         the figures that a report quotes
curves.png           the metrics as a plot
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mua_env.errors import DataError
from mua_env.trajectory import Trajectory, TrajectoryWriter

SCHEMA_VERSION = 1


class RunFolder:
    """Writes a run's files; each line is on the disk when the call returns.

    Args:
        path: an existing folder, see `new_run_folder`.
        rank: of this process. Only rank 0 writes what all share.
    """

    def __init__(self, path: str | os.PathLike[str], *, rank: int = 0) -> None:
        self.path, self.rank = Path(path), rank
        name = "trajectories.jsonl" if rank == 0 else f"trajectories-rank{rank}.jsonl"
        self._trajectories = TrajectoryWriter(self.path / name)
        self._metrics: IO[str] | None = None

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file, whole or not at all."""
        if self.rank:
            return
        target = self.path / name
        draft = target.with_suffix(".part")
        draft.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(target)

    def add_metrics(self, phase: str, step: int, values: dict[str, Any]) -> None:
        """Append one line of metrics."""
        if self.rank:
            return
        if self._metrics is None:
            self._metrics = (self.path / "metrics.jsonl").open("a", encoding="utf-8")
        line = {"schema_version": SCHEMA_VERSION, "phase": phase, "step": step, **values}
        self._metrics.write(json.dumps(line, allow_nan=False) + "\n")
        self._metrics.flush()

    def add_trajectory(self, trajectory: Trajectory) -> None:
        """Append one dialogue."""
        self._trajectories.write(trajectory)

    def checkpoint(self, name: str) -> Path:
        """Where a checkpoint lies."""
        return self.path / "checkpoints" / name

    def close(self) -> None:
        """Close the files. May be called again."""
        self._trajectories.close()
        if self._metrics is not None:
            self._metrics.close()
            self._metrics = None


def new_run_folder(base: str | os.PathLike[str], name: str) -> Path:
    """Make ``<base>/<name>``, or ``<name>-2`` and so on where that exists."""
    for number in range(1, 10_000):
        path = Path(base) / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise DataError(f"there are 9,999 runs named {name!r} in {base}; choose another name")


def read_metrics(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The lines of a run's metrics. A half-written last line is left out.

    Raises:
        DataError: there is no such file.
    """
    try:
        text = (Path(path) / "metrics.jsonl").read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read the metrics of {path}: {error.strerror}") from None
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
