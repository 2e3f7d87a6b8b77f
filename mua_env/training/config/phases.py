"""Settings of the cold start, GRPO and evaluation; see `mua_env.training.config.train` for their sources."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mua_env.core.settings import Settings
from mua_env.training.config.bounds import (
    MOST,
    Amount,
    AmountOrNone,
    Count,
    CountOrNone,
    LearningRate,
    Options,
    Part,
    Share,
    ShareBelowOne,
    Text,
)

Std = Literal["population", "sample", "none"]
"""Divide the squared deviations by the number of rewards (population), or by one less (sample); or leave advantages
undivided (none), as Dr. GRPO does."""
Keep = Literal["solved", "all"]
"""Which of the expert's dialogues are kept: the solved ones, or all whose user did not fail."""
Loss = Literal["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "luspo", "vespo"]
"""Those of TRL 1.16, which itself looks at the name only when the first loss is computed."""


class ColdStartConfig(Settings):
    """Supervised training on expert dialogues before GRPO (§3.2)."""

    trajectories: Count = Field(2_000, description="expert dialogues (§3.2: about 2,000)")
    expert_style: Text = Field("plain", description="of the scripted expert; 'compact' for small models")
    expert_slips: Share | dict[str, Share] = Field(
        0.0,
        description="chance, or chances by tool, that the expert only claims a change: demonstrations that are not all "
        "right; this project",
    )
    keep: Keep = Field("solved", description="which of the expert's dialogues are imitated")
    batch: Count = Field(128, description="dialogues an update (§4.1)")
    micro_batch: Count = Field(8, description="dialogues a forward pass and process; memory only")
    epochs: Amount = Field(2.0, description="passes over the dialogues (§4.1)")
    learning_rate: LearningRate = Field(5e-6, description="AdamW, cosine decay to 0 (§4.1)")
    weight_decay: AmountOrNone = Field(0.01, description="released script (for GRPO)")
    betas: tuple[ShareBelowOne, ShareBelowOne] = Field((0.9, 0.999), description="AdamW; its defaults")
    warmup: Share = Field(0.0, description="share of the updates with a rising rate; not reported")
    clip: Amount = Field(1.0, description="gradient norm; released script (for GRPO)")
    renumbered: CountOrNone = Field(0, description="copies of each dialogue with other numbers; this project")
    shuffled: CountOrNone = Field(0, description="copies of each dialogue with other names and digits; this project")
    drill: ShareBelowOne = Field(0.0, description="share of batches of copy drills; this project, small models")
    window: ShareBelowOne = Field(0.0, description="share of batches of single turns with little history; as drill")
    autocast: Literal["no", "bf16"] = Field("no", description="this project; bf16 saves time where the CPU has it")
    trl: Options | None = Field(
        None,
        description="any fields of trl.SFTConfig: TRL's SFTTrainer does the training then ({} changes no field); None "
        "for this package's own loop",
    )

    @model_validator(mode="after")
    def _leaves_dialogues(self) -> ColdStartConfig:
        if self.drill + self.window >= 1:
            raise ValueError("drill and window leave no batches of whole dialogues; their sum must be below 1")
        return self

    def computing(self, *, mixed: bool) -> ColdStartConfig:
        """These settings, in bfloat16 where a model asks for it by `ModelConfig.mixed`."""
        return self.model_copy(update={"autocast": "bf16"}) if mixed else self


class CurriculumConfig(Settings):
    """Drawing more from the sources of a mix whose groups have both right and wrong rollouts (this project)."""

    floor: Part = Field(0.1, description="weight of a source whose groups are all equal; 1 is the most")
    memory: ShareBelowOne = Field(0.9, description="of the moving average, for each group")


class TurnCreditConfig(Settings):
    """Turn-level credit beside the binary reward: what the value of the dialogue rose by in a stretch of turns,
    measured by holding forks of it to their end (this project; the estimate is VinePPO's, arXiv 2410.01679)."""

    points: Count = Field(2, description="forks of a dialogue, evenly over its turns; they bound the stretches")
    continuations: Count = Field(2, description="dialogues held from each fork; their mean reward is its value")
    weight: Amount = Field(1.0, description="of the rise in value, added to the group's advantage")


class GrpoSettings(Settings):
    """Group relative policy optimisation (§3.3, §4.1)."""

    queries: Count = Field(32, description="queries a batch (§4.1)")
    rollouts: int = Field(8, ge=2, le=MOST, description="rollouts a query, G (§4.1)")
    epochs: Amount = Field(25.0, description="passes over the tasks (§4.1)")
    steps: Count | None = Field(None, description="updates; overrides `epochs`")
    beta: AmountOrNone = Field(0.001, description="weight of the divergence from the reference model (§4.1)")
    epsilon: Part = Field(0.2, description="clip range; the paper gives none, 0.2 is GRPO's")
    std: Std = Field(
        "population",
        description="what advantages are divided by; the paper does not say which deviation, this project's is that "
        "over G; 'sample' is over G - 1, 'none' (Dr. GRPO, arXiv 2503.20783) leaves r - mean",
    )
    temperature: Amount = Field(1.0, description="of rollouts (§4.1)")
    learning_rate: LearningRate = Field(1e-6, description="constant; released script")
    weight_decay: AmountOrNone = Field(0.01, description="released script")
    betas: tuple[ShareBelowOne, ShareBelowOne] = Field((0.9, 0.999), description="AdamW; its defaults")
    clip: Amount = Field(1.0, description="gradient norm; released script")
    loss_type: Loss = Field("grpo", description="each sequence averages its tokens (GRPO, Eq. 3)")
    importance: Literal["token", "sequence"] = Field("token", description="ratio level (Eq. 3: token)")
    iterations: Count = Field(1, description="updates on one batch of rollouts; released script")
    micro_batch: Count = Field(8, description="sequences a forward pass and process; memory only")
    user_seed: Literal["group", "rollout"] = Field(
        "group", description="whether the rollouts of a query meet the same user; this project"
    )
    dynamic_sampling: CountOrNone = Field(
        0, description="rounds in which groups of equal rewards are drawn anew (DAPO, arXiv 2503.14476); 0: none"
    )
    curriculum: CurriculumConfig | None = Field(None, description="over the sources of a mix; None for fixed shares")
    turn_credit: TurnCreditConfig | None = Field(None, description="None for the outcome alone (§3.3.3)")
    trl: Options = Field(default_factory=dict, description="any further field of trl.GRPOConfig")

    @model_validator(mode="after")
    def _loss_has_its_ratio(self) -> GrpoSettings:
        # TRL would say so when its trainer is made, after the cold start.
        needed = {"luspo": "sequence", "vespo": "token"}.get(self.loss_type, self.importance)
        if needed != self.importance:
            raise ValueError(f"loss_type {self.loss_type} needs importance {needed}")
        return self


class EvaluationConfig(Settings):
    """Success on held-out tasks (§4.1: temperature 0, each test set four times)."""

    tasks: Count | None = Field(None, description="how many held-out tasks, the first ones; None for all")
    repeats: Count = Field(4, description="runs of each task (§4.1)")
    temperature: AmountOrNone = Field(0.0, description="0 is greedy (§4.1)")
    batch: Count = Field(64, description="dialogues at once")
    every: CountOrNone = Field(0, description="GRPO updates between evaluations; 0 for start and end only")
