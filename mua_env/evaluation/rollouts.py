"""Many dialogues at once, at the level of messages.

    setting = load_setting("retail", "test")
    summary = run_rollout(setting, AgendaUser(), agent_factory("expert", setting.domain), plan(setting.tasks))

Each slot holds a session (a database clone) and an agent, and takes one episode after another. A failure inside
an episode ends that episode, unscored, and never another.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mua_env.core.agent import Agent
from mua_env.core.outside import line
from mua_env.core.running import run_coroutine
from mua_env.core.scores import RewardName
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.dialogue import ahold
from mua_env.episode.episode import Episode
from mua_env.episode.run_checks import check_users
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.errors import ConfigError, EpisodeError, MuaError, single
from mua_env.evaluation.fault_watch import FaultWatch
from mua_env.llm.admission import Admission
from mua_env.llm.errors import LLMError
from mua_env.scoring.judges import Judge
from mua_env.users.base import UserSimulator

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Planned:
    """An episode to run: `id` is unique in the run, `seed` decides user and agent.

    `attempt` counts from 1; a further one is recorded under an id of its own, as ``"task#0.2"``.
    """

    id: str
    task: Task
    seed: int
    attempt: int = 1


@dataclass(frozen=True)
class RolloutOptions:
    """How episodes are run.

    Args:
        reward, max_turns: as in `Session`.
        concurrency: dialogues at the same time.
        deadline_s: wall time of one episode, in seconds; beyond it the episode is a fault. None for no limit.
        stop: asked before each episode; once true, no further one begins (a budget that is used up).
        admission: lets each dialogue begin, so that a budget suffices for those that have; by default at once.
        meta: kept in each trajectory.
        judge: judges what tasks state about their dialogues; None leaves that unjudged.
        watch: tells when dialogues end by the same fault one after another, and no further one should begin; None for
            a new one with its default limits.
    """

    reward: RewardName | None = None
    max_turns: int | None = None
    concurrency: int = 16
    deadline_s: float | None = 900.0
    stop: Callable[[], bool] = lambda: False
    admission: Admission = field(default_factory=Admission)
    meta: dict[str, Any] = field(default_factory=dict)
    judge: Judge | None = None
    watch: FaultWatch | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ConfigError(f"concurrency: at least 1, got {self.concurrency}")
        if self.deadline_s is not None and self.deadline_s <= 0:
            raise ConfigError(f"deadline_s: above 0, or None for no limit, got {self.deadline_s}")


def plan(
    tasks: TaskSet | Sequence[Task], *, repeats: int = 1, seed: int = 0, limit: int | None = None
) -> list[Planned]:
    """Each task `repeats` times, with seeds that hang on nothing but `seed`, the task's id and the repetition.

    Args:
        tasks: what to run, in order.
        repeats: episodes of each task.
        seed: of the run.
        limit: the first so many tasks only.
    """
    if repeats < 1:
        raise ConfigError(f"repeats: at least 1, got {repeats}")
    count = len(tasks) if limit is None else min(limit, len(tasks))
    chosen = (tasks[position] for position in range(count))
    return [
        Planned(f"{task.id}#{repeat}", task, episode_seed(seed, task.id, repeat))
        for task in chosen
        for repeat in range(repeats)
    ]


def episode_seed(seed: int, task_id: str, repeat: int) -> int:
    """The seed of one episode, 31 bits, the same in every process."""
    digest = hashlib.sha256(f"{seed}/{task_id}/{repeat}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


async def rollout(
    setting: Setting,
    user: UserSimulator,
    make_agent: Callable[[], Agent],
    episodes: Iterable[Planned],
    *,
    options: RolloutOptions | None = None,
    on_end: Callable[[Trajectory], None] = lambda trajectory: None,
) -> int:
    """Run episodes; returns how many ended.

    Args:
        setting: domain and tasks.
        user: makes the users.
        make_agent: called once for each slot.
        episodes: what to run; begun in order, ended in any.
        options: see `RolloutOptions`.
        on_end: called with each finished trajectory, before its slot goes on (write it to the disk there).

    Raises:
        TaskError: the user cannot play a task that is planned (those of an iterator are not looked at); nothing began.
        MuaError: an episode could not begin: no failure of one dialogue, so the run ends. Episodes that had ended are
            kept.
        OSError: from `on_end`, as when the disk is full.
    """
    how = options or RolloutOptions()
    if isinstance(episodes, Sequence):
        check_users(setting, user, (episode.task for episode in episodes))
    watch = how.watch or FaultWatch()
    queue = iter(episodes)
    ended = 0

    async def work() -> None:
        nonlocal ended
        session: Session | None = None
        agent: Agent | None = None
        try:
            while watch.cause is None and not how.stop():
                async with how.admission.dialogue() as admitted:
                    if not admitted or watch.cause is not None or how.stop() or (episode := next(queue, None)) is None:
                        break
                    # Made late: a run of three tasks needs three clones, however high the concurrency.
                    session = session or Session(
                        setting, user, reward=how.reward, max_turns=how.max_turns, judge=how.judge
                    )
                    agent = agent or make_agent()
                    await _ready(user, agent, how.judge)
                    await play_episode(session, agent, episode, deadline_s=how.deadline_s)
                    trajectory = _recorded(session, agent, episode, how.meta)
                    on_end(trajectory)
                    watch.see(trajectory)
                    ended += 1
                await asyncio.sleep(0)  # free agents and users never wait; the others need their turn
        finally:
            if session is not None:
                session.close()

    await side_by_side(work, how.concurrency, MuaError, OSError)
    if watch.cause is not None and how.watch is None:  # else whoever watches knows
        _log.warning("the run was stopped, since every further dialogue would end so: %s", watch.cause)
    return ended


async def side_by_side(work: Callable[[], Coroutine[Any, Any, None]], slots: int, *kinds: type[Exception]) -> None:
    """Do the same work in several slots at the same time; it ends when all are through, or one fails.

    Args:
        work: of one slot.
        slots: how many.
        kinds: of errors that are raised as they are; others come in a group.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(slots):
                group.create_task(work())
    except ExceptionGroup as errors:
        raise single(errors, *kinds) from None


