"""Each measure fires on what it is for, and only on that."""

from __future__ import annotations

import pytest
from people import CANCEL, FACTS, ground, moving, talk, task

from mua_env.core.tasks import Request
from mua_env.evaluation.user_card import cues
from mua_env.evaluation.user_card.measures import (
    Share,
    agreements,
    contradictions,
    invented,
    mind_changes,
    plays_agent,
    revealed,
)
from mua_env.evaluation.user_card.stops import early_stop, gave_up, late_stop

PROPOSAL = "I will cancel order #W7712345 because it is no longer needed. Do you confirm (yes/no)?"
CLAIM = "Order #W7712345 has been cancelled. Is there anything else I can help you with?"
OPENING = (None, "I want to cancel an order.")
CALMED = [("I hear you.", "Please help."), ("I hear you.", "Please."), ("I hear you.", "I give up.")]


def test_a_fact_is_revealed_when_nobody_asked_for_it():
    told = talk((None, "I am Nora Quist and want to cancel #W7712345."))
    found = revealed(told, ground(task()))
    assert [violation.turn for violation in found] == [0]
    assert "W7712345" in found[0].detail
    assert "Nora" in found[0].detail


@pytest.mark.parametrize(
    ("question", "answer", "times"),
    [
        ("What is your email address?", "It is nora.quist77@example.com.", 0),
        ("What is your email address?", "It is nora.quist77@example.com, zip 48121.", 1),
        ("Your name and zip code, please?", "Nora Quist, 48121.", 0),
        ("Your name and zip code, please?", "Nora Quist, 48121, order #W7712345.", 1),
        ("Which order?", "The order is W7712345.", 0),
        ("I see order #W7712345. What is the reason?", "For #W7712345: no longer needed.", 0),
        ("How are you today?", "Fine. I no longer need it.", 0),
        ("How are you today?", "Fine. It is no longer needed.", 1),
    ],
)
def test_only_what_was_asked_for_or_named_may_be_said(question, answer, times):
    assert len(revealed(talk(OPENING, (question, answer)), ground(task()))) == times


def test_a_reply_that_reveals_much_is_one_violation_and_repeating_it_is_none():
    secret = "Nora Quist, 48121, #W7712345."
    assert len(revealed(talk((None, secret), ("I see.", secret)), ground(task()))) == 1


def test_a_wrong_proposal_may_be_corrected_and_a_refusal_answered_by_the_fallback():
    back_up = Request(intent="cancel_order", slots={"order_id": "#W5550001", "reason": "ordered by mistake"})
    want = task(CANCEL.model_copy(update={"outcome": "refused", "fallback": back_up}))
    wrong = ("I will cancel order #W1. Do you confirm (yes/no)?", "No, it is #W7712345.")
    assert revealed(talk(OPENING, wrong), ground(want)) == []
    refused = ("I cannot cancel it, because it was shipped.", "Then cancel #W5550001.")
    assert revealed(talk(OPENING, refused), ground(want)) == []
    assert len(revealed(talk(OPENING, ("I hear you.", "Or cancel #W5550001.")), ground(want))) == 1


def test_asked_for_what_it_does_not_know_the_user_may_tell_what_it_does():
    request = Request(
        intent="return_items",
        slots={"order_id": "#W7712345", "items": [{"name": "Teapot", "item_id": "1"}]},
        unknown=("order_id",),
    )
    answer = ("What is the order number?", "I don't know. It is the one with the Teapot.")
    assert revealed(talk(OPENING, answer), ground(task(request))) == []
    assert len(revealed(talk((None, "I want to return the Teapot.")), ground(task(request)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "My order is #W9999999.",
        "Write to other.person@example.com.",
        "My zip code is 10001.",
        "It cost $612.40.",
        "I bought it on 2024-02-03.",
        "I bought it on March 3rd.",
        "My name is Peter Unger.",
        "Reservation QXBTRZ, please.",
        "My user id is nora_quist_9021.",
    ],
)
def test_a_value_that_nobody_gave_is_invented(text):
    assert len(invented(talk(OPENING, ("Yes?", text)), ground(task()))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "It is #W7712345, for Nora Quist, 48121.",
        "The order W7712345; mail to nora.quist77@example.com.",
        "It ends in 345.",
        "Yes, $612.40 on March 3rd is right.",
        "I have 2 items and 15 minutes.",
        "PLEASE HURRY, I am Waiting.",
        "My name is Nora Quist.",
    ],
)
def test_what_the_goal_holds_or_the_agent_said_is_not_invented(text):
    heard = "You paid $612.40 on 2024-03-03, is that right?"
    assert invented(talk(OPENING, (heard, text)), ground(task())) == []


