"""The folder of a rollout: what it was, every dialogue, and what came of it.

config.json          what was run; a run is only resumed with the same
trajectories.jsonl   every dialogue, appended as it ends
summary.json         counts and means
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from math import comb
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from mua_env.core.scores import Score
from mua_env.core.trajectory import Trajectory, TrajectoryWriter, read_trajectories
from mua_env.errors import ConfigError, DataError
from mua_env.evaluation.folders import Folder

TRAJECTORIES = "trajectories.jsonl"


class Summary(BaseModel):
    """What a rollout came to. Faults are in none of the means.

    Attributes:
        episodes: how many have ended.
        scored: how many of them count.
        success: share of the scored ones that succeeded; None when none is scored.
        turns: mean turns of the scored ones.
        ended_by: how many ended how.
        faults: how many failed, by the first word of the cause.
        guards: how many replies of model users broke a guard and were asked for anew, by guard.
        usage: what users, agents and judges have used, summed.
        tcr: mean task completion rate of the scored ones whose tasks have criteria of their own (Telecom, tau2); the
            share of a task's checks that hold, 0 where the dialogue was cut. It is no success rate: a task counts as
            done only when all of them hold.
        tcr_at_end: the same on the states in which dialogues were left, cut or not.
        tcr_initial: the same before anything was done; the difference is the gain.
        unjudged: how many of the scored ones hang on statements that nobody has judged.
        pass_k: by k, the chance that k scored dialogues of a task all succeed: the mean over tasks of C(c, k) / C(n, k)
            with n scored dialogues of which c succeeded. Dialogues that failed through no fault of the agent's are in
            neither (as tau2 counts; tau-bench counts them as failures). Only where a task has several dialogues;
            up to the smallest n.
    """

    episodes: int = 0
    scored: int = 0
    success: float | None = None
    turns: float | None = None
    ended_by: dict[str, int] = Field(default_factory=dict)
    faults: dict[str, int] = Field(default_factory=dict)
    guards: dict[str, int] = Field(default_factory=dict)
    usage: dict[str, float] = Field(default_factory=dict)
    tcr: float | None = None
    tcr_at_end: float | None = None
    tcr_initial: float | None = None
    unjudged: int = 0
    pass_k: dict[int, float] = Field(default_factory=dict)


class RolloutFolder(Folder):
    """Writes a rollout's files, and goes on where a killed run stopped.

    Args:
        path: made when it is missing.
        config: what is run. An existing folder must hold the same.

    Raises:
        ConfigError: the folder belongs to another run, another process writes to it, or it cannot be made.
    """

    def __init__(self, path: str | Path, config: dict[str, Any]) -> None:
        try:
            Path(path).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"cannot make the folder {str(path)!r}: {error.strerror}") from None
        super().__init__(path)
        file = self.path / TRAJECTORIES
        begun = file.exists() and file.stat().st_size > 0
        try:
            self._check_same_run(config, begun=begun)
            self.writer = TrajectoryWriter(file)
        except BaseException:
            super().close()
            raise
        self.done = frozenset(item.id for item in read_trajectories(file))

    def summarize(self) -> Summary:
        """Read all trajectories, and write and return the summary."""
        summary = summarize(read_trajectories(self.path / TRAJECTORIES))
        self.write_json("summary.json", summary.model_dump(mode="json"))
        return summary

    def close(self) -> None:
        """Close the file, and let other processes write to the folder. May be called again."""
        self.writer.close()
        super().close()

    def _check_same_run(self, config: dict[str, Any], *, begun: bool) -> None:
        config = json.loads(json.dumps(config))
        if not begun:  # nothing can be mixed up yet
            self.write_json("config.json", config)
            return
        try:
            known = json.loads((self.path / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot tell what run {self.path} holds: config.json: {error}") from None
        for name in sorted(config.keys() | known.keys()):
            if config.get(name) != known.get(name):
                raise ConfigError(
                    f"{self.path} holds another run: {name} was {known.get(name)!r}, now {config.get(name)!r}; "
                    "choose another folder"
                )


def summarize(trajectories: Iterable[Trajectory]) -> Summary:
    """Counts and means over trajectories."""
    ended: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    guards: Counter[str] = Counter()
    usage: Counter[str] = Counter()
    rewards: list[float] = []
    turns: list[int] = []
    scores: list[tuple[str, Score]] = []
    for item in trajectories:
        ended[item.ended_by or "open"] += 1
        events = (event for entry in item.entries for event in entry.hidden.get("events", ()))
        guards.update(event.removeprefix("guard:") for event in events if event.startswith("guard:"))
        _add(usage, "user", item.usage)
        _add(usage, "agent", item.meta.get("agent_usage", {}))
        _add(usage, "judge", item.meta.get("judge", {}).get("usage", {}))
        if item.score is None or item.score.reward is None:
            faults[(item.cause or "unscored").partition(":")[0]] += 1
        else:
            rewards.append(item.score.reward)
            turns.append(item.turns)
            scores.append((item.task_id, item.score))
    own = [score for _, score in scores if score.criteria is not None]
    return Summary(
        episodes=ended.total(),
        scored=len(rewards),
        success=sum(reward == 1 for reward in rewards) / len(rewards) if rewards else None,
        turns=sum(turns) / len(turns) if turns else None,
        ended_by=dict(sorted(ended.items())),
        faults=dict(sorted(faults.items())),
        guards=dict(sorted(guards.items())),
        usage={name: round(value, 10) for name, value in sorted(usage.items())},
        tcr=_mean(score.tcr for score in own),
        tcr_at_end=_mean(score.tcr_at_end for score in own),
        tcr_initial=_mean(score.initial_tcr for score in own),
        unjudged=sum(score.unjudged > 0 for score in own),
        pass_k=pass_k((task, score.success is True) for task, score in scores),
    )


def pass_k(outcomes: Iterable[tuple[str, bool]]) -> dict[int, float]:
    """By k, the chance that k dialogues of a task all succeed, over tasks (source: tau-bench's pass^k).

    Args:
        outcomes: the task of each dialogue, and whether it succeeded.

    Returns:
        The mean over tasks of C(c, k) / C(n, k), for k from 1 to the smallest n; empty where that is less than 2.
    """
    tries: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    for task, success in outcomes:
        tries[task] += 1
        wins[task] += success
    most = min(tries.values(), default=0)
    if most < 2:
        return {}
    return {
        k: sum(comb(wins[task], k) / comb(count, k) for task, count in tries.items()) / len(tries)
        for k in range(1, most + 1)
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


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


def _add(total: Counter[str], who: str, usage: dict[str, float]) -> None:
    for name, value in usage.items():
        total[f"{who}/{name}"] += value  # type: ignore[assignment]
