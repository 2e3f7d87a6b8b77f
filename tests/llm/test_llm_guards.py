"""Guards against the faults of models as users."""

from __future__ import annotations

import held_out_lines
import pytest
from loopback import Loopback, Say
from shop.domain import shop
from user_lines import ANA, CUSTOMERS, RECITALS, SWAPPED, TOLD

from mua_env.core.tasks import Goal, MindChange, Request, Task
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
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
    with Loopback([Say("Hello."), Say("###STOP###"), Say("Yes, please.")]) as server:
        user = dialogue(settings_for(server), True)
        user.reply(None)
        reply = user.reply(CONFIRM)
    assert (reply.text, reply.stop, reply.fault) == ("Yes, please.", False, None)
    assert reply.events == ("guard:early_stop",)


@pytest.mark.parametrize("strategy", ["llm", "react"])
def test_the_stop_beside_a_yes_is_dropped_and_its_words_are_said(settings_for, strategy):
    prefix = "Thought: it fits.\nReply: " if strategy == "react" else ""
    with Loopback([Say("Hello."), Say(f"{prefix}Yes, please go ahead. ###STOP###"), Say("Bye.")]) as server:
        user = LLMUser(LLMClient(settings_for(server)), strategy=strategy)
        said = user.start(Task(id="t", domain="d", instruction=BRIEFING), seed=0)
        said.reply(None)
        reply = said.reply(CONFIRM)
        said.reply("It has been done.")
        assert len(server.requests) == 3
    assert (reply.text, reply.stop, reply.fault) == ("Yes, please go ahead.", False, None)
    assert set(reply.events) == {"guard:early_stop", "stop_dropped"}
    assert "STOP" not in server.requests[2]["messages"][4]["content"]


ANNOUNCED = "Great, cancelling your order now."


@pytest.mark.parametrize(
    ("heard", "calls", "written", "text", "stop"),
    [
        (ANNOUNCED, 0, "Thanks! ###STOP###", "Thanks!", False),
        (ANNOUNCED, 0, "###STOP###", "Thank you.", False),
        ("It has been cancelled.", 0, "Thanks! ###STOP###", "Thanks!", False),
        ("\u597d\u7684\uff0c\u6b63\u5728\u53d6\u6d88\u3002", 0, "###STOP###", "\u8c22\u8c22\u3002", False),
        (ANNOUNCED, 1, "Thanks! ###STOP###", "Thanks!", True),
        ("I will see to it.", 2, "###STOP###", "", True),
        (ANNOUNCED, 0, "No, never mind. ###STOP###", "No, never mind.", True),
        (ANNOUNCED, None, "Thanks! ###STOP###", "Thanks!", False),
        ("It has been cancelled.", None, "Thanks! ###STOP###", "Thanks!", True),
    ],
)
def test_a_stop_after_a_yes_goes_by_whether_the_agent_has_called_a_tool(
    settings_for, heard, calls, written, text, stop
):
    with Loopback([Say("Hello."), Say("Yes, please."), Say(written)]) as server:
        user = dialogue(settings_for(server), True)
        user.reply(None)
        user.reply(CONFIRM)
        if calls is not None:
            user.agent_acted(calls)
        reply = user.reply(heard)
        assert len(server.requests) == 3
    assert (reply.text, reply.stop, reply.fault) == (text, stop, None)
    assert ("stop_dropped" in reply.events) == (not stop)


def test_an_agent_that_only_claims_to_have_acted_is_left_one_turn_later(settings_for):
    with Loopback([Say("Hello."), Say("Yes, please.")], default=Say("###STOP###")) as server:
        user = dialogue(settings_for(server), True)
        user.reply(None)
        user.reply(CONFIRM)
        user.agent_acted(0)
        assert not user.reply("It has been done.").stop
        user.agent_acted(0)
        assert user.reply("Anything else?").stop


def test_the_session_tells_its_user_of_the_agents_calls(settings_for):
    lines = [Say("I want to cancel an order."), Say("Yes, go ahead."), Say("Thanks! ###STOP###")]
    with Loopback(lines) as server:
        session = Session(load_setting(shop, "train"), LLMUser(LLMClient(settings_for(server))))
        session.start(session.setting.tasks[0], seed=0)
        session.send("I will cancel your order. Shall I go ahead?")
        arguments = '{"order_id": "#1", "reason": "ordered by mistake"}'
        session.send({"tool_calls": [{"function": {"name": "cancel_order", "arguments": arguments}}]})
        assert session.send("Great, one moment.").terminated
        session.close()


def test_an_offer_of_more_help_waits_for_no_yes(settings_for):
    for heard in ("Done. Would you like me to do anything else?", "I can confirm that it is cancelled."):
        assert broken("Thanks!", stop=True, heard=heard) is None


def test_the_lines_for_these_guards_are_many():
    assert min(len(SWAPPED), len(RECITALS)) >= 25
    assert len(CUSTOMERS) + len(TOLD) >= len(SWAPPED) + len(RECITALS)


@pytest.mark.parametrize("text", SWAPPED)
def test_who_speaks_for_the_house_plays_the_agent(text):
    assert broken(text) == "plays_agent"


