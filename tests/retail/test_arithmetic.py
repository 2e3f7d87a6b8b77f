"""``calculate``: arithmetic only, bounded."""

from __future__ import annotations

import time

import pytest

from mua_env.domain.arithmetic import MAX_DEPTH, MAX_LENGTH, calculate
from mua_env.errors import ToolError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", "2.0"),
        ("2 * (19.5 + 4)", "47.0"),
        ("622.12 + 473.43", "1095.55"),
        ("135.24 - 153.23", "-17.99"),
        ("10 / 4", "2.5"),
        ("10 // 4", "2.0"),
        ("10 % 4", "2.0"),
        ("-(3) + +4", "1.0"),
        ("2 ** 10", "1024.0"),
        ("2 ** -1", "0.5"),
        ("0 ** 0", "1.0"),
        ("4 ** 0.5", "2.0"),
        ("1 / 3", "0.33"),
        (" 7 ", "7.0"),
        ("+".join(["1"] * 100), "100.0"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 +",
        "1 / 0",
        "1 % 0",
        "1 // 0",
        "0 ** -1",
        "(0 - 1) ** 0.5",
        "__import__('os')",
        "abs(1)",
        "1e9",
        "1,000 + 1",
        "(1)(2)",
        "1 if 1 else 2",
        "()",
        "1, 2",
        "007 + 1",
        "9**9**9",
        "10 ** 15 + 1",
        "9" * 400,
        "(0 - 10) ** 99",
        "(" * 240 + "1" + ")" * 240,
        "-" * (MAX_DEPTH + 5) + "1",
        "1" + "+1" * MAX_LENGTH,
        "((9**9) ** (9**9)) ** 0.0000001",
        "2 ** -(10 ** 14)" + " * 9**99",
    ],
)
def test_refusals_are_quick_and_clear(expression: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ToolError) as caught:
        calculate(expression)
    assert time.perf_counter() - start < 0.1
    assert 5 < len(str(caught.value)) < 200


def test_a_tiny_power_is_zero() -> None:
    assert calculate("2 ** -(10 ** 14)") == "0.0"
