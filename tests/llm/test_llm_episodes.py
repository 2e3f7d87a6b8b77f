"""Whole episodes whose user or agent is served by a real server with scripted faults.

None outlasts its deadline, none is scored 0 for a fault that is not the agent's, and all are labelled.
"""

from __future__ import annotations

import asyncio
import time

import pytest
from loopback import Cut, Drip, Hang, Loopback, Raw, Say, Status, tool_call
from shop.domain import shop
from shop.user import ShopUser

from mua_env.agents.llm import LLMAgent
from mua_env.agents.random import RandomAgent
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.evaluation.rollout_folder import summarize
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.llm import Ledger, LLMClient, ReplyCache
from mua_env.users.llm.user import LLMUser

HANGING = 60
"""Seconds; an episode that waits for a server that hangs would last until the server closes."""
FAULTS = {
    "429": Status(429, {"Retry-After": "1"}),
    "500": Status(500),
    "hang": Hang(),
    "slow stream": Drip(),
    "cut connection": Cut(),
    "empty": Say(""),
    "non-json": Raw(b"<html>", "text/html"),
    "no choices": Raw(b'{"choices": []}'),
    "over-long": Say("well " * 2000),
    "cut reply": Say("I wou", finish_reason="length"),
    "wrong key": Status(401),
}


@pytest.fixture(scope="module")
def setting():
    return load_setting(shop, "train")


def run(setting, user, make_agent, *, limit=3, **options):
    ended = []
    run_rollout(
        setting,
        user,
        make_agent,
        plan(setting.tasks, limit=limit),
        options=RolloutOptions(max_turns=6, **options),
        on_end=ended.append,
    )
    return sorted(ended, key=lambda item: item.task_id)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("opens", [False, True], ids=["at the opening", "later"])
def test_a_user_that_fails_is_labelled_and_never_scored(setting, settings_for, name, opens):
    def answer(body):
        first = len(body["messages"]) == 2
        return Say("I want something.") if opens and first else FAULTS[name]

    begin = time.monotonic()
    with Loopback(default=answer) as server:
        user = LLMUser(LLMClient(settings_for(server, deadline_s=1.5, timeout_s=0.3)))
        ended = run(setting, user, RandomAgent, concurrency=3)
        assert time.monotonic() - begin < HANGING
    assert len(ended) == 3
    for item in ended:
        asked = any(entry.source == "agent" and not entry.message.tool_calls for entry in item.entries)
        if opens and not asked:  # this agent never spoke, so its user was never asked again
            continue
        assert item.ended_by == "fault"
        assert item.cause
        assert item.score is not None
        assert item.score.fault == "user"
        assert item.score.reward is None
    assert any(item.ended_by == "fault" for item in ended)
    assert summarize(ended).faults


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_sync_and_async_sessions_label_the_same_faults(setting, settings_for, name, mode):
    begin = time.monotonic()
    with Loopback(default=FAULTS[name]) as server:
        session = Session(setting, LLMUser(LLMClient(settings_for(server, deadline_s=1.0, timeout_s=0.3))))
        task = setting.tasks[0]
        step = session.start(task, seed=0) if mode == "sync" else asyncio.run(session.astart(task, seed=0))
        session.close()
    assert time.monotonic() - begin < HANGING
    assert (step.terminated, step.truncated) == (False, True)
    assert (step.score.fault, step.score.reward) == ("user", None)


@pytest.mark.parametrize("name", ["429", "500", "hang", "slow stream", "cut connection", "non-json", "wrong key"])
def test_an_agents_endpoint_that_fails_is_no_failure_of_the_agent(setting, settings_for, name):
    with Loopback(default=FAULTS[name]) as server:
        client = LLMClient(settings_for(server, deadline_s=1.0, timeout_s=0.3))
        ended = run(setting, ShopUser(), lambda: LLMAgent(client))
    assert [item.ended_by for item in ended] == ["fault"] * 3
    assert all(item.score.reward is None and item.score.fault == "environment" for item in ended if item.score)
    assert all(str(item.cause).startswith("agent: ") for item in ended)


@pytest.mark.parametrize("who", ["user", "agent"])
def test_an_endpoint_that_refuses_every_dialogue_ends_the_run_early(setting, settings_for, who, caplog):
    with Loopback(default=Status(401, message="No such key")) as server:
        client = LLMClient(settings_for(server))
        user = LLMUser(client) if who == "user" else ShopUser()
        ended = run(setting, user, RandomAgent if who == "user" else lambda: LLMAgent(client), limit=10, concurrency=2)
    assert 5 <= len(ended) <= 6
    assert "No such key" in caplog.records[-1].message


