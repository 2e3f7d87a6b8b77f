"""Arithmetic for the ``calculate`` tools: a walk over the syntax tree, bounded in length, depth and magnitude.

Nothing is ever evaluated as code: only numbers, ``+ - * / // % **``, signs and parentheses have a meaning.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Final

from mua_env.errors import ToolError

MAX_LENGTH: Final = 500
"""Characters of an expression."""
MAX_DEPTH: Final = 150
"""Nesting of operations; a sum of a hundred terms is a hundred deep."""
MAX_MAGNITUDE: Final = 1e15
"""Largest absolute value, of operands and of every intermediate result."""

_ALLOWED: Final = frozenset("0123456789+-*/%(). ")
_Number = int | float
_BINARY: Final[dict[type[ast.operator], Callable[[_Number, _Number], _Number]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def calculate(expression: str) -> str:
    """The value of an arithmetic expression, rounded to two decimals, as text (``"2 * 3"`` gives ``"6.0"``).

    Args:
        expression: digits, ``+ - * / // % **``, parentheses, points and spaces.

    Raises:
        ToolError: another character, a syntax error, a division by zero, or a bound is passed.
    """
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"the expression has {len(expression)} characters, at most {MAX_LENGTH} are allowed")
    strange = sorted(set(expression) - _ALLOWED)
    if strange:
        raise ToolError(f"the expression may hold only digits and + - * / % ( ) . and spaces, not {strange[0]!r}")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, RecursionError, MemoryError):
        raise ToolError(f"not an arithmetic expression: {expression[:80]!r}") from None
    return str(round(float(_value(tree.body, 0)), 2))


def _value(node: ast.expr, depth: int) -> _Number:
    if depth > MAX_DEPTH:
        raise ToolError(f"the expression is nested more than {MAX_DEPTH} deep")
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return _bounded(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand, depth + 1)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _binary(node.op, _value(node.left, depth + 1), _value(node.right, depth + 1))
    raise ToolError("the expression may hold only numbers, + - * / % and parentheses")


def _binary(kind: ast.operator, left: _Number, right: _Number) -> _Number:
    if isinstance(kind, ast.Pow):
        return _power(left, right)
    operation = _BINARY.get(type(kind))
    if operation is None:
        raise ToolError(f"the operation {type(kind).__name__} is not supported")
    try:
        return _bounded(operation(left, right))
    except ZeroDivisionError:
        raise ToolError("division by zero") from None


def _power(base: _Number, exponent: _Number) -> _Number:
    """``base ** exponent``, with the size judged from logarithms before anything large is computed."""
    if base == 0 and exponent < 0:
        raise ToolError("division by zero")
    if base < 0 and exponent != int(exponent):
        raise ToolError("a negative number has no real power that is not whole")
    if base != 0 and exponent * math.log10(abs(base)) > math.log10(MAX_MAGNITUDE):
        raise ToolError(f"a result is larger than {MAX_MAGNITUDE:.0e}")
    # As floats: a whole base with a huge negative exponent would otherwise be exact and slow.
    return _bounded(float(base) ** float(exponent))


def _bounded(value: _Number) -> _Number:
    if not abs(value) <= MAX_MAGNITUDE:
        raise ToolError(f"a number is larger than {MAX_MAGNITUDE:.0e}")
    return value
