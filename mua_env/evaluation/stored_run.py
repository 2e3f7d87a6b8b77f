"""A run's folder read again: which tasks, world and user its dialogues were held with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mua_env.core.task_sets import tasks_revision
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode, PresentationName
from mua_env.core.trajectory import Trajectory, read_trajectories
from mua_env.domain.contract import load_domain
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import DataError
from mua_env.evaluation.outcomes import ABOUT, Outcome
from mua_env.evaluation.presets import path_of
from mua_env.evaluation.rollout_folder import trajectory_file

PLANS_KEPT = 8
"""Settings that are kept loaded; a run over more task sources loads them anew."""


@dataclass
class StoredRun:
    """A run of `mua-env rollout` or `mua-env eval`, or a file of trajectories.

    Args:
        path: the folder, or the file.
        data: where the files of a public benchmark lie; None where the domain finds them itself.

    Attributes:
        config: the folder's config.json; empty for a file alone.

    Raises:
        DataError: there are no trajectories, or config.json is none.
    """

    path: Path
    data: str | None = None
    config: dict[str, Any] = field(init=False)
    _settings: dict[tuple[Any, ...], Setting] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.path = Path(self.path)
        self.file = trajectory_file(self.path)
        self.config = read_config(self.file.parent)

    @property
    def folder(self) -> Path:
        """The folder that the trajectories lie in."""
        return self.file.parent

    def trajectories(self) -> Iterator[Trajectory]:
        """The dialogues, each as it came out last where it was taken again after a fault."""
        last: dict[str, Trajectory] = {}
        for number, item in enumerate(read_trajectories(self.file)):
            again = item.meta.get("of")
            name = str(again or item.id)
            # Files of training runs hold an id more than once: those are dialogues of their own.
            last[name if again or name not in last else f"{name} {number}"] = item
        yield from last.values()

    def setting(self, trajectory: Trajectory) -> Setting:
        """The setting that a dialogue was held in, as it can be loaded now.

        Raises:
            MuaError: it cannot be loaded any more.
        """
        variant = trajectory.variant
        named = variant.removesuffix("solo").removesuffix("-")
        # Other variants, as whose policy document other people's rows have, are no choice of anybody's.
        policy = named if named in load_domain(trajectory.domain).policies else None
        mode: Mode | None = trajectory.scoring or None  # type: ignore[assignment]  # checked where it is loaded
        shown: PresentationName | None = None
        if trajectory.presentation:
            shown = "own" if trajectory.presentation == "own" else "benchmark"
        key = (trajectory.domain, trajectory.tasks, mode, policy, variant.endswith("solo"), shown)
        if key not in self._settings:
            if len(self._settings) >= PLANS_KEPT:
                self._settings.clear()
            self._settings[key] = load_setting(
                trajectory.domain,
                trajectory.tasks,
                path=self._path(trajectory),
                mode=mode,
                policy=policy,
                solo=variant.endswith("solo"),
                presentation=shown,
            )
        return self._settings[key]

    def _path(self, trajectory: Trajectory) -> str | None:
        # In a run over several sources it is the path of those that lie in files, as it was when they were held.
        sources = self.config.get("tasks")
        several = isinstance(sources, dict) and len(sources) > 1
        return path_of(self.data, f"{trajectory.domain}:{trajectory.tasks}") if several else self.data

    def user_of(self, trajectory: Trajectory) -> tuple[str, dict[str, Any]]:
        """The user simulator of a dialogue as it was asked for, and its further options."""
        name = str(Outcome.of(trajectory).user)
        if ABOUT in trajectory.meta:  # an evaluation, which may have several users
            users = self.config.get("users")
            known = users.get(name) if isinstance(users, dict) else None
            options = known.get("options") if isinstance(known, dict) else None
        else:
            # "agenda (derived)" qualifies whom the rollout asked for.
            name, options = str(self.config.get("user", name.partition(" (")[0])), self.config.get("user_options")
        return name, dict(options) if isinstance(options, dict) else {}


def read_config(folder: Path) -> dict[str, Any]:
    """A folder's config.json; empty where there is none.

    Raises:
        DataError: it is no JSON object.
    """
    file = folder / "config.json"
    if not file.is_file():
        return {}
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"cannot read {file}: {error}") from None
    if not isinstance(config, dict):
        raise DataError(f"{file} holds a {type(config).__name__}, no object")
    return config


def stored_task(setting: Setting, trajectory: Trajectory) -> tuple[Task, bool]:
    """The task of a dialogue as it is now, and whether its content is what it was (True where that is not known).

    Raises:
        TaskError: there is no such task any more.
    """
    task = setting.tasks.by_id(trajectory.task_id)
    known = Outcome.of(trajectory).task_revision
    return task, not known or known == tasks_revision([task])
