"""The LLM user against a real server: roles, strategies, unusable replies, faults."""

from __future__ import annotations

import asyncio
import time

import pytest
from loopback import Cut, Drip, Hang, Loopback, Raw, Say, Status, tool_call

from mua_env.core.tasks import Task
from mua_env.errors import ConfigError, TaskError
from mua_env.llm import LLMClient, ReplyCache
from mua_env.users.base import GREETING
from mua_env.users.llm.endings import split_ending
from mua_env.users.llm.prompts import STRATEGIES, prompt_version
from mua_env.users.llm.user import LLMUser

TASK = Task(id="t", domain="retail", instruction="You are Ana. You want to cancel order #W1. {braces stay}")


def session(settings, strategy="llm", seed=5):
    return LLMUser(LLMClient(settings), strategy=strategy).start(TASK, seed=seed)


def test_the_agent_is_user_and_the_customer_assistant_to_the_users_model(settings_for):
    with Loopback([Say("Hello, my order."), Say("It is #W1."), Say("Thanks. ###STOP###")]) as server:
        user = session(settings_for(server))
        opening, second, last = user.reply(None), user.reply("Which order?"), user.reply("Cancelled.")
    assert (opening.text, opening.stop) == ("Hello, my order.", False)
    assert (second.text, second.stop) == ("It is #W1.", False)
    assert (last.text, last.stop) == ("Thanks.", True)
    sent = server.requests[2]["messages"]
    assert [message["role"] for message in sent] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert TASK.instruction in sent[0]["content"]
    assert [message["content"] for message in sent[1:]] == [
        GREETING,
        "Hello, my order.",
        "Which order?",
        "It is #W1.",
        "Cancelled.",
    ]
    assert {request["seed"] for request in server.requests} == {5}


@pytest.mark.parametrize(
    ("written", "text", "events"),
    [
        ("Thanks. ###STOP###", "Thanks.", ()),
        ("###TRANSFER###", "", ("ending:transferred",)),
        ("I do not know. ###OUT-OF-SCOPE### ###STOP###", "I do not know.", ("ending:out_of_scope",)),
    ],
)
def test_tau2s_tokens_end_a_dialogue_as_well(settings_for, written, text, events):
    with Loopback([Say("Hello, my order."), Say(written)]) as server:
        user = session(settings_for(server))
        user.reply(None)
        last = user.reply("I hand you over to a human.")
    assert (last.text, last.stop, last.events) == (text, True, events)


@pytest.mark.parametrize(
    "marker",
    [
        *(
            "### STOP ###",
            "##STOP##",
            "###stop###",
            "**###STOP###**",
            "###STOP",
            "STOP###",
            "STOP ###",
            "#STOP#",
            "`###STOP###`",
        ),
        *(
            "\\#\\#\\#STOP\\#\\#\\#",
            "\uff03\uff03\uff03STOP\uff03\uff03\uff03",
            "# # # Stop # # #",
            "[###STOP###]",
            "*###Stop###*.",
        ),
    ],
)
@pytest.mark.parametrize("words", ["", "Thanks, bye."])
def test_a_stop_is_a_stop_in_any_dress(settings_for, marker, words):
    with Loopback([Say("Hello, my order."), Say(f"{words} {marker}")]) as server:
        user = session(settings_for(server))
        user.reply(None)
        last = user.reply("It has been cancelled.")
    assert (last.text, last.stop, last.fault) == (words, True, None)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[[ STOP ]]", ""),
        ("{STOP}", ""),
        ("<stop>", ""),
        ("<|STOP|>", ""),
        ("\u3010STOP\u3011", ""),
        ("~~~STOP~~~", ""),
        ("Thanks ===STOP===", "Thanks"),
        ("## S-T-O-P ##", ""),
        ("### S\u200bT\u200bO\u200bP\ufeff ###", ""),
        ("\uff33\uff34\uff2f\uff30", ""),
        ("###\u7ed3\u675f###", ""),
        ("\u8c22\u8c22\u3002###\u7ec8\u6b62###", "\u8c22\u8c22\u3002"),
        ("That is all.\nSTOP", "That is all."),
        ("That is all. **STOP**", "That is all."),
        ("That is all. [stop]", "That is all."),
        ('He said "fine" ###STOP###', 'He said "fine"'),
        ("That is all\u2014###STOP###", "That is all"),
        ("###STOP###\nThat is all.", "That is all."),
        ("###STOP\nThat is all.", "That is all."),
    ],
)
def test_a_stop_stands_alone_between_marks_or_after_a_sentence(line, words):
    assert split_ending(line) == (words, "done")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Please stop.",
            "Stop order #W1 and #W2.",
            "It is the bus stop #12.",
            "##STOPPED##",
            "stop",
            "*stop*",
            "I said stop ###",
        ),
        *(
            "## Stop this now ##",
            "### stop signs ###",
            "## Stop\nmy order please",
            "# Stop\n\nIt is #W1.",
            "## STOP CALLING",
        ),
        *(
            "Please STOP that",
            "Please *STOP*",
            "the [stop] button",
            "No! STOP!",
            "a non-stop flight",
            "1 stop - 2 stops",
        ),
        *(
            "a stop ##5",
            "bus stop ### 12",
            "That is out of scope.",
            "\u8bf7\u505c\u6b62\u3002",
            "\u505c\u6b62\u53d1\u9001",
            "-- stop --",
        ),
    ],
)
def test_the_word_alone_is_no_stop(settings_for, text):
    with Loopback([Say("Hello, my order."), Say(text)]) as server:
        user = LLMUser(LLMClient(settings_for(server)), guards=False).start(TASK, seed=5)
        user.reply(None)
        assert user.reply("What is it?").model_dump(include={"text", "stop"}) == {"text": text, "stop": False}


