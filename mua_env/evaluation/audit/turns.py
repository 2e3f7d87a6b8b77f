"""The minimal number of turns: a lower bound on the agent's turns in a dialogue that ends as the gold does.

It is the sum of

- 1 for asking, if the gold actions hold any value that no tool yields without the user (everything asked at once),
- the longest chain of gold reads, in which each uses a value that the one before gave (calls that do not depend on
  each other go in one turn; values in the task's instruction are the user's and make no chain),
- 1 for proposing all writes and 1 for making them, if there are any,
- 1 for the end: the last message to the user, or the terminal tool.

A turn of the agent is a message to the user, or tool calls (several allowed), as an episode counts them.
"""

from __future__ import annotations

from mua_env.core.tasks import Task
from mua_env.core.world import SQLWorld
from mua_env.domain.verifier import scalars
from mua_env.evaluation.audit.values import leaves


def minimal_turns(task: Task, world: SQLWorld, *, must_ask: bool, scratch: frozenset[str] = frozenset()) -> int:
    """The lower bound for a task.

    Args:
        task: the task.
        world: rolled back here, for running the gold reads.
        must_ask: whether the gold holds a value that no tool yields without the user.
        scratch: tools that look nothing up, which are left out.
    """
    world.load(task.initial_actions)
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
