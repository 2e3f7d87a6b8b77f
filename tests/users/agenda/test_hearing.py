"""The user understands by values and form: whatever is proposed, claimed, offered or asked for, part by part."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mua_env import AgendaUser, Goal, Task, load_domain
from mua_env.core.tasks import Request
from mua_env.users.agenda.user import AgendaSession

FACTS = {
    "retail": {"email": "ada.lind@example.com", "first_name": "Ada", "last_name": "Lind", "zip": "80201"},
    "airline": {"user_id": "ada_lind_1234"},
}
CANCEL = Request(intent="cancel_order", slots={"order_id": "#W1234567", "reason": "no longer needed"})
RETURN = Request(
    intent="return_items",
    slots={
        "order_id": "#W7654321",
        "items": [{"name": "Desk Lamp", "options": {"color": "black"}, "item_id": "1"}],
        "payment_method": {"id": "gift_card_1", "source": "gift_card"},
    },
)
TRIPS = tuple(
    Request(intent="cancel_reservation", slots={"reservation_id": code, "reason": "change_of_plans"})
    for code in ("KQ7ZP2", "M4TR9D")
)


def start(domain: str, *requests: Request, seed: int = 0) -> AgendaSession:
    goal = Goal(facts=FACTS[domain], requests=requests, persona="plain")
    task = Task(id=f"heard-{seed}", domain=domain, goal=goal)
    session = AgendaUser().start(task, seed=seed, context={"domain": load_domain(domain)})
    session.reply(None)
    return session


def told(domain: str, requests: Iterable[Request], *texts: str) -> str:
    session = start(domain, *requests)
    return [session.reply(text).text for text in texts][-1]


@pytest.mark.parametrize(
    "text",
    [
        "Please send me:\n1. **Email**: the one on your account\n2. **Order number**: it begins with #W\n3. **Reason**",
        "I need a few things:\n\n- your email\n- the order number\n- why you want to cancel\n\nThen I'll list the "
        "details and ask for your confirmation.",
        "| What | How |\n| --- | --- |\n| x | y |\n\nCould you give me your email, the order number and the reason?",
    ],
)
def test_every_line_of_a_form_is_filled_and_nothing_is_confirmed(text: str) -> None:
    said = told("retail", [CANCEL], text)
    assert "ada.lind@example.com" in said
    assert "#W1234567" in said
    assert "no longer needed" in said
    assert "yes" not in said.lower()


@pytest.mark.parametrize(
    "text",
    [
        "Shall I cancel order #W1234567 (no longer needed) and return the Desk Lamp of #W7654321 to your gift card?",
        "Here is my plan:\n\n1. Cancel order #W1234567, reason: no longer needed\n2. Return the Desk Lamp from order "
        "#W7654321, refund to your gift card\n\nDo you confirm both?",
    ],
)
def test_a_bundle_that_fits_is_agreed_to_and_its_claim_closes_all(text: str) -> None:
    session = start("retail", CANCEL, RETURN)
    assert "yes" in session.reply(text).text.lower()
    done = (
        "Done: order #W1234567 has been cancelled, and the return of the Desk Lamp from order #W7654321 is requested."
    )
    assert session.reply(f"{done} Anything else?").stop


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Here is my plan:\n\n1. Cancel order #W9999999, reason: no longer needed\n2. Return the Desk Lamp from order "
         "#W7654321 to your gift card\n\nDo you confirm both?", "#W1234567"),
        ("Shall I cancel order #W1234567 and order #W8888888? (yes/no)", "#W8888888"),
        ("I'd cancel order #W1234567, reason: ordered by mistake. Do you agree?", "no longer needed"),
        ("You want the Desk Lamp from order #W7654321 returned, with the refund to your PayPal account. Correct?",
         "gift card"),
    ],
)  # fmt: skip
def test_one_wrong_part_of_a_proposal_is_named(text: str, right: str) -> None:
    said = told("retail", [CANCEL, RETURN], text)
    assert right in said
    assert not said.lower().startswith("yes")


def test_a_misread_code_among_several_is_put_right() -> None:
    said = told("airline", TRIPS, "I would cancel KQ7ZP2 and M4TK9D, both because of a change of plans. Yes or no?")
    assert "M4TR9D" in said


@pytest.mark.parametrize(
    "text",
    [
        "Both reservations, KQ7ZP2 and M4TR9D, have been cancelled. Anything else?",
        "Your two trips are cancelled now (KQ7ZP2 as well as M4TR9D). Is there anything else you need?",
    ],
)
def test_a_claim_closes_every_request_that_it_states(text: str) -> None:
    assert start("airline", *TRIPS).reply(text).stop


@pytest.mark.parametrize(
    "text",
    [
        "I can refund it to:\n\nA) the gift card, or\nB) the Visa ending in 9999.\n\nPlease answer A or B.",
        "Would you like the refund to your gift card or to the Visa ending in 9999?",
    ],
)
def test_of_options_the_goal_chooses(text: str) -> None:
    said = told("retail", [RETURN], text)
    assert "gift card" in said
    assert "Visa" not in said


def test_asked_whether_to_do_one_thing_or_another_the_user_says_what_it_wants() -> None:
    said = told("retail", [RETURN], "Do you want to send the Desk Lamp back, or would you rather have it exchanged?")
    assert "return" in said


NOTES = (
    "Please note that I can't recommend hotels or restaurants, because of our policy.",
    "Just so you know, we are not able to send anything to PO boxes due to our rules.",
    "I'm sorry, I'm not allowed to share other customers' data, as that is against our privacy policy.",
)


@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize("outcome", ["done", "refused"])
def test_a_note_on_something_else_settles_nothing(note: str, outcome: str) -> None:
    session = start("retail", CANCEL.model_copy(update={"outcome": outcome}))
    reply = session.reply(note)
    assert not reply.stop
    assert not reply.events


@pytest.mark.parametrize(
    "reason",
    [
        "because bananas are yellow",
        "because of our policy",
        "since it is already pending, processed or delivered, or the reason, the balance or the policy is in the way",
    ],
)
def test_a_refusal_without_the_reason_of_a_rule_is_questioned_disputed_and_never_accepted(reason: str) -> None:
    session = start("retail", CANCEL.model_copy(update={"outcome": "refused"}))
    for _ in range(8):
        reply = session.reply(f"I'm sorry, but I can't cancel order #W1234567, {reason}.")
        assert not reply.events
        if reply.stop:
            break
    assert reply.stop


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't cancel order #W1234567, because it has already been delivered.",
        "Unfortunately that is not possible: only pending orders can be cancelled.",
        "An order can only be cancelled if it's no longer needed or was ordered by mistake, so I'm unable to do this.",
    ],
)
def test_a_refusal_with_the_reason_of_a_rule_is_accepted(text: str) -> None:
    session = start("retail", CANCEL.model_copy(update={"outcome": "refused"}))
    assert session.reply(text).events == ("refusal:cancel_order",)


def test_who_the_user_is_comes_before_any_yes() -> None:
    said = told("retail", [CANCEL], "Happy to cancel it. May I have your email? I'll then ask you to confirm. Okay?")
    assert "ada.lind@example.com" in said
    assert "yes" not in said.lower()
