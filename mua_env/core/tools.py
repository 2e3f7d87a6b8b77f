"""Tools: a typed method becomes an OpenAI function schema, and its arguments are validated by pydantic.

class Shop(Toolkit):
    @tool
    def get_order(self, order_id: str) -> dict[str, Any]:
        \"\"\"Look an order up.\"\"\"

    @tool(writes=True)
    def cancel(self, order_id: str, reason: Literal["late", "mistake"]) -> dict[str, Any]: ...
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, TypeVar, overload

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from sqlalchemy.exc import DataError as UnstorableValue

from mua_env.core.argument_model import ArgumentModel
from mua_env.core.database import Database
from mua_env.core.json_reader import MalformedJSON, UnfitNumber, check_value, read_json
from mua_env.core.limits import LONGEST_ARGUMENTS, LONGEST_LINE
from mua_env.core.outside import clip, shown, well_formed
from mua_env.core.outside import name as clipped_name
from mua_env.errors import ToolError, did_you_mean

Mode = Literal["strict", "compat"]
"""``compat`` behaves as the public benchmark does, faults included; ``strict`` mends them."""

PresentationName = Literal["own", "benchmark"]
"""Whose words tools are shown in: this package's, or a public benchmark's."""

Requestor = Literal["agent", "user", "world"]
"""Whose hands a call is in: each has tools of its own over one database. ``world`` sets scenes up and checks them."""

_F = TypeVar("_F", bound=Callable[..., Any])
_MARK = "__mua_tool__"
_MOST_FAULTS = 10
"""Faults of a call's arguments that its error names."""
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to: ``content`` is what the caller reads, ``ok`` is false for every error (of ``error``)."""

    content: str
    ok: bool
    error: ToolError | None = None


class Presentation(Protocol):
    """How tools are shown to those who call them, where it is not as this package shows them."""

    @property
    def name(self) -> str:
        """How results name it."""

    def tools(self, own: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Function schemas of tools as they are shown."""

    def content(self, name: str, result: ToolResult) -> str:
        """The result of a tool as its caller reads it."""


@dataclass(frozen=True, slots=True)
class _Mark:
    writes: bool
    terminal: bool


@overload
def tool(function: _F, /) -> _F: ...
@overload
def tool(*, writes: bool = False, terminal: bool = False) -> Callable[[_F], _F]: ...
def tool(function: _F | None = None, /, *, writes: bool = False, terminal: bool = False) -> Any:
    """Mark a method of a :class:`Toolkit` as a tool.

    The first paragraph of the docstring is the description; ``Annotated[T, Field(description=...)]`` describes
    an argument.

    Args:
        function: the method, when the decorator is used without arguments.
        writes: it changes the database; it then runs in a savepoint, so that an error changes nothing.
        terminal: a successful call ends the episode (for tools of the agent only).
    """

    def mark(method: _F) -> _F:
        setattr(method, _MARK, _Mark(writes, terminal))
        return method

    return mark if function is None else mark(function)


