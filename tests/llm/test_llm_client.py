"""The client against a real server with scripted faults."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import time

import pytest
from loopback import Cut, Drip, Hang, Loopback, Raw, Say, Status, tool_call

from mua_env.errors import ConfigError
from mua_env.llm import ChatRequest, Ledger, LLMClient, LLMError, LLMSettings, WaitLimit

ASK = ChatRequest(messages=[{"role": "user", "content": "hello"}], seed=11)


def test_forwards_model_sampling_seed_and_tools(settings_for):
    schema = {
        "type": "function",
        "function": {"name": "f", "description": "", "parameters": {"type": "object"}},
    }
    with Loopback([Say("hi")]) as server:
        client = LLMClient(settings_for(server, temperature=0.3, top_p=0.9, max_tokens=77))
        reply = client.complete(ASK.model_copy(update={"tools": [schema]}), client.wait_limit())
    assert reply.text == "hi"
    assert reply.finish_reason == "stop"
    (sent,) = server.requests
    assert sent["model"] == "tiny"
    assert sent["messages"] == ASK.messages
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"], sent["seed"]) == (0.3, 0.9, 77, 11)
    assert sent["tools"] == [schema]


def test_reads_tool_calls_as_the_model_wrote_them(settings_for):
    with Loopback([Say(None, tool_calls=[tool_call("f", "{not json")])]) as server:
        client = LLMClient(settings_for(server))
        reply = client.complete(ASK, client.wait_limit())
    assert reply.text is None
    assert [(call.function.name, call.function.arguments) for call in reply.tool_calls] == [("f", "{not json")]


@pytest.mark.parametrize("thought", ["<think>hm</think>\n\n", "hm, they\nwant </think>\n"])
def test_a_models_thinking_is_not_part_of_what_it_says(settings_for, thought):
    with Loopback([Say(f"{thought}Hello.")]) as server:
        client = LLMClient(settings_for(server))
        reply = client.complete(ASK, client.wait_limit())
    assert (reply.text or "").strip() == "Hello."


@pytest.mark.parametrize(
    "fault",
    [
        Status(500),
        Status(503),
        Hang(),
        Drip(),
        Cut(),
        Raw(b"<html>bad gateway</html>", "text/html"),
        Raw(b'{"a": '),
        Raw(b'{"choices": []}'),
        Status(429),
    ],
    ids=lambda fault: type(fault).__name__ + str(getattr(fault, "code", "")),
)
def test_a_passing_fault_is_tried_again(settings_for, fault):
    with Loopback([fault, Say("fine")]) as server:
        client = LLMClient(settings_for(server, timeout_s=1.0 if isinstance(fault, Hang | Drip) else 10.0))
        assert client.complete(ASK, client.wait_limit()).text == "fine"
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Status(400), "bad_request"),
        (Status(404), "bad_request"),
        (Status(401), "auth"),
        (Status(400, message="This model's maximum context length is 4096 tokens"), "bad_request"),
        (Status(429, message="insufficient_quota"), "quota"),
    ],
)
def test_a_lasting_fault_is_not_tried_again(settings_for, fault, kind):
    with Loopback([fault]) as server:
        client = LLMClient(settings_for(server))
        with pytest.raises(LLMError) as caught:
            client.complete(ASK, client.wait_limit())
        assert caught.value.kind == kind
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(Status(500), "server"), (Status(429), "rate_limit"), (Hang(), "timeout"), (Cut(), "connection")],
    ids=["500", "429", "hang", "cut"],
)
def test_gives_up_after_the_attempts_and_says_why(settings_for, fault, kind):
    with Loopback(default=fault) as server:
        client = LLMClient(settings_for(server, timeout_s=0.2 if isinstance(fault, Hang) else 10.0))
        with pytest.raises(LLMError) as caught:
            client.complete(ASK, client.wait_limit())
        assert caught.value.kind == kind
        assert len(server.requests) == 3


def test_waits_as_long_as_retry_after_says(settings_for):
    with Loopback([Status(429, {"Retry-After": "1"}), Say("fine")]) as server:
        client = LLMClient(settings_for(server))
        assert client.complete(ASK, client.wait_limit()).text == "fine"
        first, second = server.times
    assert second - first >= 1.0


def test_does_not_wait_for_a_retry_after_beyond_the_deadline(settings_for):
    with Loopback([Status(429, {"Retry-After": "3600"})]) as server:
        client = LLMClient(settings_for(server))
        begin = time.monotonic()
        with pytest.raises(LLMError) as caught:
            client.complete(ASK, client.wait_limit())
        assert time.monotonic() - begin < 60
    assert caught.value.kind == "rate_limit"


@pytest.mark.parametrize("fault", [Hang(), Drip()], ids=["hang", "drip"])
def test_one_deadline_over_all_attempts_and_calls(settings_for, fault):
    with Loopback(default=fault) as server:
        client = LLMClient(settings_for(server, timeout_s=0.4, attempts=1000))
        wait = WaitLimit(1.0)
        begin = time.monotonic()
        with pytest.raises(LLMError, match="used up"):
            client.complete(ASK, wait)
        assert 0.9 < time.monotonic() - begin < 60  # a thousand attempts would take 400 s
        asked = len(server.requests)
        with pytest.raises(LLMError, match="used up"):
            client.complete(ASK, wait)
        assert len(server.requests) == asked


def test_a_dead_port_is_a_connection_fault(settings_for):
    with Loopback() as server:
        settings = settings_for(server)
    client = LLMClient(settings)
    with pytest.raises(LLMError) as caught:
        client.complete(ASK, client.wait_limit())
    assert caught.value.kind == "connection"


def test_async_calls_run_together_within_the_endpoints_limit(settings_for):
    async def many(client: LLMClient) -> list[str | None]:
        replies = await asyncio.gather(*(client.acomplete(ASK, client.wait_limit()) for _ in range(12)))
        return [reply.text for reply in replies]

    with Loopback(default=Say("x", delay_s=0.1)) as server:
        client = LLMClient(settings_for(server, concurrency=4, timeout_s=5))
        assert asyncio.run(many(client)) == ["x"] * 12
        assert server.peak == 4
        # Another loop, and no loop, use the same connections.
        assert asyncio.run(many(client)) == ["x"] * 12
        assert client.complete(ASK, client.wait_limit()).text == "x"


def test_a_cancelled_call_leaves_its_place_to_others(settings_for):
    async def scenario(client: LLMClient) -> str | None:
        task = asyncio.create_task(client.acomplete(ASK, client.wait_limit()))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await client.acomplete(ASK, client.wait_limit())).text

    with Loopback([Hang(), Say("next")]) as server:
        client = LLMClient(settings_for(server, concurrency=1, timeout_s=60, deadline_s=60))
        assert asyncio.run(scenario(client)) == "next"  # a place still taken would use up the deadline


def _ask_in_a_child(settings, queue):
    client = LLMClient(settings)
    queue.put(client.complete(ASK, client.wait_limit()).text)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_process_has_connections_of_its_own(settings_for, method):
    context = multiprocessing.get_context(method)
    with Loopback(default=Say("hi")) as server:
        client = LLMClient(settings_for(server))
        client.complete(ASK, client.wait_limit())
        queue = context.Queue()
        children = [context.Process(target=_ask_in_a_child, args=(client.settings, queue)) for _ in range(2)]
        for child in children:
            child.start()
        assert [queue.get(timeout=60) for _ in children] == ["hi", "hi"]
        for child in children:
            child.join(10)
        assert client.complete(ASK, client.wait_limit()).text == "hi"


def test_the_ledger_counts_and_stops(settings_for):
    with Loopback(default=Say("x", prompt_tokens=30, completion_tokens=20)) as server:
        ledger = Ledger(max_tokens=100)
        client = LLMClient(settings_for(server), ledger=ledger)
        for _ in range(2):
            client.complete(ASK, client.wait_limit())
        with pytest.raises(LLMError) as caught:
            client.complete(ASK, client.wait_limit())
        assert caught.value.kind == "budget"
        assert len(server.requests) == 2
    assert (ledger.total.calls, ledger.total.prompt_tokens, ledger.total.completion_tokens) == (2, 60, 40)
    assert ledger.exhausted


def test_a_key_for_openai_is_not_sent_to_another_server(settings_for, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with Loopback() as server:
        assert settings_for(server).route(frozenset({"openai"}))["api_key"] == "none"
    assert "secret" not in repr(LLMSettings("m", api_key="secret"))


@pytest.mark.parametrize("changes", [{"timeout_s": 0}, {"attempts": 0}, {"concurrency": -1}])
def test_impossible_limits_are_refused(changes):
    with pytest.raises(ConfigError, match=next(iter(changes))):
        LLMSettings("m", **changes)


def test_nothing_here_imports_litellm_early():
    code = "import sys, mua_env.llm, mua_env.users.llm.user, mua_env.agents.llm; print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout.strip() == "False"
