"""TRL's configuration of GRPO, made from ours."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config import GrpoSettings, TrainConfig
from mua_env.training.seeds import derive_seed
from mua_env.training.trl_fields import make_trl_config, share_batch

try:
    from trl.trainer.grpo_config import GRPOConfig
except ImportError:
    raise missing_extra("train", needed_by="GRPO") from None


@contextmanager
def quiet_trl() -> Iterator[None]:
    """Without the warnings that TRL 1.16 causes and a user cannot act on: that rollouts are experimental, and
    that it uses names which transformers has changed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*rollout_func.*experimental", category=UserWarning)
        warnings.filterwarnings("ignore", message=".*gradient_checkpointing", category=FutureWarning)
        yield


def trl_config(config: TrainConfig, *, folder: str, processes: int = 1, cpu: bool = True) -> GRPOConfig:
    """TRL's configuration for ours.

    What would leave the paper is set explicitly, because TRL's own defaults differ: no importance factor on the
    divergence, truncated dialogues stay in the loss, a constant learning rate, no gradient checkpointing.
    ``grpo.trl`` overrides anything.

    Raises:
        ConfigError: the batch does not divide among the processes, or TRL refuses a setting.
    """
    grpo = config.grpo or GrpoSettings()
    batch = grpo.queries * grpo.rollouts
    if batch % processes:
        raise ConfigError(f"{grpo.queries} queries x {grpo.rollouts} rollouts do not divide by {processes} processes")
    values: dict[str, Any] = {
        "output_dir": folder,
        **share_batch(batch, grpo.micro_batch, processes),
        "num_generations": grpo.rollouts,
        "num_train_epochs": grpo.epochs,
        "max_steps": grpo.steps if grpo.steps is not None else -1,
        "max_completion_length": config.lengths.total,
        "beta": grpo.beta,
        "epsilon": grpo.epsilon,
        "loss_type": grpo.loss_type,
        "importance_sampling_level": grpo.importance,
        "num_iterations": grpo.iterations,
        "scale_rewards": "none",
        "use_bias_correction_kl": False,
        "mask_truncated_completions": False,
        "temperature": grpo.temperature,
        "top_p": 1.0,
        "top_k": 0,
        "learning_rate": grpo.learning_rate,
        "lr_scheduler_type": "constant",
        "weight_decay": grpo.weight_decay,
        "adam_beta1": grpo.betas[0],
        "adam_beta2": grpo.betas[1],
        "max_grad_norm": grpo.clip,
        "seed": derive_seed(config.seed, "grpo"),
        "use_cpu": cpu,
        "ddp_find_unused_parameters": False,
        "bf16": config.model.dtype == "bfloat16",
        "gradient_checkpointing": False,
        "logging_steps": 1,
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
    }
    with quiet_trl():
        args = make_trl_config(GRPOConfig, values, grpo.trl, where="grpo.trl")
    if (args.steps_per_generation or 1) % args.gradient_accumulation_steps:
        raise ConfigError(
            f"grpo.trl.steps_per_generation {args.steps_per_generation} is no multiple of "
            f"gradient_accumulation_steps {args.gradient_accumulation_steps}: an update would mix batches of rollouts"
        )
    return args


def updates_a_batch(args: GRPOConfig) -> int:
    """Updates that TRL makes on one batch of rollouts."""
    return int((args.steps_per_generation or 1) // args.gradient_accumulation_steps * args.num_iterations)
