"""How far a run is, and what it needs to go on: committed all at once, so that a kill leaves the last or the next.

state.json          phase, update and checkpoint; replaced in one step, after all that it names is on the disk
resume/<name>       model, optimiser, schedule and random states of all processes, as accelerate or TRL write them
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, ValidationError
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from mua_env.errors import DataError
from mua_env.training.rollout.held_dialogues import Ledger
from mua_env.training.run.processes import Processes
from mua_env.training.run.run_folder import RunFolder
from mua_env.training.trainers.cold_start import set_rate

if TYPE_CHECKING:
    from accelerate import Accelerator  # type: ignore[import-untyped]

Phase = Literal["start", "cold_start", "cold_started", "grpo", "trained", "finished"]


class RunState(BaseModel):
    """How far a run is.

    Attributes:
        phase: what it is in, or what it has done.
        step: update of that phase.
        checkpoint: to load for that phase, relative to the run's folder; None at its beginning.
        model: the model that the phase begins with; None for the configuration's.
        summary: figures so far.
    """

    schema_version: int = 1
    phase: Phase = "start"
    step: int = 0
    checkpoint: str | None = None
    model: str | None = None
    summary: dict[str, Any] = Field(default_factory=dict)


class Checkpoints:
    """Commits a run's state.

    Args:
        folder: of the run.
        processes: which commit together.
        minutes: between checkpoints; 0 for one after each update.
    """

    def __init__(self, folder: RunFolder, processes: Processes, *, minutes: float) -> None:
        self.folder, self.processes = folder, processes
        self.ledger = Ledger(folder.path / "ledger", rank=folder.rank)
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
                raise DataError(f"cannot read {path}: {error}") from None
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
        )
        self.folder.write_json("state.json", self.state.model_dump(mode="json"))
        if self.processes.rank == 0:
            self.ledger.clear()
            for old in (self.folder.path / "resume").glob("*"):
                if str(old.relative_to(self.folder.path)) != self.state.checkpoint:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
        self.processes.wait()
        self._last = time.monotonic()

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


class ColdStartCheckpoints:
    """Saves and restores a cold start; see `mua_env.training.trainers.cold_start.train_cold_start`."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._all = checkpoints

    def restore(self, accelerator: Accelerator) -> int:
        """Load the last checkpoint, if there is one; returns its update, or 0."""
        state = self._all.state
        if state.phase != "cold_start" or state.checkpoint is None:
            return 0
        accelerator.load_state(str(self._all.folder.path / state.checkpoint))
        return state.step

    def after_update(self, accelerator: Accelerator, step: int) -> None:
        """Save if it is time."""
        if self._all.due():
            path = self._all.fresh(f"cold_start-{step}")
            accelerator.save_state(str(path), safe_serialization=False)
            self._all.commit("cold_start", step=step, checkpoint=path)


class GrpoCheckpoints(TrainerCallback):
    """Has TRL save when it is time, and commits what it saved.

    Args:
        checkpoints: of the run.
        updates_a_batch: updates on one batch of rollouts; checkpoints fall between batches, because TRL keeps
            none of a batch.
        learning_rate: wanted; a checkpoint's own gives way to it.
    """

    def __init__(self, checkpoints: Checkpoints, *, updates_a_batch: int, learning_rate: float) -> None:
        self._all, self._updates, self._rate = checkpoints, updates_a_batch, learning_rate

    @property
    def resume_from(self) -> str | None:
        """What ``Trainer.train`` is to resume from."""
        state = self._all.state
        return str(self._all.folder.path / state.checkpoint) if state.phase == "grpo" and state.checkpoint else None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Put the configuration's learning rate in the place of the checkpoint's."""
        scheduler = getattr(kwargs["lr_scheduler"], "scheduler", kwargs["lr_scheduler"])
        if self.resume_from is not None and set(scheduler.base_lrs) != {self._rate}:
            set_rate(scheduler, self._rate)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Ask for a checkpoint."""
        if state.global_step % self._updates == 0 and self._all.due():
            control.should_save = True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Commit it."""
        path = self._all.folder.path / "resume" / f"checkpoint-{state.global_step}"
        self._all.commit("grpo", step=state.global_step, checkpoint=path)


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Have a folder written, and put in its place only when it is complete."""
    draft = path.with_name(path.name + ".part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.parent.mkdir(parents=True, exist_ok=True)
    write(draft)
    shutil.rmtree(path, ignore_errors=True)
    draft.replace(path)
