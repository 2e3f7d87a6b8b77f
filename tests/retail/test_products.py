"""Things of a shop whose catalogue the user does not know."""

from __future__ import annotations

import pytest

from mua_env.envs.retail.language import RetailLanguage

SPEAKER = {"name": "Bluetooth Speaker", "options": {"color": "blue", "water resistance": "no"}}
SLOTS = {"order_id": "#W1234567", "items": [SPEAKER]}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Return from order #W1234567: Water Bottle; refund to PayPal.", True),
        ("Here are the details:\n- Order: #W1234567\n- Item: Garden Hose\n", True),
        ("I will process the return of your garden hose to PayPal", True),
        ("| Item | Garden Hose |", True),
        ("Return from order #W1234567: Bluetooth Speaker; refund to PayPal.", False),
        ("I'll return the speaker to your PayPal account.", False),
        ("I'll return the item to your PayPal account.", False),
        ("Customer: Mei Kim\nRefund: PayPal\nItems: see above", False),
        ("- Details\n- Order Details\n- Refund Method (PayPal)", False),
        ("Return the two items to us", False),
    ],
)
def test_a_thing_of_an_unknown_shop_is_noticed(text: str, wrong: bool) -> None:
    assert ("items" in RetailLanguage().compare("return_items", SLOTS, text).wrong) == wrong
