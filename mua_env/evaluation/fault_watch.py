"""Tells when a run cannot come to anything: its dialogues end by the same fault, one after another."""

from __future__ import annotations

import re

from mua_env.core.trajectory import Trajectory
from mua_env.evaluation.summary import fault_name
from mua_env.llm.errors import FATAL, PASSING, kind_of

FATAL_FAULTS = 5
"""Equal faults of a kind that meets every dialogue alike, as a wrong key."""
PASSING_FAULTS = 50
"""Equal faults of a kind that may pass by itself, as a server that is down."""


class FaultWatch:
    """Counts faults that are equal and follow each other; a dialogue that is scored begins the count anew.

    Attributes:
        cause: of the faults for which no further dialogue should begin; None while all is well.
    """

    def __init__(self, *, fatal: int = FATAL_FAULTS, passing: int = PASSING_FAULTS) -> None:
        self.cause: str | None = None
        self._fatal, self._passing = fatal, passing
        self._last, self._count = "", 0

    def see(self, trajectory: Trajectory) -> None:
        """Look at a dialogue that has ended."""
        cause = trajectory.cause or ""
        kind = kind_of(cause)
        if trajectory.score is not None and trajectory.score.reward is not None:
            self._last, self._count = "", 0
            return
        if kind is None or kind not in FATAL | PASSING:
            return
        same = _same(cause)
        self._count = self._count + 1 if same == self._last else 1
        self._last = same
        if self._count >= (self._fatal if kind in FATAL else self._passing):
            self.cause = cause


def _same(cause: str) -> str:
    """What equal faults have in common: who and which kind, and where the kind says little, the words too."""
    return re.sub(r"\d+", "0", cause) if kind_of(cause) == "bad_request" else fault_name(cause)
