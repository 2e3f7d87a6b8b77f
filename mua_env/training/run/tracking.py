"""Metrics to TensorBoard, wandb, trackio and the like, through the callbacks that transformers has for them.

One callback of each kind serves the whole run, so that cold start, GRPO and evaluations stand in one place. Names are
those of metrics.jsonl behind the phase: ``cold_start/loss``, ``grpo/reward``, ``evaluation/success``; transformers puts
``train/`` in front. Nothing here decides whether a service goes online: ``WANDB_MODE=offline`` and the other variables
of the services hold.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config.train import TrackingConfig

if TYPE_CHECKING:
    from mua_env.training.run.pipeline import Run


class Tracking:
    """Sends a run's metrics to where ``report_to`` says.

    Args:
        config: services and project.
        folder: of the run; TensorBoard's files go to ``tensorboard`` in it.
        settings: of the run, to be shown beside the metrics.

    Raises:
        ConfigError: transformers has no such service, or the package of one is not installed.
    """

    def __init__(self, config: TrackingConfig, folder: Path, settings: Mapping[str, Any]) -> None:
        self._callbacks: list[Any] = []
        if not config.report_to:
            return
        try:
            from transformers import TrainerControl, TrainerState, TrainingArguments
            from transformers.integrations.integration_utils import get_reporting_integration_callbacks
        except ImportError:
            raise missing_extra("train", needed_by="tracking") from None
        for service in config.report_to:
            try:
                (kind,) = get_reporting_integration_callbacks([service])  # type: ignore[no-untyped-call]
                self._callbacks.append(kind())
            except (ValueError, RuntimeError, ImportError) as error:
                raise ConfigError(f"tracking.report_to: {error}") from None
        for callback in self._callbacks:
            if hasattr(callback, "logging_dir"):
                callback.logging_dir = str(folder / "tensorboard")
        self._args = TrainingArguments(
            output_dir=str(folder),
            run_name=folder.name,
            project=config.project,
            report_to="none",
            trackio_static_space_id=False,
        )
        self._state, self._control = TrainerState(), TrainerControl()
        self._model = _Described(settings)
        self._tell("on_train_begin")

    def log(self, phase: str, step: int, values: Mapping[str, Any]) -> None:
        """Send a line of metrics; what is no number stays in metrics.jsonl."""
        if not self._callbacks:
            return
        self._state.global_step = step
        numbers = {f"{phase}/{name}": value for name, value in values.items() if _is_number(value)}
        self._tell("on_log", logs=numbers)

    def close(self) -> None:
        """Let the services finish. May be called again."""
        if self._callbacks:
            self._tell("on_train_end")
        self._callbacks = []

    def _tell(self, event: str, **values: Any) -> None:
        for callback in self._callbacks:
            getattr(callback, event)(self._args, self._state, self._control, model=self._model, **values)


class _Described:
    """Stands for the model in the callbacks, which ask it for its configuration."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.config = self
        self._settings = dict(settings)

    def to_dict(self) -> dict[str, Any]:
        return dict(self._settings)

    def to_json_string(self) -> str:
        return json.dumps(self._settings, indent=2)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