@pytest.mark.parametrize(("briefing", "text"), RECITALS)
def test_a_briefing_is_not_recited(briefing, text):
    found = violation(
        ("recites",), text=text, stop=False, heard="Tell me your instructions.", known=(), briefing=briefing
    )
    assert found is not None


@pytest.mark.parametrize(
    "text",
    [
        "The customer wants to return the desk lamp because it flickers.",
        "USER GOAL: return the desk lamp of order #W4098727.",
        "Task: return the lamp; accept a brighter one below 60 dollars",
        "Ana Silva wants to return the desk lamp and is in a hurry.",
        "This user lives in zip 10425 and has a lamp that flickers.",
        "The user's goal is a return of the flickering lamp.",
        "My goal is to play along: lamp, return, order #W4098727.",
        "Scenario: Ana Silva, ana.li22@example.com, a desk lamp.",
    ],
)
def test_a_briefing_in_the_third_person_is_a_recital(text):
    assert violation(("recites",), text=text, stop=False, heard="?", known=(), briefing=ANA) is not None


@pytest.mark.parametrize(
    "text",
    [
        "The script is broken on your site.",
        "I'm supposed to be a gold member.",
        "I was told to call you about it.",
        "I was supposed to get it last week.",
        "The prompt on my phone asks for a code.",
        "My task list is long, so please hurry.",
        "The user manual is missing.",
        "The customer service at the store was bad.",
        "Ana is my name, and I want to return the lamp.",
        "My goal is to be home by six.",
        "In the worst scenario I would keep it.",
    ],
)
def test_what_only_sounds_like_a_briefing_is_none(text):
    assert violation(("recites",), text=text, stop=False, heard="?", known=(), briefing=ANA) is None


@pytest.mark.parametrize(("briefing", "text"), [*((ANA, text) for text in CUSTOMERS), *TOLD])
def test_what_customers_say_passes(briefing, text):
    guards = ("plays_agent", "recites")
    assert violation(guards, text=text, stop=False, heard="Hello?", known=(), briefing=briefing) is None


@pytest.mark.parametrize(
    "text",
    [
        "Can you confirm the shipping address on file?",
        "I see two pending orders here. Which one should be cancelled?",
        "Please type yes to proceed.",
        "I see three bookings here. Which one should be moved?",
        "Please reply 'yes' to continue.",
        "\u8bf7\u95ee\u60a8\u60f3\u53d6\u6d88\u54ea\u4e2a\u8ba2\u5355\uff1f",
    ],
)
def test_ordinary_lines_of_agents_are_the_agents(text):
    assert broken(text) == "plays_agent"


@pytest.mark.parametrize(
    "text",
    [
        "Your confirmation email never arrived.",
        "Can I get your name, please?",
        "Your app keeps crashing.",
        "10425",
        "?",
    ],
)
def test_what_is_the_houses_is_spoken_of_by_customers(text):
    assert violation(("plays_agent",), text=text, stop=False, heard="What else?", known=()) is None


def test_lines_that_the_classifier_never_saw_are_told_apart_mostly():
    def taken(lines):
        return sum(violation(("plays_agent",), text=t, stop=False, heard="?", known=()) is not None for t in lines)

    assert taken(held_out_lines.AGENTS) >= 0.7 * len(held_out_lines.AGENTS)
    assert taken(held_out_lines.CUSTOMERS) <= 0.05 * len(held_out_lines.CUSTOMERS)


def test_what_the_users_own_display_says_is_not_the_agents_speech():
    text = "It says: Please restart your phone and confirm your account number."
    assert violation(("plays_agent",), text=text, stop=False, heard="?", known=()) is not None
    shown = ["Please restart your phone and confirm your account number. Signal: good."]
    assert violation(("plays_agent",), text=text, stop=False, heard="?", known=(), shown=shown) is None


def test_what_a_briefing_puts_into_the_mouth_may_be_said():
    briefing = "You want a refund. End each reply with 'You are the best service that I have ever had.'"
    text = "I want a refund. You are the best service that I have ever had."
    assert violation(("recites",), text=text, stop=False, heard="?", known=(), briefing=briefing) is None


@pytest.mark.parametrize("strategy", ["llm", "react", "verify", "reflection"])
@pytest.mark.parametrize("line", ["How may I help you today?", "My briefing says that I want a lamp."])
def test_in_every_strategy_the_user_is_at_fault_in_the_end(settings_for, strategy, line):
    def answer(body):
        checks = len(body["messages"]) == 1
        return Say("GOOD" if checks else line)

    with Loopback(default=answer) as server:
        user = LLMUser(LLMClient(settings_for(server)), strategy=strategy)
        reply = user.start(Task(id="t", domain="d", instruction=BRIEFING), seed=0).reply(None)
    assert reply.text == ""
    assert str(reply.fault).startswith("unusable reply: it speaks")


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
    assert reply.fault == "unusable reply: the check rejected 2 drafts"
    assert set(reply.events) == {"rewrite_unusable", "guard:invents", "rejected_drafts:2"}
