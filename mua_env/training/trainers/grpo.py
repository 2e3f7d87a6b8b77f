"""GRPO over dialogues: a thin subclass of TRL's trainer (§3.3).

TRL does the optimisation. What is ours: the rollout (token in, token out, with its mask), the advantages, failed
episodes that count nowhere, and metrics. TRL is pinned because private methods of it are overridden.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError, RunStopped, missing_extra
from mua_env.training.config.train import GrpoSettings
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.episode_statistics import check_faults
from mua_env.training.rollout.groups import GroupRollout, HeldBatch
from mua_env.training.rollout.pool import MixedPool
from mua_env.training.rollout.recording import Recorder, Unrecorded
from mua_env.training.trainers.grpo_config import check_scaling, trl_config, updates_a_batch
from mua_env.training.trainers.sharding import WholeModel
from mua_env.training.trainers.trl_fields import quiet_trl

try:
    import torch
    from accelerate.utils import gather_object  # type: ignore[import-untyped]
    from datasets import Dataset  # type: ignore[import-untyped]
    from transformers import set_seed
    from transformers.trainer_callback import PrinterCallback
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer
    from trl.trainer.utils import RepeatSampler
except ImportError:
    raise missing_extra("train", needed_by="GRPO") from None

if TYPE_CHECKING:
    from transformers import PreTrainedModel, TrainerCallback

__all__ = ["DialogueGRPOTrainer", "token_advantages", "trl_config", "updates_a_batch"]

_SUMS_OVER_ROWS = ("grpo", "sapo", "dr_grpo", "luspo")
"""Loss types that average over the rows of a batch, failed ones included, unless rescaled."""


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
        recorder: writes the dialogues down; None does not.
        faults: share of a batch's dialogues that may fail; more stop the run.
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
        pool: MixedPool,
        driver: RolloutDriver,
        seed: int,
        recorder: Recorder | None = None,
        faults: float = 1.0,
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
        check_scaling(args)
        if args.beta > 0 and not model.config._name_or_path:
            raise ConfigError("beta > 0 needs a reference model: save the model to a folder and load it from there")
        self.settings, self.pool, self.seed = settings, pool, seed
        self.recorder, self.faults = recorder or Unrecorded(), faults
        self.held: HeldBatch | None = None
        self._rows: list[dict[str, Any]] = []
        self._batch = -1
        set_seed(args.seed)  # adapters draw their first weights from the global generator
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
        self._whole = WholeModel(self.accelerator)
        self.group_rollout = GroupRollout(
            pool, driver, settings, seed=seed, rank=self.accelerator.process_index, gather=gather_object
        )
        # The run prints its own lines of the same figures.
        self.remove_callback(PrinterCallback)

    @property
    def driver(self) -> RolloutDriver:
        """Holds the dialogues."""
        return self.group_rollout.driver

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """TRL's, with our advantages: rows are kept for the rollout, and failed episodes carry no weight."""
        # TRL hands the rollout prompts alone; which task a row is about stands in the row.
        self._rows = inputs
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        held, advantages = self.held, output["advantages"]
        assert held is not None
        start = self.accelerator.process_index * len(inputs)
        # Every process knows all groups, because a group may span several; these are its own rows.
        values = [value for group in held.groups for value in group.values][start : start + len(inputs)]
        mine = torch.tensor(values, device=advantages.device)
        if self.settings.turn_credit is not None:
            mine = token_advantages(mine, held, output["completion_ids"].shape[1], self.settings.turn_credit.weight)
        output["advantages"] = mine
        valid = sum(group.valid for group in held.groups)
        # A failed dialogue is a row of zeros in a mean over rows: unscaled, failures would weaken the update.
        scale = len(held.outcomes) / valid if valid and self.loss_type in _SUMS_OVER_ROWS else 1.0
        output["row_scale"] = torch.tensor(scale, device=advantages.device)
        metrics = self._metrics["train" if self.model.training else "eval"]  # type: ignore[union-attr]
        for name, value in held.metrics.items():
            metrics[name].append(value)
        return output

    def _get_train_sampler(self, dataset: Dataset | None = None) -> RepeatSampler:
        """TRL's, but the order of an epoch follows from its number, so that a resumed run goes on in it."""
        sampler: Any = super()._get_train_sampler(dataset)
        return _EpochSampler(sampler, lambda: int(self.state.epoch or 0))

    def _get_grad_norm(self, model: torch.nn.Module, grad_norm: Any = None) -> Any:
        """transformers', which is called before each update: one that is no number must not reach the weights."""
        norm = super()._get_grad_norm(model, grad_norm=grad_norm)  # type: ignore[no-untyped-call]
        if norm is not None and not math.isfinite(float(norm)):
            raise RunStopped(
                f"the gradient of update {self.state.global_step + 1} is {float(norm)}; it was not applied. "
                "Lower grpo.learning_rate or grpo.clip, or raise the precision (model.dtype)"
            )
        return norm

    def _compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)  # type: ignore[no-untyped-call]
        # The whole loss, not the advantages: the divergence from the reference is a mean over the same rows.
        scale: torch.Tensor = inputs["row_scale"]
        return loss * scale

    def whole_model(self) -> AbstractContextManager[Any]:
        """The present model for dialogues; see `mua_env.training.trainers.sharding`."""
        return self._whole.of(self.model_wrapped)

    def roll_out(self) -> list[TokenTrajectory]:
        """Hold the dialogues of the present rows; all processes learn all outcomes."""
        # A run that goes on begins at its step, and must draw what an unbroken run would draw there.
        self._batch = max(self._batch + 1, int(self.state.global_step))
        curriculum = self.group_rollout.task_sampler.curriculum
        if curriculum is not None and self.held is None:  # the first batch, maybe of a run that goes on
            curriculum.restore(self.state.log_history)
        training = bool(self.model.training)  # type: ignore[union-attr]  # set by TRL's constructor
        with self.whole_model() as model, self.recorder.open("grpo", self._batch + 1) as batch:
            self.driver.update_weights(model)
            self.held = self.group_rollout.hold(
                model,
                [int(row["task"]) for row in self._rows],
                number=self._batch,
                group=int((self.num_generations if training else self.num_generations_eval) or 1),
                temperature=self.temperature,
                record=batch,
            )
            # Inside the batch: left by an error it stays open, and a resumed run holds its failed dialogues again.
            check_faults(self.held.outcomes, self.faults, what=f"update {self._batch + 1}")
        return self.held.trajectories