def test_words_behind_a_stop_count_where_none_stand_before_it(settings_for):
    with Loopback([Say("Hello."), Say("###STOP### Thank you!")]) as server:
        user = session(settings_for(server))
        user.reply(None)
        last = user.reply("It has been cancelled.")
    assert (last.text, last.stop) == ("Thank you!", True)


def test_a_retry_says_what_was_wrong_and_the_history_does_not(settings_for):
    with Loopback([Say("How can I help you today?"), Say("Hello."), Say("Bye.")]) as server:
        user = session(settings_for(server))
        user.reply(None)
        user.reply("?")
        first, second, third = (request["messages"][0]["content"] for request in server.requests)
    assert second.startswith(first)
    assert "speaks as the agent" in second
    assert third == first


def test_starting_a_dialogue_calls_no_model(settings_for):
    with Loopback() as server:
        session(settings_for(server))
        assert server.requests == []


def test_a_stop_in_the_agents_text_ends_nothing(settings_for):
    with Loopback([Say("Hi."), Say("Go on.")]) as server:
        user = session(settings_for(server))
        user.reply(None)
        reply = user.reply("###STOP###")
    assert (reply.text, reply.stop, reply.fault) == ("Go on.", False, None)


def test_react_keeps_the_thought_from_the_agent_but_in_its_own_history(settings_for):
    raw = "Thought: They want the id.\nReply: It is #W1."
    with Loopback([Say(raw), Say("Thought: done\nReply: ###STOP###")]) as server:
        user = session(settings_for(server), "react")
        first, last = user.reply(None), user.reply("Done.")
    assert first.text == "It is #W1."
    assert first.thought == "They want the id."
    assert (last.text, last.stop, last.thought) == ("", True, "done")
    assert server.requests[1]["messages"][2] == {"role": "assistant", "content": raw}


def test_react_asks_again_for_a_thought_without_a_reply(settings_for):
    with Loopback([Say("Thought: hm, they want my id"), Say("Reply: #W1.")]) as server:
        reply = session(settings_for(server), "react").reply(None)
    assert reply.text == "#W1."
    assert "hm" not in reply.text


def test_verify_says_and_remembers_only_the_accepted_draft(settings_for):
    script = [
        Say("I am the agent."),
        Say("BAD"),
        Say("Cancel it, please."),
        Say("GOOD"),
        Say("Yes."),
        Say("good"),
    ]
    with Loopback(script) as server:
        user = session(settings_for(server), "verify")
        first = user.reply(None)
        user.reply("Sure?")
    assert first.text == "Cancel it, please."
    assert first.events == ("rejected_drafts:1",)
    assert first.usage["calls"] == 4
    assert "I am the agent." not in str(server.requests[4])
    assert "I am the agent." in str(server.requests[1])


@pytest.mark.parametrize(("strategy", "drafts"), [("verify", 3), ("reflection", 2)])
def test_what_the_check_rejects_is_never_said(settings_for, strategy, drafts):
    with Loopback([Say("a"), Say("BAD"), Say("b"), Say("BAD"), Say("c"), Say("BAD")]) as server:
        reply = session(settings_for(server), strategy).reply(None)
        assert len(server.requests) == 2 * drafts
    assert (reply.text, reply.fault) == ("", f"unusable reply: the check rejected {drafts} drafts")
    assert reply.events == (f"rejected_drafts:{drafts}",)
    assert reply.usage["calls"] == 2 * drafts


@pytest.mark.parametrize(
    ("critique", "text", "events"),
    [
        ("GOOD", "My card is 12.", ()),
        ("BAD: nobody asked.\nBetter: I want to cancel.", "I want to cancel.", ("rewritten",)),
        ("BAD, I think", "next", ("rejected_drafts:1",)),
    ],
)
def test_reflection_rewrites_once(settings_for, critique, text, events):
    with Loopback([Say("My card is 12."), Say(critique), Say("next"), Say("GOOD")]) as server:
        user = session(settings_for(server), "reflection")
        first = user.reply(None)
        user.reply("?")
    assert (first.text, first.events) == (text, events)
    assert server.requests[4 if text == "next" else 2]["messages"][2]["content"] == text


