"""A world of Python objects: the public methods of some instances are the tools, their attributes are the state."""

from __future__ import annotations

import contextvars
import copy
import inspect
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from mua_env.core.json_reader import MalformedJSON, read_json
from mua_env.core.limits import LONGEST_ARGUMENTS
from mua_env.core.outside import kept
from mua_env.core.tasks import Task
from mua_env.core.tools import Requestor, ToolResult
from mua_env.errors import ToolError, did_you_mean

State = dict[str, dict[str, Any]]
"""What can be seen of a world of objects: object name -> attribute -> value."""

Defaults = dict[tuple[str, str], Any]
"""Mutable default arguments by method and name."""

# Classes of others keep scratch values in their modules; a call and the writing of its result are one step.
_one_call = threading.Lock()


class Stage(ABC):
    """What a world of objects is made of, for one kind of task. Shared by all worlds of a setting; holds no state."""

    @abstractmethod
    def objects(self, task: Task) -> Mapping[str, object]:
        """Fresh objects in the task's initial state, by name."""

    @abstractmethod
    def schemas(self, task: Task) -> Sequence[dict[str, Any]]:
        """Function schemas of all tools that the task ever has; a method without a schema is no tool."""

    def text(self, result: object) -> str:
        """What the agent reads of a result (default: texts as they are, dictionaries as JSON, the rest by ``str``)."""
        if isinstance(result, str):
            return result
        if isinstance(result, dict):
            try:
                return json.dumps(result)
            except (TypeError, ValueError):
                return str(result)
        return str(result)

    everywhere: bool = False
    """Whether a method that several objects have is run on each of them (the last answers), or on the last alone."""

    def refusal(self, error: Exception) -> str:
        """What the agent reads of an exception (default: ``"Error: ..."``)."""
        return f"Error: {error}"

    def state(self, value: object) -> dict[str, Any]:
        """What can be seen of an object (default: its public attributes)."""
        return {name: item for name, item in vars(value).items() if not name.startswith("_")}


class ObjectWorld:
    """Tools over objects that a :class:`Stage` makes anew for every episode.

    A call is a method looked up by name among the tools with a schema: nothing is evaluated. What a method leaves
    half done when it raises stays so, because objects know no rollback.

    ``calls_run`` counts the calls of the episode that came to their end without an exception.

    Args:
        stage: makes the objects.
        defaults: the mutable default arguments of methods, where worlds must share them as methods of one process do;
            ``None`` (default) gives each episode its own, so that nothing passes from one to the next.
    """

    def __init__(self, stage: Stage, *, defaults: Defaults | None = None) -> None:
        self._stage = stage
        self._shared = defaults
        self._defaults: Defaults = {} if defaults is None else defaults
        self.calls_run = 0
        self._objects: dict[str, object] = {}
        self._owners: dict[str, list[str]] = {}
        self._schemas: list[dict[str, Any]] = []
        self._hidden: frozenset[str] = frozenset()
        self._context = contextvars.Context()

    def load(self, task: Task | None = None) -> None:
        """Make a task's objects anew; without one there are none."""
        self.calls_run = 0
        self._objects = {} if task is None else dict(self._stage.objects(task))
        self._schemas = [] if task is None else list(self._stage.schemas(task))
        names = [schema["function"]["name"] for schema in self._schemas]
        self._owners = {
            name: owners
            for name in names
            if (owners := [owner for owner, value in self._objects.items() if callable(getattr(value, name, None))])
        }
        self._hidden = frozenset() if task is None else frozenset(n for turn in task.script for n in turn.reveals)
        self._defaults = {} if self._shared is None else self._shared
        # Methods may set context of their own, as the precision of decimal numbers; it is this world's alone.
        self._context = contextvars.Context()

    def call(self, name: str, arguments: str | Mapping[str, Any], *, requestor: Requestor = "agent") -> ToolResult:
        """Run one method. Never raises for anything that the agent can get wrong."""
        try:
            methods = self.methods(name, requestor)
            values = call_arguments(arguments)
        except ToolError as error:
            return ToolResult(self._stage.refusal(error), ok=False)
        with _one_call:
            try:
                values = self._with_defaults(name, methods[-1], values)
                result = [self._context.run(method, **values) for method in methods][-1]
                self.calls_run += 1
                return ToolResult(kept(self._stage.text(result)), ok=True)
            except Exception as error:  # a method of others raises what it likes
                return ToolResult(kept(self._stage.refusal(error)), ok=False)

    def methods(self, name: str, requestor: Requestor = "agent") -> list[Callable[..., Any]]:
        """The methods behind a tool, in the order in which they run.

        Raises:
            ToolError: there is none of that name, or ``requestor`` is not the agent, who alone has tools here.
        """
        if requestor != "agent":
            raise ToolError(f"unknown tool {name!r}: the {requestor} has no tools here")
        if name not in self._owners:
            known = self.tool_names
            raise ToolError(f"unknown tool {name!r}.{did_you_mean(name, known)} Tools: {', '.join(known)}")
        owners = self._owners[name] if self._stage.everywhere else self._owners[name][-1:]
        return [getattr(self._objects[owner], name) for owner in owners]

    def _with_defaults(self, name: str, method: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
        # def post(self, tags=[]) keeps one list for the whole process: an episode must not find another's tags in it.
        kept = {
            parameter.name: self._defaults.setdefault((name, parameter.name), copy.deepcopy(parameter.default))
            for parameter in inspect.signature(method).parameters.values()
            if isinstance(parameter.default, list | dict | set) and parameter.name not in values
        }
        return {**values, **kept}

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools that the agent has now."""
        return [schema["function"]["name"] for schema in self.schemas()]

    def reveal(self, names: Sequence[str]) -> None:
        """Hand tools over that the agent did not have so far."""
        self._hidden -= frozenset(names)

    def is_terminal(self, name: str) -> bool:
        """No method ends the episode."""
        return False

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the tools that the agent has now."""
        return [schema for schema in self._schemas if schema["function"]["name"] not in self._hidden]

    def snapshot(self) -> State:
        """The state of every object (the values themselves: do not change them)."""
        return {name: self._stage.state(value) for name, value in self._objects.items()}

    def fork(self) -> Self:
        """An independent world in the same state."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        # In one copy, since objects may hold the defaults that they were given.
        twin._objects, twin._defaults = copy.deepcopy((self._objects, self._defaults))
        twin._shared, twin._context = None, self._context.copy()
        return twin

    def close(self) -> None:
        """Let the objects go. May be called again."""
        self.load(None)


def call_arguments(arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, read where they are JSON text; the caller's own to keep and change.

    Raises:
        ToolError: they are no JSON object.
    """
    if not isinstance(arguments, str):
        return copy.deepcopy(dict(arguments))
    try:
        values = read_json(arguments or "{}", longest=LONGEST_ARGUMENTS)
    except MalformedJSON as error:
        raise ToolError(f"the arguments are not valid JSON ({error})") from None
    if not isinstance(values, dict):
        raise ToolError("the arguments must be a JSON object")
    return values
