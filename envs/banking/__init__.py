"""tau2-bench's banking_knowledge: a bank's agent that finds its rules and tools in a knowledge base.

Tasks, documents, database and tools are those of the user's own copy of tau2-bench; nothing of them is kept here.
Source: https://github.com/sierra-research/tau2-bench (MIT).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

from mua_env.core.database import Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Limits, Task
from mua_env.core.tools import Mode
from mua_env.domain.contract import Domain
from mua_env.domain.public.tau2_tasks import read_tasks
from mua_env.errors import ConfigError, DomainError, TaskError, did_you_mean

from .copies import VARIANTS, Copy, check_variant, find_copy
from .rewritten import classes_of_package
from .scenario import read_scenario
from .scoring import BankingScorer
from .toolkits import Toolkits, classes_of_checkout
from .users import ScenarioUser
from .world import BankingStage, BankingWorld

_SPLITS: Final = ("base", "scripted")
_SOURCES: Final = {
    "train": "scripted",
    **{name: name for name in _SPLITS},
    **{f"tau2:{name}": name for name in _SPLITS},
}
"""Names of a task source -> the split; ``"train"``, the default of environments, gives what needs no model."""


class BankingWorlds:
    """Tools of the copy's own over its database, and tau2's score."""

    solo = False

    def __init__(self, copy: Copy, variant: str, mode: Mode) -> None:
        classes = classes_of_checkout(copy, variant) if copy.code else classes_of_package(copy, variant)
        self._stage = BankingStage(Toolkits(classes, copy.database()), mode=mode)
        self.scorer = BankingScorer(self._stage, mode=mode)

    def make_world(self) -> BankingWorld:
        """A world of its own."""
        return BankingWorld(self._stage)

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the agent's tools."""
        return list(self._stage.toolkits.agent_schemas.values())

    def user_schemas(self, task: Task | None = None) -> list[dict[str, Any]]:
        """Function schemas of the customer's tools; for a task, of those that it names."""
        return self._stage.user_schemas(task)


class BankingDomain(Domain):
    """``MUA/Banking-v1``; ``base`` is all tasks, ``scripted`` those that bring a customer who needs no model.

    The policies are tau2's retrieval variants.
    """

    name = "banking"
    splits = _SPLITS
    policies = tuple(VARIANTS)
    limits: ClassVar[Limits] = Limits(turns=100, messages=200)

    def worlds(self, task_set: TaskSet, *, mode: Mode, database_url: str | None) -> BankingWorlds:
        """Worlds over a copy's own tools.

        Raises:
            ConfigError: a database server was asked for.
            MissingExtra: a library for the search is missing.
        """
        if database_url is not None:
            raise ConfigError("banking's worlds are Python objects; database_url does not go with them")
        return BankingWorlds(find_copy(task_set.world.partition(":")[2]), task_set.variant, mode)

    def data(self) -> Rows:
        """There are no tables of ours."""
        return {}

    def policy(self, *, compact: bool = False) -> str:
        """The policy document of the first variant, from the copy that is found without a path."""
        return find_copy(None).policy(next(iter(VARIANTS)))

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks, from the copy that is found without a path."""
        return _of_split(find_copy(None), split)

    @property
    def language(self) -> Any:
        """There is none: tau2's customers have no goal but prose.

        Raises:
            DomainError: always.
        """
        raise DomainError(
            "banking's customers have no agenda, their scenarios are prose. Use a language model (user='llm', "
            "--user llm), or the tasks 'tau2:scripted', which bring a customer of their own"
        )

    def task_set(
        self,
        source: str = "base",
        *,
        path: str | Path | None = None,
        policy: str | None = None,
        solo: bool = False,
    ) -> TaskSet:
        """The tasks: ``"base"`` or ``"scripted"``, also written ``"tau2:base"`` as in the other domains of tau2.

        Args:
            source: which tasks.
            path: the copy of tau2-bench; see :func:`mua_env.envs.banking.copies.find_copy`.
            policy: the retrieval variant, ``"bm25_grep"`` by default.
            solo: there is no solo mode.

        Raises:
            TaskError: there is no such source, or no copy was named and none is installed.
            ConfigError: there is no such variant.
            DataError: the copy is not whole.
        """
        if solo:
            raise ConfigError("banking has no solo mode, as in tau2")
        if source not in _SOURCES:
            raise TaskError(
                f"unknown task source {source!r} for {self.name}.{did_you_mean(source, _SOURCES)} "
                "Use 'base' or 'scripted'"
            )
        split, variant = _SOURCES[source], check_variant(policy)
        place = None if path is None else str(path)
        copy = find_copy(place)
        return TaskSet(
            name=f"tau2:{split}",
            domain=self.name,
            tasks=_of_split(copy, split),
            data=self.data,
            policy=copy.policy(variant),
            world=f"{self.name}:{copy.folder}",
            mode="compat",
            variant=variant,
            source_revision=copy.revision(),
            user=ScenarioUser() if split == "scripted" else None,
        )


def _of_split(copy: Copy, split: str) -> tuple[Task, ...]:
    tasks = _tasks(copy)
    return tasks if split == "base" else tuple(task for task in tasks if not isinstance(read_scenario(task), str))


@cache
def _tasks(copy: Copy) -> tuple[Task, ...]:
    raw = copy.tasks()
    read = read_tasks(copy.folder, raw, domain=BankingDomain.name, split="base", splits={})
    return tuple(task.model_copy(update={"scene": _scene(task, row)}) for task, row in zip(read, raw, strict=True))


def _scene(task: Task, row: Mapping[str, Any]) -> dict[str, Any]:
    """The customer's tools, and the tools that only read and whose calls leave a mark, as tau2 takes them from gold."""
    called = (a.arguments.get("agent_tool_name") for a in task.actions if a.name == "call_discoverable_agent_tool")
    return {"user_tools": row.get("user_tools"), "logged_reads": sorted({str(name) for name in called if name})}


domain = BankingDomain()
