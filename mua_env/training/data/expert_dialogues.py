"""The expert's dialogues of a run: shared among its processes, and kept, so that none is held twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mua_env.agents.scripted.expert import check_slips
from mua_env.core.agent import Slips
from mua_env.core.seeds import derive_seed
from mua_env.core.trajectory import Trajectory, TrajectoryWriter, read_trajectories
from mua_env.episode.dialogue import hold
from mua_env.errors import RunStopped

if TYPE_CHECKING:
    from mua_env.training.data.mixing import Place
    from mua_env.training.rollout.pool import MixedPool
    from mua_env.training.run.processes import Processes
    from mua_env.training.run.run_folder import RunFolder

_FAULTS_IN_A_ROW = 8
"""So many failures one after the other mean that there is no user at the other end."""


class ExpertLog:
    """Where the expert's dialogues are kept.

    Args:
        folder: of the run.
        processes: which share the work.
    """

    def __init__(self, folder: RunFolder, processes: Processes) -> None:
        self._path = folder.path / folder.own("demonstrations")
        self._files: Sequence[Path] = sorted(folder.path.glob("demonstrations*.jsonl"))
        self.processes = processes

    def known(self) -> dict[int, Trajectory]:
        """What earlier starts of the run have kept, by number, whatever process it was."""
        held = (trajectory for file in self._files for trajectory in read_trajectories(file))
        return {int(trajectory.id): trajectory for trajectory in held}

    def writer(self) -> TrajectoryWriter:
        """Appends to this process's file."""
        return TrajectoryWriter(self._path, sync=False)


def hold_expert_dialogues(
    pool: MixedPool, *, count: int, style: str, seed: int, slips: Slips = 0.0, log: ExpertLog | None = None
) -> list[Trajectory]:
    """``count`` dialogues over the pool's tasks in order, again with other users when they run out.

    Those whose user failed are among them, with a reward of None; they are not kept in the log.

    Raises:
        ConfigError: slips name a tool that no domain of the pool has.
        RunStopped: one user after the other failed.
        DomainError: the domain has no expert.
    """
    own = _by_part(pool, slips)
    if log is None:
        return [_hold(pool, number, style, own, seed) for number in range(count)]
    known, failed = log.known(), 0
    mine = range(log.processes.rank, count, log.processes.count)
    held: list[Trajectory] = []
    with log.writer() as writer:
        for number in mine:
            trajectory = known.get(number) or _hold(pool, number, style, own, seed)
            failed = failed + 1 if reward_of(trajectory) is None else 0
            if failed == _FAULTS_IN_A_ROW:
                raise RunStopped(f"{failed} users of expert dialogues failed one after the other: {trajectory.cause}")
            # A failed one is not kept: a resumed run gives its user another chance.
            if number not in known and not failed:
                writer.write(trajectory)
            held.append(trajectory)
    return sorted(log.processes.gather(held), key=lambda trajectory: int(trajectory.id))


def reward_of(trajectory: Trajectory) -> float | None:
    """The reward; None where the dialogue failed."""
    return None if trajectory.score is None else trajectory.score.reward


def place_of(pool: MixedPool, number: int) -> Place:
    """What the expert's dialogue of a number is about."""
    return pool.mix[number % len(pool)]


def _by_part(pool: MixedPool, slips: Slips) -> Sequence[Slips]:
    """The slips of each part's expert: of a mapping, those of the tools that it has."""
    if not isinstance(slips, Mapping):
        return [slips] * len(pool.parts)
    tools = [{str(tool["function"]["name"]) for tool in part.setting.tools} for part in pool.parts]
    check_slips(slips, sorted(set().union(*tools)))
    return [{name: chance for name, chance in slips.items() if name in names} for names in tools]


def _hold(pool: MixedPool, number: int, style: str, slips: Sequence[Slips], seed: int) -> Trajectory:
    place = place_of(pool, number)
    (dialogue,) = pool.at([place], [derive_seed(seed, number)])
    expert = pool.part(place).setting.domain.expert(style=style, slips=slips[place.source])
    hold(dialogue.session, expert, dialogue.task, seed=dialogue.seed)
    return dialogue.session.trajectory(id=str(number), agent="expert")
