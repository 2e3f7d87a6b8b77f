"""The runs in a folder: who acted on what with whom, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from mua_env.core.trajectory import read_trajectories
from mua_env.errors import DataError
from mua_env.evaluation.metrics import Interval, share_of
from mua_env.evaluation.outcomes import Outcomes
from mua_env.evaluation.rollout_folder import TRAJECTORIES
from mua_env.evaluation.stored_run import read_config

Kind = Literal["evaluation", "rollout", "training", "dialogues"]
DEEPEST = 3
"""Levels of folders in which runs are looked for."""


class RunLine(BaseModel):
    """One run.

    Attributes:
        folder: where it lies.
        kind: of run; ``dialogues`` for a file of trajectories that nothing is said of.
        agent, tasks, user: as they were asked for.
        dialogues, scored: how many.
        success: mean over tasks, with its interval; None where nothing is scored.
        upper_bounds: successes in it that nobody has judged.
        when: of the last dialogue, UTC.
        broken: why it could not be read, where it could not.
    """

    folder: str
    kind: Kind = "dialogues"
    agent: str = ""
    tasks: str = ""
    user: str = ""
    dialogues: int = 0
    scored: int = 0
    success: float | None = None
    interval: Interval | None = None
    upper_bounds: int = 0
    when: datetime | None = None
    broken: str = ""


def list_runs(*folders: str | Path) -> list[RunLine]:
    """The runs in folders, newest last.

    Args:
        folders: runs, or what holds some; ``"runs"`` if none is given.

    Raises:
        DataError: one of them is no folder.
    """
    found = {folder.resolve(): folder for root in folders or ("runs",) for folder in _within(Path(root), DEEPEST)}
    lines = [_line(folder) for folder in found.values()]
    return sorted(lines, key=lambda line: (line.when is not None, line.when, line.folder))


def _within(root: Path, depth: int) -> Iterator[Path]:
    if not root.is_dir():
        raise DataError(f"{root} is no folder")
    if (root / TRAJECTORIES).is_file():
        yield root
    elif depth:
        for folder in sorted(path for path in root.iterdir() if path.is_dir()):
            yield from _within(folder, depth - 1)


def _line(folder: Path) -> RunLine:
    file = folder / TRAJECTORIES
    when = datetime.fromtimestamp(file.stat().st_mtime, tz=UTC)
    try:
        config, outcomes = read_config(folder), Outcomes(read_trajectories(file))
    except DataError as error:
        return RunLine(folder=str(folder), when=when, broken=str(error))
    every = list(outcomes)
    whole = share_of(every)
    kind = _kind(folder, config)
    return RunLine(
        folder=str(folder),
        kind=kind,
        agent=_with(_named(config.get("agent")), config.get("agent_options")) or _first_agent(file),
        tasks=_several(outcome.source for outcome in every),
        user=_with(_named(config.get("user")), config.get("user_options"))
        or _several(outcome.user for outcome in every),
        dialogues=len(every),
        scored=sum(outcome.success is not None for outcome in every),
        success=whole.success,
        interval=whole.interval,
        upper_bounds=whole.upper_bounds,
        when=when,
    )


def _kind(folder: Path, config: dict[str, Any]) -> Kind:
    if (folder / "results.json").is_file() or isinstance(config.get("users"), dict):
        return "evaluation"
    if "grpo" in config or "cold_start" in config or (folder / "metrics.jsonl").is_file():
        return "training"
    return "rollout" if "agent" in config else "dialogues"


def _named(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _with(name: str, options: Any) -> str:
    """A name with its options, but for those that it says itself."""
    if not name or not isinstance(options, dict):
        return name
    told = [f"{key}={value}" for key, value in options.items() if str(value) not in name]
    return f"{name} ({', '.join(told)})" if told else name


def _several(values: Iterable[str]) -> str:
    return ", ".join(sorted(set(values)))


def _first_agent(file: Path) -> str:
    """Who acted, where no config says it: a line read by itself, since outcomes do not keep the agent."""
    with file.open("rb") as lines:
        try:
            first = json.loads(next(iter(lines), b"{}"))
        except ValueError:
            return ""
    return _named(first.get("agent")) if isinstance(first, dict) else ""
