"""The failed dialogues of a run, looked into one by one; what is found is in the run's folder.

blame.jsonl   one line for each failed dialogue, see `mua_env.evaluation.blame.result.Blame`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mua_env.agents.make import AgentFactory, AgentMaker, agent_factory
from mua_env.core.json_lines import LineWriter, whole_lines
from mua_env.core.messages import AssistantMessage
from mua_env.core.running import run_coroutine
from mua_env.core.trajectory import Trajectory
from mua_env.domain.contract import Domain, load_domain
from mua_env.episode.session import Session
from mua_env.errors import ConfigError, MuaError
from mua_env.evaluation.blame.change_point import change_point
from mua_env.evaluation.blame.continuations import states, value_of
from mua_env.evaluation.blame.result import Blame, described, lost_at
from mua_env.evaluation.folders import lock_folder
from mua_env.evaluation.rollouts import side_by_side
from mua_env.evaluation.stored_run import StoredRun, stored_task
from mua_env.users.base import UserSimulator
from mua_env.users.make import make_user, named_user

BLAME = "blame.jsonl"
ONLINE = ("llm", "human")
"""Users that may say something else when they are told the same."""


@dataclass(frozen=True)
class BlameOptions:
    """How failed dialogues are looked into.

    Args:
        reference: who holds the continuations: a name as of `mua_env.agent_factory`, or ``"same"`` for the agent of
            the run.
        reference_options: of it.
        continuations: how many after each turn.
        count: only the first so many failed dialogues.
        concurrency: dialogues at the same time.
        path: where the files of a public benchmark lie.
    """

    reference: str = "expert"
    reference_options: dict[str, Any] | None = None
    continuations: int = 4
    count: int | None = None
    concurrency: int = 4
    path: str | None = None

    def __post_init__(self) -> None:
        for name in ("continuations", "concurrency"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}: at least 1, got {getattr(self, name)}")


def blame(
    run: str | Path, *, options: BlameOptions | None = None, on_found: Callable[[Blame], None] = lambda found: None
) -> list[Blame]:
    """Name the turn that lost each failed dialogue of a run.

    Args:
        run: folder of a rollout or evaluation. What was found before, by the same reference, is taken from its
            blame.jsonl.
        options: see `BlameOptions`.
        on_found: called with each result as it comes.

    Returns:
        All results, in the order of the dialogues.

    Raises:
        ConfigError: the user was no offline one, or the reference cannot be had.
        DataError: the run cannot be read.
    """
    return run_coroutine(ablame(run, options=options, on_found=on_found))


async def ablame(
    run: str | Path, *, options: BlameOptions | None = None, on_found: Callable[[Blame], None] = lambda found: None
) -> list[Blame]:
    """`blame` on an event loop, where model references wait beside each other."""
    how = options or BlameOptions()
    stored = StoredRun(Path(run), how.path)
    known = {found.id: found for found in read_blame(stored.folder) if _is_of(found, how)}
    failed = [item for item in stored.trajectories() if item.score is not None and item.score.success is False]
    failed = failed[: how.count]
    lock = lock_folder(stored.folder)
    lines = LineWriter(stored.folder / BLAME, sync=False)
    ground = _Ground(stored, how)
    queue = iter(item for item in failed if item.id not in known)

    async def work() -> None:
        while (item := next(queue, None)) is not None:
            found = await ground.look_into(item)
            known[item.id] = found
            lines.write(found.model_dump_json(), what=f"the values of dialogue {item.id!r}")
            on_found(found)

    try:
        await side_by_side(work, how.concurrency, MuaError, OSError)
    finally:
        lines.close()
        ground.close()
        _release(lock)
    return [known[item.id] for item in failed]


def read_blame(folder: str | Path) -> Iterator[Blame]:
    """What was found in a run's folder so far; lines that cannot be read are left out."""
    file = Path(folder) / BLAME
    if not file.is_file():
        return
    for _, line in whole_lines(file):
        try:
            yield Blame.model_validate_json(line)
        except ValidationError:
            continue


