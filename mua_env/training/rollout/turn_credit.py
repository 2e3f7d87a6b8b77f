"""Turn-level credit: by how much each stretch of a dialogue raised its value, measured from forks.

A dialogue is forked before some of its agent's turns, and each fork is held to its end a few times by the same
model. The mean reward of the continuations is the value of that state (Monte Carlo, as in VinePPO); the value
before the first turn is the group's mean, the value after the last one is the reward. A stretch between two
neighbouring states earns the difference of their values, so the credits of a dialogue sum to its reward minus the
group's mean: the binary reward, told apart by turns.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import Dialogue


@dataclass
class Fork:
    """A dialogue as it stood before a turn of the agent.

    Attributes:
        turn: how many turns the agent had taken.
        dialogue: its continuation, with a session of its own and the tokens until then.
    """

    turn: int
    dialogue: Dialogue

    @property
    def tokens(self) -> TokenTrajectory:
        """The tokens until then."""
        assert self.dialogue.begun is not None
        return self.dialogue.begun

    def twin(self) -> Dialogue:
        """One more continuation, independent of the others."""
        return replace(self.dialogue, session=self.dialogue.session.fork(), begun=deepcopy(self.tokens))


class ForkKeeper:
    """The ``on_turn`` of a rollout: keeps forks of every dialogue, at most ``limit`` for each.

    When a dialogue has more turns than that, every second fork is given up and from then on only every second turn
    is kept, and so on: the kept ones stay evenly spread, whatever the length turns out to be.

    Args:
        limit: forks kept of a dialogue.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._stride: dict[int, int] = {}
        self.forks: dict[int, list[Fork]] = {}

    def keep(self, row: int, dialogue: Dialogue, tokens: TokenTrajectory) -> None:
        """Called before each turn of the agent but the first."""
        kept, stride = self.forks.setdefault(row, []), self._stride.setdefault(row, 1)
        if tokens.turns % stride:
            return
        if len(kept) == self._limit:
            self._stride[row] = stride = 2 * stride
            for fork in [fork for fork in kept if fork.turn % stride]:
                fork.dialogue.session.close()
                kept.remove(fork)
            if tokens.turns % stride:
                return
        twin = replace(dialogue, session=dialogue.session.fork(), begun=deepcopy(tokens))
        kept.append(Fork(tokens.turns, twin))

    def drop(self, rows: Iterable[int]) -> None:
        """Give up the forks of dialogues that are held anew."""
        for row in rows:
            self._stride.pop(row, None)
            for fork in self.forks.pop(row, []):
                fork.dialogue.session.close()

    def close(self) -> None:
        """Release all sessions."""
        self.drop(list(self.forks))


@dataclass(frozen=True)
class Credit:
    """What one stretch of a dialogue earned.

    Attributes:
        start: first position of the stretch among prompt + completion tokens.
        end: behind its last.
        value: value after it minus value before.
    """

    start: int
    end: int
    value: float


Continue = Callable[[Sequence[Dialogue], Sequence[tuple[int, int, int]]], list[TokenTrajectory]]
"""Holds dialogues to their end, given what seeds are made from: for each the dialogue that it is a fork of, the turn,
and its number among the continuations."""


def measure_credits(
    forks: dict[int, list[Fork]],
    trajectories: Sequence[TokenTrajectory],
    baselines: Sequence[float | None],
    *,
    continuations: int,
    hold: Continue,
) -> list[list[Credit]]:
    """Hold the continuations of all forks, together, and compare.

    Args:
        forks: of each dialogue, in order of turns.
        trajectories: the dialogues.
        baselines: the group's mean reward for each; None where all of a group failed.
        continuations: for each fork.
        hold: holds them.

    Returns:
        The credits of each dialogue, none where it failed or was not forked.
    """
    jobs = [(row, fork, number) for row in sorted(forks) for fork in forks[row] for number in range(continuations)]
    twins = [fork.twin() for _, fork, _ in jobs]
    try:
        held = hold(twins, [(row, fork.turn, number) for row, fork, number in jobs])
    finally:
        for twin in twins:
            twin.session.close()
    rewards: dict[tuple[int, int], list[float]] = {}
    for (row, fork, _), trajectory in zip(jobs, held, strict=True):
        if trajectory.reward is not None:
            rewards.setdefault((row, fork.turn), []).append(trajectory.reward)
    found: list[list[Credit]] = []
    for row, (trajectory, baseline) in enumerate(zip(trajectories, baselines, strict=True)):
        states = [
            (len(fork.tokens), statistics.fmean(rewards[row, fork.turn]))
            for fork in forks.get(row, [])
            if (row, fork.turn) in rewards
        ]
        if trajectory.reward is None or baseline is None or not states:
            found.append([])
        else:
            found.append(credits_of(len(trajectory.prompt_ids), len(trajectory), states, baseline, trajectory.reward))
    return found


def credits_of(
    start: int, end: int, states: Sequence[tuple[int, float]], baseline: float, reward: float
) -> list[Credit]:
    """The credits of a dialogue's stretches.

    Args:
        start: where its completion begins.
        end: its length.
        states: position and value of each fork, in order.
        baseline: the value at the beginning.
        reward: the value at the end.
    """
    path = [(start, baseline), *states, (end, reward)]
    return [Credit(a, b, after - before) for (a, before), (b, after) in itertools.pairwise(path)]
