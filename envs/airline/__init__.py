"""The airline domain: booking, changing and cancelling flights for the customers of an airline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from mua_env.agents.base import Agent
from mua_env.database import Database, Rows
from mua_env.domain import Domain
from mua_env.errors import TaskError
from mua_env.tasks import Goal, Task, TaskSet, read_tasks

from .models import Base
from .rules import RULES, binding_rules
from .tools import AirlineTools

TABLES = {"users": "user_id", "reservations": "reservation_id", "flights": "flight_number"}
"""Table name -> key column."""


class AirlineDomain(Domain):
    """``MUA/Airline-v1``."""

    name = "airline"
    version = 1
    models = Base
    toolkit = AirlineTools
    policy_rules = RULES

    def data(self) -> Rows:
        """500 customers, 1,500 reservations, about 300 flights; generated in about 50 ms."""
        from .world_data import tables

        return tables()

    def policy(self, *, compact: bool = False) -> str:
        """The policy document, in full or in 300 words."""
        name = "policy_compact.md" if compact else "policy.md"
        return (resources.files(__name__) / name).read_text(encoding="utf-8")

    def tasks(self, split: str) -> Sequence[Task]:
        """Shipped tasks: 500 in ``train``, 250 in ``test``, a fifth of each level."""
        return _shipped(split)

    @property
    def language(self) -> Any:
        """English for the airline domain."""
        from .language import AirlineLanguage

        return AirlineLanguage()

    def expert(self, *, style: str = "plain") -> Agent:
        """The scripted airline agent."""
        from .expert import AirlineExpert

        return AirlineExpert(style=style)

    def derive_goal(self, task: Task, rows: Rows) -> Goal | None:
        """An agenda from a public task's gold calls."""
        from .derive import derive_goal

        return derive_goal(task, rows)

    def binding_rules(self, task: Task, database: Database) -> Sequence[str]:
        """Which of the rules in :mod:`mua_env.envs.airline.rules` a task falls under."""
        return binding_rules(task, database)

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        """Verified tasks without end; see :mod:`mua_env.envs.airline.generate` for the levels."""
        from .generate import shared_generator

        return shared_generator().stream(level=level, seed=seed, split=split)

    def public(self, benchmark: str, split: str, path: str | Path | None) -> TaskSet:
        """tau-bench's airline tasks (``tau1:test``) from the user's own copy."""
        from mua_env.public import tau1

        if benchmark != "tau1":
            raise TaskError(f"airline reads the public benchmark 'tau1', not {benchmark!r}")
        return tau1.task_set("airline", split, tables=TABLES, path=path, derive=self.derive_goal)


@cache
def _shipped(split: str) -> tuple[Task, ...]:
    with resources.as_file(resources.files(__name__) / "data" / f"{split}.jsonl") as path:
        return tuple(read_tasks(path))


domain = AirlineDomain()
