"""GRPO over dialogues: a thin subclass of TRL's trainer (§3.3).

TRL does the optimisation. What is ours: the rollout (token in, token out, with its mask), the advantages, failed
episodes that count nowhere, and metrics. TRL is pinned because two of its private methods are overridden.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mua_env.errors import ConfigError, missing_extra
from mua_env.training.advantages import batch_advantages
from mua_env.training.config import GrpoSettings, TrainConfig
from mua_env.training.outcomes import Outcome, dialogue_metrics
from mua_env.training.pool import DialoguePool
from mua_env.training.rollout import RolloutDriver
from mua_env.training.seeds import derive_seed
from mua_env.training.trajectory import TokenTrajectory

try:
    import torch
    from accelerate.utils import gather_object  # type: ignore[import-untyped]
    from datasets import Dataset  # type: ignore[import-untyped]
    from transformers.trainer_callback import PrinterCallback
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer
except ImportError:
    raise missing_extra("train", needed_by="GRPO") from None

if TYPE_CHECKING:
    from transformers import PreTrainedModel, TrainerCallback

_SUMS_OVER_ROWS = ("grpo", "sapo", "dr_grpo", "luspo")
"""Loss types that average over the rows of a batch, failed ones included, unless rescaled."""


@contextmanager
def quiet_trl() -> Iterator[None]:
    """Without the warnings that TRL 1.16 causes and a user cannot act on: that rollouts are experimental, and
    that it uses names which transformers has changed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*rollout_func.*experimental", category=UserWarning)
        warnings.filterwarnings("ignore", message=".*gradient_checkpointing", category=FutureWarning)
        yield


class DialogueGRPOTrainer(GRPOTrainer):
    """GRPO whose rollouts are dialogues.

    Args:
        model: the policy; with ``beta > 0`` it must have been loaded from a folder or hub id, because TRL
            loads the reference model from there.
        args: TRL's configuration, see `trl_config`.
        settings: ours.
        pool: sessions and tasks.
        driver: holds the dialogues.
        seed: of sampling and users.
        callbacks: transformers' callbacks.

    Raises:
        ConfigError: ``tools`` or ``environment_factory`` is given, which would discard the loss mask; ``args``
            would normalise the advantages itself; or there is no saved model for the reference.
    """

    def __init__(
        self,
        *,
        model: PreTrainedModel,
        args: GRPOConfig,
        settings: GrpoSettings,
        pool: DialoguePool,
        driver: RolloutDriver,
        seed: int,
        callbacks: list[TrainerCallback] | None = None,
        tools: object = None,
        environment_factory: object = None,
        **kwargs: Any,
    ) -> None:
        for name, given in (("tools", tools), ("environment_factory", environment_factory)):
            if given is not None:
                raise ConfigError(
                    f"{name}= cannot be given: dialogues come from the pool, and TRL drops the loss mask of a "
                    "rollout that stands beside tools or environments"
                )
        if args.scale_rewards != "none":
            raise ConfigError(f"scale_rewards is {args.scale_rewards!r}; use 'none': advantages are ours")
        if args.beta > 0 and not model.config._name_or_path:
            raise ConfigError("beta > 0 needs a reference model: save the model to a folder and load it from there")
        self.settings, self.pool, self.driver, self.seed = settings, pool, driver, seed
        self.outcomes: list[Outcome] = []
        self._rows: list[dict[str, Any]] = []
        self._batch = -1
        with quiet_trl():
            super().__init__(
                model=model,
                args=args,
                reward_funcs=[_outcome_reward],
                train_dataset=_dataset(pool, args),
                processing_class=driver.chat.tokenizer,
                callbacks=callbacks,
                rollout_func=_rollout,  # type: ignore[arg-type]  # always called with this class
                **kwargs,
            )
        self.remove_callback(PrinterCallback)

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """TRL's, with our advantages: rows are kept for the rollout, and failed episodes carry no weight."""
        self._rows = inputs
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        training = bool(self.model.training)  # type: ignore[union-attr]  # set by TRL's constructor
        group = int((self.num_generations if training else self.num_generations_eval) or 1)
        rewards = [outcome.reward for outcome in self.outcomes]
        groups = batch_advantages(rewards, group, std=self.settings.std)
        advantages = [value for each in groups for value in each.values]
        start = self.accelerator.process_index * len(inputs)
        mine = advantages[start : start + len(inputs)]
        output["advantages"] = torch.tensor(mine, device=output["advantages"].device)
        valid = sum(each.valid for each in groups)
        scale = len(rewards) / valid if valid and self.loss_type in _SUMS_OVER_ROWS else 1.0
        output["row_scale"] = torch.tensor(scale, device=output["advantages"].device)
        metrics = self._metrics["train" if training else "eval"]
        for name, value in dialogue_metrics(self.outcomes, groups).items():
            metrics[name].append(value)
        return output

    def _compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)  # type: ignore[no-untyped-call]
        scale: torch.Tensor = inputs["row_scale"]
        return loss * scale

    def roll_out(self) -> list[TokenTrajectory]:
        """Hold the dialogues of the present rows; all processes learn all outcomes."""
        self._batch = max(self._batch + 1, int(self.state.global_step))
        rows = [int(row["task"]) for row in self._rows]
        tasks = [self.pool.setting.tasks[index] for index in rows]
        dialogues = self.pool.dialogues(tasks, self._user_seeds(rows))
        model = self.accelerator.unwrap_model(self.model_wrapped)
        self.driver.update_weights(model)
        start = self.accelerator.process_index * len(rows)
        seeds = [derive_seed(self.seed, "sampling", self._batch, start + place) for place in range(len(rows))]
        trajectories = self.driver.run(model, dialogues, seeds=seeds, temperature=self.temperature)
        self.outcomes = gather_object([Outcome.of(trajectory) for trajectory in trajectories])
        return trajectories

    def _user_seeds(self, rows: Sequence[int]) -> list[int]:
        start = self.accelerator.process_index * len(rows)
        apart = self.settings.user_seed == "rollout"
        return [
            derive_seed(self.seed, "user", self._batch, row, start + place if apart else "group")
            for place, row in enumerate(rows)
        ]


