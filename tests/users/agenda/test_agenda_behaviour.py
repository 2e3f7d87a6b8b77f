from __future__ import annotations

import pytest

from mua_env.core.tasks import Goal, Request, Task
from mua_env.envs.retail import domain
from mua_env.errors import ConfigError, TaskError
from mua_env.users.agenda.nlg.personas import PERSONAS
from mua_env.users.agenda.user import AgendaUser

from .people import FACTS, LAMP, PAYPAL, cancel, exchange, fresh, give_back, mind, redirect, user

PROPOSAL = "I will cancel order #W1234567, reason: no longer needed. Do you confirm (yes/no)?"
DONE = "Order #W1234567 has been cancelled. Is there anything else I can help you with?"
VALUES = [*FACTS.values(), "#W1234567", "no longer needed"]


@pytest.mark.parametrize("persona", sorted(PERSONAS))
def test_the_opening_states_the_first_wish_and_no_values(persona: str) -> None:
    for seed in range(40):
        text = fresh(cancel(), redirect(), persona=persona, seed=seed).reply(None).text
        assert "cancel" in text
        assert not [value for value in [*VALUES, "address"] if value in text]


def test_gives_what_is_asked_for_and_only_that() -> None:
    session = user(cancel())
    text = session.reply("What is your email?").text
    assert FACTS["email"] in text
    assert not any(value in text for value in VALUES if value != FACTS["email"])
    text = session.reply("Thanks. What is the order number?").text
    assert "#W1234567" in text
    assert "no longer needed" not in text
    text = session.reply("And what is the reason for the cancellation?").text
    assert "no longer needed" in text


def test_answers_several_questions_in_one_turn() -> None:
    text = user(cancel()).reply("Please tell me:\n1. your order number\n2. the reason for cancelling").text
    assert "#W1234567" in text
    assert "no longer needed" in text


def test_offered_alternatives_it_gives_one() -> None:
    seen = set()
    for seed in range(20):
        text = user(cancel(), seed=seed).reply("Please give me your email, or your full name and zip code.").text
        by_email, by_name = FACTS["email"] in text, "Clara Greco" in text and "21276" in text
        assert by_email != by_name
        seen.add(by_email)
    assert seen == {True, False}


def test_does_not_know_what_it_does_not_have() -> None:
    facts = {name: value for name, value in FACTS.items() if name != "email"}
    text = user(cancel(), facts=facts).reply("What is your email address?").text
    assert "@" not in text
    assert "email" in text
    text = user(cancel()).reply("What is your user id?").text
    assert "user id" in text
    text = user(cancel(), facts=facts).reply("Your email, or name and zip code, please?").text
    assert "Clara Greco" in text


def test_an_unknown_order_is_named_by_what_is_in_it() -> None:
    request = give_back(slots={"order_hint": ["Teapot", "Pillow"]}, unknown=("order_id",))
    for seed in range(10):
        text = user(request, seed=seed).reply("What is the order number?").text
        assert "#W7654321" not in text
        assert "Teapot" in text
        assert "Pillow" in text


def test_speaks_of_payment_methods_and_items_without_ids() -> None:
    session = user(exchange())
    text = session.reply("Which items, and which payment method?").text
    assert "Teapot" in text
    assert "Floor Lamp" in text
    assert "4421" in text
    assert not any(value in text for value in ("credit_card_1", "1000000001", "1000000003"))


def test_asked_about_one_item_it_speaks_of_that_one() -> None:
    session = user(exchange())
    session.reply("Which items?")
    text = session.reply("Which new options would you like for the Floor Lamp?").text
    assert "160 cm" in text
    assert "0.9 l" not in text


def test_confirms_a_fitting_proposal_and_waits_for_the_act() -> None:
    session = user(cancel())
    reply = session.reply(PROPOSAL)
    assert "yes" in reply.text.lower()
    assert not reply.stop
    assert not session.reply("One moment please, let me process that.").stop
    reply = session.reply(DONE)
    assert reply.stop


