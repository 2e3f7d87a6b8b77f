"""`mua-env train`: a configuration file with changes from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from mua_env.errors import ConfigError


def run_training(config: Path, changes: dict[str, Any], folder: Path | None) -> None:
    """Read the configuration, apply the changes, train, and print the run's folder."""
    from mua_env.training.config import load_config

    settings = load_config(config).model_dump(mode="json", exclude_unset=True)
    for key, value in changes.items():
        _assign(settings, key, value)
    checked = load_config(settings)
    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"--folder: {folder} is not empty")
    from mua_env.training.pipeline import train

    typer.echo(str(train(checked, folder=folder)))


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
