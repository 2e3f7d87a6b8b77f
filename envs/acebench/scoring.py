"""ACEBench's two scores: the end state, attribute by attribute, and the share of milestones met on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mua_env.core.call_text import write_calls
from mua_env.core.database.difference import CellDifference
from mua_env.core.object_world import ObjectWorld, State
from mua_env.core.scores import BASES, Check, Gold, Record, RewardName, Score, no_score
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import Mode

from .milestones import alternatives, process_score, read_stone
from .stage import ACEStage


class ACEScorer:
    """Scores episodes end to end (``database``); ``tcr`` is the process score, 1 where the end state is right.

    ``compat`` compares as the benchmark does: each saved attribute of a class against the answer's, dictionaries one
    way (what the answer lacks is not looked for), lists exactly; a class whose name is misspelt in the answer is not
    compared at all; an episode that was cut is looked at like any other. ``strict`` mends the names, compares
    dictionaries both ways, and gives an episode that was cut 0.

    Args:
        stage: makes the objects.
        mode: which of the two.
    """

    def __init__(self, stage: ACEStage, *, mode: Mode) -> None:
        self._stage = stage
        self._mode: Mode = mode

    def gold(self, task: Task) -> Gold:
        """What the milestones come to on a fresh world: calls that fail, in words."""
        world = ObjectWorld(self._stage)
        world.load(task)
        results = [(call, world.call(call.name, call.arguments)) for call in task.actions]
        return Gold(changes={}, failures=tuple(f"{call.name}: {made.content}" for call, made in results if not made.ok))

    def score(self, task: Task, world: Any, record: Record, *, reward: RewardName = "task") -> Score:
        """Score the state that the world was left in."""
        if record.fault is not None:
            return self.unscored(record, reward=reward)
        # Upstream keeps the objects of a multi-turn task only once a call has come to its end.
        acted = world.calls_run > 0 if task.scene["kind"] == "multi_turn" else any(record.turns)
        difference = tuple(self.differences(task, world.snapshot(), acted=acted))
        right = not difference
        cut = record.truncated and self._mode == "strict"
        process = 1.0 if right else process_score(alternatives(task.scene["milestones"]), texts(record.turns))
        return Score(
            reward=0.0 if cut else float(right),
            success=right and not cut,
            parts={"database": float(right), "requirements": None, "outputs": None},
            basis=BASES[reward],
            checks=(Check(part="database", name="end state", holds=right),),
            tcr=process,
            tcr_at_end=process,
            difference=difference,
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
        )

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode whose world is lost: it must not count."""
        return no_score(record, reward, self._mode)

    def differences(self, task: Task, state: State, *, acted: bool) -> Iterator[CellDifference]:
        """Where a state is not the answer's.

        Args:
            task: the task.
            state: of the world.
            acted: whether any call was run; without one the benchmark has no state to compare, and the task fails.
        """
        answers: list[Mapping[str, Any]] = task.scene["answer"]
        if not acted or len(answers) != len(state):
            yield CellDifference(
                table="*", key="", column="*", expected=f"{len(answers)} classes", got=f"{len(state) if acted else 0}"
            )
            return
        for answer in answers:
            for written, attributes in answer.items():
                name = written if self._mode == "compat" else mended_name(written, state)
                if name in state:
                    yield from _unequal(name, attributes, state[name], both_ways=self._mode == "strict")


def texts(turns: Sequence[Sequence[Action]]) -> list[str]:
    """Calls as the benchmark's agents write them, one text for each call."""
    return [write_calls([call]) for turn in turns for call in turn]


def mended_name(written: str, state: State) -> str:
    """The class that a name means: upstream has ``BaseAPI``, ``ReminderAPI`` and ``Reminderpi`` in four answers."""
    plain = written.lower().removesuffix("api").removesuffix("pi")
    return next((name for name in state if name.lower().removesuffix("api") == plain), written)


def _unequal(
    table: str, wanted: Mapping[str, Any], got: Mapping[str, Any], *, both_ways: bool
) -> Iterator[CellDifference]:
    for name, value in got.items():
        if name not in wanted:
            yield CellDifference(table=table, key="", column=name, expected="(absent)", got=_plain(value))
        elif isinstance(wanted[name], dict) and isinstance(value, dict):
            keys = wanted[name].keys() | value.keys() if both_ways else wanted[name].keys()
            for key in sorted(keys, key=str):
                one, other = _plain(wanted[name].get(key, "(absent)")), _plain(value.get(key, "(absent)"))
                if one != other:
                    yield CellDifference(table=table, key=str(key), column=name, expected=one, got=other)
        elif wanted[name] != value:
            yield CellDifference(table=table, key="", column=name, expected=_plain(wanted[name]), got=_plain(value))


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)[:2000]


def gold_actions(milestones: Sequence[Any]) -> tuple[Action, ...]:
    """The calls of the first way of doing a task."""
    return tuple(action for stone in alternatives(milestones)[0] for action in read_stone(stone)[0])
