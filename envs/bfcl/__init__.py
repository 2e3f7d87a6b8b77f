"""BFCL's multi-turn categories: tool calls on stateful Python classes, between the fixed lines of a user.

The classes, documents and tasks are those of an installed ``bfcl-eval``; nothing of them is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from mua_env.core.database import Rows
from mua_env.core.object_world import ObjectWorld
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Action, Limits, Task, UserTurn
from mua_env.core.tools import Mode
from mua_env.domain.contract import Domain
from mua_env.errors import ConfigError, TaskError, did_you_mean
from mua_env.users.fixed_lines import ScriptedUser

from .calls import read_calls
from .release import CATEGORIES, entries, source_revision
from .scoring import BFCLScorer
from .stage import BFCLStage, all_schemas, class_named

HANDED_OVER = "There are further tools now that you can use. Can you do it with them?"
"""What the user says when withheld tools are handed over: the benchmark's entries have no words there."""


class BFCLWorlds:
    """Instances of the benchmark's classes, and its verdict."""

    solo = False

    def __init__(self, mode: Mode) -> None:
        self._stage = BFCLStage()
        self.scorer = BFCLScorer(self._stage, mode=mode)

    def make_world(self) -> ObjectWorld:
        """A world of its own."""
        return ObjectWorld(self._stage)

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the tools of all classes."""
        return list(all_schemas())

    def user_schemas(self, task: Task | None = None) -> list[dict[str, Any]]:
        """The user has no tools."""
        return []


class BFCLDomain(Domain):
    """``MUA/BFCLMultiTurn-v1``; the splits are the benchmark's categories, and ``all`` is the four of them."""

    name = "bfclmultiturn"
    splits = (*CATEGORIES, "all")
    limits: ClassVar[Limits] = Limits(turns=300, steps=21)

    def worlds(self, task_set: TaskSet, *, mode: Mode, database_url: str | None) -> BFCLWorlds:
        """Worlds of Python objects.

        Raises:
            ConfigError: a database server was asked for.
        """
        if database_url is not None:
            raise ConfigError("BFCL's worlds are Python objects; database_url does not go with them")
        return BFCLWorlds(mode)

    def data(self) -> Rows:
        """There are no tables."""
        return {}

    def policy(self, *, compact: bool = False) -> str:
        """There is no policy document: the benchmark gives a model with function calling no system prompt."""
        return ""

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of a category, or of all."""
        return _tasks(split)

    def task_set(
        self, source: str = "base", *, path: Any = None, policy: str | None = None, solo: bool = False
    ) -> TaskSet:
        """The tasks of a category (``"base"``, ``"miss_func"``, ``"miss_param"``, ``"long_context"``), or ``"all"``.

        ``"train"``, the default of environments, gives ``base``: the benchmark has no split for training.

        Raises:
            TaskError: there is no such category.
            ConfigError: a policy document, a path or a solo mode was asked for.
            MissingExtra: bfcl-eval is not installed.
        """
        if policy is not None or solo or path is not None:
            raise ConfigError("BFCL has one installed copy, no policy documents and no solo mode")
        split = "base" if source == "train" else source
        if split not in self.splits:
            raise TaskError(
                f"unknown task source {source!r} for {self.name}.{did_you_mean(source, self.splits)} "
                f"Use {', '.join(map(repr, self.splits))}"
            )
        return TaskSet(
            name=split,
            domain=self.name,
            tasks=self.tasks(split),
            data=self.data,
            policy=self.policy(),
            world=self.world,
            mode="compat",
            source_revision=source_revision(),
            user=ScriptedUser(),
        )


@cache
def _tasks(split: str) -> tuple[Task, ...]:
    if split == "all":
        return tuple(task for category in CATEGORIES for task in _tasks(category))
    return tuple(_task(entry, split) for entry in entries(split))


def _task(entry: Mapping[str, Any], category: str) -> Task:
    methods = _methods(tuple(entry["involved_classes"]))
    handed: Mapping[str, Sequence[str]] = entry.get("missed_function", {})
    script = tuple(
        UserTurn(
            text="\n".join(message["content"] for message in said) or HANDED_OVER,
            reveals=tuple(handed.get(str(number), ())),
            actions=_gold(calls, methods),
        )
        for number, (said, calls) in enumerate(zip(entry["question"], entry["ground_truth"], strict=True))
    )
    return Task(
        id=entry["id"],
        domain=BFCLDomain.name,
        actions=tuple(action for turn in script for action in turn.actions),
        script=script,
        scene={
            "classes": list(entry["involved_classes"]),
            "config": entry["initial_config"],
            "long_context": category == "long_context",
        },
        split=category,
    )


def _gold(calls: Sequence[str], methods: Mapping[str, Callable[..., Any]]) -> tuple[Action, ...]:
    return tuple(action for call in calls for action in read_calls(call, methods))


@cache
def _methods(classes: tuple[str, ...]) -> Mapping[str, Callable[..., Any]]:
    """The methods of fresh instances by name: their signatures name positional arguments."""
    found: dict[str, Callable[..., Any]] = {}
    for name in classes:
        instance = class_named(name)()
        found |= {key: getattr(instance, key) for key in dir(instance) if not key.startswith("_")}
    return {key: value for key, value in found.items() if callable(value)}


domain = BFCLDomain()
