"""`mua-env train`: a configuration file with changes from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.training.config.train import TrainConfig


def run_training(config: Path, changes: dict[str, Any], folder: Path | None, *, resume: bool = False) -> None:
    """Read the configuration, apply the changes, train or go on, and print the run's folder."""
    from mua_env.training.run.launching import check_launch

    check_launch()
    checked = read_changed(config, changes)
    from mua_env.training.run.pipeline import train

    typer.echo(str(train(checked, folder=folder, resume=resume)))


def print_plan(config: Path, changes: dict[str, Any]) -> None:
    """Print what a configuration would run, without running it."""
    from mua_env.training.plan.plan import plan_run

    typer.echo(plan_run(read_changed(config, changes)).text())


def read_changed(config: Path, changes: dict[str, Any]) -> TrainConfig:
    """A configuration file with changes."""
    from mua_env.training.config.train import load_config

    settings = load_config(config).model_dump(mode="json", exclude_unset=True)
    for key, value in changes.items():
        _assign(settings, key, value)
    return load_config(settings)


def _assign(settings: dict[str, Any], key: str, value: Any) -> None:
    *parents, last = key.split(".")
    here = settings
    for name in parents:
        inner = here.setdefault(name, {})
        if inner is None:
            inner = here[name] = {}
        if not isinstance(inner, dict):
            raise ConfigError(f"--set {key}: {name} is {inner!r}, which holds no settings")
        here = inner
    here[last] = value
