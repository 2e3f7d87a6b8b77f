"""What is found of one dialogue: the value after each turn, and the turn that lost it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from mua_env.core.messages import AssistantMessage

Verdict = Literal["lost", "cut", "out of reach", "unknown"]
"""``lost``: one turn lost it; ``cut``: success was still in reach when it was cut; ``out of reach``: the reference does
not solve it from the start either; ``unknown``: it could not be held again (`why` says so)."""


class Value(BaseModel):
    """The value of the state after a turn of the agent (0: after the user's opening).

    Attributes:
        turn: of the agent, from 1.
        successes: how many continuations succeeded.
        of: how many count; a continuation that ended by a fault does not.
    """

    model_config = ConfigDict(frozen=True)

    turn: int
    successes: int
    of: int

    @property
    def share(self) -> float | None:
        """The share that succeeded; None where no continuation counts."""
        return self.successes / self.of if self.of else None


class Blame(BaseModel):
    """One failed dialogue, looked into.

    Attributes:
        id: of the dialogue, as in the trajectories.
        task_id, seed: of it.
        reference: who held the continuations.
        continuations: how many were asked for after each turn.
        values: after the opening and after each turn.
        verdict: see `Verdict`.
        turn: the turn that lost the dialogue: from the state before it a continuation succeeded, from no state after it
            did one. None unless the verdict is ``lost``.
        steepest: the turn that divides the values best into a high and a low part (the most likely change point of a
            binomial share); it may be before `turn` where flukes succeeded late. None where they do not fall.
        text: what the agent said or called in the turn.
        why: why nothing is known.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    task_id: str
    seed: int
    reference: str
    continuations: int
    values: tuple[Value, ...] = ()
    verdict: Verdict
    turn: int | None = None
    steepest: int | None = None
    text: str = ""
    why: str = ""


def described(message: AssistantMessage) -> str:
    """A turn in one line: what was said, or each call with its arguments."""
    calls = [f"{call.function.name}({call.function.arguments})" for call in message.tool_calls]
    return " ".join("; ".join(filter(None, [message.content, *calls])).split())


def lost_at(values: Sequence[Value]) -> int | None:
    """The turn from whose state no continuation succeeded, nor from any after it; None where none ever did, or one
    still did at the end.

    One success is enough: it shows that the state was not lost, while a failure may be the reference's own.
    """
    alive = [place for place, value in enumerate(values) if value.successes]
    if not alive or alive[-1] == len(values) - 1:
        return None
    return values[alive[-1] + 1].turn
