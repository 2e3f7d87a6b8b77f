"""Faults of the agenda user that its card has found stay mended."""

from __future__ import annotations

import pytest

from mua_env.core.tasks import Goal, Request, Task
from mua_env.domain.contract import load_domain
from mua_env.envs.retail.expert_reading import agrees
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.user import AgendaUser

VISA = {"id": "credit_card_1", "source": "credit_card", "brand": "visa", "last_four": "1234"}
LAMP = {
    "name": "Floor Lamp",
    "item_id": "1",
    "options": {"color": "white", "height": "140 cm"},
    "new_options": {"color": "white", "height": "180 cm"},
    "new_item_id": "2",
}
BOOKING = {
    "flight_type": "one_way",
    "passengers": [{"first_name": "Dalia", "last_name": "Novak", "dob": "1952-05-16"}],
    "payment": [VISA],
}


def language(name: str) -> DialogueLanguage:
    found = load_domain(name).language
    assert isinstance(found, DialogueLanguage)
    return found


@pytest.mark.parametrize(
    ("domain", "intent", "slots", "right", "wrong"),
    [
        (
            "retail",
            "modify_order_payment",
            {"payment_method": VISA},
            "Change the payment to your Visa ending in 1234?",
            "Change the payment to your Mastercard ending in 1234?",
        ),
        (
            "retail",
            "exchange_items",
            {"items": [LAMP]},
            "Exchange Floor Lamp to color white, height 180 cm?",
            "Exchange Floor Lamp to color tan, height 180 cm?",
        ),
        (
            "airline",
            "book_flight",
            BOOKING,
            "Book one way for Dalia Novak, born 1952-05-16, with Visa ending in 1234?",
            "Book one way for Dalia Novak, born 1953-05-16, with Visa ending in 1234?",
        ),
        (
            "airline",
            "book_flight",
            BOOKING,
            "Book a one-way trip for Dalia Novak, paid with Visa ending in 1234?",
            "Book a round trip for Dalia Novak, paid with Visa ending in 1234?",
        ),
        (
            "airline",
            "book_flight",
            BOOKING,
            "Book for Dalia Novak with Visa ending in 1234?",
            "Book for Dalia Novak with Mastercard ending in 1234?",
        ),
        (
            "airline",
            "change_passenger",
            {"passenger": "Anouk Kruger"},
            "Replace passenger Anouk Kruger?",
            "Replace passenger Kenji Hartmann?",
        ),
    ],
)
def test_a_wrong_value_is_noticed(domain, intent, slots, right, wrong):
    compare = language(domain).compare
    assert compare(intent, slots, right).fits
    assert not compare(intent, slots, wrong).fits


def test_a_claim_is_heard_with_its_object_first():
    claim = language("retail").intents["modify_items"].done_pattern
    assert claim.search("The items of order #W8980584 have been modified.")
    assert claim.search("I have modified the items.")
    assert not claim.search("The address has been modified.")


def test_a_reason_in_a_proposal_is_no_claim():
    cancel = Request(intent="cancel_reservation", slots={"reservation_id": "TF3ZSD", "reason": "airline_cancelled"})
    other = Request(intent="compensation", slots={"reservation_id": "SJFPF3", "complaint": "cancelled_flight"})
    domain = load_domain("airline")

    def answer(requests: tuple[Request, ...], text: str):
        task = Task(id="t", domain="airline", goal=Goal(facts={"user_id": "a_b_1"}, requests=requests, persona="plain"))
        user = AgendaUser().start(task, seed=1, context={"domain": domain})
        user.reply(None)
        return user.reply(text)

    proposal = "I will cancel reservation TF3ZSD.\n- reason: a flight was cancelled by the airline\nConfirm (yes/no)?"
    reply = answer((cancel,), proposal)
    assert not reply.stop
    assert "yes" in reply.text.lower()
    compensation = "I will send compensation for SJFPF3.\n- problem: a flight was cancelled\nDo you confirm (yes/no)?"
    reply = answer((other, cancel), compensation)
    assert "yes" in reply.text.lower()


@pytest.mark.parametrize("text", ["I'm looking for connection wireless, noise cancelling yes.", "Dimmer yes, please."])
def test_a_yes_that_is_a_value_confirms_nothing(text):
    assert not agrees(text)


@pytest.mark.parametrize("text", ["Yes.", "Many thanks. Yes, do it.", "Okay yes, go on.", "Well... Yes, that's it."])
def test_a_yes_that_is_one_confirms(text):
    assert agrees(text)
