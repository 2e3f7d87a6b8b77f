"""The smallest size of every benchmark, ``--smoke``: it shows that a script runs to its end, and measures nothing."""

from __future__ import annotations

import argparse
from typing import Any

TRAINING: dict[str, Any] = {
    "cold_start.trajectories": 12,
    "cold_start.batch": 4,
    "cold_start.micro_batch": 4,
    "cold_start.shuffled": 0,
    "cold_start.renumbered": 0,
    "cold_start.keep": "all",
    "grpo.queries": 2,
    "grpo.rollouts": 2,
    "grpo.steps": 1,
    "grpo.micro_batch": 2,
    "evaluation.tasks": 2,
    "evaluation.repeats": 1,
    "evaluation.batch": 2,
    "evaluation.every": 0,
}
"""Settings of a training run that ends within seconds."""


def add_smoke(parser: argparse.ArgumentParser) -> None:
    """The option that every benchmark has."""
    parser.add_argument("--smoke", action="store_true", help="the smallest size: shows that the script runs")


def as_words(settings: dict[str, Any] = TRAINING) -> list[str]:
    """The settings as words of ``mua-env train``."""
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
