"""Carries TRL's log lines to the run folder and the screen, and measures in between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

if TYPE_CHECKING:
    from mua_env.training.run.pipeline import Run


class GrpoProgress(TrainerCallback):
    """The callback of a run's GRPO."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Write the metrics of an update down and print them."""
        if not logs or "dialogue/success" not in logs:
            return
        values = {name: _finite(value) for name, value in logs.items()}
        values["seconds"] = values.get("step_time")
        self._run.folder.add_metrics("grpo", state.global_step, values)
        self._run.reporter.grpo({"step": state.global_step, **values})

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Measure on the held-out tasks every so many updates."""
        every = self._run.config.evaluation.every
        if every and state.global_step % every == 0 and state.global_step < state.max_steps:
            self._run.evaluate(f"after update {state.global_step}", state.global_step)


def _finite(value: Any) -> Any:
    """JSON has no NaN: a mean over nothing is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
