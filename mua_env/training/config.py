"""Every setting of a training run, with its source.

Defaults are the paper's recipe (MUA-RL, arXiv 2508.18669, §3.2 and §4.1). "Released script" marks what the
paper does not give and its authors' published training script does; "this project" marks a choice of ours.
A run on a small machine overrides them: see `mua_env.training.quickstart`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mua_env.errors import ConfigError, did_you_mean, missing_extra
from mua_env.scoring import RewardName
from mua_env.training.advantages import Std
from mua_env.training.template import Detail

S = TypeVar("S", bound=BaseModel)
Results = Literal["full", "brief"]
"""How much of what a tool returned the agent is shown."""
Keep = Literal["solved", "all"]
"""Which of the expert's dialogues are kept: the solved ones, or all whose user did not fail."""
Chance = Annotated[float, Field(ge=0, le=1)]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScratchConfig(_Settings):
    """Shape of a model from nothing (this project; small enough for a CPU)."""

    hidden: int = Field(128, description="width of the residual stream")
    layers: int = Field(4, description="transformer layers")
    heads: int = Field(4, description="attention heads")
    kv_heads: int = Field(2, description="key-value heads")
    head: int = Field(64, description="width of a head; query-key norm bounds attention by its square root")
    initializer: float = Field(
        0.08,
        description="spread of the first weights, about 1 / sqrt(hidden); with the 0.02 of large models one this "
        "small does not begin to copy within a short run",
    )
    feed_forward: int = Field(3, description="width of the feed-forward layer, in multiples of `hidden`")
    positions: int = Field(4096, description="longest sequence in tokens")
    theta: float = Field(1e4, description="base of the rotary position encoding; Qwen3 itself has 1e6")
    copying: bool = Field(
        False, description="begin with heads that copy (`mua_env.training.copying`) instead of finding them; theta 1e6"
    )
    vocabulary: int = Field(2048, description="size of the tokenizer; small, and digits single")
    phrases: bool = Field(
        False, description="tokens of their own for what is the same in every dialogue, on top of `vocabulary`"
    )

    @model_validator(mode="after")
    def _divides(self) -> ScratchConfig:
        if self.heads % self.kv_heads:
            raise ValueError("heads must be a multiple of kv_heads")
        if self.copying and (self.layers < 2 or self.heads < 4 or self.head < 64 or self.theta < 1e5):
            raise ValueError("copying needs 2 layers, 4 heads of width 64 and a theta of 1e5 at least")
        return self


class LoraConfig(_Settings):
    """Low-rank adapters in place of full training (this project; the paper trains all weights)."""

    rank: int = Field(16, ge=1, description="of the adapters' matrices")
    alpha: int = Field(32, gt=0, description="the adapters' change is scaled by alpha / rank")
    dropout: float = Field(0.0, ge=0, lt=1, description="within the adapters")
    targets: tuple[str, ...] | str = Field("all-linear", description="names of modules, or what PEFT knows by name")


class ModelConfig(_Settings):
    """The model: a hub id or a folder, or one from nothing."""

    path: str | None = Field(None, description="hub id or local folder; None builds a model from nothing")
    scratch: ScratchConfig = Field(default_factory=ScratchConfig, description="shape when `path` is None")
    dtype: Literal["float32", "bfloat16"] = Field("float32", description="this project; bfloat16 on a GPU")
    template_options: dict[str, Any] = Field(
        default_factory=dict,
        description="of the chat template, as {'enable_thinking': False} for Qwen3 (§4.1: non-thinking)",
    )
    lora: LoraConfig | None = Field(
        None,
        description="train adapters only, fresh ones in each phase, merged at its end; in GRPO the model without them "
        "is the reference",
    )


class TaskSource(_Settings):
    """One source of a mix of tasks; what is None is the environment's."""

    id: str | None = Field(None, description="registered environment, as MUA/Airline-v1")
    tasks: str | None = Field(None, description="task set of the training")
    held_out: str | None = Field(None, description="task set that success is measured on")
    path: str | None = Field(None, description="where the files of a public benchmark lie")
    share: float | None = Field(
        None, gt=0, description="of the queries, relative to the other sources'; None for the number of its tasks"
    )


