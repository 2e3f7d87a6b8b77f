"""Cold start by TRL's SFTTrainer, for whoever wants its knobs: gradient checkpointing, packing, liger kernels.

The examples are the same token trajectories with the same mask as in `mua_env.training.trainers.cold_start`; loss,
optimiser and schedule are the same too, unless ``cold_start.trl`` says otherwise. Copy drills and single turns are not
mixed in.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config.train import ColdStartConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.trainers.trl_fields import make_trl_config, share_batch

try:
    from datasets import Dataset  # type: ignore[import-untyped]
    from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
    from transformers.trainer_callback import PrinterCallback
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer
except ImportError:
    raise missing_extra("train", needed_by="the cold start by TRL") from None

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Report = Callable[[dict[str, float]], None]


def sft_config(config: ColdStartConfig, *, folder: str, seed: int, processes: int = 1, cpu: bool = True) -> SFTConfig:
    """TRL's configuration for ours; ``cold_start.trl`` overrides anything.

    Raises:
        ConfigError: the batch does not divide among the processes, copy drills or single turns are asked for, or TRL
            refuses a setting.
    """
    if config.drill or config.window:
        raise ConfigError(
            "cold_start.trl leaves the training to TRL, which knows no drill and no window; set them to 0"
        )
    if config.batch % processes:
        raise ConfigError(f"cold_start.batch {config.batch} does not divide by {processes} processes")
    ours: dict[str, Any] = {
        "output_dir": folder,
        **share_batch(config.batch, config.micro_batch, processes),
        "num_train_epochs": config.epochs,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": config.warmup,
        "weight_decay": config.weight_decay,
        "adam_beta1": config.betas[0],
        "adam_beta2": config.betas[1],
        "max_grad_norm": config.clip,
        "loss_type": "nll",
        "seed": derive_seed(seed, "sft"),
        "use_cpu": cpu,
        "bf16": config.autocast == "bf16",
        "gradient_checkpointing": False,
        "logging_steps": 1,
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
        "max_length": None,
    }
    return make_trl_config(SFTConfig, ours, config.trl or {}, where="cold_start.trl")


def train_with_trl(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    dialogues: Sequence[TokenTrajectory],
    config: ColdStartConfig,
    *,
    seed: int,
    processes: int = 1,
    cpu: bool = True,
    report: Report | None = None,
) -> PreTrainedModel:
    """Train a model on dialogues, in place, as `mua_env.training.trainers.cold_start.train_cold_start` does.

    Args:
        model: the model; it is left in eval mode.
        tokenizer: its tokenizer, for padding.
        dialogues: expert dialogues.
        config: batch, epochs, optimiser, and TRL's own fields.
        seed: of the order of batches.
        processes: how many take part.
        cpu: whether to stay on the CPU.
        report: called after each update, as `train_cold_start` has it.

    Raises:
        ConfigError: there are no dialogues, or the configuration cannot be.
    """
    if not dialogues:
        raise ConfigError("a cold start needs at least one expert dialogue")
    with tempfile.TemporaryDirectory() as scratch:
        args = sft_config(config, folder=scratch, seed=seed, processes=processes, cpu=cpu)
        try:
            trainer = SFTTrainer(
                model=model,
                args=args,
                train_dataset=_dataset(dialogues),
                processing_class=tokenizer,
                callbacks=[_Progress(report)] if report is not None else [],
            )
        except ValueError as error:
            raise ConfigError(f"TRL refuses the configuration (cold_start.trl): {error}") from None
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    model.train(False)
    return model


def _dataset(dialogues: Sequence[TokenTrajectory]) -> Dataset:
    """Ids and labels; what the agent did not sample is no target."""
    rows = []
    for trajectory in dialogues:
        targets = [-100] * len(trajectory.prompt_ids)
        targets += [id if flag else -100 for id, flag in zip(trajectory.completion_ids, trajectory.mask, strict=True)]
        rows.append({"input_ids": trajectory.ids, "labels": targets})
    return Dataset.from_list(rows)


class _Progress(TrainerCallback):
    def __init__(self, report: Report) -> None:
        self._report, self._seen = report, 0

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not logs or "loss" not in logs:
            return
        seen, self._seen = self._seen, int(logs.get("num_tokens") or 0)
        self._report(
            {
                "step": state.global_step,
                "steps": state.max_steps,
                "loss": float(logs["loss"]),
                "learning_rate": float(logs.get("learning_rate") or 0.0),
                "tokens": self._seen - seen,
                "grad_norm": float(logs.get("grad_norm") or 0.0),
            }
        )