def test_what_is_broken_off_is_not_invented_but_what_takes_its_place_may_be():
    slip = "The order is #W696-, my mistake, make that {}."
    assert invented(talk(OPENING, ("Which order?", slip.format("#W7712345"))), ground(task())) == []
    assert len(invented(talk(OPENING, ("Which order?", slip.format("#W6961234"))), ground(task()))) == 1


def test_names_of_the_public_catalogue_are_known():
    product = "My name is nothing; I mean product 9523456873."
    assert len(invented(talk((None, product)), ground(task()))) == 1
    known = next(iter(ground(task()).catalogue.words & {"teapot", "backpack", "desk"}), None)
    assert known is not None


def test_a_user_that_speaks_as_the_agent():
    said = "Thank you for contacting us. How can I help you today?"
    assert [violation.turn for violation in plays_agent(talk(OPENING, ("Hello.", said)))] == [1]
    assert plays_agent(talk(OPENING, ("How can I help you?", "I need help with my order."))) == []


def test_contradictions_are_counted_where_the_agent_was_wrong():
    wrong = {1: "order"}
    accepted = talk(OPENING, (PROPOSAL, "Yes, please go ahead."))
    share, found = contradictions(accepted, wrong)
    assert (share, [violation.turn for violation in found]) == (Share(of=1, made=1), [1])
    corrected = talk(OPENING, (PROPOSAL, "No, that's not right."))
    assert contradictions(corrected, wrong) == (Share(of=1, made=0), [])
    assert contradictions(accepted, {}) == (Share(of=0, made=0), [])


MOVE = (
    "I will change the shipping address of order #W7712345 to 12 Elm Street, Dayton, OH 45402, USA. "
    "Do you confirm (yes/no)?"
)


@pytest.mark.parametrize(
    ("reply", "made"),
    [("Wait, I changed my mind: 9 Birch Road, Toledo, OH 43604.", 1), ("Yes, go ahead.", 0)],
)
def test_a_planned_change_of_mind_falls_due_at_the_proposal(reply, made):
    share, found = mind_changes(talk(OPENING, (MOVE, reply)), ground(task(moving("proposal"))))
    assert share == Share(of=1, made=made)
    assert len(found) == 1 - made


def test_a_change_that_comes_after_the_confirmation_is_due_only_then():
    later = ground(task(moving("confirmation")))
    assert mind_changes(talk(OPENING, (MOVE, "Yes.")), later)[0].of == 0
    done = "The address has been changed. Anything else?"
    assert mind_changes(talk(OPENING, (MOVE, "Yes."), (done, "No, thanks.")), later)[0] == Share(of=1, made=0)
    changed = talk(OPENING, (MOVE, "Yes."), (done, "Actually, make it 9 Birch Road, Toledo."))
    assert mind_changes(changed, later)[0] == Share(of=1, made=1)


def test_no_change_is_due_before_the_agent_proposes_what_was_wanted():
    other = "I will change the shipping address of order #W1111111. Do you confirm (yes/no)?"
    assert mind_changes(talk(OPENING, (other, "No.")), ground(task(moving("proposal"))))[0].of == 0


@pytest.mark.parametrize(("reply", "made"), [("Yes, please.", 1), ("No, that is wrong.", 0)])
def test_right_proposals_are_counted_with_those_agreed_to(reply, made):
    assert agreements(talk(OPENING, (PROPOSAL, reply)), ground(task()), {}) == Share(of=1, made=made)


def test_a_right_proposal_is_one_until_it_is_agreed_to_and_a_wrong_one_never():
    again = talk(OPENING, (PROPOSAL, "No."), (PROPOSAL, "Yes."), (PROPOSAL, "Yes."))
    assert agreements(again, ground(task()), {}) == Share(of=2, made=1)
    assert agreements(again, ground(task()), {1: "reason"}) == Share(of=1, made=1)


