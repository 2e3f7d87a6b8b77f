"""Every setting of a training run, with its source.

Defaults are the paper's recipe (MUA-RL, arXiv 2508.18669, §3.2 and §4.1). "Released script" marks what the
paper does not give and its authors' published training script does; "this project" marks a choice of ours.
A run on a small machine overrides them: see `mua_env.training.quickstart`.

setup   model, environment, lengths
phases  cold start, GRPO, evaluation
train   the rest, and a run's settings as a whole
"""

from __future__ import annotations

import os
from typing import Any, Literal

from pydantic import Field, model_validator

from mua_env.core.settings import Settings, read_settings
from mua_env.errors import ConfigError
from mua_env.inference.agent_view import AgentView
from mua_env.training.config.bounds import Amount, AmountOrNone, Options, RunName, Seed, Share, Text, Url
from mua_env.training.config.phases import (
    ColdStartConfig,
    CurriculumConfig,
    EvaluationConfig,
    GrpoSettings,
    Keep,
    TurnCreditConfig,
)
from mua_env.training.config.setup import (
    EnvironmentConfig,
    LengthConfig,
    LoraConfig,
    ModelConfig,
    Results,
    ScratchConfig,
    TaskSource,
)

__all__ = [
    "ColdStartConfig",
    "CurriculumConfig",
    "EnvironmentConfig",
    "EvaluationConfig",
    "GrpoSettings",
    "Keep",
    "LengthConfig",
    "LoraConfig",
    "ModelConfig",
    "Results",
    "SafetyConfig",
    "SamplingConfig",
    "ScratchConfig",
    "TaskSource",
    "TrackingConfig",
    "TrainConfig",
    "TurnCreditConfig",
    "load_config",
    "paper_defaults",
    "read_settings",
]


class SamplingConfig(Settings):
    """What samples the agent's turns in training and evaluation (this project)."""

    backend: Literal["transformers", "vllm-server", "vllm"] = Field(
        "transformers", description="the trained model itself, a vLLM server, or vLLM in the trainer's process"
    )
    url: Url | None = Field(None, description="of the vLLM server, as http://127.0.0.1:8000")
    sync: Literal["disk", "nccl"] = Field("disk", description="how weights reach the server; nccl needs GPUs")
    timeout: Amount = Field(600.0, description="seconds for one turn of the server, its queue included")
    options: Options = Field(default_factory=dict, description="further arguments of vllm.LLM")

    @model_validator(mode="after")
    def _has_server(self) -> SamplingConfig:
        if self.backend == "vllm-server" and not self.url:
            raise ValueError("backend vllm-server needs sampling.url")
        return self


class SafetyConfig(Settings):
    """When a run is saved, and when it stops by itself (this project)."""

    minutes: AmountOrNone = Field(
        5.0,
        description="between checkpoints; 0 for one after each update. A killed run loses no dialogue either way, "
        "but repeats the updates since the last checkpoint",
    )
    faults: Share = Field(
        0.5,
        description="share of a batch's dialogues that may fail for reasons not the agent's; more stop the run",
    )


class TrackingConfig(Settings):
    """Where metrics go besides metrics.jsonl, through the callbacks of transformers (this project)."""

    report_to: tuple[Text, ...] = Field((), description="tensorboard, wandb, trackio, or another that transformers has")
    project: Text = Field("mua-env", description="of wandb and trackio")


class TrainConfig(Settings):
    """One run: cold start, then GRPO, each measured."""

    name: RunName = Field("mua-rl", description="name of the run folder")
    folder: Text = Field("runs", description="where run folders are made")
    seed: Seed = Field(0, description="of data order, sampling, users and weights")
    model: ModelConfig = Field(default_factory=ModelConfig)
    environment: EnvironmentConfig = Field(default_factory=EnvironmentConfig)
    lengths: LengthConfig = Field(default_factory=LengthConfig)
    cold_start: ColdStartConfig | None = Field(default_factory=ColdStartConfig, description="None skips it")
    grpo: GrpoSettings | None = Field(default_factory=GrpoSettings, description="None skips it")
    evaluation: EvaluationConfig = Field(default_factory=EvaluationConfig)
    sampling: SamplingConfig = Field(default_factory=SamplingConfig)
    safety: SafetyConfig = Field(default_factory=SafetyConfig)
    tracking: TrackingConfig = Field(default_factory=TrackingConfig)

    def check_phases(self) -> None:
        """Refuse what cannot run, however it was put together.

        Raises:
            ConfigError: there is neither a cold start nor GRPO, or GRPO would begin with random weights.
        """
        if self.cold_start is None and self.grpo is None:
            raise ConfigError("neither cold_start nor grpo is left, so that nothing would be trained; keep one of them")
        if self.model.path is None and self.cold_start is None:
            raise ConfigError("a model from nothing needs a cold start; give model.path, or keep cold_start")

    def agent_view(self, *, chat_format: str = "") -> AgentView:
        """What the trained model is to be shown wherever it acts: what it was shown here."""
        return AgentView(
            policy=self.environment.policy,
            tools=self.environment.tools,
            results=self.environment.results,
            max_turns=self.environment.max_turns,
            turn_tokens=self.lengths.turn,
            total_tokens=self.lengths.total,
            template_options=self.model.template_options,
            chat_format=chat_format,
        )


def paper_defaults() -> TrainConfig:
    """The paper's recipe as far as it is reported."""
    return TrainConfig()


def load_config(source: str | os.PathLike[str] | dict[str, Any]) -> TrainConfig:
    """Read a YAML file, or a mapping; what it leaves out has the default.

    Raises:
        ConfigError: the file is missing or no mapping, or a setting is unknown or has a wrong value.
    """
    return read_settings(TrainConfig, source)
