"""A launch that starts fewer processes than it was asked for is refused before anything heavy is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mua_env.errors import ConfigError

_STARTED = ("WORLD_SIZE", "RANK", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE")
"""One of these is set where several processes have been started."""


def check_launch(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse to be the only process where several were asked for.

    ``accelerate launch`` names a meeting point for several processes, but starts only one with ``--cpu`` (or
    without ``--multi_gpu``), and says nothing.

    Raises:
        ConfigError: that has happened; the text holds the command that works.
    """
    launched = "ACCELERATE_MIXED_PRECISION" in environment and "MASTER_PORT" in environment
    if launched and not any(name in environment for name in _STARTED):
        raise ConfigError(
            "accelerate launch was asked for several processes and has started one: that is what it does with --cpu "
            "or without --multi_gpu. On CPUs say: ACCELERATE_USE_CPU=true accelerate launch --multi_gpu "
            "--num_processes 2 -m mua_env train CONFIG (or: torchrun --nproc-per-node 2 -m mua_env train CONFIG)"
        )
