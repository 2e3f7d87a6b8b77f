"""Completions that stray from their form: what the model wrote is answered, what the server did is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from loopback import Loopback, Raw, Say, Status, tool_call
from shop.domain import shop
from shop.user import ShopUser

from mua_env.agents.llm import LLMAgent
from mua_env.episode.setting import load_setting
from mua_env.evaluation.rollouts import plan, run_rollout
from mua_env.llm import ChatRequest, LLMClient, LLMError, LLMSettings

ASK = ChatRequest(messages=[{"role": "user", "content": "hello"}])


def completion(message: Any, **changes: Any) -> Raw:
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        **changes,
    }
    return Raw(json.dumps(body).encode())


def calls(*calls: Any) -> Raw:
    return completion({"role": "assistant", "content": None, "tool_calls": list(calls)})


def call(**changes: Any) -> dict[str, Any]:
    return {**tool_call("get_order", '{"order_id": "#1"}'), **changes}


MALFORMED = {
    "no function": call(function=None),
    "function left out": {"id": "c", "type": "function"},
    "function a text": call(function="get_order"),
    "function a list": call(function=["get_order", "{}"]),
    "name a number": call(function={"name": 4.5, "arguments": "{}"}),
    "name a mapping": call(function={"name": {"a": 1}, "arguments": "{}"}),
    "name left out": call(function={"arguments": "{}"}),
    "no call": None,
    "a number": 12,
    "a text": "get_order",
    "a list": [["get_order"]],
    "arguments a list": call(function={"name": "get_order", "arguments": ["#1"]}),
    "arguments a number": call(function={"name": "get_order", "arguments": 1}),
    "arguments true": call(function={"name": "get_order", "arguments": True}),
    "arguments half written": call(function={"name": "get_order", "arguments": '{"order_id": '}),
    "arguments nested in lists": call(function={"name": "get_order", "arguments": "[" * 3000}),
    "arguments nested in objects": call(function={"name": "get_order", "arguments": '{"a":' * 3000}),
    "arguments nested and closed": call(function={"name": "get_order", "arguments": "[" * 900 + "]" * 900}),
    "custom": {"id": "c", "type": "custom", "custom": {"name": "get_order", "input": "#1"}},
    "custom without a name": {"id": "c", "type": "custom", "custom": {"input": "#1"}},
    "another type": {"id": "c", "type": "mcp", "mcp": {"name": "get_order"}},
}


@pytest.fixture(scope="module")
def setting():
    return load_setting(shop, "train")


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_call_is_answered_and_the_dialogue_scored(setting, settings_for, name):
    ended = []
    with Loopback([calls(MALFORMED[name])], default=Say("Done.")) as server:
        client = LLMClient(settings_for(server))
        run_rollout(setting, ShopUser(), lambda: LLMAgent(client), plan(setting.tasks, limit=1), on_end=ended.append)
        sent = server.requests[1]["messages"]
    assert (ended[0].score.fault, ended[0].score.reward) == (None, 0.0)
    answers = [entry.message.content for entry in ended[0].entries if entry.source == "tool"]
    assert len(answers) == 1
    assert answers[0].startswith("Error")
    called = next(message for message in sent if message.get("tool_calls"))["tool_calls"]
    assert [part["id"] for part in called] == [message["tool_call_id"] for message in sent if message["role"] == "tool"]


@pytest.mark.parametrize("id", [None, 5, [5], {"a": 1}, "", True])
@pytest.mark.parametrize("arguments", ['{"order_id": "#1"}', {"order_id": "#1"}])
def test_a_call_whose_sense_is_plain_is_run_whatever_stands_around_it(setting, settings_for, id, arguments):
    ended = []
    odd = call(id=id, type=None, function={"name": "get_order", "arguments": arguments})
    with Loopback([calls(odd, odd)], default=Say("Done.")) as server:
        client = LLMClient(settings_for(server))
        run_rollout(setting, ShopUser(), lambda: LLMAgent(client), plan(setting.tasks, limit=1), on_end=ended.append)
    answers = [entry.message.content for entry in ended[0].entries if entry.source == "tool"]
    assert len(answers) == 2
    assert not any(answer.startswith("Error") for answer in answers)


def asked(settings_for, answer):
    with Loopback(default=answer) as server:
        client = LLMClient(settings_for(server, attempts=2))
        try:
            return client.complete(ASK, client.wait_limit())
        finally:
            assert len(server.requests) <= 2


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": [{"type": "text", "text": "good "}, {"type": "text", "text": "day"}]},
        {"role": "assistant", "content": ["good ", {"type": "output_text", "text": "day"}]},
        {"content": {"type": "text", "text": "good day"}},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"text": "hm"}]}, "good day"]},
        {"role": None, "content": "good day", "tool_calls": None, "refusal": 4, "audio": "no", "annotations": {}},
        {"role": "model", "content": "good day", "tool_calls": [], "reasoning_content": ["hm"], "images": 1},
    ],
)
def test_words_are_read_in_whatever_parts_they_come(settings_for, message):
    reply = asked(settings_for, completion(message))
    assert (reply.text, reply.tool_calls, reply.usage.tokens) == ("good day", (), 10)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ("many", 0),
        ([7, 3], 0),
        (None, 0),
        ({"prompt_tokens": "7", "completion_tokens": 3}, 3),
        ({"prompt_tokens": 7.0, "completion_tokens": -3, "total_tokens": {}}, 7),
        ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": [1], "cost": "free"}, 10),
    ],
)
def test_a_bad_account_is_no_reason_to_lose_the_reply(settings_for, usage, tokens):
    reply = asked(settings_for, completion({"role": "assistant", "content": "hi"}, usage=usage))
    assert (reply.text, reply.usage.tokens) == ("hi", tokens)


@pytest.mark.parametrize("changes", [{"id": None}, {"created": "now"}, {"model": 7}, {"object": ["x"]}])
def test_a_bad_header_of_a_completion_is_no_reason_to_lose_the_reply(settings_for, changes):
    assert asked(settings_for, completion({"role": "assistant", "content": "hi"}, **changes)).text == "hi"


@pytest.mark.parametrize(
    "answer",
    [
        completion({"role": "assistant", "content": 12}),
        completion({"role": "assistant", "content": [3]}),
        completion({"role": "assistant", "content": {"words": "hi"}}),
        completion("hi"),
        completion(None),
        completion({}, choices=[None]),
        completion({}, choices={"0": "x"}),
        Raw(b"[]"),
        Raw(b'"the context is longer than the maximum of 4096 tokens"'),
        Raw(b'{"choices": [{"message": {"content": {"prompt is too long": 1}}}]}'),
    ],
)
def test_a_body_that_holds_no_reply_is_the_servers_failure_whatever_its_words(settings_for, answer):
    with pytest.raises(LLMError) as caught:
        asked(settings_for, answer)
    assert caught.value.kind == "server"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "Sorry.", "code": 401, "type": "authentication_error"}}, "auth"),
        ({"error": {"message": "Insufficient credits", "code": 402}}, "quota"),
        ({"error": {"message": "Upstream fell over", "code": 502}}, "server"),
    ],
)
def test_a_refusal_with_the_status_of_success_is_a_refusal(settings_for, body, kind):
    with pytest.raises(LLMError) as caught:
        asked(settings_for, Raw(json.dumps(body).encode()))
    assert caught.value.kind == kind


def minds(refused, status):
    """As a server that refuses a call without words where its content is left out (or null), or where it is blank."""

    def answer(body):
        turns = [message for message in body["messages"] if message.get("tool_calls")]
        if any(message.get("content") == refused for message in turns):
            return Status(status, message="messages[2]: invalid value for 'content'")
        return Say("Done.") if turns else calls(call())

    return answer


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("refused", [None, ""])
def test_a_server_that_minds_how_a_wordless_call_is_written_gets_it_otherwise_and_once(
    setting, settings_for, refused, status
):
    ended = []
    with Loopback(default=minds(refused, status)) as server:
        client = LLMClient(settings_for(server))
        episodes = plan(setting.tasks, limit=2)
        run_rollout(setting, ShopUser(), lambda: LLMAgent(client), episodes, on_end=ended.append)
        with_calls = [
            [message.get("content") for message in request["messages"] if message.get("tool_calls")]
            for request in server.requests
        ]
    assert [item.score.fault for item in ended] == [None, None]
    # Dialogues that run side by side may each find out for themselves.
    assert sum(refused in contents for contents in with_calls) <= (2 if refused is None else 0)


def test_a_server_that_changes_its_mind_gets_the_first_way_again(settings_for):
    turn = {"role": "assistant", "content": None, "tool_calls": [call()]}
    request = ChatRequest(messages=[*ASK.messages, turn, {"role": "tool", "tool_call_id": "call_1", "content": "none"}])
    with Loopback() as server:
        client = LLMClient(settings_for(server))
        for refused in (None, "", None):
            server.default = minds(refused, 400)
            assert client.complete(request, client.wait_limit()).text == "Done."
            assert client.complete(request, client.wait_limit()).text == "Done."
        written = [sent["messages"][1].get("content") for sent in server.requests]
    assert written == [*(None, "", ""), *("", None, None), *(None, "", "")]


def test_a_request_that_is_refused_either_way_is_refused_for_what_was_said_first(settings_for):
    turn = {"role": "assistant", "content": None, "tool_calls": [call()]}
    request = ChatRequest(messages=[*ASK.messages, turn])
    with Loopback([Status(400, message="no such field"), Status(400, message="other")]) as server:
        client = LLMClient(settings_for(server))
        with pytest.raises(LLMError, match="no such field"):
            client.complete(request, client.wait_limit())
        assert len(server.requests) == 2


def blocks(*content: Any, **changes: Any) -> Raw:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": list(content),
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 7, "output_tokens": 3},
        **changes,
    }
    return Raw(json.dumps(body).encode())


def anthropic(server: Loopback) -> LLMClient:
    base = server.base_url.removesuffix("/v1")
    return LLMClient(LLMSettings("anthropic/claude-sonnet-4-5", base_url=base, api_key="none", attempts=2))


USE = {"type": "tool_use", "id": "toolu_1", "name": "get_order", "input": {"order_id": "#1"}}


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "tool_use", "id": "toolu_1", "input": {}},
        {**USE, "name": 7},
        {**USE, "name": None},
        {**USE, "input": ["#1"]},
        {**USE, "input": "#1"},
        {**USE, "id": ["x"], "input": {"order": "#1"}},
    ],
)
def test_a_malformed_call_in_blocks_is_answered_and_the_dialogue_scored(setting, odd):
    ended = []
    done = blocks({"type": "text", "text": "Done."}, stop_reason="end_turn")
    with Loopback([blocks(odd)], default=done) as server:
        client = anthropic(server)
        run_rollout(setting, ShopUser(), lambda: LLMAgent(client), plan(setting.tasks, limit=1), on_end=ended.append)
    assert (ended[0].score.fault, ended[0].score.reward) == (None, 0.0)
    (answer,) = [entry.message.content for entry in ended[0].entries if entry.source == "tool"]
    assert answer.startswith("Error")


@pytest.mark.parametrize(
    "answer",
    [
        blocks(None, {"type": "text", "text": "hi"}),
        blocks(content="hi"),
        blocks({"type": "text", "text": "hi"}, usage=None),
        blocks({"type": "text", "text": "hi"}, usage={"input_tokens": "7", "output_tokens": -1, "service": []}),
    ],
)
def test_what_stands_around_blocks_is_no_reason_to_lose_the_reply(answer):
    with Loopback(default=answer) as server:
        client = anthropic(server)
        assert client.complete(ASK, client.wait_limit()).text == "hi"


@pytest.mark.parametrize("answer", [blocks({"type": "text", "text": 5}), blocks(content=None), Raw(b'{"a": 1}')])
def test_blocks_that_hold_no_reply_are_the_servers_failure(answer):
    with Loopback(default=answer) as server:
        client = anthropic(server)
        with pytest.raises(LLMError) as caught:
            client.complete(ASK, client.wait_limit())
    assert caught.value.kind == "server"