class _Ground:
    """The users and reference agents of a run."""

    def __init__(self, stored: StoredRun, how: BlameOptions) -> None:
        self._stored, self._how = stored, how
        self._users: dict[str, UserSimulator] = {}
        self._agents: dict[str, AgentFactory] = {}

    async def look_into(self, trajectory: Trajectory) -> Blame:
        """The values of a dialogue."""
        found = Blame(
            id=trajectory.id,
            task_id=trajectory.task_id,
            seed=trajectory.seed,
            reference=self._how.reference,
            continuations=self._how.continuations,
            verdict="unknown",
        )
        user, agents = self._user(trajectory), self._agent(load_domain(trajectory.domain))
        try:
            setting = self._stored.setting(trajectory)
            task, same = stored_task(setting, trajectory)
        except MuaError as error:
            return found.model_copy(update={"why": str(error)})
        if not same or setting.revision != trajectory.revision:
            return found.model_copy(update={"why": "task or data are no more what they were"})
        reward = trajectory.score.reward_name if trajectory.score else None
        session = Session(setting, user, reward=reward)  # type: ignore[arg-type]  # as it was recorded
        values = []
        try:
            async for state in states(session, task, trajectory):
                values.append(await value_of(state, agents, trajectory, count=self._how.continuations))
        except MuaError as error:
            return found.model_copy(update={"why": str(error), "values": tuple(values)})
        finally:
            session.close()
        return _judged(found.model_copy(update={"values": tuple(values)}), trajectory)

    def close(self) -> None:
        """Release the users."""
        for user in self._users.values():
            user.close()

    def _user(self, trajectory: Trajectory) -> UserSimulator:
        name, options = self._stored.user_of(trajectory)
        key = f"{name} {options}"
        if key not in self._users:
            if named_user(name).kind in ONLINE:
                raise ConfigError(
                    f"dialogue {trajectory.id!r} was held with the user {name!r}, who may say something else "
                    "now; only dialogues of offline users (agenda, local) can be gone on with from their middle"
                )
            self._users[key] = make_user(name, options)
        return self._users[key]

    def _agent(self, domain: Domain) -> AgentFactory:
        if domain.name not in self._agents:
            name, options = self._how.reference, self._how.reference_options
            agent, own = self._own_agent()
            if name == "same":
                name, options = agent, {**own, **(options or {})}
            elif name == "expert" and options is None and agent.partition(":")[0] == "expert":
                # In the style of the run's own expert, so that it can simply go on; without its slips.
                made = AgentMaker(agent, own, domain=domain)
                options = {key: value for key, value in made.options.items() if key != "slips"}
            self._agents[domain.name] = agent_factory(name, domain, options)
        return self._agents[domain.name]

    def _own_agent(self) -> tuple[str, dict[str, Any]]:
        config = self._stored.config
        options = config.get("agent_options")
        return str(config.get("agent", "")), dict(options) if isinstance(options, dict) else {}


def _judged(found: Blame, trajectory: Trajectory) -> Blame:
    values = found.values
    if not any(value.successes for value in values):
        return found.model_copy(update={"verdict": "out of reach"})
    turn = lost_at(values)
    if turn is None:
        return found.model_copy(update={"verdict": "cut"})
    turns = [entry.message for entry in trajectory.entries if isinstance(entry.message, AssistantMessage)]
    return found.model_copy(
        update={
            "verdict": "lost",
            "turn": turn,
            "steepest": change_point(values),
            "text": described(turns[turn - 1]),
        }
    )


def _is_of(found: Blame, how: BlameOptions) -> bool:
    return (found.reference, found.continuations) == (how.reference, how.continuations)


def _release(lock: int | None) -> None:
    if lock is not None:
        import os

        os.close(lock)
