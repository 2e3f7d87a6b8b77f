"""Stored dialogues scored anew: what was said and done is done again on today's data, and weighed as it is today.

for one in regrade("runs/retail"):
    if one.changed or one.data_changed: print(one.id, one.was, one.now, one.notes)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from mua_env.core.messages import AssistantMessage, Message, ToolMessage
from mua_env.core.paths import write_whole
from mua_env.core.running import run_coroutine
from mua_env.core.scores import RewardName, Score, check_reward
from mua_env.core.task_sets import tasks_revision
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory, TrajectoryWriter
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.errors import ConfigError, MuaError
from mua_env.evaluation.eval_plan import content_hash
from mua_env.evaluation.folders import Folder
from mua_env.evaluation.rollout_folder import TRAJECTORIES
from mua_env.evaluation.rollouts import plan
from mua_env.evaluation.stored_run import PLANS_KEPT, StoredRun, stored_task
from mua_env.scoring.judges import Judge, Judgement
from mua_env.users.replay import ReplaySession, ReplayUser

MOST_NOTES = 3


class Regraded(BaseModel):
    """One dialogue, scored anew.

    Attributes:
        id, task_id: of the dialogue.
        task_hash: of the task as it is now (SHA-256, 12 digits).
        was, now: the rewards; ``now`` is None where the dialogue could not be scored.
        was_parts, now_parts: the parts of the scores.
        data_changed: task, tools, policy document or data are no more what they were.
        notes: what has changed, and what came out otherwise on the way.
    """

    id: str
    task_id: str
    task_hash: str = ""
    was: float | None
    now: float | None = None
    was_parts: dict[str, float | None] = {}
    now_parts: dict[str, float | None] = {}
    data_changed: bool = False
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the reward is another."""
        return self.was != self.now


def regrade(
    run: str | Path, *, reward: RewardName | None = None, path: str | None = None, output: str | Path | None = None
) -> list[Regraded]:
    """Score a run's dialogues anew; no model is asked. Those that were not scored are left out.

    Args:
        run: folder of a rollout or evaluation, or a file of trajectories.
        reward: another reward; None for that of each dialogue.
        path: where the files of a public benchmark lie.
        output: a new folder for the dialogues with their new scores, which other commands read as a run.

    Raises:
        ConfigError: there is no such reward, or the folder is there already.
        DataError: the run cannot be read.
    """
    return run_coroutine(aregrade(run, reward=reward, path=path, output=output))


async def aregrade(
    run: str | Path, *, reward: RewardName | None = None, path: str | None = None, output: str | Path | None = None
) -> list[Regraded]:
    """`regrade` on an event loop, which runs on between dialogues."""
    stored = StoredRun(Path(run), path)
    wanted = None if reward is None else check_reward(reward)
    writer = None if output is None else _new_folder(Path(output), stored, wanted)
    found: list[Regraded] = []
    whole = _whole_set_changed(stored)
    try:
        async for trajectory, one, score in _scored(stored, wanted):
            marked = (
                one if whole is None else one.model_copy(update={"data_changed": True, "notes": (*one.notes, whole)})
            )
            found.append(marked)
            if writer is not None and score is not None:
                meta = {**trajectory.meta, "regraded": {"was": one.was, "data_changed": marked.data_changed}}
                writer.write(trajectory.model_copy(update={"score": score, "meta": meta}))
    finally:
        if writer is not None:
            writer.close()
    return found


async def _scored(
    stored: StoredRun, reward: RewardName | None
) -> AsyncIterator[tuple[Trajectory, Regraded, Score | None]]:
    for trajectory in stored.trajectories():
        score = trajectory.score
        if score is None or score.reward is None:
            continue
        kept = Regraded(id=trajectory.id, task_id=trajectory.task_id, was=score.reward, was_parts=score.parts)
        try:
            setting = stored.setting(trajectory)
            task, same = stored_task(setting, trajectory)
            changed = [*([] if same else ["the task has changed"]), *_changes(setting, trajectory, stored.config)]
            now, drift = _again(setting, task, trajectory, reward)
        except MuaError as error:
            yield trajectory, kept.model_copy(update={"data_changed": True, "notes": (str(error),)}), None
            continue
        yield (
            trajectory,
            kept.model_copy(
                update={
                    "task_hash": tasks_revision([task]),
                    "now": now.reward,
                    "now_parts": now.parts,
                    "data_changed": bool(changed),
                    "notes": (*changed, *drift),
                }
            ),
            now,
        )
        await asyncio.sleep(0)


