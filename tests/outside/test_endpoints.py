"""Endpoints that answer with more than was asked for, and paid users that are told more than they can read."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")

from loopback import Loopback, Raw, Say, tool_call
from shop.domain import shop
from shop.user import ShopUser

from mua_env import Session, load_setting
from mua_env.agents.llm import LLMAgent
from mua_env.core.limits import LONGEST_HEARD, LONGEST_RESPONSE
from mua_env.llm import ChatRequest, LLMClient, LLMError, LLMSettings, ReplyCache
from mua_env.users.llm.user import LLMUser

ANSWER = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
).encode()
BOMB = b'{"a": "' + b"x" * (3 * LONGEST_RESPONSE) + b'"}'


def client(server: Loopback) -> LLMClient:
    return LLMClient(LLMSettings("tiny", base_url=server.base_url, timeout_s=60, deadline_s=120, attempts=1))


def ask(server: Loopback) -> str | None:
    asked = client(server)
    return asked.complete(ChatRequest(messages=[{"role": "user", "content": "?"}]), asked.wait_limit()).text


@pytest.mark.parametrize(
    "answer",
    [Raw(ANSWER), Raw(gzip.compress(ANSWER), encoding="gzip"), Raw(zlib.compress(ANSWER), encoding="deflate")],
    ids=["plain", "gzip", "deflate"],
)
def test_ordinary_answers_are_read_packed_or_not(answer: Raw) -> None:
    with Loopback(default=answer) as server:
        assert ask(server) == "hi"


@pytest.mark.parametrize(
    "answer",
    [
        Raw(gzip.compress(BOMB), encoding="gzip"),
        Raw(zlib.compress(BOMB), encoding="deflate"),
        Raw(BOMB),
        Raw(ANSWER, encoding="br"),
        Raw(b"no gzip", encoding="gzip"),
        Raw(gzip.compress(gzip.compress(ANSWER)), encoding="gzip, gzip"),
    ],
    ids=["gzip bomb", "deflate bomb", "long", "not asked for", "broken", "packed twice"],
)
def test_an_answer_beyond_the_bound_is_the_endpoints_failure(answer: Raw) -> None:
    with Loopback(default=answer) as server, pytest.raises(LLMError) as caught:
        ask(server)
    assert caught.value.kind in ("connection", "server", "bad_request")
    assert len(server.requests) == 1


def test_no_more_is_unpacked_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = 0
    make = zlib.decompressobj

    class Counting:
        def __init__(self, bits: int) -> None:
            self.inner = make(bits)

        def decompress(self, data: bytes, most: int) -> bytes:
            nonlocal unpacked
            found = self.inner.decompress(data, most)
            unpacked += len(found)
            return found

    monkeypatch.setattr("mua_env.llm.bounded_http.zlib.decompressobj", Counting)
    with Loopback(default=Raw(gzip.compress(BOMB), encoding="gzip")) as server, pytest.raises(LLMError):
        ask(server)
    assert 0 < unpacked <= LONGEST_RESPONSE + 1


def test_a_paid_user_is_sent_a_bounded_text_and_its_reply_counts() -> None:
    setting = load_setting(shop)
    task = setting.tasks[0].model_copy(update={"instruction": "You are Ana."})
    with Loopback(default=Say("Which one do you mean?")) as server:
        session = Session(setting, LLMUser(client(server)), max_turns=2)
        session.start(task)
        session.send("Hello. " + "x " * 2_500_000)
        result = session.send("\ud83d" * 5_000_000)
    sent = [message["content"] for request in server.requests for message in request["messages"]]
    assert max(map(len, sent[1:])) <= LONGEST_HEARD
    assert result.score is not None
    assert (result.score.fault, result.score.reward) == (None, 0.0)
    session.close()


def test_ids_that_a_server_repeats_agree_between_history_and_results() -> None:
    setting = load_setting(shop)
    steps = [Say(None, [tool_call("get_order", '{"order_id": "#1"}', id)] * 2) for id in ("c", "c", "")]
    with Loopback(steps, default=Say("Done.")) as server:
        session = Session(setting, ShopUser(), max_turns=4)
        agent = LLMAgent(client(server))
        agent.reset(system_prompt="", tools=session.tools, seed=0)
        result = session.start(setting.tasks[0])
        while not result.done:
            result = session.send(agent.act(result.messages))
    history = server.requests[-1]["messages"]
    called = [call["id"] for message in history for call in message.get("tool_calls") or ()]
    answered = [message["tool_call_id"] for message in history if message["role"] == "tool"]
    assert called == answered
    assert len(set(called)) == len(called) == 6
    session.close()


def test_half_a_surrogate_pair_from_a_model_is_kept_and_recorded(tmp_path: Path) -> None:
    call = tool_call("get\ud800", '{"a": "\udfff"}', "\ud83d")
    with Loopback([Say("a\ud800b"), Say(None, [call])]) as server:
        asked = LLMClient(client(server).settings, cache=ReplyCache(tmp_path))
        first = asked.complete(ChatRequest(messages=[{"role": "user", "content": "1"}]), asked.wait_limit())
        second = asked.complete(ChatRequest(messages=[{"role": "user", "content": "2"}]), asked.wait_limit())
    assert first.text == "a\ufffdb"
    assert (second.tool_calls[0].id, second.tool_calls[0].function.name) == ("\ufffd", "get\ufffd")
