"""Domains whose policy documents, tasks and experts lie in files of their package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mua_env.core.task_files import read_tasks
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Task
from mua_env.domain.contract import Domain
from mua_env.errors import ConfigError, TaskError

if TYPE_CHECKING:
    from mua_env.core.agent import Agent, Slips


class PackagedDomain(Domain):
    """A domain with ``policy.md``, ``policy_compact.md`` and ``data/<split>.jsonl`` in its package.

    Attributes:
        tables: key column of each table, by table name, as the public benchmark's data needs it.
        experts: module in the package and class of the scripted agent, by language, as ``"expert:RetailExpert"``;
            loaded when one is asked for (default: there is none).
    """

    tables: ClassVar[Mapping[str, str]]
    experts: ClassVar[Mapping[str, str]] = {}

    def policy(self, *, compact: bool = False) -> str:
        """The policy document, in full or in few words."""
        name = "policy_compact.md" if compact else "policy.md"
        return (resources.files(type(self).__module__) / name).read_text(encoding="utf-8")

    def tasks(self, split: str) -> Sequence[Task]:
        """Shipped tasks of a split, by level."""
        return _shipped(type(self).__module__, split)

    def expert(self, *, style: str = "plain", language: str = "en", slips: Slips = 0.0) -> Agent:
        """The scripted agent of this domain; in Chinese (``"zh"``) it has one style, the compact one.

        Args:
            style: how it speaks in English, see `mua_env.agents.scripted.expert.ScriptedExpert`.
            language: that it speaks and understands.
            slips: chance that it only claims a change that the user agreed to.

        Raises:
            ConfigError: it does not speak the language.
            DomainError: there is no scripted agent.
        """
        if not self.experts:
            return super().expert(style=style, slips=slips)
        if language not in self.experts:
            known = ", ".join(map(repr, self.experts))
            raise ConfigError(f"the {self.name} expert speaks no {language!r}; known languages: {known}")
        module, _, name = self.experts[language].partition(":")
        expert = getattr(import_module(f"{type(self).__module__}.{module}"), name)
        agent: Agent = expert(slips=slips) if language == "zh" else expert(style=style, slips=slips)
        return agent

    def public(
        self, benchmark: str, split: str, path: str | Path | None, *, policy: str | None = None, solo: bool = False
    ) -> TaskSet:
        """tau-bench's and tau2-bench's tasks of this domain, from the user's own copy.

        ``tau1:test`` and, where it has them, other splits; ``tau2:base``, ``tau2:train``, ``tau2:test``.

        Raises:
            TaskError: another benchmark was asked for, or there is no copy.
            ConfigError: a policy document or a solo mode was asked for, which these benchmarks do not have here.
        """
        from mua_env.domain.public import tau1

        if policy is not None or solo:
            raise ConfigError(f"{benchmark}'s {self.name} tasks have one policy document and no solo mode")
        if benchmark == "tau2":
            return self.public_tau2(split, path)
        if benchmark != "tau1":
            raise TaskError(f"{self.name} reads the public benchmarks 'tau1' and 'tau2', not {benchmark!r}")
        return tau1.task_set(self.name, split, tables=self.tables, path=path, derive=self.derive_goal)

    def public_tau2(self, split: str, path: str | Path | None) -> TaskSet:
        """tau2-bench's tasks of this domain (default: there are none)."""
        raise TaskError(f"{self.name} reads no tasks of 'tau2'")


class WorldsDomain(PackagedDomain):
    """A packaged domain whose data can be made anew: other records of the same kind.

    Args:
        world: number of the data; None (default) for the domain's own. Equal numbers give equal data.
    """

    def __init__(self, world: int | None = None) -> None:
        self._world = world

    def in_world(self, number: int) -> Self:
        """The domain with other data; equal numbers give equal worlds."""
        return type(self)(number)

    @property
    def world(self) -> str:
        """Names the data."""
        return super().world if self._world is None else f"{self.name}:world={self._world}"


@cache
def _shipped(package: str, split: str) -> tuple[Task, ...]:
    with resources.as_file(resources.files(package) / "data" / f"{split}.jsonl") as path:
        return tuple(read_tasks(path))
