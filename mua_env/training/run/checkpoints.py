"""How far a run is, and what it needs to go on: committed all at once, so that a kill leaves the last or the next.

state.json          phase, update and checkpoint; replaced in one step, after all that it names is on the disk
resume/<name>       model, optimiser, schedule and random states of all processes, as accelerate or TRL write them
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator

from mua_env.errors import DataError, first_fault
from mua_env.training.rollout.held_dialogues import HeldLedger
from mua_env.training.run.processes import Processes
from mua_env.training.run.run_folder import RunFolder

Phase = Literal["start", "cold_start", "cold_started", "grpo", "trained", "finished"]


class RunState(BaseModel):
    """How far a run is.

    Attributes:
        phase: what it is in, or what it has done.
        step: update of that phase.
        checkpoint: to load for that phase, relative to the run's folder; None at its beginning.
        model: the model that the phase begins with; None for the configuration's.
        summary: figures so far.
        processes: that wrote the checkpoint; None in states that are older than the field.
    """

    schema_version: int = 1
    phase: Phase = "start"
    step: int = 0
    checkpoint: str | None = None
    model: str | None = None
    summary: dict[str, Any] = Field(default_factory=dict)
    processes: int | None = None

    @field_validator("checkpoint", "model")
    @classmethod
    def _inside(cls, place: str | None) -> str | None:
        if place is not None and (Path(place).is_absolute() or ".." in Path(place).parts):
            raise ValueError(f"{place!r} does not lie in the run's folder")
        return place


class Checkpoints:
    """Commits a run's state.

    Args:
        folder: of the run.
        processes: which commit together.
        minutes: between checkpoints; 0 for one after each update.
    """

    def __init__(self, folder: RunFolder, processes: Processes, *, minutes: float) -> None:
        self.folder, self.processes = folder, processes
        self.ledger = HeldLedger(folder.path / "ledger", rank=folder.rank)
        self._minutes, self._last = minutes, time.monotonic()
        self.state = RunState()

    def resume(self) -> list[dict[str, Any]]:
        """Read the state of a run that was begun, and bring its files in line; returns its metrics so far.

        Metrics of updates that are to be repeated are dropped; dialogues are completed from the ledger.

        Raises:
            DataError: the state cannot be read.
        """
        path = self.folder.path / "state.json"
        if path.exists():
            try:
                self.state = RunState.model_validate_json(path.read_text(encoding="utf-8"))
            except (OSError, ValidationError) as error:
                raise DataError(f"cannot read {path}: {_fault(error)}") from None
        self.processes.wait()
        if self.processes.rank == 0:
            self.folder.add_missing(self.ledger.trajectories())
            self.folder.keep_metrics(self._holds)
        self.processes.wait()
        return self.folder.keep_metrics(self._holds)

    def fresh(self, name: str) -> Path:
        """An empty place for a checkpoint that is not committed yet."""
        path = self.folder.path / "resume" / name
        if self.processes.rank == 0:
            shutil.rmtree(path, ignore_errors=True)
            path.parent.mkdir(exist_ok=True)
        self.processes.wait()
        return path

    def due(self) -> bool:
        """Whether it is time for a checkpoint; the same answer on all processes, which ask together."""
        return self.processes.share(time.monotonic() - self._last >= 60 * self._minutes)

    def commit(
        self, phase: Phase, *, step: int = 0, checkpoint: Path | None = None, summary: dict[str, Any] | None = None
    ) -> None:
        """Make this the state that a resumed run begins from. All processes call it, when their parts are written.

        Args:
            phase: what the run is in, or has done.
            step: update of the phase.
            checkpoint: of the phase; a finished phase's is the model that the next one begins with.
            summary: figures so far; None for those known.
        """
        self.folder.sync()
        self.processes.wait()
        place = None if checkpoint is None else str(checkpoint.relative_to(self.folder.path))
        running = phase in ("cold_start", "grpo")
        self.state = RunState(
            phase=phase,
            step=step,
            checkpoint=place if running else None,
            model=place if place and not running else self.state.model,
            summary=self.state.summary if summary is None else summary,
            processes=self.processes.count,
        )
        self.folder.write_json("state.json", self.state.model_dump(mode="json"))
        if self.processes.rank == 0:
            self.ledger.clear()
            for old in (self.folder.path / "resume").glob("*"):
                if str(old.relative_to(self.folder.path)) != self.state.checkpoint:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
        self.processes.wait()
        self._last = time.monotonic()

    @property
    def place(self) -> Path | None:
        """The checkpoint that the present phase goes on from; None at its beginning."""
        return None if self.state.checkpoint is None else self.folder.path / self.state.checkpoint

    def random_file(self, pattern: str, *, alone: str) -> Path | None:
        """This process's random states in the checkpoint; None if another number of processes has written it.

        Args:
            pattern: name of the file of one of several processes, with ``{}`` for its rank.
            alone: name of the file of a single process.
        """
        assert self.place is not None
        count = self.processes.count
        written = self.state.processes or len(list(self.place.glob(pattern.format("*")))) or 1
        if written != count:
            return None
        return self.place / (alone if count == 1 else pattern.format(self.processes.rank))

    def _holds(self, line: dict[str, Any]) -> bool:
        """Whether a line of metrics is part of the state."""
        done: dict[str, int | None] = {"cold_start": None, "grpo": None, "evaluation": None}
        if self.state.phase in ("start", "cold_start"):
            done = {"cold_start": self.state.step, "grpo": 0, "evaluation": 0}
        elif self.state.phase in ("cold_started", "grpo"):
            grpo = self.state.step if self.state.phase == "grpo" else 0
            done = {"cold_start": None, "grpo": grpo, "evaluation": grpo}
        last = done.get(line["phase"])
        return last is None or line["step"] <= last


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Have a folder written, and put in its place only when it is complete."""
    draft = path.with_name(path.name + ".part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.parent.mkdir(parents=True, exist_ok=True)
    write(draft)
    shutil.rmtree(path, ignore_errors=True)
    draft.replace(path)


def _fault(error: OSError | ValidationError) -> str:
    return first_fault(error, whole="state") if isinstance(error, ValidationError) else str(error)
