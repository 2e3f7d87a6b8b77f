"""Scores: what an episode came to, and which parts of it a reward multiplies.

The paper's reward (section 3.3.3) is 1 if the task ends up done, else 0; there is no partial credit and no credit
for form. The parts and the difference that stand beside it explain a score to a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, computed_field

from mua_env.core.database import Changes
from mua_env.core.database.difference import CellDifference
from mua_env.core.tasks import Action, Part, Task
from mua_env.core.tools import Mode
from mua_env.errors import ConfigError

RewardName = Literal["task", "outcome", "tau1", "tau1-no-outputs"]
Fault = Literal["user", "environment"]

BASES: dict[str, tuple[str, ...]] = {
    "task": ("database", "requirements"),
    "outcome": ("database",),
    "tau1": ("database", "outputs"),
    "tau1-no-outputs": ("database",),
}
"""Which parts each reward multiplies. ``outcome`` is the paper's training reward (section 4.1 drops outputs).

A task with criteria of its own (telecom, tau2-bench) names its basis itself; ``task`` adds the requirements to it,
``outcome`` leaves out what was said (``outputs``, ``judged``)."""

PARTS: tuple[str, ...] = ("database", "requirements", "outputs", "assertions", "actions", "judged")
"""All parts of a score. Only tasks with criteria of their own have the last three."""
PLAIN_PARTS = PARTS[:3]
"""The parts that every score has."""


class Check(BaseModel):
    """One thing that must be so; ``holds`` is ``None`` where nobody has judged it."""

    model_config = ConfigDict(frozen=True)

    part: Part
    name: str
    holds: bool | None


class Record(BaseModel):
    """What scoring needs to know of an episode: what was said and done, never how.

    ``agent_texts`` are what the agent said to the user, ``texts_beside_calls`` what stood beside tool calls and did not
    reach it. ``terminal_text`` is what the arguments of the terminal call say. ``calls`` are the calls of agent and
    user, failed ones too, kept where a task asks for them. ``judged`` are a judge's verdicts on the task's statements.
    ``turns`` are the calls of the agent between one word of the user and the next, kept where the world is no database.
    """

    model_config = ConfigDict(frozen=True)

    agent_texts: tuple[str, ...] = ()
    texts_beside_calls: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    terminal_tool: str | None = None
    terminal_text: str = ""
    calls: tuple[Action, ...] = ()
    judged: tuple[bool | None, ...] | None = None
    turns: tuple[tuple[Action, ...], ...] = ()
    truncated: bool = False
    fault: Fault | None = None


class Score(BaseModel):
    """The score of an episode.

    Attributes:
        reward: 1.0 or 0.0; ``None`` when the episode must not count (a failure that is not the agent's).
        success: ``reward == 1``; ``None`` with it.
        parts: 1.0 or 0.0 for each part, whether it is in the basis or not; ``None`` where a task has no such part.
            ``database``: it is as after the gold actions. ``requirements``, ``outputs``: those of the task.
            ``assertions``, ``actions``, ``judged``: those of its criteria (``judged`` is ``None`` without a judge).
        basis: the parts whose product is the reward.
        checks: the single checks in the basis, the database being one.
        tcr: task completion rate, the share of the checks that hold; 0 for an episode that was cut (as tau2 scores),
            ``None`` with the reward. Never mixed with success.
        tcr_at_end: the same on the state in which the episode was left, cut or not.
        initial_tcr: the same before anything was done.
        difference: where the database is not as expected.
        unmet: requirements and outputs that do not hold, in words.
        gold_failures: gold actions that failed when they were run (public tasks have some).
        fault: whose failure ended the episode, if it was not the agent's.
        truncated: the episode was cut: the reward is 0, the parts tell the state it was cut in.
        reward_name: the reward that was asked for.
        mode: ``compat`` or ``strict``.
    """

    model_config = ConfigDict(frozen=True)

    reward: float | None
    success: bool | None
    parts: dict[str, float | None]
    basis: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    tcr: float | None = None
    tcr_at_end: float | None = None
    initial_tcr: float | None = None
    difference: tuple[CellDifference, ...] = ()
    unmet: tuple[str, ...] = ()
    gold_failures: tuple[str, ...] = ()
    fault: Fault | None = None
    truncated: bool = False
    reward_name: str = "task"
    mode: Mode = "strict"
    criteria: tuple[str, ...] | None = None
    """The basis that the task itself names, if it does."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unjudged(self) -> int:
        """How many statements in the basis nobody has judged; the reward counts them as if they were not there."""
        return sum(check.part == "judged" and check.holds is None for check in self.checks)

    @property
    def upper_bound(self) -> bool:
        """Whether a judge could still take the reward away: it is 1 and hangs on statements nobody has judged. A reward
        of 0 is 0 whatever a judge says."""
        return self.success is True and self.unjudged > 0

    def bound_under(self, reward: RewardName) -> bool:
        """Whether what another reward gives is an upper bound."""
        judged = "judged" in basis_of(reward, self.criteria) and self.parts.get("judged") is None
        return judged and self.unjudged > 0 and self.under(reward) == 1.0

    def under(self, reward: RewardName) -> float | None:
        """What another reward gives for the same episode."""
        return product(self.parts, basis_of(reward, self.criteria), self.fault, self.truncated)


def bounded(figure: str, upper_bounds: float) -> str:
    """A figure as every table shows it: ``"at most 62.0%"`` where rewards in it are upper bounds.

    Args:
        figure: the figure, written.
        upper_bounds: how many of the dialogues in it are (see :attr:`Score.upper_bound`).
    """
    return f"at most {figure}" if upper_bounds else figure


class Gold(BaseModel):
    """The effect of a task's gold actions on a fresh database, and which of the checks hold without them."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    changes: Changes
    failures: tuple[str, ...] = ()
    initial: tuple[Check, ...] = ()


class Scores(Protocol):
    """Scores the episodes of one kind of world."""

    def gold(self, task: Task) -> Gold:
        """What a task's gold actions come to on a fresh world."""

    def score(self, task: Task, world: Any, record: Record, *, reward: RewardName = "task") -> Score:
        """Score an episode that has ended in ``world``."""

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode whose world is lost: it must not count."""


def no_score(record: Record, reward: RewardName, mode: Mode) -> Score:
    """A score that must not count."""
    return Score(
        reward=None,
        success=None,
        parts=dict.fromkeys(PLAIN_PARTS),
        basis=BASES[reward],
        fault=record.fault,
        truncated=record.truncated,
        reward_name=reward,
        mode=mode,
    )


def basis_of(reward: RewardName, criteria: tuple[str, ...] | None) -> tuple[str, ...]:
    """The parts that a reward multiplies; a task's own criteria go before the reward's."""
    if criteria is None:
        return BASES[reward]
    if reward == "task":
        return (*criteria, "requirements")
    left_out = {"outcome": ("outputs", "judged"), "tau1": (), "tau1-no-outputs": ("outputs",)}[reward]
    return tuple(name for name in criteria if name not in left_out)


def check_reward(name: str) -> RewardName:
    """The reward's name, checked.

    Raises:
        ConfigError: there is no such reward.
    """
    if name not in BASES:
        raise ConfigError(f"reward is {name!r}; use one of {', '.join(map(repr, BASES))}")
    return name  # type: ignore[return-value]


def product(
    parts: Mapping[str, float | None], basis: Sequence[str], fault: Fault | None, truncated: bool
) -> float | None:
    """The reward: the product of the parts in the basis, 0 for what was cut, ``None`` for what must not count."""
    if fault is not None:
        return None
    if truncated:
        return 0.0
    value = 1.0
    for name in basis:
        part = parts[name]
        value *= 1.0 if part is None else part
    return value


def share(checks: Sequence[Check]) -> float | None:
    """The share of the judged checks that hold; ``None`` where there are none."""
    verdicts = [check.holds for check in checks if check.holds is not None]
    return sum(verdicts) / len(verdicts) if verdicts else None
