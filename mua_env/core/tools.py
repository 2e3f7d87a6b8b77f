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
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from sqlalchemy.exc import DataError as UnstorableValue

from mua_env.core.database import Database
from mua_env.errors import DomainError, ToolError, did_you_mean

Mode = Literal["strict", "compat"]
"""``compat`` behaves as the public benchmark does, faults included; ``strict`` mends them."""

Requestor = Literal["agent", "user", "world"]
"""Whose hands a call is in: each has tools of its own over one database. ``world`` sets scenes up and checks them."""

_F = TypeVar("_F", bound=Callable[..., Any])
_MARK = "__mua_tool__"
_LONGEST_ERROR = 2000
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to: ``content`` is what the caller reads, ``ok`` is false for every error."""

    content: str
    ok: bool


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
    def arguments(self) -> type[BaseModel]:
        """Pydantic model of the arguments: unknown ones are refused, and nothing is coerced between types."""
        hints = get_type_hints(self._method, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in list(inspect.signature(self._method).parameters.values())[1:]:
            if parameter.name not in hints:
                raise DomainError(f"tool {self.name!r}: argument {parameter.name!r} has no type annotation")
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[parameter.name] = (hints[parameter.name], default)
        return create_model(self.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function schema in OpenAI form, with nested schemas in full (no ``$ref``)."""
        parameters = _inline(self.arguments.model_json_schema())
        parameters.pop("title", None)
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": parameters},
        }

    def parse(self, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """Validated arguments by name.

        Raises:
            ToolError: the JSON is malformed, or a field is missing, unknown or of the wrong type.
        """
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        try:
            model = self.arguments.model_validate_json(text or "{}")
        except ValidationError as error:
            raise ToolError(_explain(self.name, error)) from None
        return {name: getattr(model, name) for name in self.arguments.model_fields}


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
            return ToolResult(f"Error: {_clip(str(error))}", ok=False)

    def parse(self, spec: ToolSpec, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, validated by the tool's schema (default)."""
        return spec.parse(arguments)

    def _run(self, name: str, arguments: str | Mapping[str, Any], settle: Callable[[], None] | None) -> str:
        spec = self.specs.get(name)
        if spec is None:
            raise ToolError(f"unknown tool {name!r}.{did_you_mean(name, self.specs)} Tools: {', '.join(self.specs)}")
        values = self.parse(spec, arguments)
        method = getattr(self, name)
        guarded = spec.writes or self.db.spoiled_by_errors
        try:
            with self.db.savepoint() if guarded else nullcontext():
                text = _as_text(method(**values))
                if settle is not None and spec.writes:
                    settle()
                return text
        except (UnstorableValue, OverflowError) as error:
            reason = getattr(error, "orig", None) or error
            raise ToolError(f"{name}: an argument does not fit the database ({reason})") from None


def _clip(text: str) -> str:
    # An error quotes what it was given, which may be a megabyte of an agent that has lost its way.
    return text if len(text) <= _LONGEST_ERROR else f"{text[:_LONGEST_ERROR]}... ({len(text)} characters)"


def _as_text(result: object) -> str:
    return result if isinstance(result, str) else _encode(result)


def _explain(name: str, error: ValidationError) -> str:
    """All faults of a call's arguments in one line, each with the field's name."""
    parts = []
    for detail in error.errors(include_url=False):
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
            parts.append(f"argument {where!r}: {detail['msg']}, got {_short(detail['input'])}")
    return f"{name}: {'; '.join(parts)}"


def _short(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def _inline(schema: dict[str, Any]) -> dict[str, Any]:
    """Resolve ``$ref`` against ``$defs``, so that the schema stands whole where it is used."""
    definitions = schema.pop("$defs", {})

    def resolve(node: Any) -> Any:
        if isinstance(node, list):
            return [resolve(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rsplit("/", 1)[-1]]
            return resolve({**target, **{key: value for key, value in node.items() if key != "$ref"}})
        return {key: resolve(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))}

    resolved = resolve(schema)
    assert isinstance(resolved, dict)
    return resolved
