"""Turns from a vLLM server over HTTP, token in and token out.

One request a turn to ``/v1/completions``: the prompt is the ids of the whole dialogue so far, which the server's
prefix cache has read but for what is new; ids and log-probabilities come back. No gathering of processes takes
part, so processes with different numbers of turns never wait for each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError, RunStopped, missing_extra
from mua_env.inference.backends.weights import WeightSync
from mua_env.inference.sampling import DecoderStats, SampledTurn

try:
    import aiohttp
except ImportError:
    raise missing_extra("train", needed_by="the vLLM server backend") from None

if TYPE_CHECKING:
    import torch

_PAUSES = (0.0, 1.0, 2.0)
"""Seconds before each try."""
_START = (
    "VLLM_SERVER_DEV_MODE=1 python -m vllm.entrypoints.openai.api_server --model FOLDER "
    "--logprobs-mode processed_logprobs"
)


class ServerError(RunStopped):
    """The server of turns is gone or refuses."""


class VllmServer:
    """A `RemoteBackend` over vLLM's OpenAI server (0.20 and later).

    Args:
        url: as ``http://127.0.0.1:8000``.
        end_id: the end-of-turn token, the only thing that stops a turn besides the budget.
        model: the name it is served under; None for the first one that the server lists.
        sync: carries changed weights to the server; None where the weights never change.
        timeout: seconds for one turn (default 600), waiting in the server's queue included.

    ``stats.read`` counts prompt tokens that were not in the server's prefix cache, if it was started with
    ``--enable-prompt-tokens-details``, and all prompt tokens otherwise.
    """

    shared = True

    def __init__(
        self,
        url: str,
        *,
        end_id: int,
        model: str | None = None,
        sync: WeightSync | None = None,
        timeout: float = 600.0,
    ) -> None:
        self.url, self._end, self._model, self._sync = url.rstrip("/"), end_id, model, sync
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._client: aiohttp.ClientSession | None = None
        self._checked: set[bool] = set()
        self.begin(temperature=1.0, seeds=())

    @property
    def stats(self) -> DecoderStats:
        """As `Backend.stats`."""
        return self._stats

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """As `Backend.begin`."""
        self._temperature, self._seeds = temperature, seeds
        self._history: dict[int, list[int]] = {}
        self._stats = DecoderStats()

    async def sample(self, row: int, ids: Sequence[int], budget: int) -> SampledTurn:
        """As `Backend.sample`.

        Raises:
            ServerError: the server cannot be reached or answers with an error, after three tries.
            ConfigError: its log-probabilities are not those of the sampling distribution.
        """
        await self._check()
        history = self._history.setdefault(row, [])
        history.extend(ids)
        answer = await self._post("/v1/completions", self._request(row, history, budget))
        turn = self._read(answer, budget)
        history.extend(turn.ids)
        return turn

    def drop(self, row: int) -> None:
        """As `Backend.drop`."""
        self._history.pop(row, None)

    def load(self, model: torch.nn.Module) -> None:
        """As `RemoteBackend.load`.

        Raises:
            ConfigError: no way to carry the weights was given.
        """
        if self._sync is None:
            raise ConfigError("a model that is trained needs a way to the vLLM server: give sampling.sync")
        self._sync.push(model)

    async def aclose(self) -> None:
        """As `Backend.aclose`."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _request(self, row: int, history: Sequence[int], budget: int) -> dict[str, Any]:
        return {
            "model": self._model,
            "prompt": list(history),
            "max_tokens": budget,
            "temperature": self._temperature,
            "top_p": 1.0,
            "top_k": 0,
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            # The same turn gets the same draws when it is asked for again, and no two turns of a row share theirs.
            "seed": derive_seed(self._seeds[row], len(history)),
            "logprobs": 0,
            "return_token_ids": True,
            "stop_token_ids": [self._end],
            # Else what the model's generation_config.json lists would stop a turn too.
            "ignore_eos": True,
            "skip_special_tokens": False,
            "add_special_tokens": False,
        }

    def _read(self, answer: Mapping[str, Any], budget: int) -> SampledTurn:
        choice = answer["choices"][0]
        ids, found = choice.get("token_ids"), choice.get("logprobs")
        if ids is None or found is None:
            raise ServerError(f"{self.url} returned no token ids; vLLM 0.20 or later is needed")
        logprobs = found["token_logprobs"]
        ended = bool(ids) and ids[-1] == self._end
        if len(ids) != len(logprobs) or not (ended or len(ids) == budget):
            raise ServerError(
                f"{self.url} returned {len(ids)} ids with {len(logprobs)} log-probabilities for a budget of {budget} "
                f"and ended with {choice.get('finish_reason')!r}"
            )
        usage = answer["usage"]
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        self._stats.read += usage["prompt_tokens"] - cached
        self._stats.sampled += len(ids)
        self._stats.passes += 1
        return SampledTurn(list(ids), [float(value) for value in logprobs])

    async def _check(self) -> None:
        """Learn the model's name, and see that log-probabilities are those of the sampling distribution."""
        if self._model is None:
            self._model = (await self._get("/v1/models"))["data"][0]["id"]
        scaled = self._temperature not in (0.0, 1.0)
        if scaled and scaled not in self._checked:
            self._checked.add(scaled)
            try:
                info = await self._get("/server_info?config_format=json")
            except ServerError:
                info = {}
            mode = info.get("vllm_config", {}).get("model_config", {}).get("logprobs_mode")
            if mode != "processed_logprobs":
                raise ConfigError(
                    f"{self.url} has logprobs_mode {mode or 'unknown'}: at temperature {self._temperature} its "
                    f"log-probabilities would not be those that turns are sampled with. Start it with: {_START}"
                )

    async def _get(self, path: str) -> Any:
        return await self._ask("GET", path, None)

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        return await self._ask("POST", path, body)

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        if self._client is None:
            # As many turns at once as there are dialogues; the server queues what it cannot hold.
            connector = aiohttp.TCPConnector(limit=0)
            self._client = aiohttp.ClientSession(connector=connector, timeout=self._timeout)
        problem = ""
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            try:
                async with self._client.request(method, self.url + path, json=body) as response:
                    if response.status == 200:
                        return await response.json()
                    problem = f"{response.status}: {(await response.text())[:300]}"
                    if response.status < 500:
                        break
            except (aiohttp.ClientError, TimeoutError) as error:
                problem = f"{type(error).__name__}: {error}"
        raise ServerError(f"{method} {self.url}{path} failed: {problem}")