class ToolSpec:
    """A tool of a toolkit class: its schema, and the model that validates its arguments."""

    def __init__(self, name: str, method: Callable[..., Any], mark: _Mark) -> None:
        self.name = name
        self.writes = mark.writes
        self.terminal = mark.terminal
        self._method = method

    @cached_property
    def description(self) -> str:
        """First paragraph of the method's docstring, on one line."""
        return " ".join((inspect.getdoc(self._method) or "").split("\n\n")[0].split())

    @cached_property
    def _model(self) -> ArgumentModel:
        return ArgumentModel(self.name, self._method)

    @property
    def arguments(self) -> type[BaseModel]:
        """Pydantic model of the arguments: unknown ones are refused, and nothing is coerced between types."""
        return self._model.model

    @property
    def parameters(self) -> Mapping[str, FieldInfo]:
        """The model's fields by the arguments' names."""
        return self._model.fields

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function schema in OpenAI form, with nested schemas in full (a ``$ref`` only where one holds itself)."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self._model.schema()},
        }

    def parse(self, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """Validated arguments by name.

        Raises:
            ToolError: the JSON is malformed or beyond a bound, or a field is missing, unknown or of the wrong type.
        """
        values = read_arguments(self.name, arguments)
        unknown = self._model.unknown(values)
        if len(unknown) > _MOST_FAULTS or (unknown and self._model.open):
            named = "; ".join(f"argument {name[:100]!r} is not known" for name in unknown[:_MOST_FAULTS])
            raise ToolError(f"{self.name}: {named} ({len(unknown)} unknown in all)")
        try:
            return self._model.read(arguments or "{}" if isinstance(arguments, str) else json.dumps(arguments))
        except ValidationError as error:
            raise ToolError(_explain(self.name, error)) from None


def read_arguments(tool: str, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call as they were written, before any validation by a schema.

    Args:
        tool: name of the tool, for errors.
        arguments: JSON text, or a mapping.

    Raises:
        ToolError: it is no JSON object, or holds what no argument may be: a number that is none or too large, a text
            that no file can hold, more depth or length than is taken.
    """
    try:
        if not isinstance(arguments, str):
            check_value(arguments, most=None)
            return dict(arguments)
        values = read_json(arguments or "{}", longest=LONGEST_ARGUMENTS)
    except UnfitNumber as error:
        raise ToolError(f"{tool}: an argument does not fit the database ({error})") from None
    except MalformedJSON as error:
        raise ToolError(f"{tool}: the arguments are not valid JSON ({error})") from None
    if not isinstance(values, dict):
        raise ToolError(f"{tool}: the arguments must be a JSON object")
    return values


class Toolkit:
    """Base of a domain's tools: the methods marked with :func:`tool` work on one environment's database.

    Args:
        db: the environment's database.
        mode: ``"strict"`` (default), or ``"compat"`` to behave as the public benchmark does.
    """

    specs: ClassVar[dict[str, ToolSpec]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        marked = {
            name: (method, mark)
            for name, method in inspect.getmembers(cls, inspect.isfunction)
            if isinstance(mark := getattr(method, _MARK, None), _Mark)
        }
        cls.specs = {name: ToolSpec(name, method, mark) for name, (method, mark) in sorted(marked.items())}

    def __init__(self, db: Database, *, mode: Mode = "strict") -> None:
        self.db = db
        self.mode = mode

    @classmethod
    def schemas(cls) -> list[dict[str, Any]]:
        """Function schemas of all tools, by name (a fresh list over shared dictionaries)."""
        return [spec.schema for spec in cls.specs.values()]

    def call(
        self, name: str, arguments: str | Mapping[str, Any], *, settle: Callable[[], None] | None = None
    ) -> ToolResult:
        """Run one tool.

        Args:
            name: name of the tool.
            arguments: JSON text as the agent wrote it, or a mapping.
            settle: runs after a writing tool, in the same savepoint.

        Returns:
            The result; never raises for anything that the agent can get wrong.
        """
        try:
            return ToolResult(self._run(name, arguments, settle), ok=True)
        except ToolError as error:
            return ToolResult(f"Error: {clip(well_formed(str(error)), LONGEST_LINE)}", ok=False, error=error)

    def parse(self, spec: ToolSpec, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, validated by the tool's schema (default)."""
        return spec.parse(arguments)

    def _run(self, name: str, arguments: str | Mapping[str, Any], settle: Callable[[], None] | None) -> str:
        spec = self.specs.get(name)
        if spec is None:
            name = clipped_name(name)
            hint = f"{did_you_mean(name, self.specs)} Tools: {', '.join(self.specs)}"
            raise ToolError(f"unknown tool {name!r}.{hint}", kind="unknown", name=name)
        values = self.parse(spec, arguments)
        method = getattr(self, name)
        guarded = spec.writes or self.db.spoiled_by_errors
        try:
            with self.db.savepoint() if guarded else nullcontext():
                text = _as_text(name, method(**values))
                if settle is not None and spec.writes:
                    settle()
                return text
        except (UnstorableValue, OverflowError) as error:
            reason = getattr(error, "orig", None) or error
            raise ToolError(f"{name}: an argument does not fit the database ({reason})") from None


def _as_text(name: str, result: object) -> str:
    if isinstance(result, str):
        return well_formed(result)
    try:
        return well_formed(_encode(result))
    except ValueError as error:  # a number that is none
        raise ToolError(f"{name}: the result is no JSON ({error})") from None


def _explain(name: str, error: ValidationError) -> str:
    """The first faults of a call's arguments in one line, each with the field's name."""
    parts = []
    for detail in error.errors(include_url=False)[:_MOST_FAULTS]:
        where = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "json_invalid":
            return f"{name}: the arguments are not valid JSON ({detail['ctx']['error']})"
        if detail["type"] == "missing":
            parts.append(f"argument {where!r} is missing")
        elif detail["type"] == "extra_forbidden":
            parts.append(f"argument {where!r} is not known")
        elif not where:
            parts.append("the arguments must be a JSON object")
        else:
            parts.append(f"argument {where!r}: {detail['msg']}, got {shown(detail['input'])}")
    return f"{name}: {'; '.join(parts)}"
