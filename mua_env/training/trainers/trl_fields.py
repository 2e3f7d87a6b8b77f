"""Passing settings through to TRL: every field of its configurations can be set, and a misspelt one is named."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from mua_env.errors import ConfigError, did_you_mean

T = TypeVar("T")


@contextmanager
def quiet_trl() -> Iterator[None]:
    """Without the warnings that TRL 1.16 causes and a user cannot act on: that rollouts are experimental, and
    that it uses names which transformers has changed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*rollout_func.*experimental", category=UserWarning)
        warnings.filterwarnings("ignore", message=".*gradient_checkpointing", category=FutureWarning)
        yield


def make_trl_config(kind: type[T], ours: Mapping[str, Any], given: Mapping[str, Any], *, where: str) -> T:
    """A configuration of TRL with our values, and over them what the user gave.

    Args:
        kind: ``GRPOConfig`` or ``SFTConfig``.
        ours: values that follow from our settings.
        given: the user's, which win.
        where: the setting that holds them, for messages.

    Raises:
        ConfigError: TRL has no such field, or refuses a value.
    """
    known = {field.name for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise ConfigError(f"{where}.{name}: trl.{kind.__name__} has no such field.{did_you_mean(name, known)}")
    try:
        with quiet_trl():
            return kind(**{**ours, **given})
    except (TypeError, ValueError) as error:
        raise ConfigError(f"TRL refuses the configuration ({where}): {error}") from None


def share_batch(size: int, micro_batch: int, processes: int) -> dict[str, int]:
    """TRL's settings by which a batch is shared by processes, in parts of ``micro_batch`` at most."""
    share = size // processes
    micro = max(part for part in range(1, min(micro_batch, share) + 1) if share % part == 0)
    return {"per_device_train_batch_size": micro, "gradient_accumulation_steps": share // micro}
