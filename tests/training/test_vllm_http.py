"""The client of a vLLM server against a real loopback server that misbehaves; the real server has its own tests in
tests/vllm_backend."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from mua_env.errors import ConfigError, RunStopped
from mua_env.inference.backends import vllm_server
from mua_env.inference.backends.vllm_server import ServerError, VllmServer
from mua_env.inference.backends.weights import DiskSync, NcclSync, plain_weights
from mua_env.inference.sampling import SampledTurn
from mua_env.training.config.train import EvaluationConfig, SafetyConfig, SamplingConfig, load_config
from mua_env.training.run.run_folder import read_metrics

from .conftest import Toy
from .killing import run_child
from .small_run import small_config

Answer = Callable[[str, Any, int], tuple[int, Any]]
GOOD = {
    "choices": [{"token_ids": [7, 2], "logprobs": {"token_logprobs": [-0.5, -0.1]}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}},
}


class _Server:
    def __init__(self) -> None:
        outer = self
        self.seen: list[tuple[str, Any]] = []
        self.answer: Answer = lambda path, body, number: (200, GOOD)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._reply(None)

            def do_POST(self) -> None:
                self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _reply(self, body: Any) -> None:
                outer.seen.append((self.path, body))
                status, data = outer.answer(self.path, body, len(outer.seen))
                if self.path == "/v1/models":
                    status, data = 200, {"data": [{"id": "served"}]}
                text = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[_Server]:
    made = _Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


def _sample(url: str, *, temperature: float = 1.0, turns: int = 1) -> tuple[list[SampledTurn], VllmServer]:
    backend = VllmServer(url, end_id=2)

    async def run() -> list[SampledTurn]:
        backend.begin(temperature=temperature, seeds=[5])
        try:
            return [await backend.sample(0, [3, 4], 8) for _ in range(turns)]
        finally:
            await backend.aclose()

    return asyncio.run(run()), backend


def test_each_turn_sends_the_whole_dialogue_as_ids(server: _Server) -> None:
    turns, backend = _sample(server.url, turns=2)
    assert turns == [SampledTurn([7, 2], [-0.5, -0.1])] * 2
    first, second = [body for path, body in server.seen if path == "/v1/completions"]
    assert first["prompt"] == [3, 4]
    assert second["prompt"] == [3, 4, 7, 2, 3, 4]
    assert first["model"] == "served"
    assert first["stop_token_ids"] == [2]
    assert first["ignore_eos"] is True
    assert (first["top_p"], first["top_k"], first["max_tokens"]) == (1.0, 0, 8)
    assert first["seed"] != second["seed"]
    assert (backend.stats.read, backend.stats.sampled) == (4, 4)


def test_a_server_error_is_tried_again(server: _Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_server, "_PAUSES", (0.0, 0.0, 0.0))
    server.answer = lambda path, body, number: (503, {"error": "busy"}) if number < 4 else (200, GOOD)
    assert _sample(server.url)[0][0].ids == [7, 2]
    server.seen.clear()
    server.answer = lambda path, body, number: (400, {"error": "too long"})
    with pytest.raises(ServerError, match=r"completions failed: 400: .*too long"):
        _sample(server.url)
    assert len([path for path, _ in server.seen if path == "/v1/completions"]) == 1


def test_a_dead_server_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_server, "_PAUSES", (0.0, 0.0, 0.0))
    with pytest.raises(RunStopped, match=r"GET http://127.0.0.1:9/v1/models failed: ClientConnectorError"):
        _sample("http://127.0.0.1:9")


@pytest.mark.parametrize(
    "choice",
    [
        {"logprobs": {"token_logprobs": [-0.5]}},
        {"token_ids": [7, 2], "logprobs": None},
        {"token_ids": [7, 2], "logprobs": {"token_logprobs": [-0.5]}},
        {"token_ids": [7, 8], "logprobs": {"token_logprobs": [-0.5, -0.1]}, "finish_reason": "abort"},
    ],
)
def test_answers_that_cannot_be_trained_on_are_refused(server: _Server, choice: dict[str, Any]) -> None:
    server.answer = lambda path, body, number: (200, {**GOOD, "choices": [choice]})
    with pytest.raises(ServerError, match="returned"):
        _sample(server.url)


@pytest.mark.parametrize("mode", ["raw_logprobs", "processed_logprobs"])
def test_log_probabilities_must_be_those_of_the_sampling_distribution(server: _Server, mode: str) -> None:
    info = {"vllm_config": {"model_config": {"logprobs_mode": mode}}}
    server.answer = lambda path, body, number: (200, info if "server_info" in path else GOOD)
    if mode == "processed_logprobs":
        assert _sample(server.url, temperature=0.7)[0][0].ids == [7, 2]
    else:
        with pytest.raises(ConfigError, match=r"logprobs_mode raw_logprobs: at temperature 0\.7"):
            _sample(server.url, temperature=0.7)
        assert _sample(server.url, temperature=1.0)[0][0].ids == [7, 2]


def test_weights_go_through_one_folder_at_a_time(server: _Server, toy: Toy, tmp_path: Path) -> None:
    sync, model = DiskSync(server.url, tmp_path), toy.model()
    for number in (1, 2):
        sync.push(model)
        asked = server.seen[-2:]
        assert [path for path, _ in asked] == ["/collective_rpc", "/reset_prefix_cache"]
        folder = Path(asked[0][1]["kwargs"]["weights_path"])
        assert asked[0][1]["method"] == "reload_weights"
        assert [path.name for path in tmp_path.iterdir()] == [folder.name] == [f"weights-{number}"]
        written = load_file(folder / "model.safetensors")
        assert {name: tuple(p.shape) for name, p in model.named_parameters()} == {
            name: tuple(tensor.shape) for name, tensor in written.items()
        }
    server.answer = lambda path, body, number: (404, {"detail": "Not Found"})
    with pytest.raises(RunStopped, match=r"failed with 404.*VLLM_SERVER_DEV_MODE=1"):
        sync.push(model)


def test_a_run_samples_from_the_server_with_the_weights_of_the_moment(server: _Server, tmp_path: Path) -> None:
    """The backend by its name in a configuration: every batch of dialogues is preceded by the weights; so it is when
    the run goes on with a server at another address, and what was left on the disk goes."""
    carried: list[float] = []
    turns: list[int] = []

    def answer(path: str, body: Any, number: int) -> tuple[int, Any]:
        if path == "/collective_rpc":
            written = load_file(Path(body["kwargs"]["weights_path"]) / "model.safetensors")
            carried.append(sum(float(tensor.double().abs().sum()) for tensor in written.values()))
            turns.append(0)
        elif path == "/v1/completions":
            turns[-1] += 1
        return 200, GOOD

    server.answer = answer
    config = small_config(sampling=SamplingConfig(backend="vllm-server", url=server.url))
    config = config.model_copy(
        update={
            "evaluation": EvaluationConfig(tasks=2, repeats=1),
            "safety": SafetyConfig(minutes=0),
        }
    )
    folder = tmp_path / "run"
    place = "mua_env.training.trainers.grpo:DialogueGRPOTrainer._get_grad_norm:2:before"
    assert run_child(config, folder, place=place) == -9
    # Before and after the cold start the same two dialogues, then two batches of four.
    assert len(turns) == 4
    assert turns[0] == turns[1] >= 2
    assert min(turns[2:]) >= 4
    assert carried[1] == carried[2]
    assert len(set(carried)) == 3
    elsewhere = config.sampling.model_copy(update={"url": server.url.replace("127.0.0.1", "localhost")})
    assert run_child(config.model_copy(update={"sampling": elsewhere}), folder, resume=True) == 0
    # The second batch was held already; the last measurement is left.
    assert turns[4:] == [0, turns[0]]
    assert carried[4] == carried[3]
    assert [row["phase"] for row in read_metrics(folder)].count("grpo") == 2
    assert len(list((folder / "weights" / "0").iterdir())) == 1


def test_adapters_travel_merged(toy: Toy) -> None:
    from peft import LoraConfig, get_peft_model

    plain = {name: tensor.clone() for name, tensor in toy.model().named_parameters()}
    model = get_peft_model(toy.model(), LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False))
    with plain_weights(model) as weights:
        carried = {name: tensor.clone() for name, tensor in weights}
    assert set(carried) == set(plain)
    changed = [name for name in plain if not torch.equal(carried[name], plain[name])]
    assert any("q_proj" in name for name in changed)
    assert not any("norm" in name or "embed" in name for name in changed)
    model.merge_adapter()
    merged = dict(model.named_parameters())
    name = "model.layers.0.self_attn.q_proj.weight"
    assert torch.allclose(carried[name], merged[f"base_model.model.{name.replace('.weight', '.base_layer.weight')}"])


def test_settings(toy: Toy) -> None:
    with pytest.raises(ConfigError, match=r"vllm-server needs sampling\.url"):
        load_config({"sampling": {"backend": "vllm-server"}})
    assert SamplingConfig().backend == "transformers"
    with pytest.raises(ConfigError, match="NCCL carries weights between GPUs, the model is on cpu; use sync: disk"):
        NcclSync("http://127.0.0.1:9").push(toy.model())
    with pytest.raises(ConfigError, match=r"give sampling\.sync"):
        VllmServer("http://127.0.0.1:9", end_id=2).load(toy.model())
