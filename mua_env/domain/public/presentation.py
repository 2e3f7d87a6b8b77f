"""What an agent reads of a public benchmark: descriptions, schemas and errors of its tools, and the order of keys.

Everything here is read from the user's own copy of the benchmark, as literals; none of it comes with this package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mua_env.core.tools import ToolResult
from mua_env.domain.public.wording import Template
from mua_env.errors import ToolError

_LONGEST = 2000
"""Characters of an error: it may quote a megabyte of an agent that has lost its way."""
Schema = dict[str, Any]
KeyOrders = Mapping[frozenset[str], tuple[str, ...]]
"""The keys of a kind of record -> their order."""


@dataclass(frozen=True)
class BenchmarkPresentation:
    """How a benchmark shows its tools and what they say.

    Attributes:
        schemas: the function schemas by the tool's name, in the benchmark's order.
        signatures: by tool, how Python calls its function where arguments are missing or too many.
        wordings: by tool, the texts of its errors by kind.
        unknown: the text for a tool that is not there; ``None`` for ours.
        orders: the order of the keys of records.
        ours: functions whose errors could not be told apart there and keep this package's words.
    """

    schemas: Mapping[str, Schema]
    signatures: Mapping[str, str] = field(default_factory=dict)
    wordings: Mapping[str, Mapping[str, Template]] = field(default_factory=dict)
    unknown: Template | None = None
    orders: KeyOrders = field(default_factory=dict)
    ours: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How results name it."""
        return f"benchmark (errors of {', '.join(self.ours)} in our words)" if self.ours else "benchmark"

    def tools(self, own: Iterable[Schema]) -> list[Schema]:
        """Schemas of tools as the benchmark shows them, in its order; tools that it does not have as they are."""
        left = {schema["function"]["name"]: schema for schema in own}
        shown = [schema for name, schema in self.schemas.items() if left.pop(name, None) is not None]
        return [*shown, *left.values()]

    def content(self, name: str, result: ToolResult) -> str:
        """A tool's result as the benchmark's agent reads it."""
        if result.error is not None:
            text = self._error(name, result.error)
            return result.content if text is None else text[:_LONGEST]
        if result.ok and result.content.startswith(("{", "[")):
            try:
                return json.dumps(self._ordered(json.loads(result.content)))
            except (ValueError, RecursionError):
                return result.content
        return result.content

    def _error(self, name: str, error: ToolError) -> str | None:
        if error.kind == "unknown":
            return None if self.unknown is None else self.unknown.fill(error.values)
        if error.kind == "python":
            return f"Error: {error.values.get('text', error)}"
        if error.kind in ("missing", "unexpected"):
            signature = self.signatures.get(name)
            return None if signature is None else f"Error: {signature}() {_python_says(error)}"
        template = self.wordings.get(name, {}).get(error.kind)
        text = None if template is None else template.fill(error.values)
        return text if text is None or text.startswith("Error") else f"Error: {text}"

    def _ordered(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._ordered(item) for item in value]
        if not isinstance(value, dict):
            return value
        order = self.orders.get(frozenset(value), tuple(value))
        return {key: self._ordered(value[key]) for key in order}


def _python_says(error: ToolError) -> str:
    if error.kind == "unexpected":
        return f"got an unexpected keyword argument {error.values['name']!r}"
    names: Sequence[str] = error.values["names"]
    quoted = [repr(name) for name in names]
    listed = f"{', '.join(quoted[:-1])}, and {quoted[-1]}" if len(quoted) > 2 else " and ".join(quoted)
    return f"missing {len(quoted)} required positional argument{'s' if len(quoted) > 1 else ''}: {listed}"
