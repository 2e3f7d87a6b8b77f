"""Scores: an episode's database against the one that the gold actions lead to, and what else a task asks for.

The paper's reward (section 3.3.3) is 1 if the task ends up done, else 0; there is no partial credit and no credit
for form. The parts and the difference that stand beside it explain a score to a person.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from mua_env.database import Changes
from mua_env.difference import CellDifference, compare
from mua_env.errors import ConfigError
from mua_env.tasks import Requirement, Task
from mua_env.tools import Mode
from mua_env.world import SQLWorld

RewardName = Literal["task", "outcome", "tau1", "tau1-no-outputs"]
Fault = Literal["user", "environment"]

_NUMBER = re.compile(r"(?<![\w#.])\d+(?:\.\d+)?(?!\w|\.\d)")
_MOST_NUMBERS = 25
_DENIED = r"(?<!\bnot )(?<!n't )(?<!\bno longer )(?<!\bneither )(?<!\bnor )(?<!\bnot yet )(?<!\bnever )"

BASES: dict[str, tuple[str, ...]] = {
    "task": ("database", "requirements"),
    "outcome": ("database",),
    "tau1": ("database", "outputs"),
    "tau1-no-outputs": ("database",),
}
"""Which parts each reward multiplies. ``outcome`` is the paper's training reward (section 4.1 drops outputs)."""


class Record(BaseModel):
    """What scoring needs to know of an episode: what was said and done, never how.

    ``terminal_text`` is what the arguments of the terminal call say.
    """

    model_config = ConfigDict(frozen=True)

    agent_texts: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    terminal_tool: str | None = None
    terminal_text: str = ""
    truncated: bool = False
    fault: Fault | None = None


class Score(BaseModel):
    """The score of an episode.

    Attributes:
        reward: 1.0 or 0.0; ``None`` when the episode must not count (a failure that is not the agent's).
        success: ``reward == 1``; ``None`` with it.
        parts: 1.0 or 0.0 for each part, whether it is in the basis or not; ``None`` where a task has no such part.
        basis: the parts whose product is the reward.
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
    difference: tuple[CellDifference, ...] = ()
    unmet: tuple[str, ...] = ()
    gold_failures: tuple[str, ...] = ()
    fault: Fault | None = None
    truncated: bool = False
    reward_name: str = "task"
    mode: Mode = "strict"

    def under(self, reward: RewardName) -> float | None:
        """What another reward gives for the same episode."""
        return _product(self.parts, BASES[reward], self.fault, self.truncated)


class Gold(BaseModel):
    """The effect of a task's gold actions on a fresh database."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    changes: Changes
    failures: tuple[str, ...] = ()