@pytest.mark.parametrize(
    ("proposal", "right"),
    [
        ("Cancel order #W7777777, reason: no longer needed (yes/no)?", "#W1234567"),
        ("Cancel order #W1234567, reason: ordered by mistake (yes/no)?", "no longer needed"),
    ],
)
def test_corrects_a_wrong_proposal_naming_what_is_wrong(proposal: str, right: str) -> None:
    for persona in sorted(PERSONAS):
        text = user(cancel(), persona=persona).reply(proposal).text
        assert right in text
        assert "yes" not in text.lower()


def test_corrects_items_options_payment_and_address() -> None:
    session = user(exchange())
    text = session.reply(
        "I will exchange in order #W7654321: Teapot to volume 0.6 l, color white; Floor Lamp to height 160 cm, dimmer "
        "yes; payment: Visa ending in 4421. Is this correct (yes/no)?"
    ).text
    assert "0.9 l" in text
    text = session.reply("Exchange in order #W7654321 the Teapot only, difference to PayPal. Confirm (yes/no)?").text
    assert "Floor Lamp" in text
    assert "4421" in text
    text = user(redirect()).reply("Ship #W2222222 to 9 Oak Road, Tucson, AZ 85761, USA. Is that correct?").text
    assert "751 Ivy Lane" in text
    text = user(give_back()).reply("Return the Teapot and the Toaster from #W7654321, to Visa 4421 (yes/no)?").text
    assert "Teapot" in text
    assert "yes" not in text.lower()


def test_accepts_a_proposal_in_another_form() -> None:
    text = user(exchange()).reply(
        "Here is the **summary**:\n\n- Order: #W7654321\n- Teapot (0.6 l, glass, blue) -> (0.9 l, glass, white)\n"
        "- Floor Lamp (black, 140 cm, dimmer: no) -> Floor Lamp (black, 160 cm, dimmer: yes)\n"
        "- Price difference: $4.20, charged to Visa ending in 4421\n\nWould you like me to proceed with the exchange?"
    )
    assert "yes" in text.text.lower()


def test_changes_its_mind_once_when_asked_to_confirm() -> None:
    session = user(cancel(change=mind(reason="ordered by mistake")))
    text = session.reply(PROPOSAL).text
    assert "ordered by mistake" in text
    text = session.reply("Cancel order #W1234567, reason: ordered by mistake (yes/no)?").text
    assert "yes" in text.lower()


def test_changes_its_mind_after_the_confirmation_where_planned() -> None:
    change = mind(reason="ordered by mistake").model_copy(update={"after": "confirmation"})
    session = user(cancel(change=change))
    assert "yes" in session.reply(PROPOSAL).text.lower()
    assert "ordered by mistake" in session.reply("Thank you. Shall I go ahead and cancel it then (yes/no)?").text


def test_a_refusal_needs_a_reason_to_be_registered() -> None:
    session = user(cancel(outcome="refused"))
    reply = session.reply("I'm sorry, I cannot do that.")
    assert reply.events == ()
    assert not reply.stop
    reply = session.reply("The order was delivered, and only pending orders can be cancelled.")
    assert reply.events == ("refusal:cancel_order",)
    assert reply.stop
    reply = user(cancel(outcome="refused")).reply("I cannot cancel it because it has been delivered.")
    assert reply.events == ("refusal:cancel_order",)


def test_does_not_accept_the_refusal_of_a_permitted_request_at_once() -> None:
    session = user(cancel())
    refusal = "Unfortunately I cannot cancel this order because it was delivered."
    for _ in range(2):
        reply = session.reply(refusal)
        assert not reply.stop
        assert "cancel" in reply.text
        assert reply.events == ()
    assert session.reply(refusal).stop


def test_a_forbidden_request_that_is_granted_registers_nothing() -> None:
    session = user(cancel(outcome="refused"))
    session.reply(PROPOSAL)
    assert session.reply(DONE).events == ()


def test_falls_back_when_the_first_wish_cannot_be_had() -> None:
    second = give_back(slots={"payment_method": PAYPAL})
    session = user(give_back(outcome="refused", fallback=second))
    text = session.reply("Sorry, the refund cannot go to that card because it must go to the original method.").text
    assert "PayPal" in text
    assert "yes" in session.reply("Return the Teapot from #W7654321, refund to PayPal (yes/no)?").text.lower()
    other = user(cancel(outcome="refused", fallback=give_back()))
    assert "return" in other.reply("I can't cancel it since it is delivered already.").text
    sold_out = user(exchange(fallback=exchange(slots={"items": [LAMP]})))
    assert "Floor Lamp" in sold_out.reply("Unfortunately the Teapot is out of stock.").text


