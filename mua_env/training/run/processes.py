"""The processes of a run, as ``accelerate launch`` or ``torchrun`` started them.

The trap: ``accelerate launch --cpu --num_processes 2`` starts one process only; it is refused here. On CPUs say
``ACCELERATE_USE_CPU=true accelerate launch --multi_gpu --num_processes 2`` (the processes then talk by gloo).
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any, TypeVar

import torch
from accelerate import PartialState  # type: ignore[import-untyped]
from accelerate.utils import broadcast_object_list, gather_object  # type: ignore[import-untyped]

from mua_env.training.run.launching import check_launch

_T = TypeVar("_T")

_PATIENCE = timedelta(hours=6)
"""How long a process waits for the others: the slowest dialogue of a batch decides. A process that ended is noticed
at once."""


class Processes:
    """Rank, number and device of the processes; one and 0 when nothing launched them.

    Raises:
        ConfigError: see `mua_env.training.run.launching`.
    """

    def __init__(self) -> None:
        check_launch()
        self.cpu = not torch.cuda.is_available() or os.environ.get("ACCELERATE_USE_CPU", "").lower() in ("1", "true")
        self._state: Any = PartialState(cpu=self.cpu, timeout=_PATIENCE)

    @property
    def rank(self) -> int:
        """Position of this process."""
        return int(self._state.process_index)

    @property
    def count(self) -> int:
        """Number of processes."""
        return int(self._state.num_processes)

    @property
    def device(self) -> torch.device:
        """Device of this process."""
        device: torch.device = self._state.device
        return device

    @property
    def sharded(self) -> bool:
        """Whether training spreads the model over the processes (FSDP, DeepSpeed)."""
        return self.fsdp or _is_used("DEEPSPEED")

    @property
    def fsdp(self) -> bool:
        """Whether it is FSDP that does."""
        return _is_used("FSDP")

    def share(self, value: _T | None) -> _T:
        """The first process's value, on all of them."""
        box = [value]
        if self.count > 1:
            broadcast_object_list(box)
        assert box[0] is not None
        return box[0]

    def gather(self, values: list[_T]) -> list[_T]:
        """The lists of all processes, one after the other, on all of them."""
        gathered: list[_T] = gather_object(values) if self.count > 1 else values
        return gathered

    def wait(self) -> None:
        """Return when all processes have come here."""
        self._state.wait_for_everyone()


def _is_used(kind: str) -> bool:
    return os.environ.get(f"ACCELERATE_USE_{kind}", "").lower() == "true"
