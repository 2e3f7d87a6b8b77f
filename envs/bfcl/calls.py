"""Calls in the benchmark's own notation, ``[cd(folder='docs'), ls()]``: read by Python's parser, never evaluated."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Any

from mua_env.core.tasks import Action
from mua_env.errors import DataError

LONGEST = 20_000
"""Characters of a text that are parsed; a longer one is no call."""


def read_calls(text: str, methods: Mapping[str, Callable[..., Any]] | None = None) -> list[Action]:
    """Read one call or a list of calls.

    Args:
        text: ``"f(a=1)"`` or ``"[f(a=1), g()]"``. Arguments are literals.
        methods: gives positional arguments their names, by the signature of the method.

    Raises:
        DataError: it is no call; the text says what stands there instead.
    """
    if len(text) > LONGEST:
        raise DataError(f"{len(text)} characters are no call; at most {LONGEST} are read")
    try:
        body = ast.parse(text.strip(), mode="eval").body
        nodes = body.elts if isinstance(body, ast.List | ast.Tuple) else [body]
        return [_call(node, methods or {}) for node in nodes]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        # The parser raises MemoryError and RecursionError for deep nesting.
        raise DataError(f"{text[:80]!r} is no list of calls with literal arguments ({error})") from None


def write_calls(calls: Iterable[Action]) -> str:
    """Calls in that notation."""
    said = (
        f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})" for call in calls
    )
    return f"[{', '.join(said)}]"


def _call(node: ast.expr, methods: Mapping[str, Callable[..., Any]]) -> Action:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError(f"{ast.unparse(node)[:60]} is no call of a function by name")
    name = node.func.id
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg is not None}
    if len(named) < len(node.keywords):
        raise ValueError("**arguments are not read")
    if not node.args:
        return Action(name=name, arguments=named)
    if name not in methods:
        raise ValueError(f"the positional arguments of {name} have no names here")
    bound = signature(methods[name]).bind(*map(ast.literal_eval, node.args), **named)
    return Action(name=name, arguments=dict(bound.arguments))
