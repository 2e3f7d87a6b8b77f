"""Whether a configuration goes on with a run: what has been done must not have been done otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mua_env.errors import ConfigError
from mua_env.training.config.train import TrainConfig, load_config

FREE = (
    "name",
    "folder",
    "safety",
    "environment.path",
    "environment.user_options",
    "environment.held_out_user_options",
    "cold_start.learning_rate",
    "cold_start.clip",
    "cold_start.micro_batch",
    "grpo.learning_rate",
    "grpo.clip",
    "grpo.micro_batch",
    "evaluation.batch",
    "sampling.url",
    "sampling.timeout",
    "tracking",
)
"""What may differ: names and addresses, memory, and what keeps a run from breaking. They count from then on."""


def check_same_run(config: TrainConfig, folder: Path) -> None:
    """Compare with the configuration that the run in a folder began with.

    Raises:
        ConfigError: there is no run in it, or a setting differs that may not.
    """
    try:
        known = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{folder} holds no run to go on with: config.json: {error}") from None
    was, now = _flat(load_config(known).model_dump(mode="json")), _flat(config.model_dump(mode="json"))
    for name in sorted(was.keys() | now.keys()):
        free = any(name == one or name.startswith(one + ".") for one in FREE)
        if was.get(name) != now.get(name) and not free:
            raise ConfigError(
                f"{folder} holds a run with {name} = {was.get(name)!r}, now it is {now.get(name)!r}; go on with the "
                "former, or start another run. What may change: " + ", ".join(FREE)
            )


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict) and value:
            flat.update(_flat(value, f"{before}{name}."))
        else:
            flat[before + name] = value
    return flat
