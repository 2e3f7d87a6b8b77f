"""The folder of a rollout: what it was, every dialogue, and what came of it.

config.json          what was run; a run is only resumed with the same
trajectories.jsonl   every dialogue, appended as it ends; one that is taken again after a fault has an id ending in .2
spending.jsonl       what models have used, reply by reply, over all commands on the folder
summary.json         counts and means
broken-trajectories.jsonl   lines that could not be read when the run went on, if there were any
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mua_env.core.paths import make_folder
from mua_env.core.redaction import without_secrets
from mua_env.core.trajectory import TrajectoryWriter, read_trajectories, set_aside_broken
from mua_env.errors import ConfigError, DataError
from mua_env.evaluation.folders import Folder
from mua_env.evaluation.rollouts import Planned
from mua_env.evaluation.summary import Counting
from mua_env.evaluation.summary import Summary as Summary
from mua_env.evaluation.summary import pass_k as pass_k
from mua_env.evaluation.summary import summarize as summarize
from mua_env.llm.ledger import Usage
from mua_env.llm.spending import Spending, usage_from

TRAJECTORIES = "trajectories.jsonl"
GROWS = ("count", "repeats")
"""What may be raised on a folder: the tasks that are run, and how often."""


class RolloutFolder(Folder):
    """Writes a rollout's files, and goes on where a killed run stopped.

    Args:
        path: made when it is missing.
        config: what is run. An existing folder must hold the same, but for `GROWS`.
        with_extent: the config with another `count` and `repeats`, where other values hang on them (a hash of the
            tasks); None where none do.

    Attributes:
        done: ids of the dialogues that are scored. What ended by a fault is taken up again.
        spending: what models have used here.
        used: by each dialogue that is scored.
        notices: what was set aside, a line each; empty where all could be read.

    Raises:
        ConfigError: the folder belongs to another run, another process writes to it, or it cannot be made.
    """

    def __init__(
        self,
        path: str | Path,
        config: dict[str, Any],
        *,
        with_extent: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(make_folder(path))
        file = self.path / TRAJECTORIES
        begun = file.exists() and file.stat().st_size > 0
        try:
            self._check_same_run(config, begun=begun, with_extent=with_extent)
            self.notices = set_aside_broken(file, then="its dialogue is held again")
            self.writer = TrajectoryWriter(file)
            self._attempts: Counter[str] = Counter()
            self._recorded = Usage()
            self.used: list[Usage] = []
            self.done = self._read(file)
            self.spending = Spending(self.path / "spending.jsonl")
        except BaseException:
            super().close()
            raise

    def left(self, episodes: Iterable[Planned]) -> list[Planned]:
        """The episodes that are still to be run: those that are not here, and those that ended by a fault."""
        return [
            replace(episode, attempt=self._attempts[episode.id] + 1)
            for episode in episodes
            if episode.id not in self.done
        ]

    def spent(self) -> Usage:
        """What models have used here so far; in a folder that is older than its account, in the dialogues alone."""
        total = self.spending.total()
        return self._recorded if total is None else total

    def summarize(self, counting: Counting = "scored") -> Summary:
        """Read all trajectories, and write and return the summary."""
        summary = summarize(read_trajectories(self.path / TRAJECTORIES), counting=counting)
        self.write_json("summary.json", summary.model_dump(mode="json"))
        return summary

    def close(self) -> None:
        """Close the file, and let other processes write to the folder. May be called again."""
        self.writer.close()
        self.spending.close()
        super().close()

    def _read(self, file: Path) -> frozenset[str]:
        done = set()
        for item in read_trajectories(file):
            name = item.meta.get("of", item.id)
            self._attempts[name] += 1
            if item.score is not None and item.score.reward is not None:
                done.add(name)
            parts = (item.usage, item.meta.get("agent_usage", {}), item.meta.get("judge", {}).get("usage", {}))
            used = sum(map(usage_from, parts), Usage())
            self._recorded += used
            if name in done:
                self.used.append(used)
        return frozenset(done)

    def _check_same_run(
        self,
        config: dict[str, Any],
        *,
        begun: bool,
        with_extent: Callable[[dict[str, Any]], dict[str, Any]] | None,
    ) -> None:
        if not begun:  # nothing can be mixed up yet
            self.write_json("config.json", _plain(config))
            return
        try:
            known = json.loads((self.path / "config.json").read_text(encoding="utf-8"))
            extent = _extent(known, config)
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"cannot tell what run {self.path} holds: config.json: {error}") from None
        now = _plain({**config, **extent} if with_extent is None else with_extent(extent))
        for name in sorted(now.keys() | known.keys()):
            if now.get(name) != known.get(name):
                raise ConfigError(
                    f"{self.path} holds another run: {name} was {known.get(name)!r}, now {now.get(name)!r}; "
                    "choose another folder"
                )
        wider = {name: _wider(extent[name], config[name]) for name in extent}
        if wider != extent:
            self.write_json("config.json", _plain({**config, **wider} if with_extent is None else with_extent(wider)))


def trajectory_file(run: str | Path) -> Path:
    """The trajectories of a run: its folder's, or the file itself.

    Raises:
        DataError: there are none.
    """
    path = Path(run)
    path = path / TRAJECTORIES if path.is_dir() else path
    if not path.is_file():
        raise DataError(f"no trajectories in {str(run)!r}: there is no {path}")
    return path


def _extent(known: Any, config: dict[str, Any]) -> dict[str, int | None]:
    """How far the run of a folder goes, by its config.

    Raises:
        ValueError: it is no config.
    """
    if not isinstance(known, dict):
        raise ValueError(f"it holds a {type(known).__name__}, no object")
    extent = {name: known.get(name, config[name]) for name in GROWS if name in config}
    for name, value in extent.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ValueError(f"{name} is {value!r}, no number")
    return extent


def _wider(known: int | None, wanted: int | None) -> int | None:
    """The larger of two numbers; None stands for all there are."""
    return None if known is None or wanted is None else max(known, wanted)


def _plain(config: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(without_secrets(config)))
    return plain
