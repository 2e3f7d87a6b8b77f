"""Settings of the cold start, GRPO and evaluation; see `mua_env.training.config.train` for their sources."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from mua_env.training.config.base import Settings

Std = Literal["population", "sample", "none"]
"""Divide the squared deviations by the number of rewards (population), or by one less (sample); or leave advantages
undivided (none), as Dr. GRPO does."""
Keep = Literal["solved", "all"]
"""Which of the expert's dialogues are kept: the solved ones, or all whose user did not fail."""
Chance = Annotated[float, Field(ge=0, le=1)]


class ColdStartConfig(Settings):
    """Supervised training on expert dialogues before GRPO (§3.2)."""

    trajectories: int = Field(2_000, description="expert dialogues (§3.2: about 2,000)")
    expert_style: str = Field("plain", description="of the scripted expert; 'compact' for small models")
    expert_slips: Chance | dict[str, Chance] = Field(
        0.0,
        description="chance, or chances by tool, that the expert only claims a change: demonstrations that are not all "
        "right; this project",
    )
    keep: Keep = Field("solved", description="which of the expert's dialogues are imitated")
    batch: int = Field(128, description="dialogues an update (§4.1)")
    micro_batch: int = Field(8, description="dialogues a forward pass and process; memory only")
    epochs: float = Field(2.0, description="passes over the dialogues (§4.1)")
    learning_rate: float = Field(5e-6, description="AdamW, cosine decay to 0 (§4.1)")
    weight_decay: float = Field(0.01, description="released script (for GRPO)")
    betas: tuple[float, float] = Field((0.9, 0.999), description="AdamW; its defaults")
    warmup: float = Field(0.0, description="share of the updates with a rising rate; not reported")
    clip: float = Field(1.0, description="gradient norm; released script (for GRPO)")
    renumbered: int = Field(0, description="copies of each dialogue with other numbers; this project")
    shuffled: int = Field(0, description="copies of each dialogue with other names and digits; this project")
    drill: float = Field(0.0, ge=0, lt=1, description="share of batches of copy drills; this project, small models")
    window: float = Field(0.0, ge=0, lt=1, description="share of batches of single turns with little history; as drill")
    autocast: Literal["no", "bf16"] = Field("no", description="this project; bf16 saves time where the CPU has it")
    trl: dict[str, Any] | None = Field(
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

    floor: float = Field(0.1, gt=0, description="weight of a source whose groups are all equal; 1 is the most")
    memory: float = Field(0.9, ge=0, lt=1, description="of the moving average, for each group")


class TurnCreditConfig(Settings):
    """Turn-level credit beside the binary reward: what the value of the dialogue rose by in a stretch of turns,
    measured by holding forks of it to their end (this project; the estimate is VinePPO's, arXiv 2410.01679)."""

    points: int = Field(2, ge=1, description="forks of a dialogue, evenly over its turns; they bound the stretches")
    continuations: int = Field(2, ge=1, description="dialogues held from each fork; their mean reward is its value")
    weight: float = Field(1.0, gt=0, description="of the rise in value, added to the group's advantage")


class GrpoSettings(Settings):
    """Group relative policy optimisation (§3.3, §4.1)."""

    queries: int = Field(32, description="queries a batch (§4.1)")
    rollouts: int = Field(8, ge=2, description="rollouts a query, G (§4.1)")
    epochs: float = Field(25.0, description="passes over the tasks (§4.1)")
    steps: int | None = Field(None, description="updates; overrides `epochs`")
    beta: float = Field(0.001, description="weight of the divergence from the reference model (§4.1)")
    epsilon: float = Field(0.2, description="clip range; the paper gives none, 0.2 is GRPO's")
    std: Std = Field(
        "population",
        description="what advantages are divided by; the paper does not say which deviation, this project's is that "
        "over G; 'sample' is over G - 1, 'none' (Dr. GRPO, arXiv 2503.20783) leaves r - mean",
    )
    temperature: float = Field(1.0, gt=0, description="of rollouts (§4.1)")
    learning_rate: float = Field(1e-6, description="constant; released script")
    weight_decay: float = Field(0.01, description="released script")
    betas: tuple[float, float] = Field((0.9, 0.999), description="AdamW; its defaults")
    clip: float = Field(1.0, description="gradient norm; released script")
    loss_type: str = Field("grpo", description="each sequence averages its tokens (GRPO, Eq. 3)")
    importance: Literal["token", "sequence"] = Field("token", description="ratio level (Eq. 3: token)")
    iterations: int = Field(1, description="updates on one batch of rollouts; released script")
    micro_batch: int = Field(8, description="sequences a forward pass and process; memory only")
    user_seed: Literal["group", "rollout"] = Field(
        "group", description="whether the rollouts of a query meet the same user; this project"
    )
    dynamic_sampling: int = Field(
        0, ge=0, description="rounds in which groups of equal rewards are drawn anew (DAPO, arXiv 2503.14476); 0: none"
    )
    curriculum: CurriculumConfig | None = Field(None, description="over the sources of a mix; None for fixed shares")
    turn_credit: TurnCreditConfig | None = Field(None, description="None for the outcome alone (§3.3.3)")
    trl: dict[str, Any] = Field(default_factory=dict, description="any further field of trl.GRPOConfig")


class EvaluationConfig(Settings):
    """Success on held-out tasks (§4.1: temperature 0, each test set four times)."""

    tasks: int | None = Field(None, description="how many held-out tasks, the first ones; None for all")
    repeats: int = Field(4, description="runs of each task (§4.1)")
    temperature: float = Field(0.0, ge=0, description="0 is greedy (§4.1)")
    batch: int = Field(64, description="dialogues at once")
    every: int = Field(0, description="GRPO updates between evaluations; 0 for start and end only")
