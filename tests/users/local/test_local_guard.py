"""What a local user may not say."""

from __future__ import annotations

import pytest

from mua_env.users.local.guard import unheld_value, wrong_agreement

BRIEFING = (
    "You are Odette Winther; your zip code is 64165. You would like to cancel order #W4075833. You also want to "
    "exchange the Trail Shoes (color orange, size 10) for size 11; use your Visa card ending in 6474."
)
HEARD = "Which size? We have 10, 11 and 12. The total is $317.68."


@pytest.mark.parametrize(
    "line",
    [
        "Odette Winther, zip 64165.",
        "Order #W4075833, ordered by mistake.",
        "Order W4075833.",
        "I'd like size 11, my Visa ending in 6474. Thanks! Great, I'm happy.",
        "Not 12. The one for $317.68? No.",
        "Yes.",
        "Wait, I changed my mind. My Visa ending in 6474. The Trail Shoes.",
        "the trail shoes",
        "",
    ],
)
def test_what_the_user_holds_may_be_said(line: str) -> None:
    assert unheld_value(line, [BRIEFING, HEARD]) is None


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Odette Winter, zip 64165.", "Winter"),
        ("Anna Winther, zip 64165.", "Anna"),
        ("Odette Winther, zip 64166.", "64166"),
        ("Order #W4075834", "W4075834"),
        ("size 9, please", "9"),
        ("color teal, my Mastercard ending in 6474.", "Mastercard"),
    ],
)
def test_names_and_numbers_from_nowhere_are_found(line: str, value: str) -> None:
    assert unheld_value(line, [BRIEFING, HEARD]) == value


@pytest.mark.parametrize(
    ("line", "heard", "code"),
    [
        ("Yes.", "Cancel order #W4075832. Confirm (yes/no)?", "#W4075832"),
        ("Sure, go ahead", "Shall I proceed with #W1111111?", "#W1111111"),
        ("Yes.", "Cancel order #W4075833. Confirm (yes/no)?", None),
        ("No. Order #W4075833", "Cancel order #W4075832. Confirm (yes/no)?", None),
        ("Yes.", "Your return label is RT12345. Confirm (yes/no)?", None),
        ("Yes.", "Order #W4075832 was shipped yesterday.", None),
    ],
)
def test_agreement_to_another_order(line: str, heard: str, code: str | None) -> None:
    assert wrong_agreement(line, heard, BRIEFING) == code


def test_a_user_without_an_order_number_may_agree_to_any() -> None:
    assert wrong_agreement("Yes.", "Cancel order #W4075832. Confirm (yes/no)?", "You are Ana.") is None
