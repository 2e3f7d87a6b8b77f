"""Where a run is kept: a new folder, an empty one, or that of a run to go on with."""

from __future__ import annotations

import os
from pathlib import Path

from mua_env.core.paths import make_folder
from mua_env.errors import ConfigError, DataError, did_you_mean
from mua_env.training.config.train import TrainConfig
from mua_env.training.run.processes import Processes
from mua_env.training.run.resume_check import check_same_run
from mua_env.training.run.run_folder import RunFolder, is_blank, new_run_folder, newest_run_folder

_SHOWN = 20
"""Runs that an error lists."""


def open_run_folder(
    config: TrainConfig, processes: Processes, *, folder: str | os.PathLike[str] | None = None, resume: bool = False
) -> RunFolder:
    """The same folder for all processes, which call this together; arguments as of `pipeline.train`.

    Raises:
        ConfigError: the folder is not empty, or holds a run of another configuration.
        DataError: there is no run to go on with.
    """
    path = Path(folder) if folder is not None else None
    if processes.rank == 0:
        path = _to_go_on(config, path) if resume else _new(config, path)
        make_folder(path)
    return RunFolder(processes.share(path), rank=processes.rank)


def _new(config: TrainConfig, path: Path | None) -> Path:
    if path is not None and not is_blank(path):
        raise ConfigError(f"{path} is not empty; choose another folder, or go on with its run by --resume")
    return path or new_run_folder(config.folder, config.name)


def _to_go_on(config: TrainConfig, path: Path | None) -> Path:
    path = path or newest_run_folder(config.folder, config.name)
    if not path.is_dir():
        raise DataError(f"there is no run in {path} to go on with.{_known_runs(path.parent, path.name)}")
    if not is_blank(path):
        check_same_run(config, path)
    return path


def _known_runs(base: Path, name: str) -> str:
    """The runs in a folder, the one whose name is nearest first."""
    known = sorted(file.parent.name for file in base.glob("*/config.json"))
    if not known:
        return f" {base} holds no runs; start one without --resume"
    shown = ", ".join(known[:_SHOWN]) + (f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else "")
    return f"{did_you_mean(name, known)} Runs in {base}: {shown}"
