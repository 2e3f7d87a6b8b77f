"""The contract of a domain, and how domains are found.

A domain is one folder: tables, tools, policy document, seeded data and tasks. It is found through the entry-point
group ``mua_env.domains``: the entry's name ``Retail-v1`` gives the id ``MUA/Retail-v1`` and points to an instance of
:class:`Domain`. Another package adds a domain the same way.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy.orm import DeclarativeBase

from mua_env._moved import warn_renamed
from mua_env.core.database import Database, Rows
from mua_env.core.task_files import TaskFile, read_tasks
from mua_env.core.task_sets import TaskSet, parse_source, select_level
from mua_env.core.tasks import Goal, Limits, Task
from mua_env.core.tools import Mode, Toolkit
from mua_env.core.toolsets import Settle, Toolset, solo_toolset
from mua_env.domain.discovery import SHORT_NAMES, domain_entries
from mua_env.domain.public.row_files import holds_rows
from mua_env.errors import ConfigError, DomainError, TaskError, did_you_mean

if TYPE_CHECKING:
    from mua_env.core.agent import Agent, Slips
    from mua_env.core.world import Worlds


class Domain(ABC):
    """Everything that the engine needs of a domain.

    Attributes:
        name: lower case, as ``"retail"``.
        models: the declarative base of its tables. A column with ``info={"hidden": True}`` is no part of the record;
            the lists in a column with ``info={"set": True}`` have no order.
        toolkit: the agent's tools.
        user_toolkit: the user's own tools over the same database, as a phone to operate (default: none). The agent
            neither has nor sees them; what the user does with them reaches it only as far as the user tells.
        stage: functions that set scenes up and check them, called by nobody in the dialogue (default: none).
        settle: carries changes from one side of the world to the other (default: there is one side).
        policies: names of the variants of the policy document, the default first (default: there is one).
        splits: names of its own splits.
        text_with_calls_reaches_user: whether text beside tool calls is said to the user (default: no).
        limits: after how many turns an episode is cut, unless it is asked for otherwise.
        scratch_tools: tools that look nothing up and take free text; audits leave their arguments out.
        vocabularies: see :class:`mua_env.core.toolsets.Toolset`.
        policy_rules: the rules of the policy document that audits name: id -> the rule in a sentence.
    """

    name: ClassVar[str]
    models: ClassVar[type[DeclarativeBase]]
    toolkit: ClassVar[type[Toolkit]]
    user_toolkit: ClassVar[type[Toolkit] | None] = None
    stage: ClassVar[type[Toolkit] | None] = None
    settle: ClassVar[Settle | None] = None
    policies: ClassVar[tuple[str, ...]] = ()
    splits: ClassVar[tuple[str, ...]] = ("train", "test")
    text_with_calls_reaches_user: ClassVar[bool] = False
    limits: ClassVar[Limits] = Limits()
    scratch_tools: ClassVar[frozenset[str]] = frozenset({"calculate", "think"})
    vocabularies: ClassVar[tuple[frozenset[str], ...]] = ()
    policy_rules: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def data(self) -> Rows:
        """The domain's own seeded data: table name -> rows."""

    def worlds(self, task_set: TaskSet, *, mode: Mode, database_url: str | None) -> Worlds | None:
        """What makes and scores its worlds; ``None`` (default) for clones of a database of ``models`` and ``data``.

        Args:
            task_set: the tasks.
            mode: how the tools behave and states are compared.
            database_url: the PostgreSQL server that was asked for.

        Raises:
            ConfigError: a server was asked for, and the world is no database.
        """
        return None

    def toolset(self, *, solo: bool = False) -> Toolset:
        """The tools of its own tasks; ``solo`` puts the user's into the agent's hands.

        Raises:
            DomainError: solo mode where the user has no tools.
        """
        toolset = Toolset(
            self.toolkit,
            models=self.models,
            user_toolkit=self.user_toolkit,
            stage=self.stage,
            settle=type(self).settle,
            vocabularies=self.vocabularies,
        )
        return solo_toolset(toolset) if solo else toolset

    def kit(self, *, solo: bool = False) -> Toolset:
        """What :meth:`toolset` was called before."""
        warn_renamed(f"{type(self).__qualname__}.kit", f"{type(self).__qualname__}.toolset", stacklevel=3)
        return self.toolset(solo=solo)

    @abstractmethod
    def policy(self, *, compact: bool = False) -> str:
        """The policy document, markdown; ``compact`` is the same rules in few words, for small models."""

    def policy_variant(self, variant: str | None = None, *, solo: bool = False, compact: bool = False) -> str:
        """One of several policy documents. Overridden by domains that have ``policies`` or a solo mode.

        Args:
            variant: one of ``policies``; ``None`` is the first.
            solo: for an agent that has the user's tools too.
            compact: the same rules in few words.
        """
        return self.policy(compact=compact)

    @abstractmethod
    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of one of the domain's own splits."""

    @property
    def language(self) -> Any:
        """What the agenda user speaks and understands here (a ``mua_env.users.agenda.language.DialogueLanguage``)."""
        raise DomainError(f"the domain {self.name!r} has no language for the agenda user")

    def expert(self, *, style: str = "plain", slips: Slips = 0.0) -> Agent:
        """A scripted agent that solves the domain's tasks by dialogue.

        Args:
            style: how it speaks, see `mua_env.agents.scripted.expert.ScriptedExpert`.
            slips: chance that it only claims a change that the user agreed to.
        """
        raise DomainError(f"the domain {self.name!r} has no scripted expert")

    def brief(self, tool: str, result: str) -> str:
        """What a tool returned, in few words, for models too small to read whole records (default: as it is)."""
        return result

    def derive_goal(self, task: Task, rows: Rows) -> Goal | None:
        """An agenda made from a public task's gold actions and the user's own record, or ``None``."""
        return None

    def binding_rules(self, task: Task, database: Database) -> Sequence[str]:
        """The ids of ``policy_rules`` that a task's gold actions and refused requests fall under, in order.

        Args:
            task: the task.
            database: holds the state that the task starts from.
        """
        return ()

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        """Verified tasks without end."""
        raise DomainError(f"the domain {self.name!r} generates no tasks")

    def in_world(self, number: int) -> Domain:
        """The domain with other data of the same kind, for training: what is learned by heart there is worth nothing
        in its own."""
        raise DomainError(f"the domain {self.name!r} has no world but its own")

    @property
    def world(self) -> str:
        """Names the data: two domains with the same one have equal data."""
        return f"{self.name}:own"

    def public(
        self, benchmark: str, split: str, path: str | Path | None, *, policy: str | None = None, solo: bool = False
    ) -> TaskSet:
        """The tasks of a public benchmark, read from the user's own copy of it."""
        raise TaskError(f"the domain {self.name!r} reads no tasks of {benchmark!r}")

    def rows_of_others(self, source: str) -> TaskSet:
        """The tasks of this domain in a file or folder of somebody else's, as :mod:`mua_env.domain.public.row_files`
        reads them (default: none are read)."""
        raise TaskError(f"{source}: the domain {self.name!r} reads no rows of others")

    def task_set(
        self,
        source: str = "train",
        *,
        path: str | Path | None = None,
        policy: str | None = None,
        solo: bool = False,
    ) -> TaskSet:
        """The tasks of a source.

        Args:
            source: one of the domain's splits, with a level if wanted (``"train"``, ``"test:level=2"``);
                ``"generate:level=2"`` (also ``seed=``, ``split=``, ``only=``, and ``world=`` for other data) for a new
                verified task at each reset; a public benchmark (``"tau1:test"``, ``"tau2:test"``); a JSON Lines file
                of tasks; or a file or folder of somebody else's (``"areal/tau2_rl_train.jsonl"``).
            path: where the files of a public benchmark lie.
            policy: one of ``policies``; ``None`` is the first.
            solo: the agent has the user's tools too, and nobody is on the line.

        Raises:
            TaskError: there is no such source, or it cannot be read.
            ConfigError: there is no such policy document.
            DomainError: solo mode where the user has no tools.
        """
        if policy is not None and policy not in self.policies:
            known = f"it has {', '.join(map(repr, self.policies))}" if self.policies else "it has one policy document"
            raise ConfigError(f"{self.name} has no policy {policy!r}; {known}")
        if source not in self.splits and holds_rows(source):
            if policy is not None or solo:
                raise ConfigError(f"{source}: rows of others have one policy document and no solo mode here")
            return self.rows_of_others(source)
        name, options = parse_source(source)
        if ":" in name:
            benchmark, _, split = name.partition(":")
            return self.public(benchmark, split, path, policy=policy, solo=solo)
        home: Domain = self
        if name == "generate" and "world" in options:
            home = self.in_world(_whole(options, "world", source))
        return home._set_in(home._own_tasks(source, name, options), source, policy, solo)

    def _own_tasks(self, source: str, name: str, options: dict[str, str]) -> Sequence[Task]:
        if name in self.splits:
            level = _integer(options, "level", source)
            tasks = select_level(self.tasks(name), level)
            if not tasks:
                raise TaskError(f"{self.name} {name!r} has no tasks of level {level}")
            return tasks
        if name == "generate":
            from mua_env.domain.generator import GeneratedTasks

            return GeneratedTasks(self, source, options)
        if source.endswith(".jsonl"):
            return self._checked(read_tasks(source))
        known = [*self.splits, "generate", "tau1:test", "tau2:base", "tau2:test", "tau2:train"]
        raise TaskError(
            f"unknown task source {source!r} for {self.name}.{did_you_mean(source, known)} "
            f"Use {', '.join(map(repr, self.splits))}, 'generate:level=1', 'tau1:test', 'tau2:test', or a .jsonl file"
        )

    def _checked(self, tasks: TaskFile) -> TaskFile:
        for task in tasks:
            if task.domain != self.name:
                raise TaskError(f"{tasks.where(task)}: it is of the domain {task.domain!r}, not of {self.name!r}")
        return tasks

    def _set_in(self, tasks: Sequence[Task], source: str, policy: str | None, solo: bool) -> TaskSet:
        variant = policy or next(iter(self.policies), "")
        return TaskSet(
            name=source,
            domain=self.name,
            tasks=tasks,
            data=self.data,
            policy=self.policy_variant(variant or None, solo=solo),
            world=self.world,
            toolset=self.toolset(solo=True) if solo else None,
            variant="-".join(filter(None, (variant, "solo" if solo else ""))),
        )


