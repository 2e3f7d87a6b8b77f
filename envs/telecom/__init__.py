"""The telecom domain: agent and user both have tools, over the operator's records and a phone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

from mua_env.core.database import Database, Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Goal, Task
from mua_env.domain.packaged import PackagedDomain
from mua_env.errors import TaskError

from .desk_tools import TelecomDesk, TelecomScenes
from .models import Base
from .phone import TelecomPhone
from .rules import RULES, binding_rules
from .settle import settle


class TelecomDomain(PackagedDomain):
    """``MUA/Telecom-v1``."""

    name = "telecom"
    experts: ClassVar = {"en": "expert:TelecomExpert", "zh": "expert_chinese:TelecomChineseExpert"}
    models = Base
    toolkit = TelecomDesk
    user_toolkit = TelecomPhone
    stage = TelecomScenes
    settle = settle
    policies = ("manual", "workflow")
    policy_rules = RULES
    vocabularies = (
        frozenset({"active", "suspended", "pending activation", "closed"}),
        frozenset({"draft", "issued", "awaiting payment", "paid", "overdue", "disputed"}),
    )
    tables: ClassVar[Mapping[str, str]] = {
        "customers": "customer_id",
        "lines": "line_id",
        "plans": "plan_id",
        "devices": "device_id",
        "bills": "bill_id",
    }

    def data(self) -> Rows:
        """300 customers, 492 lines and devices, 1,200 bills, six plans; generated in about 30 ms."""
        from .world_data import generate_data

        return generate_data()

    def policy(self, *, compact: bool = False) -> str:
        """The policy document with the manual, in full or in few words."""
        return self.policy_variant(compact=compact)

    def policy_variant(self, variant: str | None = None, *, solo: bool = False, compact: bool = False) -> str:
        """The main policy document with its part on troubleshooting.

        Args:
            variant: ``"manual"`` (default), what there is to know by topic, or ``"workflow"``, the same as steps.
            solo: for an agent that has the phone's tools too.
            compact: the same rules in few words.
        """
        parts = [f"policy{'_solo' if solo else ''}{'_compact' if compact else ''}.md"]
        if not compact:
            parts.append(f"{variant or 'manual'}.md")
        elif variant == "workflow":
            parts.append("workflow_compact.md")
        folder = resources.files(type(self).__module__)
        return "\n".join((folder / part).read_text(encoding="utf-8") for part in parts)

    @property
    def language(self) -> Any:
        """English for the telecom domain."""
        from .language import TelecomLanguage

        return TelecomLanguage()

    def derive_goal(self, task: Task, rows: Rows) -> Goal | None:
        """An agenda from a public task's scene and gold calls."""
        from .derive import derive_goal

        return derive_goal(task, rows)

    def binding_rules(self, task: Task, database: Database) -> Sequence[str]:
        """Which of the rules in :mod:`mua_env.envs.telecom.rules` a task falls under."""
        return list(binding_rules(task, database))

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        """Verified tasks without end; see :mod:`mua_env.envs.telecom.generate` for the levels."""
        from .generate import shared_generator

        return shared_generator().stream(level=level, seed=seed, split=split)

    def rows_of_others(self, source: str) -> TaskSet:
        """Tasks of tau2's shape with databases of their own, from somebody else's files."""
        from .tau2 import rows_of_others

        return rows_of_others(source, self.policy(), derive=self.derive_goal)

    def public(
        self, benchmark: str, split: str, path: str | Path | None, *, policy: str | None = None, solo: bool = False
    ) -> TaskSet:
        """The telecom tasks of tau2-bench (``tau2:base`` and others) from the user's own copy.

        Raises:
            TaskError: another benchmark was asked for.
        """
        from .tau2 import task_set

        if benchmark != "tau2":
            raise TaskError(f"telecom reads the public benchmark 'tau2', not {benchmark!r}")
        return task_set(split, path=path, policy=policy, solo=solo, derive=self.derive_goal)


domain = TelecomDomain()