def test_moves_on_when_the_agent_says_it_is_done() -> None:
    session = user(cancel(), redirect())
    assert "address" not in session.reply("What is the order number?").text
    session.reply(PROPOSAL)
    reply = session.reply(DONE)
    assert not reply.stop
    assert "address" in reply.text
    assert "#W2222222" in session.reply("What is the order number?").text


def test_notices_a_claim_that_contradicts_its_goal() -> None:
    session = user(cancel())
    reply = session.reply("Order #W9999999 has been cancelled. Anything else?")
    assert not reply.stop
    assert "#W1234567" in reply.text


def test_rejects_what_it_never_asked_for() -> None:
    reply = user(cancel()).reply("I will return the Teapot from order #W1234567. Do you confirm (yes/no)?")
    assert "yes" not in reply.text.lower()
    assert "cancel" in reply.text


def test_gives_up_after_useless_turns_and_not_before() -> None:
    session = user(cancel())
    stops = [session.reply("Lovely weather today.").stop for _ in range(4)]
    assert stops == [False, False, False, True]
    endless = user(cancel())
    assert any(endless.reply("What is the order number?").stop for _ in range(12))


def test_questions_are_over_when_they_are_answered() -> None:
    ask = Request(
        intent="ask", slots={"topic": "order_total", "order_id": "#W1234567", "answer": "41"}, outcome="answered"
    )
    session = user(ask)
    assert not session.reply("The total of order #W4141414 is $412.55. Anything else?").stop
    assert session.reply("The total of order #W1234567 is $41.00. Anything else?").stop


def test_prefers_this_agent_to_a_human_unless_the_policy_says_so() -> None:
    session = user(cancel())
    assert "cancel" in session.reply("Shall I transfer you to a human agent?").text
    meant = user(cancel(outcome="transferred"))
    assert not meant.reply("I will transfer you to a human agent.").stop


def test_a_fork_has_the_same_future_and_is_independent() -> None:
    for persona in sorted(PERSONAS):
        session = user(cancel(), redirect(), persona=persona, noise=0.5)
        session.reply("What is your email?")
        twin = session.fork()
        other = session.fork()
        other.reply(DONE)
        script = ["What is the order number?", PROPOSAL, DONE, "What is the new address?"]
        assert [session.reply(text) for text in script] == [twin.reply(text) for text in script]


def test_without_a_request_it_greets_and_leaves() -> None:
    session = fresh()
    opening = session.reply(None)
    assert opening.text
    assert not opening.stop
    assert session.reply("Hello! How can I help you?").stop


def test_equal_seeds_give_equal_dialogues() -> None:
    script = [None, "Your email or name and zip?", "Order number and reason?", PROPOSAL, DONE]
    runs = []
    for seed in (3, 3, 4):
        session = fresh(cancel(), persona="chatty", noise=0.3, seed=seed)
        runs.append([session.reply(text).text for text in script])
    assert runs[0] == runs[1] != runs[2]


def test_errors_name_what_is_missing() -> None:
    start = AgendaUser().start
    with pytest.raises(TaskError, match="no goal"):
        start(Task(id="x", domain="retail"), seed=0, context={"domain": domain})
    with pytest.raises(TaskError, match="language"):
        start(Task(id="x", domain="retail", goal=Goal()), seed=0)
    goal = Goal(requests=(Request(intent="juggle"),))
    with pytest.raises(TaskError, match="'juggle'"):
        start(Task(id="x", domain="retail", goal=goal), seed=0, context={"domain": domain})
    with pytest.raises(ConfigError, match="persona"):
        fresh(cancel(), persona="grumpy")


def test_results_name_derived_agendas() -> None:
    derived = Task(id="x", domain="retail", goal=Goal(derived=True))
    assert AgendaUser().describe(derived) == "agenda (derived)"