class EnvironmentConfig(_Settings):
    """Which tasks the agent is trained on, and what it is shown."""

    id: str = Field("MUA/Retail-v1", description="registered environment")
    tasks: str = Field("train", description="task set: split, or split:level=N, or tau1:train")
    held_out: str = Field("test", description="task set that success is measured on")
    path: str | None = Field(None, description="where the files of a public benchmark lie")
    sources: tuple[TaskSource, ...] = Field(
        (), description="several task sets, of one domain or more, mixed; empty for `tasks` alone (§4.1: two)"
    )
    user: str = Field("agenda", description="user simulator; the paper uses GPT-4o (§4.1)")
    user_options: dict[str, Any] = Field(default_factory=dict, description="further arguments of the user")
    held_out_user_options: dict[str, Any] | None = Field(
        None, description="those of the users that success is measured with; None for the same"
    )
    policy: Detail = Field("full", description="policy document as the agent reads it")
    tools: Detail = Field("full", description="tool schemas as the agent reads them")
    results: Results = Field(
        "full", description="tool results as the agent reads them; 'brief' for small models, as the domain words it"
    )
    max_turns: int = Field(30, ge=1, description="turns a task (§4.1)")
    reward: RewardName = Field("outcome", description="database alone; outputs are dropped in training (§4.1)")
    held_out_reward: RewardName = Field("task", description="evaluation keeps them (§4.1)")
    judge: str | None = Field(None, description="model that judges what held-out tasks state (tau2); None for nobody")
    judge_options: dict[str, Any] = Field(default_factory=dict, description="further arguments of the judge")

    def each(self) -> list[EnvironmentConfig]:
        """One environment for each source, in order; this one where there is no mix."""
        given = [source.model_dump(exclude={"share"}, exclude_none=True) for source in self.sources]
        return [self.model_copy(update={"sources": (), **values}) for values in given] or [self]


class LengthConfig(_Settings):
    """Token limits of one dialogue."""

    total: int = Field(32_768, description="tokens a sequence, prompt included (§4.1)")
    turn: int = Field(1_024, description="tokens the agent may sample in a turn (released script)")


class ColdStartConfig(_Settings):
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


class CurriculumConfig(_Settings):
    """Drawing more from the sources of a mix whose groups have both right and wrong rollouts (this project)."""

    floor: float = Field(0.1, gt=0, description="weight of a source whose groups are all equal; 1 is the most")
    memory: float = Field(0.9, ge=0, lt=1, description="of the moving average, for each group")


class TurnCreditConfig(_Settings):
    """Turn-level credit beside the binary reward: what the value of the dialogue rose by in a stretch of turns,
    measured by holding forks of it to their end (this project; the estimate is VinePPO's, arXiv 2410.01679)."""

    points: int = Field(2, ge=1, description="forks of a dialogue, evenly over its turns; they bound the stretches")
    continuations: int = Field(2, ge=1, description="dialogues held from each fork; their mean reward is its value")
    weight: float = Field(1.0, gt=0, description="of the rise in value, added to the group's advantage")


class GrpoSettings(_Settings):
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


class SamplingConfig(_Settings):
    """What samples the agent's turns in training and evaluation (this project)."""

    backend: Literal["transformers", "vllm-server", "vllm"] = Field(
        "transformers", description="the trained model itself, a vLLM server, or vLLM in the trainer's process"
    )
    url: str | None = Field(None, description="of the vLLM server, as http://127.0.0.1:8000")
    sync: Literal["disk", "nccl"] = Field("disk", description="how weights reach the server; nccl needs GPUs")
    timeout: float = Field(600.0, gt=0, description="seconds for one turn of the server, its queue included")
    options: dict[str, Any] = Field(default_factory=dict, description="further arguments of vllm.LLM")

    @model_validator(mode="after")
    def _has_server(self) -> SamplingConfig:
        if self.backend == "vllm-server" and not self.url:
            raise ValueError("backend vllm-server needs sampling.url")
        return self


