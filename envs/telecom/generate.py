"""Generated telecom tasks: as many faults as the level says, composed from four families, and kept if they verify.

| level | faults | besides | noise |
| --- | --- | --- | --- |
| 1 | one | | none |
| 2 | two | perhaps a refusal, a transfer or a change of mind | none |
| 3 | three | the same, or a caller who is not the owner; users who misread or doubt | 5 % |
| 4 | four | the same | 10 % |
| 5 | five | the same | 10 % |

A request that needs no repair (a bill to pay, data to add, another plan) counts as one fault. Train and test share no
user; from level 2 on they share no combination of faults and requests.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from mua_env.core.database import Rows, Template, open_template
from mua_env.core.tasks import Goal, Request, Task
from mua_env.core.toolsets import Toolset
from mua_env.domain.generator import TaskGenerator
from mua_env.domain.verifier import Candidate, Verifier

from .compose import Draw, compose
from .desk_tools import TelecomDesk, TelecomScenes
from .generate_text import instruction, ticket
from .goals import Plot, blocks, criteria, gold_actions, initial_actions, requirements
from .models import Base
from .phone import TelecomPhone
from .settle import settle
from .world_data import generate_data

TOOLSET: Final = Toolset(TelecomDesk, models=Base, user_toolkit=TelecomPhone, stage=TelecomScenes, settle=settle)
"""The world of the own tasks."""
_TEST_SHARE: Final = 3


@dataclass(frozen=True)
class Grade:
    """What the tasks of a level are made of: how often they have a twist, and which; personas and noise."""

    twist: float = 0.0
    twists: tuple[str, ...] = ()
    personas: tuple[str, ...] = ("plain", "polite", "terse", "chatty", "confused", "impatient", "careless", "wary")
    noise: float = 0.0


_TWISTS: Final = ("transfer", "refused", "change", "transfer", "change", "stranger")
GRADES: Final = {
    1: Grade(personas=("plain", "polite")),
    2: Grade(0.4, ("transfer", "refused", "change"), ("plain", "polite", "terse", "chatty")),
    3: Grade(0.5, _TWISTS, noise=0.05),
    4: Grade(0.6, _TWISTS, noise=0.1),
    5: Grade(0.6, _TWISTS, noise=0.1),
}


class TelecomGenerator(TaskGenerator):
    """Makes verified tasks over one telecom database.

    Args:
        rows: the data.
        template: the same data loaded, where the caller has it already.
    """

    levels = tuple(GRADES)
    attempts = 400

    def __init__(self, rows: Rows, template: Template | None = None) -> None:
        self._customers = [dict(customer) for customer in rows["customers"]]
        self._lines = {line["line_id"]: dict(line) for line in rows["lines"]}
        self._devices = {device["device_id"]: dict(device) for device in rows["devices"]}
        self._own = None if template else open_template(Base, rows)
        chosen = template or self._own
        assert chosen is not None
        self.verifier = Verifier(chosen, TOOLSET)

    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate | None:
        """One draw of a candidate, ``None`` where it comes to nothing or belongs to the other split."""
        rng = random.Random(f"telecom:{split}:{level}:{seed}:{index}:{attempt}")
        customer = rng.choice(self._customers[_first(split) :: _TEST_SHARE])
        line = self._lines[customer["line_ids"][0]]
        grade = GRADES[level]
        twist = rng.choice(grade.twists) if rng.random() < grade.twist else ""
        drawn = compose(Draw(customer, line, self._devices[line["device_id"]], rng), level, twist)
        if drawn is None or (level > 1 and split_of(drawn.faults, drawn.goal.requests) != split):
            return None
        goal = drawn.goal.model_copy(update={"persona": rng.choice(grade.personas), "noise": grade.noise})
        return self._candidate(_with(drawn, goal), level, f"telecom-{split}-{level}-{seed}-{index}", split, rng)

    def close(self) -> None:
        """Release the verifier's database."""
        self.verifier.close()
        if self._own is not None:
            self._own.close()

    def _candidate(self, plot: Plot, level: int, task_id: str, split: str, rng: random.Random) -> Candidate:
        gold = gold_actions(plot)
        task = Task(
            id=task_id,
            domain="telecom",
            split=split,
            level=level,
            user_id=plot.case.customer["customer_id"],
            instruction=instruction(plot.goal, rng),
            ticket=ticket(plot.goal),
            goal=plot.goal,
            actions=gold,
            requirements=requirements(plot),
            initial_actions=initial_actions(plot),
            criteria=criteria(plot),
        )
        found = blocks(plot)
        backwards = [action for block in reversed(found) for action in block]
        return Candidate(task, reordered=(gold[0], *backwards) if len(found) > 1 else gold)


def split_of(faults: Sequence[str], requests: Sequence[Request]) -> str:
    """Which split a combination of faults and requests belongs to; the order does not matter."""
    names = "|".join(sorted([*faults, *(f"{request.intent}:{request.outcome}" for request in requests)]))
    return "test" if hashlib.sha256(names.encode()).digest()[0] % _TEST_SHARE == 0 else "train"


def _first(split: str) -> int | None:
    return 0 if split == "test" else 1


def _with(plot: Plot, goal: Goal) -> Plot:
    changed: dict[str, Any] = {**plot.__dict__, "goal": goal}
    return Plot(**changed)


@cache
def shared_generator() -> TelecomGenerator:
    """The generator over the domain's own data, one in a process."""
    return TelecomGenerator(generate_data())
