"""Verification of generated tasks: a task is kept only if running it proves it sound.

A :class:`Candidate` is what a domain's generator proposes, with what it claims about it; :class:`Verifier` runs the
claims on one clone of the domain's database, rolled back after each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from mua_env.core.database import Changes, Template
from mua_env.core.database.difference import compare
from mua_env.core.tasks import Action, Request, Task
from mua_env.core.tools import Toolkit, ToolSpec
from mua_env.core.toolsets import Toolset
from mua_env.core.world import SQLWorld
from mua_env.errors import TaskError


@dataclass(frozen=True)
class Candidate:
    """A proposed task and the claims that make it sound.

    Attributes:
        task: the task; its ``actions`` must all succeed.
        reordered: the gold in another order, which must succeed and reach the same difference. Empty: the writes of
            ``task.actions`` in reverse, behind the reads.
        must_run: further action lists that must succeed, as the gold before a change of mind.
        must_fail: action lists that must succeed up to the last call, which the tools must refuse.
        private: values besides the goal's facts that only the user has; no tool may yield them to an agent that has
            identified the user but has not heard them. (The facts themselves must not be had without the user; a
            profile shows them afterwards.)
    """

    task: Task
    reordered: tuple[Action, ...] = ()
    must_run: tuple[tuple[Action, ...], ...] = ()
    must_fail: tuple[tuple[Action, ...], ...] = ()
    private: frozenset[str] = field(default_factory=frozenset)


class Verifier:
    """Checks candidates against a domain's tools. One verifier may be used by several threads.

    Args:
        template: the domain's loaded data.
        toolset: its tools; the agent's toolkit alone will do where nobody else has any.
        open_reads: calls that an agent can make before it knows anything of the user; what they yield is public.
        sets: for each table, the columns whose lists have no order.
    """

    def __init__(
        self,
        template: Template,
        toolset: Toolset | type[Toolkit],
        *,
        open_reads: Iterable[Action] = (),
        sets: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self._lock = Lock()
        self._world = SQLWorld(template, toolset)
        self._initial = template.initial_row
        self._sets = sets
        self._public = frozenset(self._values(self._world, open_reads))

    def problems(self, candidate: Candidate) -> list[str]:
        """What is wrong with a candidate, in words; empty if it is sound."""
        with self._lock:
            try:
                return list(self._problems(candidate))
            finally:
                self._world.load()

    def check(self, task: Task) -> list[str]:
        """As :meth:`problems`, for a task alone: its gold, its difference, the reversed order of writes."""
        return self.problems(Candidate(task))

    def close(self) -> None:
        """Release the clone."""
        self._world.close()

    def _problems(self, candidate: Candidate) -> Iterator[str]:
        task = candidate.task
        seen: set[str] = set()
        failure = self._run(task, task.actions, seen if candidate.private else None)
        if failure:
            yield f"gold fails: {failure}"
            return
        changes = self._world.snapshot()
        yield from self._asserted(task)
        yield from self._effect(task, changes)
        yield from self._order(task, candidate.reordered or self._reversed(task.actions), changes)
        for actions in candidate.must_run:
            failure = self._run(task, self._writes(actions))
            if failure:
                yield f"an alternative fails: {failure}"
        for actions in candidate.must_fail:
            yield from self._refused(task, actions)
        facts = frozenset(map(str, task.goal.facts.values())) if task.goal else frozenset[str]()
        for value in sorted(facts & self._public | candidate.private & (self._public | seen)):
            yield f"{value!r} should be known to the user alone, but a tool yields it"

    def _order(self, task: Task, reordered: Sequence[Action], changes: Changes) -> Iterator[str]:
        if tuple(reordered) == task.actions:
            return
        failure = self._run(task, self._writes(reordered))
        if failure:
            yield f"gold in another order fails: {failure}"
        elif self._differs(task, changes, self._world.snapshot()):
            yield "gold in another order reaches another state"

    def _differs(self, task: Task, one: Changes, other: Changes) -> bool:
        tables = None if task.criteria is None else task.criteria.tables
        cells = compare(one, other, initial=self._initial, sets=self._sets)
        return any(tables is None or cell.table in tables for cell in cells)

    def _asserted(self, task: Task) -> Iterator[str]:
        """The assertions that do not hold in the present state, in words."""
        for item in task.criteria.assertions if task.criteria else ():
            if not self._world.holds(item):
                yield f"the gold does not bring about {item.name}({json.dumps(item.arguments)})"

    def _effect(self, task: Task, changes: Changes) -> Iterator[str]:
        """A task must ask for something: a change of the world, or something else that an idle agent lacks."""
        self._world.load(task)
        changed = self._differs(task, self._world.snapshot(), changes) or any(self._asserted(task))
        done = any(_ends_done(request) for request in task.goal.requests) if task.goal else not task.requirements
        if done and not changed:
            yield "gold changes nothing"
        if not done and changed:
            yield "gold changes something, but nothing is to be done"
        if not changed and not task.requirements:
            yield "an agent that does nothing would succeed"

    def _refused(self, task: Task, actions: Sequence[Action]) -> Iterator[str]:
        failure = self._run(task, actions[:-1])
        if failure:
            yield f"what comes before a refusal fails: {failure}"
        elif self._world.call(actions[-1].name, actions[-1].arguments).ok:
            yield f"{actions[-1].name}({json.dumps(actions[-1].arguments)}) should be refused but succeeds"

    def _reversed(self, actions: Sequence[Action]) -> tuple[Action, ...]:
        reads = [action for action in actions if not self._spec(action).writes]
        return (*reads, *reversed(self._writes(actions)))

    def _writes(self, actions: Iterable[Action]) -> list[Action]:
        """The calls that can change something: once all have run, running the reads again proves nothing."""
        return [action for action in actions if self._spec(action).writes]

    def _spec(self, action: Action) -> ToolSpec:
        toolset = self._world.toolset
        toolkit = toolset.toolkit if action.requestor == "agent" else toolset.user_toolkit
        assert toolkit is not None
        return toolkit.specs[action.name]

    def _run(self, task: Task, actions: Iterable[Action], seen: set[str] | None = None) -> str | None:
        """Run actions from the task's initial state; the first failure in words.

        ``seen`` collects the values that reads give, without those that the agent itself wrote before.
        """
        self._world.load(task)
        written: set[str] = set()
        for action in actions:
            result = self._world.call(action.name, action.arguments, requestor=action.requestor)
            if not result.ok:
                return f"{action.name}({json.dumps(action.arguments)}): {result.content}"
            if seen is None:
                continue
            if self._spec(action).writes:
                written.update(scalars(json.dumps(action.arguments)))
            else:
                seen.update(set(scalars(result.content)) - written)
        return None

    @staticmethod
    def _values(world: SQLWorld, reads: Iterable[Action]) -> Iterator[str]:
        for action in reads:
            result = world.call(action.name, action.arguments)
            if not result.ok:
                raise TaskError(f"open read {action.name}({action.arguments}) fails: {result.content}")
            yield from scalars(result.content)


def scalars(text: str) -> Iterator[str]:
    """The strings and numbers in a tool's result, as text; keys of objects are among them."""
    try:
        stack = [json.loads(text)]
    except json.JSONDecodeError:
        stack = [text]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            yield from value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
        else:
            yield str(value)


def verified(propose: Callable[[int], Candidate | None], verifier: Verifier, *, attempts: int = 200) -> Candidate:
    """The first sound candidate among ``propose(0)``, ``propose(1)``, ...

    Args:
        propose: gives a candidate for an attempt, or ``None`` where its draw came to nothing.
        verifier: judges it.
        attempts: how many to try.

    Raises:
        TaskError: none of them was sound; the text holds the last problem.
    """
    last = "no candidate could be composed"
    for attempt in range(attempts):
        candidate = propose(attempt)
        if candidate is None:
            continue
        problems = verifier.problems(candidate)
        if not problems:
            return candidate
        last = problems[0]
    raise TaskError(f"no sound task in {attempts} attempts; the last problem: {last}")


def _ends_done(request: Request) -> bool:
    return request.outcome == "done" or (request.fallback is not None and _ends_done(request.fallback))