class EvaluationConfig(_Settings):
    """Success on held-out tasks (§4.1: temperature 0, each test set four times)."""

    tasks: int | None = Field(None, description="how many held-out tasks, the first ones; None for all")
    repeats: int = Field(4, description="runs of each task (§4.1)")
    temperature: float = Field(0.0, ge=0, description="0 is greedy (§4.1)")
    batch: int = Field(64, description="dialogues at once")
    every: int = Field(0, description="GRPO updates between evaluations; 0 for start and end only")


class SafetyConfig(_Settings):
    """When a run is saved, and when it stops by itself (this project)."""

    minutes: float = Field(
        5.0,
        ge=0,
        description="between checkpoints; 0 for one after each update. A killed run loses no dialogue either way, "
        "but repeats the updates since the last checkpoint",
    )
    faults: float = Field(
        0.5,
        ge=0,
        le=1,
        description="share of a batch's dialogues that may fail for reasons not the agent's; more stop the run",
    )


class TrackingConfig(_Settings):
    """Where metrics go besides metrics.jsonl, through the callbacks of transformers (this project)."""

    report_to: tuple[str, ...] = Field((), description="tensorboard, wandb, trackio, or another that transformers has")
    project: str = Field("mua-env", description="of wandb and trackio")


class TrainConfig(_Settings):
    """One run: cold start, then GRPO, each measured."""

    name: str = Field("mua-rl", description="name of the run folder")
    folder: str = Field("runs", description="where run folders are made")
    seed: int = Field(0, description="of data order, sampling, users and weights")
    model: ModelConfig = Field(default_factory=ModelConfig)
    environment: EnvironmentConfig = Field(default_factory=EnvironmentConfig)
    lengths: LengthConfig = Field(default_factory=LengthConfig)
    cold_start: ColdStartConfig | None = Field(default_factory=ColdStartConfig, description="None skips it")
    grpo: GrpoSettings | None = Field(default_factory=GrpoSettings, description="None skips it")
    evaluation: EvaluationConfig = Field(default_factory=EvaluationConfig)
    sampling: SamplingConfig = Field(default_factory=SamplingConfig)
    safety: SafetyConfig = Field(default_factory=SafetyConfig)
    tracking: TrackingConfig = Field(default_factory=TrackingConfig)


def paper_defaults() -> TrainConfig:
    """The paper's recipe as far as it is reported."""
    return TrainConfig()


def load_config(source: str | os.PathLike[str] | dict[str, Any]) -> TrainConfig:
    """Read a YAML file, or a mapping; what it leaves out has the default.

    Raises:
        ConfigError: the file is missing or no mapping, or a setting is unknown or has a wrong value.
    """
    return read_settings(TrainConfig, source)


def read_settings(kind: type[S], source: str | os.PathLike[str] | dict[str, Any]) -> S:
    """Settings of any kind from a YAML file or a mapping; see `load_config`."""
    data = source if isinstance(source, dict) else _read(Path(source))
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the configuration"
        hint = _hint(kind, first["loc"]) if first["type"] == "extra_forbidden" else ""
        raise ConfigError(f"{where}: {first['msg']} (got {first['input']!r:.120}).{hint}") from None


def _hint(kind: type[BaseModel], path: tuple[int | str, ...]) -> str:
    """The setting that an unknown name may have meant."""
    fields = kind.model_fields
    for name in path[:-1]:
        if not isinstance(name, str) or name not in fields:
            continue
        inner = [part for part in (fields[name].annotation, *get_args(fields[name].annotation)) if _is_settings(part)]
        fields = inner[0].model_fields if inner else {}
    return did_you_mean(str(path[-1]), fields)


def _is_settings(part: Any) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)


def _read(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise missing_extra("train", needed_by="a YAML configuration") from None
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} holds {type(data).__name__}, not a mapping of settings")
    return data