def _again(setting: Setting, task: Task, trajectory: Trajectory, reward: RewardName | None) -> tuple[Score, list[str]]:
    """The score of a dialogue held again word by word, and what tools answered otherwise."""
    assert trajectory.score is not None
    named = reward or check_reward(trajectory.score.reward_name)
    cut = trajectory.ended_by == "max_turns"
    session = Session(
        setting,
        _Recorded([trajectory]),
        reward=named,
        max_turns=max(1, trajectory.turns + (not cut)),
        judge=_RecordedJudge(trajectory.meta["judge"]) if "judge" in trajectory.meta else None,
    )
    drift: list[str] = []
    try:
        result = session.start(task, seed=trajectory.seed)
        for message, answers in _turns(trajectory):
            if result.done:
                drift.append("the dialogue ends sooner than it did")
                break
            result = session.send(message)
            drift += _drift(answers, result.messages)
        if not result.done:
            result = session.truncate(trajectory.cause or "the record ends here")
        assert result.score is not None
        if session.episode.fault is not None:
            drift.append(session.episode.cause or "")
        return result.score, drift[:MOST_NOTES]
    finally:
        session.close()


def _turns(trajectory: Trajectory) -> Iterable[tuple[AssistantMessage, list[Message]]]:
    """The agent's turns, each with the messages that answered it."""
    turns: list[tuple[AssistantMessage, list[Message]]] = []
    for entry in trajectory.entries:
        if isinstance(entry.message, AssistantMessage):
            turns.append((entry.message, []))
        elif turns:
            turns[-1][1].append(entry.message)
    return turns


def _drift(was: Sequence[Message], now: Sequence[Message]) -> list[str]:
    pairs = zip(_results(was), _results(now), strict=False)
    return [f"{a.name} gives {b.content!r:.80}, then it gave {a.content!r:.80}" for a, b in pairs if a != b]


def _results(messages: Sequence[Message]) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage)]


def _changes(setting: Setting, trajectory: Trajectory, config: dict[str, Any]) -> list[str]:
    """What a dialogue was held with and is another now."""
    tasks = setting.tasks
    sources = config.get("tasks")
    source = f"{trajectory.domain}:{trajectory.tasks}"
    noted = sources.get(source, {}).get("data") if isinstance(sources, dict) else None
    told = {
        "the policy document": trajectory.system_prompt == tasks.policy,
        "the revision of tools, policy document and world": trajectory.revision == setting.revision,
        "the data": noted is None or noted == _data_hash(setting),
        "the benchmark's release": trajectory.source_revision == tasks.source_revision,
    }
    return [f"{what} has changed" for what, same in told.items() if not same]


@lru_cache(maxsize=PLANS_KEPT)
def _data_hash(setting: Setting) -> str:
    return content_hash(setting.tasks.data())


def _whole_set_changed(stored: StoredRun) -> str | None:
    """A rollout notes the hash of all its tasks; whether they have another now, or None where that is not known."""
    config = stored.config
    known = config.get("task_revision")
    first = next(iter(stored.trajectories()), None)
    if not isinstance(known, str) or first is None:
        return None
    try:
        setting = stored.setting(first)
        limit = config.get("count") or len(setting.tasks)
        episodes = plan(setting.tasks, repeats=int(config.get("repeats", 1)), limit=int(limit))
    except (MuaError, TypeError, ValueError):
        return None
    now = tasks_revision(episode.task for episode in episodes)
    return None if now == known else f"the tasks of the run have changed: their hash was {known}, now {now}"


def _new_folder(path: Path, stored: StoredRun, reward: RewardName | None) -> TrajectoryWriter:
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ConfigError(f"{path} is there already; name a new folder")
    path.mkdir(parents=True, exist_ok=True)
    config: dict[str, Any] = {**stored.config, "regraded_from": str(stored.path)}
    folder = Folder(path)
    folder.write_json("config.json", config if reward is None else {**config, "reward": reward})
    folder.close()
    return TrajectoryWriter(path / TRAJECTORIES, sync=False)


class _RecordedSession(ReplaySession):
    # The record holds the refusals that were heard: listening once more would find others.
    registers_refusals = True


class _Recorded(ReplayUser):
    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ReplaySession:
        session = super().start(task, seed=seed, context=context)
        return _RecordedSession(session._turns)


class _RecordedJudge(Judge):
    """Says what the judge of the record said."""

    name = "recorded"

    def __init__(self, kept: Any) -> None:
        self._kept = Judgement.model_validate(kept)

    def judge(self, statements: Sequence[str], dialogue: Sequence[Message], *, seed: int) -> Judgement:
        """The verdicts on file, where they are as many as the statements."""
        if len(self._kept.verdicts) != len(statements):
            return Judgement(judge=self.name, fault="nobody has judged these statements")
        return self._kept

    async def ajudge(self, statements: Sequence[str], dialogue: Sequence[Message], *, seed: int) -> Judgement:
        """The same."""
        return self.judge(statements, dialogue, seed=seed)


def write_regraded(folder: str | Path, found: Iterable[Regraded]) -> Path:
    """Write what was found into a folder, as ``regraded.json``; returns the file."""
    file = Path(folder) / "regraded.json"
    write_whole(file, json.dumps([one.model_dump(mode="json") for one in found], indent=2, ensure_ascii=False) + "\n")
    return file
