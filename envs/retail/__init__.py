"""The retail domain: cancelling, changing, returning and exchanging the orders of an online shop."""

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
from .tools import RetailTools


class RetailDomain(WorldsDomain):
    """``MUA/Retail-v1``."""

    name = "retail"
    experts: ClassVar = {"en": "expert:RetailExpert", "zh": "expert_chinese:RetailChineseExpert"}
    models = Base
    toolkit = RetailTools
    policy_rules = RULES
    tau1_wording = wording.TAU1
    vocabularies = (
        frozenset(
            {
                "pending",
                "pending (item modified)",
                "processed",
                "delivered",
                "cancelled",
                "return requested",
                "exchange requested",
            }
        ),
    )
    tables: ClassVar[Mapping[str, str]] = {"users": "user_id", "orders": "order_id", "products": "product_id"}

    def data(self) -> Rows:
        """500 customers, 1,000 orders, 50 product types; generated in about 25 ms. In other worlds four times as many
        customers and orders."""
        from .world_data import world_data

        return world_data(self._world)

    @property
    def language(self) -> Any:
        """English for the retail domain."""
        from .language import RetailLanguage
        from .world_data import word_lists

        return RetailLanguage({name: entry["options"] for name, entry in word_lists("catalogue").items()})

    def brief(self, tool: str, result: str) -> str:
        """Records in few words; see :mod:`mua_env.envs.retail.brief` for what is left out."""
        from .brief import brief

        return brief(tool, result)

    def derive_goal(self, task: Task, rows: Rows) -> Goal | None:
        """An agenda from a public task's gold calls."""
        from .derive import derive_goal

        return derive_goal(task, rows)

    def public_tau2(self, split: str, path: str | Path | None) -> TaskSet:
        """tau2-bench's tasks; see :mod:`mua_env.envs.retail.tau2` for its tools."""
        from . import tau2

        return tau2.task_set(split, path)

    def rows_of_others(self, source: str) -> TaskSet:
        """Tasks of tau2's shape with databases of their own, from somebody else's files."""
        from . import tau2

        return tau2.rows_of_others(source, self.policy())

    def binding_rules(self, task: Task, database: Database) -> Sequence[str]:
        """Which of the rules in :mod:`mua_env.envs.retail.rules` a task falls under."""
        return list(binding_rules(task, database))

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        """Verified tasks without end; see :mod:`mua_env.envs.retail.generate` for the levels."""
        from .generate import shared_generator

        return shared_generator(self._world).stream(level=level, seed=seed, split=split)


domain = RetailDomain()
