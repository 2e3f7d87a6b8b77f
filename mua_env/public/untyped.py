"""Tools that take arguments of any type, as tau2 does in ``compat`` mode: it hands a call on without validating it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from mua_env.errors import ToolError
from mua_env.tools import Toolkit, ToolSpec


class UntypedToolkit(Toolkit):
    """Base that comes before a domain's toolkit: in ``compat`` mode only the names of arguments are checked.

    What goes wrong in the tool because of a value's type is an error of the call, and changes nothing.
    """

    def parse(self, spec: ToolSpec, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name, of whatever type they come (``compat``), or validated (``strict``)."""
        if self.mode == "strict":
            return spec.parse(arguments)
        try:
            values = json.loads(arguments or "{}") if isinstance(arguments, str) else dict(arguments)
        except json.JSONDecodeError as error:
            raise ToolError(f"{spec.name}: the arguments are not valid JSON ({error.msg})") from None
        if not isinstance(values, dict):
            raise ToolError(f"{spec.name}: the arguments must be a JSON object")
        try:
            inspect.signature(getattr(self, spec.name)).bind(**values)
        except TypeError as error:
            raise ToolError(f"{spec.name}: {error}") from None
        return values

    def _run(self, name: str, arguments: str | Mapping[str, Any], settle: Callable[[], None] | None) -> str:
        try:
            return super()._run(name, arguments, settle)
        except (TypeError, AttributeError, ValueError, LookupError) as error:
            if self.mode == "strict":
                raise
            raise ToolError(f"{name}: an argument is of the wrong type ({error})") from error
