"""One dialogue of a card: what was planned, and what the measures say of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.evaluation.user_card.dialogue import Exchange, Ground, Grounds, exchanges
from mua_env.evaluation.user_card.measures import (
    Share,
    Violation,
    agreements,
    contradictions,
    invented,
    mind_changes,
    plays_agent,
    revealed,
)
from mua_env.evaluation.user_card.probes import Probe
from mua_env.evaluation.user_card.stops import early_stop, gave_up, late_stop


class Result(BaseModel):
    """One dialogue of a card.

    Attributes:
        id: unique in the card: task, probe and number.
        goal: digest of the goal, to tell equal openings of different goals.
        opening: the user's first message.
        replies: of the user; ``words``, ``characters`` and ``seconds`` are theirs in total.
        usage: tokens and money, where the user reports them.
        gave_up: the user left after useless turns.
        stopped: the user ended the dialogue.
        success: as scored; ``None`` where it does not count.
        upper_bound: the success hangs on statements that nobody has judged.
        shares: by measure.
        violations: what the measures found.
        guarded: replies that the user's own guards had made anew.
        fault: why the user (or the dialogue) failed, if it did.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    domain: str
    task_id: str
    probe: str
    seed: int
    goal: str
    opening: str = ""
    replies: int = 0
    turns: int = 0
    words: int = 0
    characters: int = 0
    seconds: float = 0.0
    usage: dict[str, float] = Field(default_factory=dict)
    gave_up: bool = False
    stopped: bool = False
    success: bool | None = None
    upper_bound: bool = False
    shares: dict[str, Share] = Field(default_factory=dict)
    violations: tuple[Violation, ...] = ()
    guarded: int = 0
    fault: str | None = None


@dataclass(frozen=True)
class Dialogue:
    """A dialogue to be held. ``id`` is the result's."""

    id: str
    task: Task
    probe: type[Probe]
    seed: int


def measure(trajectory: Trajectory, dialogue: Dialogue, grounds: Grounds, *, seconds: float = 0.0) -> Result:
    """What the measures say of one dialogue.

    Args:
        trajectory: the dialogue; ``meta["wrong"]`` tells what the probe stated wrongly in which turn.
        dialogue: what was planned.
        grounds: of the domain.
        seconds: that the user took for its replies.
    """
    ground = grounds.ground(dialogue.task)
    talk = exchanges(trajectory, grounds.writing, grounds.language)
    wrong = {int(turn): text for turn, text in trajectory.meta.get("wrong", {}).items()}
    found = list(findings(talk, ground, wrong))
    events = [event for entry in trajectory.entries for event in entry.hidden.get("events", ())]
    score = trajectory.score
    return Result(
        id=dialogue.id,
        domain=trajectory.domain,
        task_id=dialogue.task.id,
        probe=dialogue.probe.name,
        seed=dialogue.seed,
        goal=_digest(dialogue.task),
        opening=talk[0].said if talk else "",
        replies=len(talk),
        turns=trajectory.turns,
        words=sum(len(turn.said.split()) for turn in talk),
        characters=sum(len(turn.said) for turn in talk),
        seconds=seconds,
        usage=trajectory.usage,
        gave_up=gave_up(talk, ground),
        stopped=trajectory.ended_by == "user_stop",
        success=None if score is None else score.success,
        upper_bound=score is not None and score.upper_bound,
        shares={name: share for name, share, _ in found if share is not None},
        violations=tuple(violation for _, _, violations in found for violation in violations),
        guarded=sum(event.startswith("guard:") for event in events),
        fault=trajectory.cause if trajectory.ended_by == "fault" else None,
    )


def blank(dialogue: Dialogue, domain: str) -> Result:
    """The result of a dialogue that did not begin."""
    return Result(
        id=dialogue.id,
        domain=domain,
        task_id=dialogue.task.id,
        probe=dialogue.probe.name,
        seed=dialogue.seed,
        goal=_digest(dialogue.task),
    )


def _digest(task: Task) -> str:
    goal = "" if task.goal is None else task.goal.model_dump_json()
    return hashlib.sha256(goal.encode()).hexdigest()[:12]


def findings(
    dialogue: Sequence[Exchange], ground: Ground, wrong: Mapping[int, str]
) -> Iterator[tuple[str, Share | None, list[Violation]]]:
    """Every measure's name, its share where it has one, and what it found."""
    yield "revealed", None, revealed(dialogue, ground)
    yield "invented", None, invented(dialogue, ground)
    yield "plays_agent", None, plays_agent(dialogue)
    yield "contradiction", *contradictions(dialogue, wrong)
    yield "agreement", agreements(dialogue, ground, wrong), []
    yield "mind_change", *mind_changes(dialogue, ground)
    yield "early_stop", None, early_stop(dialogue, ground)
    yield "late_stop", None, late_stop(dialogue, ground)
