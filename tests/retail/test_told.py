"""Answers count only where they are stated."""

from __future__ import annotations

import pytest

from mua_env.scoring.checks import told


@pytest.mark.parametrize(
    ("value", "text", "holds"),
    [
        ("4", "There are 4 options.", True),
        ("4", "4", True),
        ("4", "You can choose among 4, all in stock.", True),
        ("4", "Order #W4444444 is on its way.", False),
        ("4", "It costs 3.4 or 4.5 dollars.", False),
        ("4", "The Stock Pot (4l) in 14 colors, zip 44444.", False),
        ("12.5", "The total is $12.50.", True),
        ("1117.2", "You paid $1,117.20 in total.", True),
        ("1117.2", "You paid $1,117.25 in total.", False),
        ("357962501027", "Tracking number: 357962501027.", True),
        ("delivered", "It was Delivered yesterday.", True),
        ("12 Oak Road", "It goes to 12 oak road, Reno.", True),
        ("12 Oak Road", "It goes to 21 Oak Road.", False),
        ("12 Oak Road", "It goes to 112 Oak Road.", False),
        ("pending", "It cannot be cancelled, as it is not pending.", False),
        ("pending", "It isn't pending.", False),
        ("pending", "It isn't delivered, it is pending.", True),
        ("delivered", "It is undelivered.", False),
        ("12", " ".join(map(str, range(100))), False),
        ("12", ", ".join(map(str, range(25))), True),
    ],
)
def test_told(value: str, text: str, holds: bool) -> None:
    assert told(value, ["Hello!", text]) is holds