def test_a_dialogue_longer_than_the_model_reads_is_truncated_and_scored(setting, settings_for):
    too_long = Status(400, message="This model's maximum context length is 4096 tokens")
    with Loopback([Say("Which order? " * 1000)], default=too_long) as server:
        client = LLMClient(settings_for(server))
        (item,) = run(setting, ShopUser(), lambda: LLMAgent(client), limit=1)
        assert len(server.requests) == 2
    assert item.ended_by == "token_limit"
    assert item.score is not None
    assert item.score.reward == 0.0


def test_an_llm_agent_solves_a_task_and_malformed_calls_are_answered_by_the_environment(setting, settings_for):
    cancel = '{"order_id": "#1", "reason": "ordered by mistake"}'
    script = [
        Say("Which order?"),
        Say(None, tool_calls=[tool_call("cancel_order", "{order: 1")], finish_reason="tool_calls"),
        Say(None, tool_calls=[tool_call("delete_order", "{}"), tool_call("cancel_order", cancel, "call_2")]),
        Say("Done."),
    ]
    with Loopback(script) as server:
        client = LLMClient(settings_for(server))
        session = Session(setting, ShopUser())
        agent = LLMAgent(client)
        result = session.start(setting.tasks[1], seed=0)
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=9)
        while not result.done:
            result = session.send(agent.act(result.messages))
    assert result.score is not None
    assert result.score.reward == 1.0
    tools = [entry.message for entry in session.episode.entries if entry.source == "tool"]
    assert [message.content.startswith("Error") for message in tools] == [True, True, False]
    sent = server.requests[-1]
    assert sent["tools"] == session.tools
    assert [message["role"] for message in sent["messages"]] == [
        *("system", "user", "assistant", "user", "assistant", "tool", "assistant", "tool", "tool")
    ]
    # What the model wrote stays readable in its history, as JSON that a server can parse.
    assert sent["messages"][4]["tool_calls"][0]["function"]["arguments"] == '{"malformed_arguments": "{order: 1"}'
    assert agent.usage()["calls"] == 4
    session.close()


def test_a_forked_llm_agent_goes_its_own_way(settings_for):
    with Loopback([Say("one"), Say("left"), Say("right")]) as server:
        agent = LLMAgent(LLMClient(settings_for(server)))
        agent.reset(system_prompt="p", tools=[], seed=0)
        agent.act([])
        twin = agent.fork()
        assert (agent.act([]).content, twin.act([]).content) == ("left", "right")
        assert agent.usage()["calls"] == twin.usage()["calls"] == 2
        assert "left" not in str(server.requests[2]["messages"])


@pytest.mark.parametrize("who", ["user", "agent"])
def test_a_budget_ends_the_run_cleanly(setting, settings_for, who):
    with Loopback(default=Say("Done.", prompt_tokens=50, completion_tokens=50)) as server:
        ledger = Ledger(max_tokens=500)
        client = LLMClient(settings_for(server), ledger=ledger)
        user = LLMUser(client) if who == "user" else ShopUser()
        make_agent = RandomAgent if who == "user" else lambda: LLMAgent(client)
        ended = run(setting, user, make_agent, limit=10, concurrency=2, stop=lambda: ledger.exhausted)
        assert len(ended) < 10
        assert ledger.total.tokens == 500
        cut = [item for item in ended if item.ended_by == "fault"]
        assert all("budget: " in str(item.cause) and item.score.reward is None for item in cut)
        used = sum(item.usage.get("calls", 0) + item.meta.get("agent_usage", {}).get("calls", 0) for item in ended)
        assert used == ledger.total.calls


def test_a_run_counts_the_replies_that_broke_a_guard(setting, settings_for):
    def answer(body):
        spoken = sum(message["role"] == "assistant" for message in body["messages"])
        return Say("Hello, help me." if spoken == 0 else "My zip code is 99887.")

    with Loopback(default=answer) as server:
        ended = run(setting, LLMUser(LLMClient(settings_for(server))), RandomAgent, limit=3)
        kept = run(setting, LLMUser(LLMClient(settings_for(server)), guards=["early_stop"]), RandomAgent, limit=3)
    summary = summarize(ended)
    assert summary.faults == {"unusable reply": 3}
    assert summary.scored == 0
    assert summary.guards == {"invents": 6}
    assert summarize(kept).guards == {}


def test_a_recorded_rollout_replays_byte_for_byte_without_a_server(setting, settings_for, tmp_path):
    counter = iter(range(10**6))

    def once(settings, mode):
        client = LLMClient(settings, cache=ReplyCache(tmp_path, mode))
        ended = run(setting, LLMUser(client, strategy="react"), lambda: LLMAgent(client), concurrency=3)
        return [item.model_dump_json() for item in ended]

    with Loopback(default=lambda body: Say(f"Reply: line {next(counter)}")) as server:
        settings = settings_for(server, timeout_s=5, deadline_s=30)
        recorded = once(settings, "record")
    assert len(recorded) == 3
    assert once(settings, "replay") == recorded
