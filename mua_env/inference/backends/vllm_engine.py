"""vLLM in the trainer's own process, on the trainer's own device ("colocate")."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mua_env.core.seeds import derive_seed
from mua_env.errors import missing_extra
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.batching import Batcher
from mua_env.inference.backends.weights import plain_weights
from mua_env.inference.sampling import DecoderStats, SampledTurn

if TYPE_CHECKING:
    import torch


class VllmEngine:
    """An `Engine` over vLLM's own, stepped by the driver.

    Args:
        folder: the model to begin with; a folder or hub id.
        end_id: the end-of-turn token, the only thing that stops a turn besides the budget.
        options: further arguments of ``vllm.LLM``, as ``gpu_memory_utilization``.

    Raises:
        MissingExtra: vLLM is not installed.
    """

    def __init__(self, folder: str, *, end_id: int, options: Mapping[str, Any] | None = None) -> None:
        # The engine's weights are written from here, so it must not live in a process of its own.
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
        try:
            from vllm import LLM  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise missing_extra("vllm", needed_by="vLLM in this process") from None
        self._end = end_id
        self._llm: Any = LLM(model=folder, logprobs_mode="processed_logprobs", **(options or {}))
        self._number = 0
        self.begin(temperature=1.0, seeds=())

    @property
    def stats(self) -> DecoderStats:
        """As `Backend.stats`."""
        return self._stats

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """As `Backend.begin`."""
        self._temperature, self._seeds = temperature, seeds
        self._history: dict[int, list[int]] = {}
        self._asked: dict[str, int] = {}
        self._stats = DecoderStats()

    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        """As `Engine.step`."""
        for request in requests:
            self._ask(request)
        self._stats.passes += 1
        ended: dict[int, SampledTurn] = {}
        for output in self._llm.llm_engine.step():
            if output.finished and output.request_id in self._asked:
                row = self._asked.pop(output.request_id)
                ended[row] = self._read(row, output)
        return ended

    def drop(self, rows: Iterable[int]) -> None:
        """As `Engine.drop`."""
        for row in rows:
            self._history.pop(row, None)

    def load(self, model: torch.nn.Module) -> None:
        """Take over the weights of a model, as TRL's colocate mode does."""
        engine = self._llm.llm_engine.model_executor.driver_worker.model_runner.model
        with plain_weights(model) as weights:
            for pair in weights:
                engine.load_weights([pair])
        self._llm.reset_prefix_cache()

    def close(self) -> None:
        """As `Engine.close`."""
        self._llm = None

    def _ask(self, request: TurnRequest) -> None:
        from vllm import SamplingParams  # type: ignore[import-not-found, unused-ignore]
        from vllm.sampling_params import RequestOutputKind  # type: ignore[import-not-found, unused-ignore]

        history = self._history.setdefault(request.row, [])
        history.extend(request.ids)
        parameters = SamplingParams(
            temperature=self._temperature,
            max_tokens=request.budget,
            seed=derive_seed(self._seeds[request.row], len(history)),
            logprobs=0,
            stop_token_ids=[self._end],
            ignore_eos=True,
            detokenize=False,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        self._number += 1
        name = str(self._number)
        self._llm.llm_engine.add_request(name, {"prompt_token_ids": list(history)}, parameters)
        self._asked[name] = request.row

    def _read(self, row: int, output: Any) -> SampledTurn:
        (choice,) = output.outputs
        ids = list(choice.token_ids)
        logprobs = [float(at[token].logprob) for token, at in zip(ids, choice.logprobs, strict=True)]
        self._history[row].extend(ids)
        self._stats.read += len(output.prompt_token_ids) - (output.num_cached_tokens or 0)
        self._stats.sampled += len(ids)
        return SampledTurn(ids, logprobs)


class VllmColocated(Batcher):
    """A `RemoteBackend` over `VllmEngine`: each process has an engine and weights of its own."""

    shared = False
    engine: VllmEngine

    def __init__(self, engine: VllmEngine) -> None:
        super().__init__(engine, patience=0)

    def load(self, model: torch.nn.Module) -> None:
        """As `RemoteBackend.load`."""
        self.engine.load(model)
