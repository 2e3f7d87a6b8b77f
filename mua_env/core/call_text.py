"""Calls as Python writes them, ``[cd(folder='docs'), ls()]``: read by Python's parser, never evaluated.

It is the notation of BFCL's and ACEBench's gold calls, and of models that are asked for calls in text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from mua_env.core.tasks import Action
from mua_env.errors import DataError

LONGEST = 20_000
"""Characters of a text that are parsed; a longer one is no call."""


def read_calls(text: str, parameters: Mapping[str, Sequence[str]] | None = None) -> list[Action]:
    """Read one call or a list of calls.

    Args:
        text: ``"f(a=1)"`` or ``"[f(a=1), g()]"``. Arguments are literals.
        parameters: names of a tool's parameters in order, which positional arguments take.

    Raises:
        DataError: it is no call; the text says what stands there instead.
    """
    if len(text) > LONGEST:
        raise DataError(f"{len(text)} characters are no call; at most {LONGEST} are read")
    try:
        body = ast.parse(text.strip(), mode="eval").body
        nodes = body.elts if isinstance(body, ast.List | ast.Tuple) else [body]
        return [_call(node, parameters or {}) for node in nodes]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        # The parser raises MemoryError and RecursionError for deep nesting.
        raise DataError(f"{text[:80]!r} is no list of calls with literal arguments ({error})") from None


def write_calls(calls: Iterable[Action]) -> str:
    """Calls in that notation."""
    said = (
        f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})" for call in calls
    )
    return f"[{', '.join(said)}]"


def _call(node: ast.expr, parameters: Mapping[str, Sequence[str]]) -> Action:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError(f"{ast.unparse(node)[:60]} is no call of a function by name")
    name = node.func.id
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg is not None}
    if len(named) < len(node.keywords):
        raise ValueError("**arguments are not read")
    if not node.args:
        return Action(name=name, arguments=named)
    if name not in parameters:
        raise ValueError(f"the positional arguments of {name} have no names here")
    names = parameters[name][: len(node.args)]
    if len(names) < len(node.args) or named.keys() & set(names):
        raise ValueError(f"{name} has no place for {len(node.args)} positional arguments")
    return Action(name=name, arguments={**dict(zip(names, map(ast.literal_eval, node.args), strict=True)), **named})
