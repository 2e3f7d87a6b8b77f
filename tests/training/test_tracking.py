import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mua_env.errors import ConfigError
from mua_env.training.config.train import EvaluationConfig, TrackingConfig
from mua_env.training.run.console import Reporter
from mua_env.training.run.pipeline import train
from mua_env.training.run.run_folder import read_metrics
from mua_env.training.run.tracking import Tracking

from .small_run import small_config

SETTINGS = {"name": "small", "grpo": {"rollouts": 8}}


def _log(tracking: Tracking) -> None:
    tracking.log("cold_start", 1, {"loss": 2.5, "step": 1})
    tracking.log("grpo", 1, {"reward": 0.25, "kl": None, "user/cost": 0.5})
    tracking.log("grpo", 2, {"reward": 0.75})
    tracking.log("evaluation", 2, {"success": 0.5, "title": "after GRPO"})
    tracking.close()
    tracking.close()


def test_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    _log(Tracking(TrackingConfig(report_to=("tensorboard",)), tmp_path, SETTINGS))
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [(e.step, e.value) for e in events.Scalars("train/grpo/reward")] == [(1, 0.25), (2, 0.75)]
    assert [e.value for e in events.Scalars("train/evaluation/success")] == [0.5]
    assert "train/grpo/kl" not in events.Tags()["scalars"]
    assert "model_config/text_summary" in events.Tags()["tensors"]


def test_a_run_sends_every_number_of_its_metrics(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    config = small_config(
        tracking=TrackingConfig(report_to=("tensorboard",)), evaluation=EvaluationConfig(tasks=2, repeats=1)
    )
    folder = train(config, folder=tmp_path / "run", reporter=Reporter(quiet=True))
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    wanted: dict[str, list[tuple[int, float]]] = {}
    for row in read_metrics(folder):
        for name, value in row.items():
            if isinstance(value, int | float) and name not in ("schema_version", "phase"):
                wanted.setdefault(f"train/{row['phase']}/{name}", []).append((row["step"], value))
    assert {"train/grpo/dialogue/turns", "train/grpo/kl", "train/grpo/entropy", "train/cold_start/loss"} <= set(wanted)
    for name, points in wanted.items():
        if name.endswith("/step"):
            continue
        found = [(event.step, event.value) for event in events.Scalars(name)]
        assert [step for step, _ in found] == [step for step, _ in points], name
        assert [value for _, value in found] == pytest.approx([value for _, value in points], rel=1e-5), name


SCRIPT = """
import sys
from pathlib import Path
from mua_env.training.config.train import TrackingConfig
from mua_env.training.run.tracking import Tracking
tracking = Tracking(TrackingConfig(report_to=(sys.argv[1],), project="tried"), Path(sys.argv[2]), {"seed": 3})
tracking.log("grpo", 1, {"reward": 0.25})
tracking.log("grpo", 2, {"reward": 0.75})
tracking.close()
"""


def _run(service: str, folder: Path, **variables: str) -> None:
    """In a process of its own: these services keep threads, and read their variables at import."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, service, str(folder)],
        env={**os.environ, "HOME": str(folder), **variables},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
def test_wandb_offline(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    _run("wandb", tmp_path, WANDB_MODE="offline", WANDB_DIR=str(tmp_path), WANDB_SILENT="true")
    (file,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    assert b"train/grpo/reward" in file.read_bytes()


@pytest.mark.slow
def test_trackio(tmp_path: Path) -> None:
    trackio = pytest.importorskip("trackio")
    assert trackio
    _run("trackio", tmp_path, TRACKIO_DIR=str(tmp_path / "kept"), HF_HUB_OFFLINE="1")
    import sqlite3

    (file,) = (tmp_path / "kept").glob("tried*.db")
    with sqlite3.connect(file) as database:
        lines = [json.loads(row[0]) for row in database.execute("select metrics from metrics order by id")]
    rewards: list[Any] = [line["train/grpo/reward"] for line in lines if "train/grpo/reward" in line]
    assert rewards == [0.25, 0.75]


def test_without_services_nothing_is_sent(tmp_path: Path) -> None:
    tracking = Tracking(TrackingConfig(), tmp_path, SETTINGS)
    _log(tracking)
    assert not list(tmp_path.iterdir())


def test_unknown_services_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tracking\.report_to: tensorbord is not supported, only .*tensorboard"):
        Tracking(TrackingConfig(report_to=("tensorbord",)), tmp_path, {})
