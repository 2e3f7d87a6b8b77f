"""What is named on the command line and is not what is meant: options, folders, runs, files of other editors."""

from __future__ import annotations

import codecs

import pytest

from mua_env.cli import main
from mua_env.core.task_files import read_tasks, write_tasks
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, MuaError
from mua_env.evaluation.rollout_folder import RolloutFolder
from mua_env.training.config.train import TrainConfig, load_config

RESERVED = ["CON", "prn", "Aux", "NUL", "nul.txt", "COM1", "lpt9.2026", "com0", "CON.", "aux .x"]


@pytest.mark.parametrize("side", ["-A", "-U"])
@pytest.mark.parametrize(
    ("written", "meant"), [("modle=m", "model"), ("temprature=0", "temperature"), ("base_ulr=x", "base_url")]
)
def test_an_option_of_a_model_that_is_mistyped_is_answered_with_the_one_that_is_meant(
    capsys, tmp_path, side, written, meant
):
    who = ["--agent", "llm"] if side == "-A" else ["--user", "llm"]
    assert main(["rollout", str(tmp_path / "r"), *who, side, written, "--count", "1"]) == 2
    err = capsys.readouterr().err
    assert f"unknown option {written.partition('=')[0]!r}. Did you mean {meant!r}?" in err
    assert "max_tokens" in err
    assert "LLMSettings" not in err


@pytest.mark.parametrize("value", ["timeout_s=soon", "send_seed=5", "max_tokens=many"])
def test_an_option_of_a_model_of_another_type_is_answered(capsys, tmp_path, value):
    assert main(["rollout", str(tmp_path / "r"), "--agent", "llm", "-A", "model=m", "-A", value, "--count", "1"]) == 2
    assert f"agent 'llm': {value.partition('=')[0]}: " in capsys.readouterr().err


@pytest.mark.parametrize("below", [False, True], ids=["the folder itself", "a folder above"])
@pytest.mark.parametrize(
    "command",
    [
        ("rollout", "--agent", "random", "--count", "1", "-o"),
        ("rollout", "--agent", "random", "--count", "1"),
        ("users", "card", "agenda", "--count", "1", "-o"),
        pytest.param(("quickstart", "-o"), marks=pytest.mark.train),
    ],
    ids=lambda command: " ".join(command[:2]) if isinstance(command, tuple) else None,
)
def test_a_file_where_a_folder_is_meant_is_told_and_left(capsys, tmp_path, command, below):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    assert main([*command, str(file / "run" if below else file)]) == 2
    assert f"{str(file)!r} is a file; name another" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_a_recording_in_a_file_is_told(capsys, tmp_path):
    (tmp_path / "file").write_text("mine")
    pairs = ["-U", "model=m", "-U", f"cache={tmp_path / 'file'}"]
    assert main(["rollout", str(tmp_path / "r"), "--user", "llm", *pairs, "--count", "1"]) == 2
    assert "is a file; name another" in capsys.readouterr().err


@pytest.mark.parametrize("name", RESERVED)
def test_a_run_has_no_name_that_is_a_device_on_windows(name):
    with pytest.raises((ConfigError, ValueError), match="name"):
        TrainConfig(name=name)


@pytest.mark.parametrize("name", ["console", "auxiliary", "com10", "null", "my-con", "a.nul"])
def test_names_that_only_begin_like_a_device_are_names(name):
    assert TrainConfig(name=name).name == name


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "with a mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_task_file_of_any_editor_is_read(tmp_path, mark, end):
    setting = load_setting("retail", "test:level=1")
    tasks = [setting.tasks[0], setting.tasks[1]]
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, tasks)
    path.write_bytes(mark + path.read_text(encoding="utf-8").replace("\n", end).encode())
    assert list(read_tasks(path)) == tasks


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_task_file_in_another_encoding_is_told(tmp_path, encoding):
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"id": "x"}', encoding=encoding)
    with pytest.raises(MuaError, match="cannot read tasks"):
        read_tasks(path)


def test_a_configuration_with_a_mark_is_read(tmp_path):
    path = tmp_path / "train.yaml"
    path.write_bytes(codecs.BOM_UTF8 + b"name: tulips\n")
    assert load_config(path).name == "tulips"


def test_a_rollout_folder_that_cannot_be_made_is_a_config_error(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(ConfigError, match="is a file"):
        RolloutFolder(tmp_path / "x" / "y", {})
