"""What the cold start and GRPO save and go on from.

accelerate and TRL write pickles. The cold start's are read by `mua_env.training.run.saved_states` alone, which runs
nothing; GRPO's are looked through by it before TRL reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from mua_env.training.run.checkpoints import Checkpoints
from mua_env.training.run.saved_states import (
    check_json,
    check_random_states,
    check_sharded,
    check_state,
    check_weights,
    load_into,
    read_saved,
    set_random_states,
)
from mua_env.training.trainers.cold_start import set_rate

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator  # type: ignore[import-untyped]
    from torch.optim.lr_scheduler import LRScheduler

_COLD_START_STATES = {
    "python": "random_state",
    "numpy": "numpy_random_seed",
    "torch": "torch_manual_seed",
    "cuda": "torch_cuda_manual_seed",
}
_GRPO_STATES = {"python": "python", "numpy": "numpy", "torch": "cpu", "cuda": "cuda"}
"""How accelerate and transformers name the random states that they save."""


class ColdStartCheckpoints:
    """Saves and restores a cold start; see `mua_env.training.trainers.cold_start.train_cold_start`."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._all = checkpoints

    def restore(self, model: torch.nn.Module, optimizer: Any, schedule: LRScheduler) -> int:
        """Load the last checkpoint, if there is one; returns its update, or 0.

        Raises:
            DataError: a part of it is missing, damaged, or no plain data.
        """
        state, place = self._all.state, self._all.place
        if state.phase != "cold_start" or place is None:
            return 0
        load_into(model.load_state_dict, place / "pytorch_model.bin")
        load_into(optimizer.load_state_dict, place / "optimizer.bin")
        load_into(schedule.load_state_dict, place / "custom_checkpoint_0.pkl")
        file = self._all.random_file("random_states_{}.pkl", alone="random_states_0.pkl")
        if file is not None:
            set_random_states(read_saved(file), file, _COLD_START_STATES)
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

    def check(self) -> None:
        """Look through the checkpoint that TRL is to resume from, if there is one.

        TRL goes on without what it does not find, and says in a traceback what it cannot read.

        Raises:
            DataError: a part of it is missing, damaged, or no plain data.
        """
        place = self._all.place
        if self.resume_from is None or place is None:
            return
        check_json(place / "trainer_state.json")
        file = self._all.random_file("rng_state_{}.pth", alone="rng_state.pth")
        if file is not None:
            check_random_states(read_saved(file), file, _GRPO_STATES)
        if self._all.processes.sharded:
            check_sharded(place)
            return
        check_weights(place)
        check_state(place / "scheduler.pt", ("last_epoch", "base_lrs"))
        check_state(place / "optimizer.pt", ("state", "param_groups"))

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
