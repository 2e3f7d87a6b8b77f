"""Carrying changed weights to a vLLM server, by mechanisms of vLLM and TRL."""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mua_env.errors import ConfigError, RunStopped, missing_extra

if TYPE_CHECKING:
    import torch

_TIMEOUT = 600.0


class WeightSync(Protocol):
    """A way for weights from the trained model to an engine."""

    def push(self, model: torch.nn.Module) -> None:
        """Put the weights of a model in place of the engine's, and empty its prefix cache."""


@contextmanager
def plain_weights(model: torch.nn.Module) -> Iterator[Iterator[tuple[str, torch.Tensor]]]:
    """The weights under the names that a checkpoint has, adapters of PEFT merged in while the context lasts.

    Weights that are tied come once.
    """
    merge = getattr(model, "merge_adapter", None)
    if merge is None:
        yield ((name, parameter.data) for name, parameter in model.named_parameters())
        return
    merge()
    try:
        yield _without_adapters(model)
    finally:
        model.unmerge_adapter()  # type: ignore[operator]  # PEFT's, as merge_adapter


def _without_adapters(model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for name, parameter in model.named_parameters():
        if str(model.prefix) in name or "original_module" in name:
            continue
        plain = name.removeprefix("base_model.model.").replace(".base_layer", "")
        yield plain.replace("modules_to_save.default.", ""), parameter.data


class DiskSync:
    """Through a folder that the server can read: ``reload_weights`` of vLLM's workers.

    The server needs ``VLLM_SERVER_DEV_MODE=1``.

    Args:
        url: of the server.
        folder: where the weights are written, one file at a time; made when it is missing.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder, self._count = url.rstrip("/"), folder, 0

    def push(self, model: torch.nn.Module) -> None:
        """As `WeightSync.push`."""
        try:
            from safetensors.torch import save_file
        except ImportError:
            raise missing_extra("train", needed_by="weights for a vLLM server") from None
        self._count += 1
        target = (self._folder / f"weights-{self._count}").resolve()
        target.mkdir(parents=True, exist_ok=True)
        with plain_weights(model) as weights:
            found = {name: tensor.detach().cpu().contiguous() for name, tensor in weights}
        save_file(found, target / "model.safetensors", metadata={"format": "pt"})
        post(self._url, "/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": str(target)}})
        post(self._url, "/reset_prefix_cache", {})
        for old in self._folder.glob("weights-*"):  # those of a run that was killed, too
            if old.resolve() != target:
                shutil.rmtree(old, ignore_errors=True)


class NcclSync:
    """From GPU to GPU: TRL's client of vLLM's NCCL weight transfer. The trainer's process needs vLLM too.

    The server needs ``VLLM_SERVER_DEV_MODE=1`` and ``--weight-transfer-config '{"backend": "nccl"}'``, and a GPU
    that the trainer does not use.

    Args:
        url: of the server.
        group_port: of the rendezvous, on the trainer's machine (default 51216, TRL's).
    """

    def __init__(self, url: str, *, group_port: int = 51216) -> None:
        self._url, self._group_port = url, group_port
        self._client: Any = None

    def push(self, model: torch.nn.Module) -> None:
        """As `WeightSync.push`."""
        device = next(model.parameters()).device
        if self._client is None:
            if device.type != "cuda":
                raise ConfigError(f"NCCL carries weights between GPUs, the model is on {device}; use sync: disk")
            try:
                from trl.generation.vllm_client import VLLMClient
            except ImportError:
                raise missing_extra("vllm", needed_by="weight transfer by NCCL") from None
            self._client = VLLMClient(base_url=self._url, group_port=self._group_port, connection_timeout=60.0)
            self._client.init_communicator(device=device)
        with plain_weights(model) as weights:
            # The server must know what comes before it comes; nothing is copied here.
            pairs = list(weights)
            metadata = [(name, str(value.dtype).removeprefix("torch."), list(value.shape)) for name, value in pairs]
            self._client.update_named_params(metadata, iter(pairs))
        self._client.reset_prefix_cache()


def post(url: str, path: str, body: dict[str, Any]) -> None:
    """One blocking request to a route of vLLM's development mode.

    Raises:
        RunStopped: the server cannot be reached or answers with an error.
    """
    request = urllib.request.Request(
        url + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            response.read()
    except urllib.error.HTTPError as error:
        said = error.read()[:300].decode(errors="replace")
        hint = "; start the server with VLLM_SERVER_DEV_MODE=1" if error.code == 404 else ""
        raise RunStopped(f"POST {url}{path} failed with {error.code}: {said}{hint}") from None
    except OSError as error:
        raise RunStopped(f"POST {url}{path} failed: {error}") from None
