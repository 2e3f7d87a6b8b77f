"""Writes each dialogue to the run folder as it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mua_env.training.rollout import Dialogue
from mua_env.training.run_folder import RunFolder
from mua_env.training.trajectory import TokenTrajectory


class Recorder:
    """The ``on_end`` of a `RolloutDriver`.

    Args:
        folder: of the run.
        agent: how trajectories name the agent.
    """

    def __init__(self, folder: RunFolder, agent: str) -> None:
        self._phase = ""
        self._folder, self._agent = folder, agent
        self._step: Callable[[], int] = lambda: 0
        self._count = 0

    @contextmanager
    def during(self, phase: str, step: Callable[[], int]) -> Iterator[None]:
        """Name the part of the run that dialogues belong to, and how to learn the present update."""
        before = self._phase, self._step
        self._phase, self._step = phase, step
        try:
            yield
        finally:
            self._phase, self._step = before

    def record(self, row: int, dialogue: Dialogue, tokens: TokenTrajectory) -> None:
        """Append a dialogue, with its numbers of tokens; ids are unique in the run."""
        self._count += 1
        step, rank = self._step(), self._folder.rank
        trajectory = dialogue.session.trajectory(
            id=f"{self._phase}-{step}-{rank}-{self._count}",
            agent=self._agent,
            meta={
                "phase": self._phase,
                "step": step,
                "row": row,
                "tokens": len(tokens),
                "agent_tokens": sum(tokens.mask),
            },
        )
        self._folder.add_trajectory(trajectory)