def run_rollout(
    setting: Setting,
    user: UserSimulator,
    make_agent: Callable[[], Agent],
    episodes: Iterable[Planned],
    *,
    options: RolloutOptions | None = None,
    on_end: Callable[[Trajectory], None] = lambda trajectory: None,
) -> int:
    """`rollout` for callers that await nothing. Where an event loop runs, as in a notebook, it has a thread of its own;
    ``await rollout(...)`` leaves that loop free meanwhile."""
    return run_coroutine(rollout(setting, user, make_agent, episodes, options=options, on_end=on_end))


async def _ready(user: UserSimulator, agent: Agent, judge: Judge | None) -> None:
    """Let all load what their first reply needs, so that no episode's deadline pays for it."""
    await user.aready()
    await agent.aready()
    if judge is not None:
        await judge.aready()


def _recorded(session: Session, agent: Agent, episode: Planned, meta: dict[str, Any]) -> Trajectory:
    again = episode.attempt > 1
    name = f"{episode.id}.{episode.attempt}" if again else episode.id
    try:
        usage: dict[str, Any] = {"agent_usage": used} if (used := agent.usage()) else {}
    except Exception as error:  # an agent of the caller's: its account is no reason to lose the dialogue
        usage = {"agent_usage_fault": line(f"{type(error).__name__}: {error}")}
    unseeded = [who for who, side in (("agent", agent), ("user", session.user)) if side.drops_seed]
    more = {
        **({"of": episode.id, "attempt": episode.attempt} if again else {}),
        **usage,
        **({"seed_dropped": unseeded} if unseeded else {}),
    }
    return session.trajectory(id=name, agent=agent.name, meta={**meta, **more})


async def play_episode(session: Session, agent: Agent, episode: Planned, *, deadline_s: float | None) -> None:
    """Run one episode to its end, whatever happens in it.

    A model that cannot read a longer dialogue truncates the episode (it is scored). Everything else that goes wrong
    in agent or user (no reply, an exception, the deadline, the run's own budget) ends it as a fault (it is not).
    """
    before = _episode(session)
    limit = asyncio.timeout(deadline_s)
    try:
        async with limit:
            await ahold(session, agent, episode.task, seed=episode.seed)
    except Exception as error:
        if _episode(session) is before:
            raise
        _end(session, error, f"deadline: more than {deadline_s} s" if limit.expired() else None)


def _episode(session: Session) -> Episode | None:
    with suppress(EpisodeError):
        return session.episode
    return None


def _end(session: Session, error: Exception, deadline: str | None) -> None:
    if session.episode.ended:
        return
    if isinstance(error, LLMError) and error.kind == "context":
        session.truncate(str(error))
    elif deadline is not None:
        session.fail(deadline)
    else:
        who = "agent: " if isinstance(error, LLMError) else f"{type(error).__name__}: "
        session.fail(who + str(error))
