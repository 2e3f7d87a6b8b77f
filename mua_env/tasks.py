"""Tasks: what a user wants, and the gold actions whose effect on the database is success."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from mua_env.database import Rows
from mua_env.errors import TaskError, did_you_mean, first_fault
from mua_env.kit import Kit
from mua_env.tools import Mode, Requestor


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Action(_Model):
    """One tool call by name, with its arguments; ``requestor`` is whose tool it is."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    requestor: Requestor = "agent"

    @model_serializer(mode="wrap")
    def _leave_out_the_agent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Tasks without a user's tools keep the form, and so the revision, that they always had.
        fields: dict[str, Any] = handler(self)
        if self.requestor == "agent":
            fields.pop("requestor", None)
        return fields


Outcome = Literal["done", "refused", "transferred", "answered"]


class MindChange(_Model):
    """A planned change of mind: slots that get other values once the agent has asked for confirmation.

    ``after`` says when it comes up: at the first request for confirmation (default), or after the user has confirmed.
    """

    slots: dict[str, Any]
    after: Literal["proposal", "confirmation"] = "proposal"


class Request(_Model):
    """One thing that the user wants. The vocabulary of intents and slots is the domain's.

    Attributes:
        intent: what the user wants, as ``"cancel_order"``.
        slots: the values by slot name; told only when asked for.
        outcome: what the right end is: done, refused (the policy document forbids it), transferred to a human, or
            answered (a question).
        unknown: slots whose values the user does not know and so never says.
        fallback: what the user wants instead when told that this one cannot be had.
        change: a planned change of mind.
    """

    intent: str
    slots: dict[str, Any] = Field(default_factory=dict)
    outcome: Outcome = "done"
    unknown: tuple[str, ...] = ()
    fallback: Request | None = None
    change: MindChange | None = None


class Goal(_Model):
    """The agenda of a simulated user (agenda-based user simulation, Schatzmann et al. 2007).

    Attributes:
        facts: who the user is, by slot name; told only when asked for.
        requests: what the user wants, in order.
        persona: manner of speaking, as ``"polite"`` or ``"terse"``.
        noise: share of utterances with typing noise, 0 to 1 (default 0).
        derived: made from gold actions rather than generated (results then say ``agenda (derived)``).
    """

    facts: dict[str, Any] = Field(default_factory=dict)
    requests: tuple[Request, ...] = ()
    persona: str = "polite"
    noise: float = Field(default=0.0, ge=0, le=1)
    derived: bool = False


class Requirement(_Model):
    """What must hold besides the database.

    - ``refusal``: the user was told no for ``intent``, and why (a bare "no" is none; see :mod:`mua_env.refusals`);
    - ``terminal_tool``: the episode ended by the tool ``name``, for the right reason;
    - ``told``: a message of the agent to the user holds ``value``.

    ``reason`` goes with ``terminal_tool``: beginnings of words, of which one must begin a word in the call's
    arguments, case ignored (``"process"`` is in "already Processed"). Without any, every call will do.
    """

    kind: Literal["refusal", "terminal_tool", "told"]
    intent: str | None = None
    name: str | None = None
    value: str | None = None
    reason: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_what_of(self) -> Requirement:
        needed = {"refusal": "intent", "terminal_tool": "name", "told": "value"}[self.kind]
        if not getattr(self, needed):
            raise ValueError(f"a requirement of the kind {self.kind!r} needs {needed!r}")
        return self


