"""A run on the real retail domain, as small as can be."""

from typing import Any

from mua_env.training.config.train import (
    ColdStartConfig,
    EnvironmentConfig,
    EvaluationConfig,
    GrpoSettings,
    LengthConfig,
    ModelConfig,
    SafetyConfig,
    ScratchConfig,
    TrainConfig,
)

SMALL = ScratchConfig(hidden=32, layers=1, heads=2, kv_heads=1, vocabulary=600)


def small_config(**changes: Any) -> TrainConfig:
    values: dict[str, Any] = {
        "name": "small",
        "model": ModelConfig(scratch=SMALL),
        "environment": EnvironmentConfig(
            tasks="train:level=1",
            held_out="test:level=1",
            policy="compact",
            tools="compact",
            max_turns=12,
            reward="task",
        ),
        "lengths": LengthConfig(total=1500, turn=12),
        "cold_start": ColdStartConfig(
            trajectories=8, expert_style="compact", batch=4, micro_batch=4, epochs=1, renumbered=1, drill=0.5
        ),
        "grpo": GrpoSettings(queries=2, rollouts=2, steps=2, learning_rate=1e-4, micro_batch=2),
        "evaluation": EvaluationConfig(tasks=3, repeats=2, temperature=0.5, every=1),
    }
    return TrainConfig(**{**values, **changes})


def resumable_config(minutes: float) -> TrainConfig:
    """A run with all phases; ``minutes`` between checkpoints change nothing of what it leaves."""
    return small_config(
        grpo=GrpoSettings(queries=2, rollouts=2, steps=3, learning_rate=1e-3, micro_batch=2),
        evaluation=EvaluationConfig(tasks=2, repeats=2, temperature=0.5, every=2),
        safety=SafetyConfig(minutes=minutes),
    )
