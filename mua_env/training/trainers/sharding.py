"""A whole model for rollouts, where training has spread it over processes.

A sharded model exchanges weights in every forward pass, so that all processes must make the same passes. Dialogues
have different numbers of turns: a process would wait for ever for one that has finished. Rollouts therefore run on
weights that each process has for itself:

- one process, or data parallel: the model as it is;
- DeepSpeed ZeRO-3: weights gathered in place while the context lasts (TRL's own way);
- FSDP: a copy, gathered for each batch. It costs the memory of the model once more on each device.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from accelerate import Accelerator  # type: ignore[import-untyped]


class WholeModel:
    """Gives rollouts a model that needs no other process.

    Args:
        accelerator: that prepared the model.
    """

    def __init__(self, accelerator: Accelerator) -> None:
        self._accelerator = accelerator
        self._copy: torch.nn.Module | None = None

    @contextmanager
    def of(self, wrapped: Any) -> Iterator[Any]:
        """The whole model, with its present weights, while the context lasts. All processes enter together."""
        kind = str(self._accelerator.distributed_type.value)
        if kind == "FSDP":
            yield self._gathered(wrapped)
        elif kind == "DEEPSPEED":
            from trl.models.utils import unwrap_model_for_generation

            with unwrap_model_for_generation(wrapped, self._accelerator) as model:
                yield model
        else:
            yield self._accelerator.unwrap_model(wrapped)

    def _gathered(self, wrapped: Any) -> torch.nn.Module:
        model = self._accelerator.unwrap_model(wrapped)
        if hasattr(model, "get_base_model"):
            raise ConfigError("model.lora cannot be used with FSDP; use DeepSpeed, or data parallel processes")
        if self._copy is None:
            self._copy = empty_copy(model, self._accelerator.device)
        load_gathered(wrapped, self._copy)
        return self._copy


def empty_copy(model: Any, device: torch.device) -> torch.nn.Module:
    """A model of the same architecture and precision with weights that are still to be loaded."""
    made: torch.nn.Module = type(model)._from_config(copy.deepcopy(model.config), dtype=model.dtype)
    return made.to(device).eval()


def load_gathered(sharded: torch.nn.Module, target: torch.nn.Module) -> None:
    """Copy the weights of a sharded model, from all processes, into a whole one in each. All call it together."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

    weights = get_model_state_dict(sharded, options=StateDictOptions(full_state_dict=True))
    target.load_state_dict({_plain(name): value for name, value in weights.items()})


def _plain(name: str) -> str:
    return name.replace("_fsdp_wrapped_module.", "").removeprefix("module.")
