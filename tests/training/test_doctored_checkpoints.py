"""Checkpoints that somebody has tampered with, or that are damaged: a clear error, and nothing of them is run."""

from __future__ import annotations

import json
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from mua_env.errors import DataError
from mua_env.training.run.saved_states import check_sharded, read_saved, set_random_states

from .killing import TrainConfig, contents, run_child, train_config
from .small_run import resumable_config

TRAINING = "mua_env.training"
PLACES = {
    "cold start": f"{TRAINING}.trainers.cold_start:_gradient:3:before",
    "GRPO": f"{TRAINING}.trainers.grpo:DialogueGRPOTrainer._get_grad_norm:2:before",
}
FILES = {
    "cold start": ("pytorch_model.bin", "optimizer.bin", "custom_checkpoint_0.pkl", "random_states_0.pkl"),
    "GRPO": ("model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json"),
}
CASES = [(phase, name) for phase, names in FILES.items() for name in names]


class Payload:
    """Whoever unpickles this makes a file."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._mark,)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A run that was killed in a phase, with a checkpoint of that phase."""
    base = tmp_path_factory.mktemp("stopped")

    def make(phase: str) -> Path:
        folder = base / phase.replace(" ", "-")
        if not folder.exists():
            assert run_child(config(), folder, place=PLACES[phase]) == -9
        return folder

    return make


def config() -> TrainConfig:
    return resumable_config(0)


def checkpoint(folder: Path) -> Path:
    place = json.loads((folder / "state.json").read_text())["checkpoint"]
    return folder / str(place)


def resume(folder: Path) -> None:
    train_config(config().model_dump(mode="json"), folder, resume=True)


@pytest.mark.parametrize(("phase", "name"), CASES)
@pytest.mark.parametrize("how", ["plain pickle", "torch.save"])
def test_a_pickled_payload_is_an_error_and_never_run(stopped, tmp_path, phase, name, how):
    folder, mark = tmp_path / "run", tmp_path / "ran"
    shutil.copytree(stopped(phase), folder)
    path = checkpoint(folder) / name
    assert path.is_file()
    if how == "torch.save":
        torch.save({"state": Payload(mark)}, path)
    else:
        path.write_bytes(pickle.dumps(Payload(mark)))
    with pytest.raises(DataError, match=f"{name}.*begin the run anew"):
        resume(folder)
    assert not mark.exists()


@pytest.mark.parametrize(("phase", "name"), CASES)
@pytest.mark.parametrize("how", ["cut", "empty", "gone", "another object"])
def test_a_damaged_file_is_named(stopped, tmp_path, phase, name, how):
    folder = tmp_path / "run"
    shutil.copytree(stopped(phase), folder)
    path = checkpoint(folder) / name
    if how == "gone":
        path.unlink()
    elif how == "another object":
        torch.save(["something else"], path)
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 if how == "cut" else 0])
    with pytest.raises(DataError, match=r"begin the run anew"):
        resume(folder)


@pytest.mark.parametrize("phase", list(FILES))
def test_an_untouched_run_goes_on_from_its_checkpoint(stopped, tmp_path, phase, unbroken):
    folder = tmp_path / "run"
    shutil.copytree(stopped(phase), folder)
    assert run_child(config(), folder, resume=True) == 0
    assert contents(folder) == contents(unbroken)


def test_a_state_that_names_a_place_outside_the_run_is_refused(stopped, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(stopped("GRPO"), folder)
    state = json.loads((folder / "state.json").read_text())
    for place in ("../elsewhere", "/tmp/elsewhere"):
        (folder / "state.json").write_text(json.dumps({**state, "checkpoint": place}))
        with pytest.raises(DataError, match="does not lie in the run's folder"):
            resume(folder)


def test_random_states_are_set_all_or_none(tmp_path):
    names = {"python": "p", "numpy": "n", "torch": "t", "cuda": "c"}
    before = torch.get_rng_state()
    states = {"p": random.Random(3).getstate(), "n": ("MT19937", [0] * 3, 0, 0, 0.0), "t": torch.get_rng_state()}
    own = random.getstate()
    with pytest.raises(DataError, match="no whole random state"):
        set_random_states(states, tmp_path, names)
    assert random.getstate() == own
    assert torch.equal(torch.get_rng_state(), before)


def test_sharded_files_are_looked_through_before_others_unpickle_them(tmp_path):
    mark = tmp_path / "ran"
    (tmp_path / "global_step3").mkdir()
    states = tmp_path / "global_step3" / "mp_rank_00_model_states.pt"
    torch.save({"module": {"weight": torch.zeros(2)}, "step": 3}, states)
    check_sharded(tmp_path)
    torch.save({"module": Payload(mark)}, states)
    with pytest.raises(DataError, match="mp_rank_00_model_states"):
        check_sharded(tmp_path)
    states.unlink()
    (tmp_path / "__0_0.distcp").write_bytes(b"")
    with pytest.raises(DataError, match="FULL_STATE_DICT"):
        check_sharded(tmp_path)
    assert not mark.exists()


@pytest.mark.parametrize("value", [{"a": torch.ones(2), "b": (1, 2.5, "x", None, True)}, [torch.get_rng_state()]])
def test_plain_values_are_read(tmp_path, value):
    torch.save(value, tmp_path / "file")
    assert str(read_saved(tmp_path / "file")) == str(value)