class Assertion(_Model):
    """Something that must be so in the world at the end: a function of the domain's stage, and what it must say."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    expected: bool = True


class ActionCheck(_Model):
    """A call that must have been made, by the agent or the user (source: tau2-bench).

    ``compare`` names the arguments that must agree; none of them for ``()``. ``None`` compares all arguments, and in
    ``compat`` mode those alone that the call itself has, as tau2 does. ``reason`` counts in ``strict`` mode: beginnings
    of words, of which one must begin a word in the call's arguments, as in :class:`Requirement`.
    """

    action: Action
    compare: tuple[str, ...] | None = None
    reason: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _leave_out_no_reason(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # As in Action: tasks without a reason keep their form, and so their revision.
        fields: dict[str, Any] = handler(self)
        if not self.reason:
            fields.pop("reason", None)
        return fields


Part = Literal["database", "requirements", "outputs", "assertions", "actions", "judged"]
"""A part of a score; :class:`mua_env.scoring.Score` says what each is."""


class Criteria(_Model):
    """How a task is scored where its gold actions alone do not say (source: tau2-bench's evaluation criteria).

    Attributes:
        basis: the parts whose product is the reward.
        assertions: what must be so in the world.
        action_checks: the calls that must have been made.
        statements: sentences about the dialogue that a model judges.
        tables: the tables that the part ``database`` compares; ``None`` is all of them.
    """

    basis: tuple[Part, ...] = ("database",)
    assertions: tuple[Assertion, ...] = ()
    action_checks: tuple[ActionCheck, ...] = ()
    statements: tuple[str, ...] = ()
    tables: tuple[str, ...] | None = None


class Task(_Model):
    """A task of a domain.

    Attributes:
        id: unique in its set.
        domain: name of the domain, as ``"retail"``.
        instruction: the user's side in words, for LLM users. Never shown to the agent.
        goal: the same as an agenda, for the agenda user; ``None`` where there is none.
        actions: gold actions. Their effect on a fresh database is the expected one.
        outputs: strings that the agent must say, in the evaluation of tau-bench.
        requirements: what else must hold.
        initial_actions: run before the dialogue, on both sides of the comparison.
        criteria: how it is scored, where the database alone does not say.
        ticket: what an agent in solo mode is told instead of a dialogue.
        split: name of the split it belongs to.
        level: difficulty, 1 (one request) to 5; ``None`` for public tasks.
        user_id: key of the user in the database, where there is one.
    """

    id: str
    domain: str
    instruction: str = ""
    goal: Goal | None = None
    actions: tuple[Action, ...] = ()
    outputs: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    initial_actions: tuple[Action, ...] = ()
    criteria: Criteria | None = None
    ticket: str = ""
    split: str = ""
    level: int | None = None
    user_id: str | None = None

    @model_serializer(mode="wrap")
    def _leave_out_what_few_have(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # As in Action: tasks without these keep their form, and so their revision.
        fields: dict[str, Any] = handler(self)
        for name in ("criteria", "ticket"):
            if not getattr(self, name):
                fields.pop(name, None)
        return fields


@dataclass(frozen=True)
class TaskSet:
    """Tasks with the world that they are set in.

    Attributes:
        name: the source it was asked for by, as ``"train"`` or ``"tau1:test"``.
        domain: name of the domain.
        tasks: the tasks, in order.
        data: gives the rows of the database (called once per process).
        policy: the policy document, markdown.
        mode: how the tools behave by default (``"compat"`` for public benchmarks quoted as such).
        world: key of the data: two sets with equal keys share one template.
        kit: the tools, where they are not the domain's own.
        variant: which policy document, where there are several, as ``"workflow"`` or ``"manual-solo"``.
        source_revision: which release of a public benchmark it is, by its content.
    """

    name: str
    domain: str
    tasks: Sequence[Task]
    data: Callable[[], Rows]
    policy: str
    world: str
    mode: Mode = "strict"
    kit: Kit | None = None
    variant: str = ""
    source_revision: str = ""
    _index: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __getitem__(self, position: int) -> Task:
        return self.tasks[position]

    def by_id(self, task_id: str) -> Task:
        """The task with an id.

        Raises:
            TaskError: there is none.
        """
        if not self._index:
            self._index.update({task.id: position for position, task in enumerate(self.tasks)})
        position = self._index.get(str(task_id))
        if position is None:
            hint = did_you_mean(str(task_id), self._index)
            raise TaskError(f"no task {task_id!r} in {self.domain} {self.name!r} ({len(self)} tasks).{hint}")
        return self.tasks[position]

    @cached_property
    def revision(self) -> str:
        """First 12 hex digits of the SHA-256 of the tasks: recorded with every result."""
        return tasks_revision(self.tasks)


def tasks_revision(tasks: Iterable[Task]) -> str:
    """First 12 hex digits of the SHA-256 of tasks."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(task.model_dump_json().encode())
    return digest.hexdigest()[:12]


def select_level(tasks: Iterable[Task], level: int | None) -> list[Task]:
    """The tasks of one level, or all of them for ``None``."""
    return [task for task in tasks if level is None or task.level == level]


def parse_source(source: str) -> tuple[str, dict[str, str]]:
    """Split ``"train:level=2"`` into its name and options: ``("train", {"level": "2"})``.

    Parts without ``=`` belong to the name, so ``"tau1:test"`` stays whole.
    """
    names, options = [], {}
    for part in source.split(":"):
        key, equals, value = part.partition("=")
        if equals:
            options[key] = value
        else:
            names.append(part)
    return ":".join(names), options


def read_tasks(path: str | Path) -> list[Task]:
    """Read tasks from JSON Lines.

    Raises:
        TaskError: the file cannot be read, holds no task, a line is no task, or two have one id; the text names the
            line and the field.
    """
    try:
        # Not splitlines(), which also splits at characters that may stand in JSON strings, as U+2028.
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot read tasks from {str(path)!r}: {error}") from None
    tasks: dict[str, Task] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            task = Task.model_validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{path}, line {number}: {first_fault(error, whole='line')}") from None
        if task.id in tasks:
            raise TaskError(f"{path}, line {number}: id: {task.id!r} is the id of an earlier task; ids must differ")
        tasks[task.id] = task
    if not tasks:
        raise TaskError(f"{str(path)!r} holds no tasks")
    return list(tasks.values())


def task_line(task: Task) -> str:
    """A task as a line of JSON with its end, defaults left out; equal tasks give equal lines."""
    return json.dumps(task.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False) + "\n"


def write_tasks(path: str | Path, tasks: Iterable[Task]) -> None:
    """Write tasks as JSON Lines, defaults left out; equal tasks give equal bytes."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for task in tasks:
            file.write(task_line(task))