def _integer(options: dict[str, str], key: str, source: str) -> int | None:
    unknown = sorted(options.keys() - {key})
    if unknown:
        raise TaskError(f"task source {source!r}: unknown option {unknown[0]!r}; there is {key!r}")
    return _whole(options, key, source) if key in options else None


def _whole(options: dict[str, str], key: str, source: str) -> int:
    try:
        return int(options[key])
    except ValueError:
        raise TaskError(f"task source {source!r}: {key} is {options[key]!r}, not a whole number") from None


def load_domain(domain: str | Domain) -> Domain:
    """A domain by its name (``"retail"``, or a benchmark's short one, ``"bfcl"``) or Gymnasium id.

    Raises:
        DomainError: it is not installed, or its entry point gives no :class:`Domain`.
    """
    if isinstance(domain, Domain):
        return domain
    if not isinstance(domain, str):
        raise ConfigError(f"domain is a name or a Domain, got {type(domain).__name__}")
    name = re.sub(r"^MUA/|-v\d+$", "", domain).lower()
    name = SHORT_NAMES.get(name, name)
    entries = domain_entries()
    if name not in entries:
        known = ", ".join(entries) or "none"
        raise DomainError(
            f"no domain {domain!r} is installed.{did_you_mean(name, [*entries, *SHORT_NAMES])} Installed: {known}"
        )
    return _load(name)


@lru_cache(maxsize=64)
def _load(name: str) -> Domain:
    entry = domain_entries()[name]
    try:
        loaded = entry.load()
    except (ImportError, AttributeError) as error:
        raise DomainError(f"the domain {name!r} ({entry.value}) cannot be imported: {error}") from error
    if not isinstance(loaded, Domain):
        raise DomainError(f"{entry.value} is a {type(loaded).__name__}, not a mua_env.Domain instance")
    return loaded
