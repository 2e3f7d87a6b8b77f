"""Runs training in child processes that kill themselves, really and without notice, at a place of one's choice."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from mua_env.core.trajectory import read_trajectories
from mua_env.errors import MuaError
from mua_env.training.config.train import TrainConfig
from mua_env.training.run.console import Reporter
from mua_env.training.run.pipeline import train
from mua_env.training.run.run_folder import read_metrics

VOLATILE = ("step_time", "seconds")


def kill_at(place: str) -> None:
    """``module:Class.function:count:before`` (or ``after``): end the process at that call of the function."""
    module, name, count, when = place.split(":")
    owner: Any = importlib.import_module(module)
    *parents, last = name.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    original, calls = getattr(owner, last), 0

    def dying(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == int(count) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        out = original(*arguments, **named)
        if calls == int(count):
            os.kill(os.getpid(), signal.SIGKILL)
        return out

    setattr(owner, last, dying)


def train_config(config: dict[str, Any], folder: Path, *, resume: bool) -> None:
    train(TrainConfig.model_validate(config), reporter=Reporter(quiet=True), folder=folder, resume=resume)


def _child(
    config: dict[str, Any], folder: Path, resume: bool, prepare: Callable[[], None] | None, place: str, errors: Path
) -> None:
    torch.set_num_threads(1)
    if prepare is not None:
        prepare()
    if place:
        kill_at(place)
    try:
        train_config(config, folder, resume=resume)
    except MuaError as error:
        errors.write_text(f"{type(error).__name__}: {error}")
        raise SystemExit(3) from None


def run_child(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    prepare: Callable[[], None] | None = None,
    place: str = "",
    errors: Path | None = None,
) -> int:
    """Train in a fresh process; its exit code, ``-9`` where it was killed, 3 where it stopped with an error."""
    errors = errors or folder.with_suffix(".error")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mua_env.training.run.pipeline"])
    child = context.Process(
        target=_child, args=(config.model_dump(mode="json"), folder, resume, prepare, place, errors)
    )
    child.start()
    child.join(600)
    assert child.exitcode is not None, "the run hangs"
    return child.exitcode


def error_of(folder: Path) -> str:
    return folder.with_suffix(".error").read_text()


def contents(folder: Path) -> tuple[list[dict[str, Any]], list[Any], dict[str, Any]]:
    """Metrics, trajectories and summary, without what clocks say."""
    metrics = [{k: v for k, v in row.items() if k not in VOLATILE} for row in read_metrics(folder)]
    files = sorted(folder.glob("trajectories*.jsonl"))
    trajectories = [row.model_dump() for file in files for row in read_trajectories(file)]
    return metrics, sorted(trajectories, key=lambda row: row["id"]), json.loads((folder / "summary.json").read_text())