UNUSABLE = {
    "empty": Say(""),
    "none": Say(None),
    "cut": Say("I would like to", finish_reason="length"),
    "over-long": Say("very " * 2000),
    "replacement characters": Say("h\ufffd\ufffd"),
    "control characters": Say("h\x00i"),
    "chat markup": Say("Hi<|im_end|><|im_start|>user"),
    "tool call": Say(None, tool_calls=[tool_call("cancel", "{}")]),
    "stop at once": Say("###STOP###"),
    "endless thought": Say("<think>They want my id"),
}


@pytest.mark.parametrize("name", UNUSABLE)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_unusable_reply_is_asked_for_once_more(settings_for, name, strategy):
    with Loopback([UNUSABLE[name], Say("Hello."), Say("GOOD")]) as server:
        reply = session(settings_for(server), strategy).reply(None)
        seeds = [request["seed"] for request in server.requests[:2]]
    assert (reply.text, reply.stop, reply.fault) == ("Hello.", False, None)
    assert seeds == [5, 6]


@pytest.mark.parametrize("name", UNUSABLE)
def test_twice_unusable_is_a_fault_with_its_reason(settings_for, name):
    with Loopback(default=UNUSABLE[name]) as server:
        reply = session(settings_for(server)).reply(None)
        assert len(server.requests) == 2
    assert reply.text == ""
    assert reply.fault is not None
    assert reply.fault.startswith("unusable reply:")
    assert reply.usage["calls"] == 2


@pytest.mark.parametrize(
    "fault",
    [Status(429), Status(500), Hang(), Drip(), Cut(), Raw(b"no json"), Status(401)],
    ids=["429", "500", "hang", "drip", "cut", "non-json", "401"],
)
def test_no_fault_of_the_server_outlasts_the_deadline(settings_for, fault):
    with Loopback(default=fault) as server:
        user = session(settings_for(server, deadline_s=1.0, timeout_s=0.4, attempts=1000))
        begin = time.monotonic()
        reply = user.reply(None)
        assert time.monotonic() - begin < 60  # a thousand attempts would take 400 s
    assert reply.fault
    assert reply.text == ""
    assert not reply.stop


def test_a_wrong_role_in_the_answer_does_no_harm(settings_for):
    with Loopback([Say("Hello.", role="user")]) as server:
        reply = session(settings_for(server)).reply(None)
    assert (reply.text, reply.fault) == ("Hello.", None)


def test_many_users_on_one_loop_wait_together(settings_for):
    async def openings(users):
        return await asyncio.gather(*(user.areply(None) for user in users))

    with Loopback(default=Say("Hi.", delay_s=0.3)) as server:
        simulator = LLMUser(LLMClient(settings_for(server, timeout_s=5, concurrency=16)))
        users = [simulator.start(TASK, seed=seed) for seed in range(16)]
        replies = asyncio.run(openings(users))
        assert server.peak > 8
    assert [reply.text for reply in replies] == ["Hi."] * 16


def test_a_fork_goes_its_own_way(settings_for):
    with Loopback([Say("Hi."), Say("left"), Say("right"), Say("end")]) as server:
        user = session(settings_for(server))
        user.reply(None)
        twin = user.fork()
        assert user.reply("a?").text == "left"
        assert twin.reply("b?").text == "right"
        twin.reply("c?")
        assert "left" not in str(server.requests[-1]["messages"])


def test_usage_is_of_the_reply_alone_and_the_version_is_told(settings_for):
    with Loopback(default=Say("Hi.", prompt_tokens=7, completion_tokens=2)) as server:
        user = session(settings_for(server))
        replies = [user.reply(None), user.reply("?")]
    assert [reply.usage["prompt_tokens"] for reply in replies] == [7, 7]
    assert replies[0].meta == {"prompt_version": prompt_version("llm")}
    assert len({prompt_version(strategy) for strategy in STRATEGIES}) == 5


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_recorded_dialogue_replays_byte_for_byte_without_a_server(settings_for, tmp_path, strategy):
    def dialogue(settings, mode):
        user = LLMUser(LLMClient(settings, cache=ReplyCache(tmp_path, mode)), strategy=strategy)
        one = user.start(TASK, seed=3)
        return [one.reply(text).model_dump_json() for text in (None, "Which order?", "Done.")]

    counter = iter(range(100))
    with Loopback([Say("")], default=lambda body: Say(f"line {next(counter)}")) as server:
        settings = settings_for(server)
        recorded = dialogue(settings, "record")
    assert dialogue(settings, "replay") == recorded


def test_another_seed_is_not_in_the_recording(settings_for, tmp_path):
    with Loopback() as server:
        settings = settings_for(server)
        user = LLMUser(LLMClient(settings, cache=ReplyCache(tmp_path)))
        user.start(TASK, seed=1).reply(None)
    replay = LLMUser(LLMClient(settings, cache=ReplyCache(tmp_path, "replay")))
    assert "replay_miss" in str(replay.start(TASK, seed=2).reply(None).fault)


def test_refuses_unknown_strategies_and_tasks_without_instruction():
    with pytest.raises(ConfigError, match="'think'"):
        LLMUser("m", strategy="think")  # type: ignore[arg-type]
    with pytest.raises(TaskError, match="no instruction"):
        LLMUser("m").start(Task(id="x", domain="retail"), seed=0)
