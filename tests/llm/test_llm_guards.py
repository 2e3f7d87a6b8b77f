"""Guards against the faults of models as users."""

from __future__ import annotations

import pytest
from loopback import Loopback, Say

from mua_env.core.tasks import Goal, MindChange, Request, Task
from mua_env.errors import ConfigError
from mua_env.llm import LLMClient
from mua_env.users.llm.guards import GUARDS, check_guards, held_values, violation
from mua_env.users.llm.user import LLMUser

BRIEFING = "You are Ana (ana.li22@example.com), zip 10425. Return the lamp of order #W4098727 on May 20."
CONFIRM = "I will return the lamp to your card. Shall I go ahead (yes/no)?"


def broken(text, *, stop=False, heard="What else?", known=(BRIEFING,)):
    found = violation(GUARDS, text=text, stop=stop, heard=heard, known=known)
    return None if found is None else found.guard


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("Yes, please.", CONFIRM),
        ("", CONFIRM),
        ("Great, thanks!", "Do you confirm these details?"),
        ("Sounds good.", "Would you like me to cancel the order?"),
        ("Perfect.", "Your new flight is HAT019 at 10:00. Is that correct?"),
    ],
)
def test_a_stop_in_answer_to_a_confirmation_is_early(text, heard):
    assert broken(text, stop=True, heard=heard) == "early_stop"
    assert broken(text or "Yes.", stop=False, heard=heard) is None


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("Thanks, bye.", "The order has been cancelled. Is there anything else?"),
        ("", "You are being transferred to a human agent."),
        ("No, I'd rather not.", CONFIRM),
        ("Never mind.", CONFIRM),
    ],
)
def test_other_stops_are_in_time(text, heard):
    assert broken(text, stop=True, heard=heard) is None


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "Is there anything else I can help you with?",
        "I've cancelled your order.",
        "I have successfully processed your refund.",
        "Let me look up your account.",
        "Agent: which order?",
    ],
)
def test_the_agents_words_are_not_the_users(text):
    assert broken(text) == "plays_agent"


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me?",
        "I have cancelled one order before and want to know why it was charged.",
        "Could you look up my account?",
        "I'd like you to process the return.",
    ],
)
def test_a_user_may_speak_of_help_and_orders(text):
    assert broken(text) is None


@pytest.mark.parametrize(
    "text",
    ["It is ana.lee@example.com.", "Order #W4098728.", "My zip is 10426.", "The card ends in 7737.", "W40987271"],
)
def test_values_that_nobody_gave_are_invented(text):
    assert broken(text) == "invents"


@pytest.mark.parametrize(
    "text",
    [
        "It is Ana.Li22@example.com.",
        "Order W4098727, please.",
        "Something like 4098727.",
        "10425",
        "On 2024-05-20, I think. Or was it in 2024?",
        "I have 2 lamps, at 10:30, for $120.",
    ],
)
def test_what_the_briefing_holds_in_any_form_is_known(text):
    assert broken(text) is None


def test_what_the_agent_said_is_known_too():
    assert broken("Yes, the card that ends in 7737.", known=(BRIEFING, "Is it the card ending in 7737?")) is None


def test_guards_are_switched_by_name():
    assert check_guards(True) == GUARDS
    assert check_guards(False) == ()
    assert check_guards(["invents"]) == ("invents",)
    assert check_guards(["agrees_wrongly", "invents"]) == ("invents", "agrees_wrongly")
    assert "agrees_wrongly" not in GUARDS
    with pytest.raises(ConfigError, match="'stops'"):
        LLMUser("m", guards=["stops"])


def dialogue(settings, guards):
    user = LLMUser(LLMClient(settings), guards=guards)
    return user.start(Task(id="t", domain="d", instruction=BRIEFING), seed=0)


def test_a_violation_is_counted_and_asked_for_once_more(settings_for):
    with Loopback([Say("Hello."), Say("Yes. ###STOP###"), Say("Yes, please.")]) as server:
        user = dialogue(settings_for(server), True)
        user.reply(None)
        reply = user.reply(CONFIRM)
    assert (reply.text, reply.stop, reply.fault) == ("Yes, please.", False, None)
    assert reply.events == ("guard:early_stop",)


def test_a_stop_before_the_agent_has_acted_on_a_yes_is_early(settings_for):
    lines = [Say("Hello."), Say("Yes, please."), Say("Thanks! ###STOP###"), Say("Okay."), Say("Great. ###STOP###")]
    with Loopback(lines) as server:
        user = dialogue(settings_for(server), True)
        replies = [
            user.reply(text) for text in (None, CONFIRM, "One moment, let me process that.", "It has been done.")
        ]
    assert [reply.stop for reply in replies] == [False, False, False, True]
    assert replies[2].events == ("guard:early_stop",)
    assert replies[3].events == ()


@pytest.mark.parametrize("guards", [True, False])
def test_a_stop_after_a_no_is_in_time_though_the_agent_announces_something(settings_for, guards):
    with Loopback([Say("Hello."), Say("No, I don't want that."), Say("Bye. ###STOP###")]) as server:
        user = dialogue(settings_for(server), guards)
        replies = [user.reply(text) for text in (None, CONFIRM, "Let me see what else there is.")]
    assert replies[2].stop
    assert replies[2].events == ()


def test_the_slots_of_the_task_count_as_known_and_those_unknown_to_the_user_do_not():
    slots = {"order_id": "#W7654321", "payment_method": {"last_four": "4421"}}
    goal = Goal(
        facts={"zip": "21276"},
        requests=(
            Request(
                intent="return_items",
                slots=slots,
                unknown=("order_id",),
                change=MindChange(slots={"payment_method": {"last_four": "8080"}}),
                fallback=Request(intent="cancel_order", slots={"order_id": "#W1111111"}),
            ),
        ),
    )
    known = ("Return something.", held_values(goal))
    for value in ("21276", "4421", "8080", "#W1111111"):
        assert broken(f"It is {value}.", known=known) is None
    assert broken("It is order #W7654321.", known=known) == "invents"
    assert held_values(None) == ""


def test_a_name_that_nobody_gave_is_invented():
    assert broken("My name is Alice Cooper.") == "invents"
    assert broken("My name is Alice Cooper.", known=("You are Alice Cooper.",)) is None


def test_a_second_violation_is_the_users_fault(settings_for):
    with Loopback(default=Say("My zip is 99999.")) as server:
        reply = dialogue(settings_for(server), True).reply(None)
    assert reply.fault == "unusable reply: it states '99999', which the briefing does not hold"
    assert reply.events == ("guard:invents", "guard:invents")


def test_without_guards_the_line_passes(settings_for):
    with Loopback([Say("My zip is 99999.")]) as server:
        reply = dialogue(settings_for(server), False).reply(None)
    assert (reply.text, reply.events) == ("My zip is 99999.", ())


def test_a_rewrite_is_guarded_too(settings_for):
    with Loopback([Say("Hello."), Say("BAD: vague.\nBetter: My zip is 99999.")]) as server:
        user = LLMUser(LLMClient(settings_for(server)), strategy="reflection")
        reply = user.start(Task(id="t", domain="d", instruction=BRIEFING), seed=0).reply(None)
    assert reply.text == "Hello."
    assert set(reply.events) == {"rewrite_unusable", "guard:invents"}
