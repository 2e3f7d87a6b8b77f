"""The backend that a configuration names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mua_env.inference.backends.base import RemoteBackend
from mua_env.inference.backends.weights import DiskSync, NcclSync, WeightSync
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.train import SamplingConfig

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def make_backend(
    settings: SamplingConfig, chat: ChatTokens, model: PreTrainedModel, *, folder: Path, dtype: str = "float32"
) -> RemoteBackend | None:
    """What samples turns, or None for the model itself (``transformers``).

    Args:
        settings: of the run.
        chat: gives the end-of-turn token.
        model: where vLLM in this process begins.
        folder: for weights on their way to vLLM.
        dtype: what the model computes in, for vLLM in this process; float32 leaves it to vLLM.

    Raises:
        MissingExtra: vLLM is asked for in this process and is not installed.
    """
    if settings.backend == "vllm":
        from mua_env.inference.backends.vllm_engine import VllmColocated, VllmEngine
        from mua_env.inference.models import save

        start = folder / "vllm"
        save(model, chat.tokenizer, start)
        options = {**({} if dtype == "float32" else {"dtype": dtype}), **settings.options}
        return VllmColocated(VllmEngine(str(start), end_id=chat.end_id, options=options))
    if settings.backend == "vllm-server":
        from mua_env.inference.backends.vllm_server import VllmServer

        assert settings.url is not None, "the configuration was checked"
        sync: WeightSync = NcclSync(settings.url) if settings.sync == "nccl" else DiskSync(settings.url, folder)
        return VllmServer(settings.url, end_id=chat.end_id, sync=sync, timeout=settings.timeout)
    return None
