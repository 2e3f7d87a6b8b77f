"""Reading what a checkpoint holds: tensors, numbers, texts and random states, and never an object that runs code.

`torch.save` writes pickles. They are read by PyTorch's loader for weights alone, which makes no object but those, with
NumPy's arrays (of random states) on its list; anything else in a file is an error.
"""

from __future__ import annotations

import _codecs
import contextlib
import importlib.util
import json
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open

from mua_env.errors import DataError

_ADVICE = "Put back a copy of the checkpoint that is whole, or begin the run anew in another folder"
_NUMPY: list[Any] = [
    np.ndarray,
    np.dtype,
    type(np.dtype(np.uint32)),
    # Whatever module this NumPy keeps it in, files name it by that module.
    np.zeros(0).__reduce__()[0],
    # Pickles of an older protocol hold the bytes of an array as text, which this turns back.
    _codecs.encode,
]


def read_saved(path: Path, *, mapped: bool = False, also: Sequence[Any] = ()) -> Any:
    """What `torch.save` wrote to a file, on the CPU.

    Args:
        path: the file.
        mapped: leave the tensors' bytes on the disk until they are used, to look only whether the file is whole.
        also: further types that it may hold.

    Raises:
        DataError: there is no such file, it is damaged, or it holds anything but tensors and plain values.
    """
    if not path.is_file():
        raise DataError(f"the checkpoint lacks {path}. {_ADVICE}")
    try:
        with warnings.catch_warnings(), torch.serialization.safe_globals([*_NUMPY, *also]):
            warnings.simplefilter("ignore")  # of a pickle in another form than torch.save's, which will not do anyway
            return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except Exception as error:  # a damaged file fails in a dozen ways, from EOFError to KeyError
        raise DataError(
            f"{path} is damaged, or holds other objects than tensors and plain values, which could run a program when "
            f"they are read ({type(error).__name__}); it is not read. {_ADVICE}"
        ) from None


def check_state(path: Path, keys: Sequence[str]) -> None:
    """Whether a file holds a whole state dictionary with some keys.

    Raises:
        DataError: it does not.
    """
    state = read_saved(path, mapped=True)
    with as_data_error(path, "holds no state"):
        if not all(key in state for key in keys):
            raise ValueError(f"it lacks one of {', '.join(keys)}")


def check_json(path: Path) -> None:
    """Whether a file holds a JSON object.

    Raises:
        DataError: it does not.
    """
    with as_data_error(path, "holds no state"):
        if not isinstance(json.loads(path.read_text(encoding="utf-8")), dict):
            raise ValueError("no object")


def check_weights(folder: Path) -> None:
    """Whether a checkpoint holds the weights of a model or its adapter in files that are whole.

    Raises:
        DataError: it does not.
    """
    safe = [*folder.glob("model*.safetensors"), *folder.glob("adapter_model*.safetensors")]
    pickled = [*folder.glob("pytorch_model*.bin"), *folder.glob("adapter_model*.bin")]
    if not safe and not pickled:
        raise DataError(f"the checkpoint {folder} lacks the weights of the model. {_ADVICE}")
    for path in safe:
        with as_data_error(path, "is damaged"), safe_open(path, "pt"):
            pass
    for path in pickled:
        read_saved(path, mapped=True)


def check_sharded(folder: Path) -> None:
    """Whether the files of a sharded model may be left to the loaders of FSDP or DeepSpeed, which unpickle anything.

    Raises:
        DataError: a file is damaged, or holds more than tensors and plain values.
    """
    if any(folder.rglob("*.distcp")):
        raise DataError(
            f"{folder} is in the sharded form of torch.distributed.checkpoint, which cannot be read without unpickling "
            "whatever it holds: it is not read. Have FSDP write whole states (fsdp_state_dict_type: FULL_STATE_DICT), "
            "and begin the run anew in another folder"
        )
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".pt", ".pth", ".bin", ".pkl")):
        if path.name != "training_args.bin":  # written for people; nothing reads it
            read_saved(path, mapped=True, also=_deepspeed_types())


def _deepspeed_types() -> list[Any]:
    """What stands in DeepSpeed's own files beside tensors."""
    names = {
        "deepspeed.runtime.fp16.loss_scaler": ("LossScaler", "DynamicLossScaler"),
        "deepspeed.runtime.zero.config": ("ZeroStageEnum",),
        "deepspeed.utils.tensor_fragment": ("fragment_address",),
    }
    if importlib.util.find_spec("deepspeed") is None:
        return []
    return [getattr(importlib.import_module(module), name) for module, parts in names.items() for name in parts]


def load_into(target: Callable[[Any], Any], path: Path) -> None:
    """Give what a file holds to a `load_state_dict`.

    Raises:
        DataError: it cannot be read, or is not the state of such an object.
    """
    state = read_saved(path)
    with as_data_error(path, "does not fit this run"):
        target(state)


@contextlib.contextmanager
def as_data_error(path: Path, what: str) -> Iterator[None]:
    """Turn any error of a block into one that names a file of the checkpoint."""
    try:
        yield
    except Exception as error:  # PyTorch's and NumPy's own errors are of many kinds
        raise DataError(f"{path} {what}: {' '.join(str(error).split())[:300]}. {_ADVICE}") from None


def set_random_states(states: Any, path: Path, names: Mapping[str, str]) -> None:
    """Let the generators of Python, NumPy and PyTorch go on where they were: all of them, or none.

    Args:
        states: what a file holds.
        path: that file.
        names: how it names the states of ``python``, ``numpy``, ``torch`` and ``cuda``.

    Raises:
        DataError: a state is missing, or no state; without it this would be another run.
    """
    check_random_states(states, path, names)
    random.setstate(states[names["python"]])
    np.random.set_state(states[names["numpy"]])
    torch.set_rng_state(states[names["torch"]])
    cuda = states.get(names["cuda"])
    if cuda is not None and torch.cuda.is_available():
        with as_data_error(path, "holds no random states of these devices"):
            torch.cuda.set_rng_state_all(cuda)


def check_random_states(states: Any, path: Path, names: Mapping[str, str]) -> None:
    """Whether generators could go on from what a file holds, tried on others than the process's own.

    Raises:
        DataError: as of `set_random_states`.
    """
    with as_data_error(path, "holds no whole random state"):
        random.Random().setstate(states[names["python"]])
        np.random.RandomState().set_state(states[names["numpy"]])
        torch.Generator().set_state(states[names["torch"]])
