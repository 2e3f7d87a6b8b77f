"""A world that answers calls as they were answered when a dialogue was recorded, and what an episode in it is worth."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

from mua_env.core.object_world import call_arguments
from mua_env.core.scores import BASES, Check, Gold, Record, RewardName, Score, no_score, share
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import Mode, Requestor, ToolResult
from mua_env.errors import ToolError, did_you_mean

Key = tuple[str, str]
"""A call: its name, and its arguments as JSON with sorted keys."""


class RecordedWorld:
    """Tools of one dialogue. A call that was recorded several times is answered in that order, then as the last time.

    Equal are calls of the same name whose arguments are equal as JSON, in any order of keys.
    """

    def __init__(self) -> None:
        self.load(None)

    def load(self, task: Task | None = None) -> None:
        """Go to the beginning of a task's dialogue."""
        self._schemas: list[dict[str, Any]] = [] if task is None else list(task.scene["tools"])
        self._answers: dict[Key, list[str]] = {}
        self._made: Counter[Key] = Counter()
        if task is not None:
            for action, result in zip(task.actions, task.scene["results"], strict=True):
                self._answers.setdefault(key_of(action), []).append(result)

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Answer as then. What was not called then has no answer, and that is an error."""
        try:
            call = key_of(Action(name=name, arguments=call_arguments(arguments)))
            if name not in (known := [schema["function"]["name"] for schema in self._schemas]):
                raise ToolError(f"unknown tool {name!r}.{did_you_mean(name, known)} Tools: {', '.join(known)}")
            if call not in self._answers:
                raise ToolError(f"{name}: nothing is known for these arguments")
        except ToolError as error:
            return ToolResult(f"Error: {error}", ok=False, error=error)
        answers = self._answers[call]
        text = answers[min(self._made[call], len(answers) - 1)]
        self._made[call] += 1
        return ToolResult(text, ok=not says_error(text))

    def is_terminal(self, name: str) -> bool:
        """The user's last line ends a dialogue, no tool."""
        return False

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the dialogue's tools."""
        return list(self._schemas)

    def reveal(self, names: Sequence[str]) -> None:
        """Nothing to do: all tools are there from the start."""

    def snapshot(self) -> dict[Key, int]:
        """How often each recorded call was made."""
        return dict(self._made)

    def fork(self) -> Self:
        """An independent world in the same state."""
        twin = copy.copy(self)
        twin._made = self._made.copy()
        return twin

    def close(self) -> None:
        """Nothing to release."""


class RecordedScorer:
    """Scores episodes by the calls of the recording: each that had succeeded must have been made, in any order.

    All of it is the part ``database``, since what was done is all that is known of the state.
    """

    def __init__(self, *, mode: Mode) -> None:
        self._mode: Mode = mode

    def gold(self, task: Task) -> Gold:
        """The recorded calls that were answered by an error."""
        pairs = zip(task.actions, task.scene["results"], strict=True)
        return Gold(changes={}, failures=tuple(f"{a.name}: {text}" for a, text in pairs if says_error(text)))

    def score(self, task: Task, world: Any, record: Record, *, reward: RewardName = "task") -> Score:
        """Score the calls of an episode."""
        if record.fault is not None:
            return self.unscored(record, reward=reward)
        made = Counter(key_of(call) for turn in record.turns for call in turn)
        checks: list[Check] = []
        for action, result in zip(task.actions, task.scene["results"], strict=True):
            if says_error(result):
                continue
            key = key_of(action)
            checks.append(Check(part="database", name=f"{action.name} {key[1]}", holds=made[key] > 0))
            made[key] -= 1
        done = all(check.holds for check in checks)
        at_end = share(checks)
        return Score(
            reward=0.0 if record.truncated else float(done),
            success=done and not record.truncated,
            parts={"database": float(done), "requirements": None, "outputs": None},
            basis=BASES[reward],
            checks=tuple(checks),
            tcr=0.0 if record.truncated else at_end,
            tcr_at_end=at_end,
            unmet=tuple(f"was not called: {check.name}" for check in checks if not check.holds),
            truncated=record.truncated,
            reward_name=reward,
            mode=self._mode,
        )

    def unscored(self, record: Record, *, reward: RewardName = "task") -> Score:
        """The score of an episode that must not count."""
        return no_score(record, reward, self._mode)


def key_of(call: Action) -> Key:
    """What makes two calls the same."""
    return call.name, json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)


def says_error(result: str) -> bool:
    """Whether a recorded result is an error: by its first word, or by an object with an ``error``."""
    text = result.strip().lower()
    return text.startswith(("error", '{"error"'))
