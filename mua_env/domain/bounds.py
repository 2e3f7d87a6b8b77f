"""Bounds on the numbers that tools take: what no order, bag or bill can be is refused, and nothing is written."""

from __future__ import annotations

from mua_env.errors import ToolError


def check_within(what: str, value: float, low: float, high: float) -> None:
    """See that a number lies within bounds, which belong to it.

    Args:
        what: the number, for the error.
        value: the number.
        low: the least.
        high: the most.

    Raises:
        ToolError: it does not.
    """
    if not low <= value <= high:
        shown = repr(value) if isinstance(value, float) else f"{value:,}"
        raise ToolError(f"{what} must lie between {low:,} and {high:,}, got {shown}", kind="bounds")
