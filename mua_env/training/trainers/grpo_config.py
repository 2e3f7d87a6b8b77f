"""TRL's configuration of GRPO, made from ours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config.train import GrpoSettings, TrainConfig
from mua_env.training.trainers.trl_fields import make_trl_config, share_batch

try:
    from trl.trainer.grpo_config import GRPOConfig
except ImportError:
    raise missing_extra("train", needed_by="GRPO") from None

_SAMPLED_HERE = "turns are drawn from the model's whole distribution, at grpo.temperature"
_ANOTHER_BACKEND = "sampling.backend says what samples the turns"
_UNUSED = {
    **dict.fromkeys(("top_p", "top_k", "min_p", "repetition_penalty", "generation_kwargs"), _SAMPLED_HERE),
    **dict.fromkeys(
        (
            "use_vllm",
            "cache_implementation",
            "use_transformers_continuous_batching",
            "transformers_continuous_batching_config",
            "use_transformers_paged",
        ),
        _ANOTHER_BACKEND,
    ),
    "chat_template_kwargs": "say model.template_options",
    "max_tool_calling_iterations": "say environment.max_turns",
    "num_generations_eval": "say evaluation.repeats",
    "reward_weights": "there is one reward, the outcome",
    "output_dir": "give the run's folder by --folder",
}
"""Fields that TRL reads only where it generates, rewards or keeps by itself, and what is to be said instead."""


def trl_config(config: TrainConfig, *, folder: str, processes: int = 1, cpu: bool = True) -> GRPOConfig:
    """TRL's configuration for ours.

    What would leave the paper is set explicitly, because TRL's own defaults differ: no importance factor on the
    divergence, truncated dialogues stay in the loss, a constant learning rate, no gradient checkpointing.
    ``grpo.trl`` overrides anything, but for what would change nothing here, which is refused.

    Raises:
        ConfigError: the batch does not divide among the processes, or a setting is refused, by TRL or because dialogues
            are not TRL's.
    """
    grpo = config.grpo or GrpoSettings()
    _refuse_unused(grpo.trl)
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
    args = make_trl_config(GRPOConfig, values, grpo.trl, where="grpo.trl")
    if (args.steps_per_generation or 1) % args.gradient_accumulation_steps:
        raise ConfigError(
            f"grpo.trl.steps_per_generation {args.steps_per_generation} is no multiple of "
            f"gradient_accumulation_steps {args.gradient_accumulation_steps}: an update would mix batches of rollouts"
        )
    return args


def _refuse_unused(given: Mapping[str, Any]) -> None:
    """A setting without an effect is worse than an error: the run would not be the one that was asked for."""
    defaults = {field.name: field.default for field in dataclasses.fields(GRPOConfig)}
    for name, value in given.items():
        instead = _UNUSED.get(name) or (_ANOTHER_BACKEND if name.startswith("vllm_") else None)
        if instead is not None and name in defaults and value != defaults[name]:
            raise ConfigError(f"grpo.trl.{name} = {value!r} would change nothing: {instead}")


def check_scaling(args: GRPOConfig) -> None:
    """Refuse that TRL normalises the advantages.

    Raises:
        ConfigError: it would.
    """
    if args.scale_rewards != "none":
        raise ConfigError(f"scale_rewards is {args.scale_rewards!r}; use 'none': advantages are ours")


def updates_a_batch(args: GRPOConfig) -> int:
    """Updates that TRL makes on one batch of rollouts."""
    return int((args.steps_per_generation or 1) // args.gradient_accumulation_steps * args.num_iterations)
