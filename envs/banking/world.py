"""A world of the bank: a copy's own tools over one database, for the agent and for its customer."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.core.object_world import ObjectWorld, Stage
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode, Requestor, ToolResult
from mua_env.errors import TaskError, ToolError, did_you_mean

from .toolkits import Hands, Toolkits, tables_of


class BankingStage(Stage):
    """The objects of a task: both sets of tools. What happens to the database happens to both.

    Args:
        toolkits: makes the tools.
        mode: in ``compat`` mode a tool that nobody was shown runs when it is called by name, as in tau2.
    """

    def __init__(self, toolkits: Toolkits, *, mode: Mode) -> None:
        self.toolkits = toolkits
        self.mode: Mode = mode

    def objects(self, task: Task) -> Mapping[str, object]:
        """Fresh tools over the task's initial database.

        Raises:
            TaskError: the task is set up by something else than data.
        """
        merged: dict[str, Any] = {}
        for action in task.initial_actions:
            if action.name != "merge_data":
                raise TaskError(f"task {task.id!r} is set up by {action.name!r}; banking's are set up by data alone")
            # Both sides share one database: what is meant for either goes there.
            for side in ("agent_data", "user_data"):
                merged |= action.arguments.get(side) or {}
        hands = self.toolkits.make(merged, frozenset(task.scene.get("logged_reads", ())))
        return {"hands": hands}

    def schemas(self, task: Task) -> Sequence[dict[str, Any]]:
        """Function schemas of the agent's tools; those that are found in the knowledge base are not among them."""
        return list(self.toolkits.agent_schemas.values())

    def user_schemas(self, task: Task | None) -> list[dict[str, Any]]:
        """Function schemas of the customer's tools in a task; of all that there are without one."""
        shown = self.toolkits.user_schemas
        names = shown if task is None or (own := task.scene.get("user_tools")) is None else own
        return [schema for name, schema in shown.items() if name in names]

    def state(self, value: object) -> dict[str, Any]:
        """The tables by name."""
        assert isinstance(value, Hands)
        return dict(tables_of(value.database))


class BankingWorld(ObjectWorld):
    """Tools of agent and customer over one database."""

    _stage: BankingStage

    def load(self, task: Task | None = None) -> None:
        """Make a task's tools and database anew; without one there are none."""
        super().load(task)
        self._shown = {
            "agent": frozenset(schema["function"]["name"] for schema in self._schemas),
            "user": frozenset(
                schema["function"]["name"] for schema in ([] if task is None else self._stage.user_schemas(task))
            ),
        }

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Run one tool of agent or customer; in ``strict`` mode an error changes nothing."""
        if self._stage.mode == "compat":
            return super().call(name, arguments, requestor=requestor)
        before = copy.deepcopy(self._objects)
        result = super().call(name, arguments, requestor=requestor)
        if not result.ok:
            self._objects = before
        return result

    def methods(self, name: str, requestor: Requestor = "agent") -> list[Callable[..., Any]]:
        """The tool of a side by name.

        Raises:
            ToolError: that side has none of that name; in ``strict`` mode also for one that it was not shown.
        """
        hands = self._objects.get("hands")
        method = hands.method(name, requestor) if isinstance(hands, Hands) and requestor != "world" else None
        if method is not None and (self._stage.mode == "compat" or name in self._shown[requestor]):
            return [method]
        if self._stage.mode == "compat":
            raise ToolError(f"Tool '{name}' not found.")
        if requestor == "agent" and name in self._shown["user"]:
            raise ToolError(f"{name!r} is a tool of the user's; ask the user to use it")
        known = sorted(self._shown.get(requestor, ()))
        raise ToolError(f"unknown tool {name!r}.{did_you_mean(name, known)} Tools: {', '.join(known)}")