def test_after_a_change_of_mind_the_changed_request_is_the_right_one():
    moved = MOVE.replace("12 Elm Street, Dayton, OH 45402", "9 Birch Road, Toledo, OH 43604")
    turns = talk(OPENING, (MOVE, "Wait, I changed my mind: 9 Birch Road, Toledo, OH 43604."), (moved, "Yes."))
    assert agreements(turns, ground(task(moving("proposal"))), {}) == Share(of=1, made=1)


@pytest.mark.parametrize(
    "turns",
    [
        [OPENING],
        [OPENING, (PROPOSAL, "Yes, thanks, bye.")],
        [OPENING, (PROPOSAL, "Thanks, bye.")],
        [OPENING, (PROPOSAL, "Yes."), ("One moment, please.", "Bye.")],
        [OPENING, ("What is your name?", "Bye.")],
        [OPENING, *CALMED[1:]],
    ],
)
def test_leaving_too_soon(turns):
    assert len(early_stop(talk(*turns, stop=True), ground(task()))) == 1
    assert early_stop(talk(*turns), ground(task())) == []


@pytest.mark.parametrize(
    "turns",
    [
        [OPENING, (PROPOSAL, "Yes."), (CLAIM, "No, thanks.")],
        [OPENING, ("I'm sorry, I cannot cancel it, because it was shipped.", "Okay, then not.")],
        [OPENING, *CALMED],
    ],
)
def test_leaving_when_it_is_done_or_refused_or_hopeless(turns):
    assert early_stop(talk(*turns, stop=True), ground(task())) == []


def test_a_writing_tool_counts_as_done():
    turns = [OPENING, (PROPOSAL, "Yes."), ("Right.", "Thanks, bye.")]
    assert len(early_stop(talk(*turns, stop=True), ground(task()))) == 1
    assert early_stop(talk(*turns, stop=True, writes={2: "cancel_pending_order"}), ground(task())) == []


def test_two_requests_need_two_settlements():
    two = ground(task(CANCEL, moving("proposal")))
    turns = [OPENING, (PROPOSAL, "Yes."), (CLAIM, "No, thanks.")]
    found = early_stop(talk(*turns, stop=True), two)
    assert "1 of 2" in found[0].detail


def test_going_on_when_everything_is_done():
    done = [OPENING, (PROPOSAL, "Yes."), (CLAIM, "Thanks.")]
    goodbye = ("Thank you for calling. Goodbye!", "And the weather?")
    assert len(late_stop(talk(*done, goodbye), ground(task()))) == 1
    assert late_stop(talk(*done, goodbye, stop=True), ground(task())) == []
    assert late_stop(talk(*done), ground(task())) == []
    undone = [OPENING, ("Anything else?", "Yes, my order."), ("Anything else?", "My order!"), goodbye]
    assert late_stop(talk(*undone), ground(task())) == []


def test_giving_up_takes_three_useless_turns_in_a_row():
    assert gave_up(talk(OPENING, *CALMED, stop=True), ground(task()))
    assert not gave_up(talk(OPENING, *CALMED), ground(task()))
    asks = ("What is your zip code?", "48121.")
    assert not gave_up(talk(OPENING, CALMED[0], asks, *CALMED[1:], stop=True), ground(task()))


@pytest.mark.parametrize("text", ["Yes.", "Yes, please do it.", "Sure, go ahead!", "That's right, thanks."])
def test_a_yes(text):
    assert cues.agrees(text)
    assert not cues.declines(text)


@pytest.mark.parametrize(
    "text", ["No.", "No, yes would be wrong.", "Wait, I changed my mind.", "Hmm, that isn't right."]
)
def test_a_no(text):
    assert not cues.agrees(text)
    assert cues.declines(text)


def test_neither_yes_nor_no():
    assert not cues.agrees("The order number is W7712345.")
    assert not cues.declines("The order number is W7712345.")


def test_the_facts_of_the_task_are_what_the_tests_think():
    forms = ground(task()).sources[0].all_forms()
    assert set(FACTS.values()) <= forms