def token_advantages(rows: torch.Tensor, held: HeldBatch, width: int, weight: float) -> torch.Tensor:
    """The advantage of each completion token, (rows, width): the row's, and its stretch's credit times ``weight``."""
    advantages = rows[:, None].repeat(1, width)
    for row, (trajectory, credits) in enumerate(zip(held.trajectories, held.credits, strict=True)):
        begin = len(trajectory.prompt_ids)
        for credit in credits:
            advantages[row, credit.start - begin : credit.end - begin] += weight * credit.value
    return advantages


class _EpochSampler(RepeatSampler):
    def __init__(self, sampler: RepeatSampler, epoch: Callable[[], int]) -> None:
        # The same sampler with another order: TRL makes it from arguments that it does not keep.
        self.__dict__.update(sampler.__dict__)
        self._epoch = epoch

    def __iter__(self) -> Iterator[int]:
        if self.shuffle:
            self.generator.manual_seed(derive_seed(self.seed or 0, "epoch", self._epoch()))
        return iter(super().__iter__())  # type: ignore[no-untyped-call]  # TRL's is untyped


def _rollout(prompts: list[Any], trainer: DialogueGRPOTrainer) -> dict[str, list[Any]]:
    """What TRL asks of a rollout. A failed episode keeps its tokens, all of them masked; so does a truncated one where
    ``mask_truncated_completions`` is set, which TRL itself tells by the last token and not by what ended a dialogue."""
    trajectories = trainer.roll_out()
    unmasked = [t.reward is not None and not (trainer.mask_truncated_completions and t.truncated) for t in trajectories]
    return {
        "prompt_ids": [t.prompt_ids for t in trajectories],
        "completion_ids": [t.completion_ids for t in trajectories],
        "logprobs": [t.logprobs for t in trajectories],
        "env_mask": [t.mask if kept else [0] * len(t.mask) for t, kept in zip(trajectories, unmasked, strict=True)],
        "outcome": [t.reward for t in trajectories],
    }


def _outcome_reward(completions: list[Any], outcome: list[float | None], **_: Any) -> list[float | None]:
    # TRL takes no rewards from a rollout, only from a function that it calls: this one hands the scores on.
    return outcome


def _dataset(pool: MixedPool, args: GRPOConfig) -> Dataset:
    """One row a task: its position. An endless source is cut to what the run can use."""
    count = len(pool)
    if args.max_steps > 0:
        batch = args.generation_batch_size or 0
        needed = args.max_steps * batch // (args.num_generations or 1)
        count = min(count, max(needed, 1))
    # TRL wants a prompt in each row; the dialogue's own is made when it begins, and the position stands for it.
    rows = [{"prompt": [{"role": "user", "content": str(index)}], "task": index} for index in range(count)]
    return Dataset.from_list(rows)
