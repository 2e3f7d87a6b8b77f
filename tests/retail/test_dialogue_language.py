"""Retail values in free text: said by users, read in proposals, read by the expert."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from mua_env.envs.retail import domain, expert_reading
from mua_env.envs.retail.language import matching
from mua_env.envs.retail.world_data import make_address
from mua_env.users.agenda.nlg.grammar import unmark
from mua_env.users.agenda.nlg.personas import PERSONAS, Voice

VISA = {"id": "credit_card_1", "source": "credit_card", "brand": "visa", "last_four": "4421"}
AMEX = {"id": "credit_card_2", "source": "credit_card", "brand": "amex", "last_four": "2184"}
CARD = {"id": "gift_card_1", "source": "gift_card", "balance": 54}
METHODS = [VISA, AMEX, CARD, {"id": "paypal_1", "source": "paypal"}]


def spoken(slot: str, source: dict[str, Any], persona: str = "plain", seed: int = 0) -> str:
    text = domain.language.value(slot, source, Voice(Random(seed), PERSONAS[persona]))
    assert text is not None
    return unmark(text)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method["id"]))
def test_what_a_user_says_of_a_payment_method_leads_back_to_it(method: dict[str, Any]) -> None:
    for seed in range(10):
        text = spoken("payment_method", {"payment_method": method}, seed=seed)
        assert matching.find_method(text, METHODS) == [method]
        assert method["id"] not in text


def test_an_address_in_one_line_is_read_back_whole() -> None:
    rng = Random(3)
    for _ in range(200):
        place = make_address(rng)
        text = f"Please use {spoken('address', {'address': place})}. Thank you."
        assert expert_reading.address(text) == place


def test_options_are_read_back_for_every_variant_of_the_catalogue() -> None:
    for product in domain.data()["products"]:
        choices: dict[str, list[str]] = {}
        for variant in product["variants"].values():
            for key, value in variant["options"].items():
                choices.setdefault(key, []).append(value)
        for variant in product["variants"].values():
            item = {"name": product["name"], "options": {}, "new_options": variant["options"]}
            text = spoken("new_options", {"items": [item]})
            assert expert_reading.option_values(text, choices) == variant["options"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the rain jackets and two teapots", ["Rain Jacket", "Teapot"]),
        ("My carry on suitcase broke", ["Carry-On Suitcase"]),
        ("the lamp", []),
        ("a floor lamp, a bike-light", ["Floor Lamp", "Bike Light"]),
    ],
)
def test_product_names_are_found_in_plain_words(text: str, names: list[str]) -> None:
    assert matching.names_in(text, domain.language.products) == names


def test_weak_values_need_the_name_of_their_option() -> None:
    low = matching.normal("Return 2 items, size M, with color blue; the 8 pieces")
    assert matching.has_value(low, "size", "M")
    assert matching.has_value(low, "pieces", "8")
    assert matching.has_value(low, "color", "blue")
    assert not matching.has_value(low, "pieces", "2")
    assert not matching.has_value(low, "dimmer", "no")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Cancel #W1234567 as it is no longer needed?", ()),
        ("Cancel your order?", ()),
        ("Cancel #W7654321 as it is no longer needed?", ("order_id",)),
        ("Cancel #W1234567, ordered by mistake?", ("reason",)),
        ("Cancel #W7654321, ordered by mistake?", ("order_id", "reason")),
    ],
)
def test_proposals_are_compared_slot_by_slot(text: str, wrong: tuple[str, ...]) -> None:
    slots = {"order_id": "#W1234567", "reason": "no longer needed"}
    assert domain.language.compare("cancel_order", slots, text).wrong == wrong


def test_items_that_stay_are_no_extra_items() -> None:
    slots = {"items": [{"name": "Teapot", "options": {"color": "blue"}}]}
    compare = domain.language.compare
    assert compare("return_items", slots, "Return the Teapot. The Toaster remains with you.").fits
    assert not compare("return_items", slots, "Return the Teapot and the Toaster.").fits
    assert not compare("return_items", slots, "Return the Toaster.").fits


@pytest.mark.parametrize(
    ("answer", "text", "good"),
    [
        ("41", "It comes to $41.00.", True),
        ("41", "It comes to $412.", False),
        ("12.5", "That is 12.50 dollars", True),
        ("1250", "That is 1,250 dollars", True),
        ("7", "Order #W7777777, card ending in 7", False),
        ("pending", "The order is Pending.", True),
        ("307 Falcon Terrace", "It goes to **307 Falcon Terrace**, Apt 1", True),
    ],
)
def test_answers_are_found(answer: str, text: str, good: bool) -> None:
    assert domain.language.answered({"answer": answer}, text) is good


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("I want to cnacel an order", "cancel_order"),
        ("I'd like to retrun something from my order.", "return_items"),
        ("change the payment mehtod of an order", "modify_order_payment"),
        ("modify some items in a pending order", "modify_items"),
        ("I want to change the default address in my profile", "modify_user_address"),
        ("know the delivery address of an order", "ask:delivery_address"),
        ("Yes, please.", None),
    ],
)
def test_the_expert_reads_wishes_with_typing_errors(text: str, intent: str | None) -> None:
    assert expert_reading.intent(text) == intent


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ("Yes, that's right. I don't have all day.", True),
        ("Um... yes, please go ahead", True),
        ("No, that is wrong. Yes, really.", False),
        ("Actually, wait. I changed my mind.", False),
        ("Hmm", False),
    ],
)
def test_the_expert_tells_yes_from_no(text: str, agrees: bool) -> None:
    assert expert_reading.agrees(text) is agrees
