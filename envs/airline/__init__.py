"""The airline domain: booking, changing and cancelling flights for the customers of an airline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from mua_env.core.database import Database, Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Goal, Task
from mua_env.domain.packaged import WorldsDomain

from . import wording
from .models import Base
from .rules import RULES, binding_rules
from .tools import AirlineTools


class AirlineDomain(WorldsDomain):
    """``MUA/Airline-v1``."""

    name = "airline"
    experts: ClassVar = {"en": "expert:AirlineExpert", "zh": "expert_chinese:AirlineChineseExpert"}
    models = Base
    toolkit = AirlineTools
    policy_rules = RULES
    tau1_wording = wording.TAU1
    vocabularies = (
        frozenset({"basic economy", "economy", "business"}),
        frozenset({"basic_economy", "economy", "business"}),
        frozenset({"regular", "silver", "gold"}),
        frozenset({"one way", "round trip"}),
        frozenset({"one_way", "round_trip"}),
        frozenset({"available", "on time", "delayed", "flying", "landed", "cancelled"}),
    )
    tables: ClassVar[Mapping[str, str]] = {
        "users": "user_id",
        "reservations": "reservation_id",
        "flights": "flight_number",
    }

    def data(self) -> Rows:
        """500 customers, 1,500 reservations, about 300 flights; generated in about 50 ms. In other worlds four times as
        many customers and reservations."""
        from .world_data import tables

        return tables(self._world)

    def brief(self, tool: str, result: str) -> str:
        """Records in few words; see :mod:`mua_env.envs.airline.brief` for what is left out."""
        from .brief import brief

        return brief(tool, result)

    @property
    def language(self) -> Any:
        """English for the airline domain."""
        from .language import AirlineLanguage

        return AirlineLanguage()

    def derive_goal(self, task: Task, rows: Rows) -> Goal | None:
        """An agenda from a public task's gold calls."""
        from .derive import derive_goal

        return derive_goal(task, rows)

    def public_tau2(self, split: str, path: str | Path | None) -> TaskSet:
        """tau2-bench's tasks; see :mod:`mua_env.envs.airline.tau2` for its tools."""
        from . import tau2

        return tau2.task_set(split, path)

    def rows_of_others(self, source: str) -> TaskSet:
        """Tasks of tau2's shape with databases of their own, from somebody else's files."""
        from . import tau2

        return tau2.rows_of_others(source, self.policy())

    def binding_rules(self, task: Task, database: Database) -> Sequence[str]:
        """Which of the rules in :mod:`mua_env.envs.airline.rules` a task falls under."""
        return binding_rules(task, database)

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        """Verified tasks without end; see :mod:`mua_env.envs.airline.generate` for the levels."""
        from .generate import shared_generator

        return shared_generator(self._world).stream(level=level, seed=seed, split=split)


domain = AirlineDomain()
