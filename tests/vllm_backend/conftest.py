import json
import os
from collections.abc import Iterator

import pytest

pytest.importorskip("trl")

from training.conftest import Toy, make_toy

from .server import vllm_server


@pytest.fixture(scope="session")
def vllm_python() -> str:
    python = os.environ.get("MUA_VLLM_PYTHON")
    if not python:
        pytest.skip("needs an environment with vLLM: make test-vllm")
    return python


@pytest.fixture(scope="session")
def toy(vllm_python: str, tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """The toy with heads as wide as vLLM's CPU kernels need, and a generation_config.json that names a second end."""
    made = make_toy(tmp_path_factory.mktemp("vllm-toy"), head=32)
    path = made.folder / "generation_config.json"
    settings = json.loads(path.read_text())
    settings["eos_token_id"] = [made.chat.end_id, second_end(made)]
    path.write_text(json.dumps(settings))
    return made


def second_end(toy: Toy) -> int:
    """A token that the toy's agent says often."""
    return int(toy.chat.tokenizer("\n", add_special_tokens=False)["input_ids"][0])


@pytest.fixture(scope="session")
def server(toy: Toy, vllm_python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with vllm_server(vllm_python, toy.folder, tmp_path_factory.mktemp("log") / "vllm.log") as url:
        yield url
