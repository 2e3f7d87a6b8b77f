"""Holds the dialogues of a card, and measures each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from mua_env.core.running import run_coroutine
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.errors import ConfigError, MissingExtra, MuaError, TaskError
from mua_env.evaluation.rollouts import Planned, episode_seed, play_episode, side_by_side
from mua_env.evaluation.user_card.dialogue import Grounds
from mua_env.evaluation.user_card.probes import PROBES, Pool, value_pool
from mua_env.evaluation.user_card.result import Dialogue, Result, blank, measure
from mua_env.llm.admission import Admission
from mua_env.users.base import UserSimulator

_POOLED = 400
"""Tasks whose values serve for wrong proposals."""


@dataclass
class CardOptions:
    """How the dialogues are held.

    Args:
        max_turns: of the agent, after which a dialogue is cut (default 30).
        concurrency: dialogues at the same time (default 8).
        deadline_s: wall time of one dialogue in seconds; beyond it, a fault (default 300).
        stop: asked before each dialogue; once true, no further one begins (a budget that is used up).
        admission: lets each dialogue begin, so that a budget suffices for those that have.
    """

    max_turns: int = 30
    concurrency: int = 8
    deadline_s: float | None = 300.0
    stop: Callable[[], bool] = field(default=lambda: False)
    admission: Admission = field(default_factory=Admission)


def plan(setting: Setting, episodes: int, *, seed: int = 0) -> list[Dialogue]:
    """The first ``episodes`` dialogues: each task in turn with all probes, then all tasks again.

    Raises:
        TaskError: no task has a goal, which the measures need.
    """
    if episodes < 1:
        raise ConfigError(f"episodes: at least 1, got {episodes}")
    tasks = _with_goals(setting, -(-episodes // len(PROBES)))
    planned = []
    for number in range(episodes):
        round_, probe = divmod(number, len(PROBES))
        repeat, position = divmod(round_, len(tasks))
        task = tasks[position]
        # Another seed for each probe: otherwise every dialogue of a task would open with the same words.
        name = f"{task.id}/{PROBES[probe].name}/{repeat}"
        planned.append(Dialogue(name, task, PROBES[probe], episode_seed(seed, name, repeat)))
    return planned


def _with_goals(setting: Setting, most: int) -> list[Task]:
    tasks = setting.tasks
    count = min(len(tasks), 4 * most + 100)  # an endless source must not be read to its end
    found = list(islice((task for task in map(tasks.__getitem__, range(count)) if _measurable(task)), most))
    if not found:
        raise TaskError(f"{setting.domain.name} {tasks.name!r}: no task has a goal, which the card measures users by")
    return found


def _measurable(task: Task) -> bool:
    return task.goal is not None and bool(task.goal.requests)


def run(
    setting: Setting,
    user: UserSimulator,
    dialogues: Iterable[Dialogue],
    *,
    options: CardOptions | None = None,
    on_end: Callable[[Result, Trajectory | None], None],
) -> None:
    """Hold the dialogues; ``on_end`` gets each result with its trajectory (``None`` where there is none).

    A failure of the user ends its dialogue, never the card.

    Raises:
        ConfigError, MissingExtra: the user cannot be had at all.
        DomainError: the domain has no scripted expert or no language, which the probes need.
    """
    setting.domain.expert()  # fails here: in the middle of a dialogue it would be taken for a fault of the user
    run_coroutine(_run(setting, user, list(dialogues), options or CardOptions(), on_end))


async def _run(
    setting: Setting,
    user: UserSimulator,
    dialogues: Sequence[Dialogue],
    options: CardOptions,
    on_end: Callable[[Result, Trajectory | None], None],
) -> None:
    tasks = setting.tasks
    known = [tasks[position] for position in range(min(len(tasks), _POOLED))]
    pool = value_pool(known, setting.domain.language)
    grounds = Grounds.of(setting.domain, tasks.data())
    queue = iter(dialogues)
    await user.aready()

    async def work() -> None:
        session = Session(setting, user, max_turns=options.max_turns)
        try:
            while not options.stop():
                async with options.admission.dialogue() as admitted:
                    if not admitted or options.stop() or (dialogue := next(queue, None)) is None:
                        break
                    on_end(*await _hold(session, dialogue, grounds, pool, options))
                await asyncio.sleep(0)  # free users never wait; the others need their turn
        finally:
            session.close()

    await side_by_side(work, min(options.concurrency, len(dialogues)), MuaError, OSError)


async def _hold(
    session: Session, dialogue: Dialogue, grounds: Grounds, pool: Pool, options: CardOptions
) -> tuple[Result, Trajectory | None]:
    probe = dialogue.probe(session, session.setting.domain, pool)
    planned = Planned(dialogue.id, dialogue.task, dialogue.seed)
    try:
        await play_episode(session, probe, planned, deadline_s=options.deadline_s)
    except (ConfigError, MissingExtra):
        raise
    except Exception as error:
        # The dialogue could not even begin: that is this user's failure with this task.
        return blank(dialogue, session.setting.domain.name).model_copy(
            update={"fault": f"{type(error).__name__}: {error}"}
        ), None
    marks = {str(turn): text for turn, text in probe.wrong.items()}
    trajectory = session.trajectory(id=dialogue.id, agent=f"probe:{probe.name}", meta={"wrong": marks})
    return measure(trajectory, dialogue, grounds, seconds=session.user_seconds), trajectory