def _rollout(prompts: list[Any], trainer: DialogueGRPOTrainer) -> dict[str, list[Any]]:
    """What TRL asks of a rollout. A failed episode keeps its tokens, all of them masked."""
    trajectories = trainer.roll_out()
    return {
        "prompt_ids": [t.prompt_ids for t in trajectories],
        "completion_ids": [t.completion_ids for t in trajectories],
        "logprobs": [t.logprobs for t in trajectories],
        "env_mask": [t.mask if t.reward is not None else [0] * len(t.mask) for t in trajectories],
        "outcome": [t.reward for t in trajectories],
    }


def _outcome_reward(completions: list[Any], outcome: list[float | None], **_: Any) -> list[float | None]:
    return outcome


def _dataset(pool: DialoguePool, args: GRPOConfig) -> Dataset:
    """One row a task: its position. An endless source is cut to what the run can use."""
    count = len(pool.setting.tasks)
    if args.max_steps > 0:
        batch = args.generation_batch_size or 0
        needed = args.max_steps * batch // (args.num_generations or 1)
        count = min(count, max(needed, 1))
    rows = [{"prompt": [{"role": "user", "content": str(index)}], "task": index} for index in range(count)]
    return Dataset.from_list(rows)


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
    share = batch // processes
    micro = max(size for size in range(1, min(grpo.micro_batch, share) + 1) if share % size == 0)
    values: dict[str, Any] = {
        "output_dir": folder,
        "per_device_train_batch_size": micro,
        "gradient_accumulation_steps": share // micro,
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
        "bf16": config.model.dtype == "bfloat16",
        "gradient_checkpointing": False,
        "logging_steps": 1,
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
    }
    try:
        with quiet_trl():
            return GRPOConfig(**{**values, **grpo.trl})
    except (TypeError, ValueError) as error:
        raise ConfigError(f"TRL refuses the configuration: {error}") from None
