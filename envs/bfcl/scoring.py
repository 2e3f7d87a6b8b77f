"""The benchmark's verdict on an episode: after each turn, the state of every object and what the calls returned.

Both sides are run anew on instances of their own, turn by turn, as the benchmark's checker does
(``multi_turn_checker``); its rules are stated in :func:`verdict_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mua_env.core.database.difference import CellDifference
from mua_env.core.object_world import Defaults, ObjectWorld, State
from mua_env.core.scores import BASES, Check, Gold, Record, RewardName, Score, no_score, share
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import Mode

from .stage import BFCLStage

_REFUSED = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that the benchmark's executor refuses before it looks for a tool."""


@dataclass(frozen=True)
class Verdict:
    """What the checker says of the turns: one entry for each gold turn, up to the first that fails."""

    states: tuple[bool, ...] = ()
    responses: tuple[bool, ...] = ()
    unmet: tuple[str, ...] = ()
    difference: tuple[CellDifference, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether every turn is as it should be."""
        return all(self.states) and all(self.responses)


@dataclass
class _Side:
    """One side's world and what its calls have returned so far."""

    world: ObjectWorld
    results: list[str] = field(default_factory=list)

    def run(self, calls: Sequence[Action]) -> list[str]:
        found = [run_call(self.world, call) for call in calls]
        self.results += found
        return found


def run_call(world: ObjectWorld, call: Action) -> str:
    """Run one call; returns what it comes to, errors too, in the benchmark's words."""
    if call.name in _REFUSED:
        return f"Error during execution: Function call {call.name} is not allowed."
    return world.call(call.name, call.arguments).content


def verdict_of(stage: BFCLStage, task: Task, turns: Sequence[Sequence[Action]]) -> Verdict:
    """Check an episode's calls by turn.

    A turn fails that has gold calls and none of the agent's. After a turn with gold calls every public attribute of
    every object must equal that after the gold calls, and each result of this turn's gold calls must be among the
    results of all the agent's calls so far (as a multiset). A turn without gold calls is not checked.

    Args:
        stage: makes the objects.
        task: the task, with gold actions in its script.
        turns: the agent's calls between one word of the user and the next; missing turns are empty.
    """
    # The checker runs both sides in one process, where a tweet without mentions holds the one default list of mentions.
    defaults: Defaults = {}
    agent, gold = (_Side(ObjectWorld(stage, defaults=defaults)) for _ in range(2))
    agent.world.load(task)
    gold.world.load(task)
    states: list[bool] = []
    responses: list[bool] = []
    for number, turn in enumerate(task.script):
        made = turns[number] if number < len(turns) else ()
        agent.run(made)
        wanted = gold.run(turn.actions)
        if not turn.actions:
            continue
        if not made:
            return Verdict((*states, False), (*responses, False), (f"turn {number}: no call was made",))
        difference = tuple(_differences(agent.world.snapshot(), gold.world.snapshot()))
        states.append(not difference)
        missing = _missing(wanted, agent.results)
        responses.append(not missing)
        if difference or missing:
            unmet = tuple(f"turn {number}: no call returned {text[:200]}" for text in missing)
            return Verdict(tuple(states), tuple(responses), unmet, difference)
    return Verdict(tuple(states), tuple(responses))


class BFCLScorer:
    """Scores episodes as the benchmark does; the parts are ``database`` (states) and ``requirements`` (results).

    Args:
        stage: makes the objects.
        mode: recorded with the score; the benchmark has one way of counting.
    """

    def __init__(self, stage: BFCLStage, *, mode: Mode) -> None:
        self._stage = stage
        self._mode: Mode = mode

    def gold(self, task: Task) -> Gold:
        """The gold calls that fail on a fresh world, in words; their effect is compared turn by turn instead."""
        side = _Side(ObjectWorld(self._stage))
        side.world.load(task)
        calls = [call for turn in task.script for call in turn.actions]
        said = zip(calls, side.run(calls), strict=True)
        failures = tuple(f"{call.name}: {text}" for call, text in said if text.startswith("Error during execution"))
        return Gold(changes={}, failures=failures)

    def score(self, task: Task, world: Any, record: Record, *, reward: RewardName = "task") -> Score:
        """Score an episode by its calls."""
        if record.fault is not None:
            return self.unscored(record, reward=reward)
        found = verdict_of(self._stage, task, record.turns)
        checks = (
            *(Check(part="database", name=f"state {i}", holds=holds) for i, holds in enumerate(found.states)),
            *(Check(part="requirements", name=f"results {i}", holds=holds) for i, holds in enumerate(found.responses)),
        )
        parts: dict[str, float | None] = {
            "database": float(all(found.states)),
            "requirements": float(all(found.responses)),
            "outputs": None,
        }
        basis = BASES[reward]
        value = 0.0 if record.truncated else float(all(parts[name] != 0.0 for name in basis))
        at_end = share(checks)
        return Score(
            reward=value,
            success=value == 1.0,
            parts=parts,
            basis=basis,
            checks=tuple(check for check in checks if check.part in basis),
            tcr=0.0 if record.truncated else at_end,
            tcr_at_end=at_end,
            difference=found.difference,
            unmet=found.unmet,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
        )

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode whose world is lost: it must not count."""
        return no_score(record, reward, self._mode)


def _differences(got: State, wanted: State) -> Iterator[CellDifference]:
    for name, attributes in wanted.items():
        for attribute, value in attributes.items():
            if got[name][attribute] != value:
                yield CellDifference(
                    table=name, key="", column=attribute, expected=_plain(value), got=_plain(got[name][attribute])
                )


def _plain(value: object) -> object:
    """A value that a trajectory can hold."""
    return value if isinstance(value, str | int | float | bool | None) else repr(value)[:2000]


def _missing(wanted: Sequence[str], got: Sequence[str]) -> list[str]:
    left, missing = list(got), []
    for text in wanted:
        if text in left:
            left.remove(text)
        else:
            missing.append(text)
    return missing