class Scorer:
    """Scores the episodes of one world; the gold effect of each task is computed once and kept.

    Args:
        make_world: makes the scratch world on which gold actions run.
        sets: for each table, the columns whose lists have no order.
        mode: ``strict`` or ``compat`` comparison.
        capacity: how many tasks' effects are kept (default 4,096; the oldest go first).
    """

    def __init__(
        self,
        make_world: Callable[[], SQLWorld],
        *,
        sets: Mapping[str, frozenset[str]],
        mode: Mode = "strict",
        capacity: int = 4096,
    ) -> None:
        self._make_world = make_world
        self._world: SQLWorld | None = None
        self._sets = sets
        self._mode: Mode = mode
        self._capacity = capacity
        self._gold: dict[str, tuple[Task, Gold]] = {}
        # Environments in several threads share the scratch world.
        self._lock = threading.Lock()

    def gold(self, task: Task) -> Gold:
        """The rows that the gold actions change. Terminal tools are left out; a failing call changes nothing."""
        with self._lock:
            kept, gold = self._gold.get(task.id, (None, None))
            # A task that a caller hands over may have the id of another.
            if kept is not None and gold is not None and _same_gold(kept, task):
                return gold
            gold = self._run_gold(task)
            self._gold[task.id] = (task, gold)
            if len(self._gold) > self._capacity:
                del self._gold[next(iter(self._gold))]
            return gold

    def _run_gold(self, task: Task) -> Gold:
        world = self._world = self._world or self._make_world()
        world.load(task.initial_actions)
        failures = []
        for action in task.actions:
            if action.requestor == "agent" and world.is_terminal(action.name):
                continue
            result = world.call(action.name, action.arguments, requestor=action.requestor)
            if not result.ok:
                failures.append(f"{action.name}: {result.content}")
        return Gold(changes=world.snapshot(), failures=tuple(failures))

    def score(self, task: Task, world: SQLWorld, record: Record, *, reward: RewardName = "task") -> Score:
        """Score an episode that has ended in ``world``."""
        gold = self.gold(task)
        difference = compare(
            gold.changes,
            world.snapshot(),
            initial=world.database.template.reader().row,
            sets=self._sets,
            mode=self._mode,
        )
        unmet = [describe(item) for item in task.requirements if not _holds(item, record)]
        unsaid = [f"said {text!r}" for text in task.outputs if not said(text, record.agent_texts)]
        parts: dict[str, float | None] = {
            "database": float(not difference),
            "requirements": float(not unmet) if task.requirements else None,
            "outputs": float(not unsaid) if task.outputs else None,
        }
        basis = BASES[reward]
        value = _product(parts, basis, record.fault, record.truncated)
        return Score(
            reward=value,
            success=None if value is None else value == 1.0,
            parts=parts,
            basis=basis,
            difference=tuple(difference),
            unmet=tuple(unmet + unsaid),
            gold_failures=gold.failures,
            fault=record.fault,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
        )

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode whose world is lost: nothing is known of it, and it must not count."""
        return Score(
            reward=None,
            success=None,
            parts=dict.fromkeys(("database", "requirements", "outputs")),
            basis=BASES[reward],
            fault=record.fault,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
        )

    def close(self) -> None:
        """Release the scratch world. May be called again."""
        if self._world is not None:
            self._world.close()
            self._world = None


def _same_gold(one: Task, other: Task) -> bool:
    return one is other or (one.actions, one.initial_actions) == (other.actions, other.initial_actions)


def check_reward(name: str) -> RewardName:
    """The reward's name, checked.

    Raises:
        ConfigError: there is no such reward.
    """
    if name not in BASES:
        raise ConfigError(f"reward is {name!r}; use one of {', '.join(map(repr, BASES))}")
    return name  # type: ignore[return-value]


def said(text: str, agent_texts: Sequence[str]) -> bool:
    """Whether a message of the agent holds a string: lower case, commas removed from the message (as tau-bench)."""
    return any(text.lower() in message.lower().replace(",", "") for message in agent_texts)


def told(value: str, agent_texts: Sequence[str]) -> bool:
    """Whether a message of the agent states a value.

    A number must stand there as a number: 4 is not stated by "#W1234", 12.5 is by "$12.50"; a message with more than
    25 different numbers states none of them (so no agent scores by counting). Words must stand there as words, and not
    right after a "not": "pending" is not stated by "not pending".
    """
    plain = [message.lower().replace(",", "") for message in agent_texts]
    if not _NUMBER.fullmatch(value):
        word = re.compile(rf"{_DENIED}(?<!\w){re.escape(value.lower())}(?!\w)")
        return any(word.search(" ".join(message.split())) for message in plain)
    found = ({float(number) for number in _NUMBER.findall(message)} for message in plain)
    return any(float(value) in numbers for numbers in found if len(numbers) <= _MOST_NUMBERS)


def describe(item: Requirement) -> str:
    """A requirement in words."""
    reason = f", whose arguments name {' or '.join(map(repr, item.reason))}" if item.reason else ""
    return {
        "refusal": f"the user was told that {item.intent} is not possible, and why",
        "terminal_tool": f"the dialogue was ended with {item.name}{reason}",
        "told": f"the user was told {item.value!r}",
    }[item.kind]


def _holds(item: Requirement, record: Record) -> bool:
    if item.kind == "refusal":
        return f"refusal:{item.intent}" in record.events
    if item.kind == "terminal_tool":
        return record.terminal_tool == item.name and _gives_reason(item.reason, record.terminal_text)
    return told(item.value or "", record.agent_texts)


def _gives_reason(words: Sequence[str], text: str) -> bool:
    return not words or any(re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) for word in words)


def _product(
    parts: Mapping[str, float | None], basis: Sequence[str], fault: Fault | None, truncated: bool
) -> float | None:
    if fault is not None:
        return None
    if truncated:
        return 0.0
    value = 1.0
    for name in basis:
        part = parts[name]
        value *= 1.0 if part is None else part
    return value
