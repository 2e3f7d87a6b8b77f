"""Where the values of gold arguments can come from: how much of a task lies with the user.

A *value* is a string or number in the arguments of a gold action of the agent's, nested ones included, each place
counted; empty strings, truth values, terminal tools and scratch tools (``think``, ``calculate``) are left out. Values
are compared as text.

Values that tools *yield without the user* are those in the results of

1. reads that need no argument (list the product types, list the airports),
2. reads that need one argument, called with every value that is yielded already, and
3. reads among the task's own gold actions, once all values in their arguments are yielded,

until nothing new comes. Values that tools yield *to an agent that knows who the user is* are the same, begun with the
user's id as yielded. What is missing in the first set is ``without_user``; what is missing in the second too is
``user_only``: the user must say it, or the agent must work it out. By the paper (section 1), over half of the values
that tau-bench's gold actions need cannot be had from tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mua_env.core.tasks import Action, Task
from mua_env.core.tools import ToolSpec
from mua_env.core.world import SQLWorld
from mua_env.domain.verifier import scalars
from mua_env.evaluation.audit.results import Values


def leaves(value: Any) -> Iterator[str]:
    """The strings and numbers in a value, as text."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, bool) and value != "":
        yield str(value)


class ValueSources:
    """Tells where values can come from, in one world.

    Args:
        world: a world of its own; it is rolled back for each task.
        scratch: names of tools that look nothing up.
    """

    def __init__(self, world: SQLWorld, scratch: frozenset[str]) -> None:
        self._world = world
        specs = world.toolkit.specs
        self._scratch = scratch
        reads = [spec for spec in specs.values() if not (spec.writes or spec.terminal or spec.name in scratch)]
        self._open = [spec for spec in reads if not _required(spec)]
        self._single = [(spec.name, _required(spec)[0]) for spec in reads if len(_required(spec)) == 1]
        self._reads = frozenset(spec.name for spec in reads)
        self._results: dict[tuple[str, str], frozenset[str]] = {}
        world.load()
        self._database: str | None = None
        self._look_around()

    def _look_around(self) -> None:
        self._results.clear()
        opened = [self._call(spec.name, {}) for spec in self._open]
        self._public = self._closure(frozenset(), frozenset().union(*opened))

    def of(self, task: Task) -> Values:
        """The values of a task's gold actions by where they can come from."""
        values = [text for action in self._calls(task) for text in leaves(action.arguments)]
        if self._database != (named := task.scene.get("database")):
            self._database = named
            self._world.load(task)
            self._world.load()  # the same database, without the task's own scene
            self._look_around()
        if task.initial_actions:
            self._results.clear()
        self._world.load(task)
        reads = [action for action in task.actions if action.name in self._reads]
        alone = self._with_gold_reads(self._public, reads)
        identified = alone
        if task.user_id:
            identified = self._with_gold_reads(self._closure(alone, frozenset({task.user_id})), reads)
        if task.initial_actions:
            self._results.clear()
        return Values(
            total=len(values),
            without_user=sum(value not in alone for value in values),
            user_only=sum(value not in identified for value in values),
        )

    def close(self) -> None:
        """Release the world."""
        self._world.close()

    def _calls(self, task: Task) -> Iterator[Action]:
        for action in task.actions:
            mine = action.requestor == "agent" and action.name not in self._scratch
            if mine and not self._world.is_terminal(action.name):
                yield action

    def _with_gold_reads(self, known: frozenset[str], reads: Sequence[Action]) -> frozenset[str]:
        waiting = list(reads)
        while ready := [action for action in waiting if known.issuperset(leaves(action.arguments))]:
            waiting = [action for action in waiting if action not in ready]
            for action in ready:
                known = self._closure(known, self._call(action.name, action.arguments))
        return known

    def _closure(self, known: frozenset[str], fresh: Iterable[str]) -> frozenset[str]:
        """``known`` with ``fresh`` and all that reads of one argument yield from it."""
        found = set(known)
        frontier = set(fresh) - found
        while frontier:
            found |= frontier
            results = [self._look_up(tool, name, value) for value in sorted(frontier) for tool, name in self._single]
            frontier = set().union(*results) - found
        return frozenset(found)

    def _look_up(self, tool: str, argument: str, value: str) -> frozenset[str]:
        key = (tool, value)
        if key not in self._results:
            self._results[key] = self._call(tool, {argument: value})
        return self._results[key]

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> frozenset[str]:
        result = self._world.call(tool, json.dumps(dict(arguments)))
        return frozenset(scalars(result.content)) if result.ok else frozenset()


def _required(spec: ToolSpec) -> list[str]:
    return [name for name, field in spec.parameters.items() if field.is_required()]


def minimal_turns(task: Task, world: SQLWorld, *, must_ask: bool, scratch: frozenset[str] = frozenset()) -> int:
    """A lower bound on the agent's turns in a dialogue that ends as the gold does.

    It is the sum of

    - 1 for asking, if the gold actions hold any value that no tool yields without the user (everything asked at once),
    - the longest chain of gold reads, in which each uses a value that the one before gave (calls that do not depend on
      each other go in one turn; values in the task's instruction are the user's and make no chain),
    - 1 for proposing all writes and 1 for making them, if there are any,
    - 1 for the end: the last message to the user, or the terminal tool.

    A turn of the agent is a message to the user, or tool calls (several allowed), as an episode counts them.

    Args:
        task: the task.
        world: rolled back here, for running the gold reads.
        must_ask: whether the gold holds a value that no tool yields without the user.
        scratch: tools that look nothing up, which are left out.
    """
    world.load(task)
    specs = world.toolkit.specs
    depth_of: dict[str, int] = {}
    longest, writes = 0, False
    for action in task.actions:
        spec = specs.get(action.name)
        if spec is None or spec.terminal or action.name in scratch:
            continue
        result = world.call(action.name, action.arguments)
        if spec.writes:
            writes = True
            continue
        used = [value for value in leaves(action.arguments) if value not in task.instruction]
        depth = 1 + max((depth_of.get(value, 0) for value in used), default=0)
        longest = max(longest, depth)
        if result.ok:
            for value in scalars(result.content):
                depth_of.setdefault(value, depth)
    return int(must_ask) + longest + 2 * writes + 1
