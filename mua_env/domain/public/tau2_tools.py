"""What the toolkits for tau2-bench's tasks share: loose arguments in ``compat`` mode, and merging of initial data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import Field
from sqlalchemy.orm import DeclarativeBase

from mua_env.core.tools import Toolkit, ToolResult, ToolSpec, tool
from mua_env.errors import ToolError

_PYTHON_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Tau2Toolkit(Toolkit):
    """Tools that in ``compat`` mode take what tau2's take.

    tau2 checks the names of a call's arguments, never their types: its tools fail where a value does not fit, and
    the failure is an error of the call. ``strict`` mode validates arguments by their schema, as everywhere else.

    Attributes:
        left_out: tools of the parent class that tau2 does not have.
        untyped: by tool, the arguments of which tau2 takes any value.
    """

    left_out: ClassVar[frozenset[str]] = frozenset()
    untyped: ClassVar[Mapping[str, frozenset[str]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in cls.left_out:
            cls.specs.pop(name, None)

    def parse(self, spec: ToolSpec, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name; in ``compat`` mode as they are, texts and choices apart.

        Raises:
            ToolError: one is missing or unknown, or does not fit.
        """
        if self.mode == "strict":
            return super().parse(spec, arguments)
        values = _object(spec.name, arguments)
        fields = spec.arguments.model_fields
        if unknown := sorted(values.keys() - fields.keys()):
            raise ToolError(f"{spec.name}: argument {unknown[0]!r} is not known")
        if missing := [name for name, field in fields.items() if field.is_required() and name not in values]:
            raise ToolError(f"{spec.name}: argument {missing[0]!r} is missing")
        untyped = self.untyped.get(spec.name, frozenset())
        for name, value in values.items():
            if name not in untyped and not _fits(value, fields[name].annotation):
                raise ToolError(f"{spec.name}: argument {name!r} is {value!r}, which does not fit")
        return values

    def call(
        self, name: str, arguments: str | Mapping[str, Any], *, settle: Callable[[], None] | None = None
    ) -> ToolResult:
        """Run one tool; in ``compat`` mode a Python error of a value that does not fit is an error of the call."""
        if self.mode == "strict":
            return super().call(name, arguments, settle=settle)
        try:
            return super().call(name, arguments, settle=settle)
        except _PYTHON_ERRORS as error:
            return ToolResult(f"Error: {name}: an argument does not fit ({type(error).__name__}: {error})", ok=False)


def _object(name: str, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(arguments, str):
        return dict(arguments)
    try:
        values = json.loads(arguments or "{}")
    except json.JSONDecodeError as error:
        raise ToolError(f"{name}: the arguments are not valid JSON ({error})") from None
    if not isinstance(values, dict):
        raise ToolError(f"{name}: the arguments must be a JSON object")
    if "\\u" in arguments and any(0xD800 <= ord(char) < 0xE000 for char in json.dumps(values, ensure_ascii=False)):
        # Half of a character: neither a database nor a message can hold it.
        raise ToolError(f"{name}: the arguments hold a lone surrogate, which is no text")
    return values


def _fits(value: Any, annotation: Any) -> bool:
    if get_origin(annotation) is Literal:
        return isinstance(value, str) and value in get_args(annotation)
    if annotation is str:
        return isinstance(value, str)
    return True


class MergeStage(Toolkit):
    """Merges a task's initial data into the tables, as tau2 does before anything else (``initialization_data``).

    Attributes:
        tables: model of each table, by its name in the data.
    """

    tables: ClassVar[Mapping[str, type[DeclarativeBase]]] = {}

    @tool(writes=True)
    def merge_data(
        self, agent_data: Annotated[dict[str, Any], Field(description="Parts of records, by table and key.")]
    ) -> str:
        """Merge parts of records into the tables: objects key by key, everything else as a whole."""
        for table, records in agent_data.items():
            model = self.tables.get(table)
            if model is None:
                raise ToolError(f"there is no table {table!r}; there are {', '.join(self.tables)}")
            for key, part in records.items():
                old = self.db.get(model, key)
                if old is None:
                    self.db.insert(model, part)
                else:
                    self.db.update(model, key, **{name: merged(old.get(name), value) for name, value in part.items()})
        return "merged"


def merged(old: Any, new: Any) -> Any:
    """``new`` over ``old``: objects key by key, everything else replaced."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}
