"""What endpoints of all kinds answer when they refuse, through LiteLLM: whose fault it is, and whether to try again."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from error_bodies import BODIES
from loopback import Loopback, Say, Status, tool_call
from shop.domain import shop
from shop.user import ShopUser

from mua_env.agents.llm import LLMAgent
from mua_env.core.messages import ToolMessage
from mua_env.episode.setting import load_setting
from mua_env.evaluation.rollouts import plan, run_rollout
from mua_env.llm import ChatRequest, LLMClient, LLMError, LLMSettings
from mua_env.llm.chat import SILENCE
from mua_env.llm.errors import PASSING, kind_of
from mua_env.users.llm.user import LLMUser

ASK = ChatRequest(messages=[{"role": "user", "content": "hello"}])
ROUTES = {"a server of one's own": "tiny", "anthropic": "anthropic/claude-none", "openrouter": "openrouter/some/none"}


def settings_of(server: Loopback, model: str, **changes) -> LLMSettings:
    base = server.base_url.removesuffix("/v1") if model.startswith("anthropic/") else server.base_url
    options = {"timeout_s": 10.0, "deadline_s": 20.0, "attempts": 2, **changes}
    return LLMSettings(model, base_url=base, api_key="none", **options)


def refused(settings: LLMSettings, request: ChatRequest = ASK) -> LLMError:
    client = LLMClient(settings)
    with pytest.raises(LLMError) as caught:
        client.complete(request, client.wait_limit())
    return caught.value


LONG = ChatRequest(messages=[{"role": "user", "content": "I want to return the lamp. " * 500}])
LENGTHS = [name for name, (kind, _, _) in BODIES.items() if kind == "context"]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", BODIES)
def test_each_refusal_is_what_it_is_by_every_route(name, route):
    kind, status, body = BODIES[name]
    with Loopback(default=Status(status, body=body)) as server:
        error = refused(settings_of(server, ROUTES[route]), LONG if kind == "context" else ASK)
        tried = len(server.requests)
    assert error.kind == kind
    assert (tried > 1) == (kind in PASSING)


@pytest.mark.parametrize("name", [name for name in BODIES if name not in LENGTHS])
def test_no_other_refusal_is_one_of_length_because_the_request_is_long(name):
    kind, status, body = BODIES[name]
    with Loopback(default=Status(status, body=body)) as server:
        assert refused(settings_of(server, "tiny"), LONG).kind == kind


@pytest.mark.parametrize("name", LENGTHS)
def test_a_dialogue_of_a_few_words_is_never_too_long_whatever_a_server_says(name):
    _, status, body = BODIES[name]
    policy = {"role": "system", "content": "Cancel orders only when they are pending. " * 300}
    for messages in (ASK.messages, [policy, *ASK.messages]):
        with Loopback(default=Status(status, body=body)) as server:
            kind = refused(settings_of(server, "tiny", attempts=1), ChatRequest(messages=messages)).kind
        assert kind == ("server" if status >= 500 else "bad_request")


def turns(words):
    said = [{"role": role, "content": "I want to return the lamp. " * words} for role in ("user", "assistant", "user")]
    return ChatRequest(messages=said)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "The context is limited to 32768 tokens."}},
        {
            "error": {
                "message": "This model's maximum context length is 16,384 tokens.",
                "code": "context_length_exceeded",
            }
        },
        {"error": {"message": "No.", "type": "exceed_context_size_error", "n_ctx": 65536}},
    ],
)
def test_a_request_that_is_small_against_the_limit_that_is_named_is_not_too_long(body):
    with Loopback(default=Status(400, body=body)) as server:
        assert refused(settings_of(server, "tiny"), turns(100)).kind == "bad_request"
        assert refused(settings_of(server, "tiny"), turns(5000)).kind == "context"


@pytest.mark.parametrize("words", ["The prompt is too long.", "The list of messages is longer than the maximum."])
def test_what_an_endpoint_has_taken_before_is_not_too_long_for_it(words):
    with Loopback([Say("Yes.")], default=Status(400, message=words)) as server:
        client = LLMClient(settings_of(server, "tiny"))
        client.complete(turns(600), client.wait_limit())
        kinds = []
        for request in (turns(300), turns(900)):
            with pytest.raises(LLMError) as caught:
                client.complete(request, client.wait_limit())
            kinds.append(caught.value.kind)
    assert kinds == ["bad_request", "context"]


@pytest.mark.parametrize(("times", "kind"), [(20, "bad_request"), (500, "context")])
def test_a_gateways_bare_413_is_read_by_the_length_of_the_body(times, kind):
    page = "<html><head><title>413 Content Too Large</title></head><body><hr>nginx/1.27.0</body></html>"
    with Loopback(default=Status(413, body=page)) as server:
        assert refused(settings_of(server, "tiny"), turns(times)).kind == kind


@pytest.mark.parametrize("model", ["gpt-4.1", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.0-flash", "azure/none"])
def test_a_missing_key_is_told_and_not_tried_again(model, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AZURE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("mua_env.llm.client.FIRST_PAUSE_S", 3600.0)  # a second attempt would outlast the deadline
    assert refused(LLMSettings(model, deadline_s=60.0)).kind == "auth"


@pytest.mark.parametrize(
    ("message", "request_", "kind"),
    [
        ("Slot full: 3600 of 2048.", LONG, "context"),
        ("Slot full: 3600 of 2048.", ASK, "bad_request"),
        ("Not today.", LONG, "bad_request"),
        ("Error 3600 at line 12.", LONG, "bad_request"),
    ],
)
def test_unknown_words_are_read_by_the_requests_own_length(message, request_, kind):
    with Loopback(default=Status(400, message=message)) as server:
        assert refused(settings_of(server, "tiny"), request_).kind == kind


@pytest.mark.parametrize("request_", [ASK, LONG], ids=["short", "long"])
@pytest.mark.parametrize("known", ["by the settings", "max_model_len", "context_length", "n_ctx"])
def test_a_request_beyond_the_models_window_is_refused_for_its_length(request_, known):
    models = [{"id": "other", "max_model_len": 9}, {"id": "tiny", known: 2048}] if known[0] != "b" else []
    changes = {} if models else {"context_tokens": 2048}
    with Loopback(default=Status(400, message="Not today."), models=models) as server:
        error = refused(settings_of(server, "tiny", **changes), request_)
    assert error.kind == ("context" if request_ is LONG else "bad_request")


def test_room_for_the_reply_that_the_model_has_not_is_no_overflow():
    body = {"message": "'max_tokens' is too large: 5000. The maximum context length is 4096 tokens.", "code": 400}
    with Loopback(default=Status(400, body=body)) as server:
        assert refused(settings_of(server, "tiny", max_tokens=5000)).kind == "bad_request"
        assert refused(settings_of(server, "tiny", max_tokens=5000), LONG).kind == "context"


@pytest.mark.parametrize(
    ("cause", "kind"),
    [("agent: auth: no key", "auth"), ("context: long", "context"), ("agent: it said auth", None), ("auth", "auth")],
)
def test_a_cause_names_its_kind(cause, kind):
    assert kind_of(cause) == kind


@pytest.fixture(scope="module")
def setting():
    return load_setting(shop, "train")


def strict(body, answer):
    """As endpoints that take no blank message and no roles in a row."""
    roles = [message["role"] for message in body["messages"] if message["role"] != "tool"]
    blank = [
        message
        for message in body["messages"]
        if not str(message.get("content") or "").strip() and not message.get("tool_calls")
    ]
    if blank or any(one == two != "assistant" for one, two in pairwise(roles)):
        return Status(400, message="messages: text content blocks must be non-empty")
    return answer


@pytest.mark.parametrize("said", ["", None, "  \n"])
def test_an_agent_that_says_nothing_is_scored_where_blank_messages_are_refused(setting, said):
    ended = []
    with Loopback(default=lambda body: strict(body, Say(said))) as server:
        client = LLMClient(settings_of(server, "tiny"))
        run_rollout(setting, ShopUser(), lambda: LLMAgent(client), plan(setting.tasks, limit=1), on_end=ended.append)
        assert {
            message["content"] for message in server.requests[-1]["messages"] if message["role"] == "assistant"
        } == {SILENCE}
    assert ended[0].ended_by == "max_turns"
    assert ended[0].score.reward == 0.0


def test_a_user_hears_of_an_agent_that_says_nothing(setting):
    ended = []
    with Loopback(default=lambda body: strict(body, Say("Hello, I want something."))) as server:
        user = LLMUser(LLMClient(settings_of(server, "tiny")))
        mute = LLMClient(settings_of(server, "tiny"))
        server.default = lambda body: strict(body, Say("" if body.get("tools") else "Hello, I want something."))
        run_rollout(setting, user, lambda: LLMAgent(mute), plan(setting.tasks, limit=1), on_end=ended.append)
    assert ended[0].score.reward == 0.0


def anthropic_reply(content, stop="end_turn"):
    return Status(
        200,
        body={
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "stop_reason": stop,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        },
    )


def test_thinking_blocks_come_back_in_the_next_request(setting, tmp_path):
    thought = {"type": "thinking", "thinking": "Which order?", "signature": "c2lnbmVk"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "cancel_order", "input": {"order_id": "#1"}}
    script = [anthropic_reply([thought, call], "tool_use"), anthropic_reply([{"type": "text", "text": "Done."}])]
    with Loopback(script, default=script[1]) as server:
        extra = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
        settings = settings_of(server, "anthropic/claude-sonnet-4-5", extra=extra, temperature=None, max_tokens=2048)
        client = LLMClient(settings)
        run_rollout(setting, ShopUser(), lambda: LLMAgent(client), plan(setting.tasks, limit=1))
        back = server.requests[1]["messages"]
    turn = next(message for message in back if message["role"] == "assistant")
    assert turn["content"][0] == thought
    assert turn["content"][1]["type"] == "tool_use"


def test_a_dropped_seed_is_told_once_and_stands_in_the_trajectory(setting, caplog):
    reply = anthropic_reply([{"type": "text", "text": "Done."}])
    ended = []
    with Loopback(default=reply) as server:
        client = LLMClient(settings_of(server, "anthropic/claude-sonnet-4-5"))
        run_rollout(
            setting, LLMUser(client), lambda: LLMAgent(client), plan(setting.tasks, limit=2), on_end=ended.append
        )
    assert [record.message for record in caplog.records if "seed" in record.message] == [
        "anthropic/claude-sonnet-4-5 takes no seed: replies to the same request may differ"
    ]
    assert all(item.meta["seed_dropped"] == ["agent", "user"] for item in ended)
    assert ended[0].entries[0].hidden["meta"]["seed"] == "dropped"


def test_words_beside_a_call_of_the_user_are_its_line_when_it_has_no_more_to_say(setting):
    look = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    script = [
        Say("My internet is down."),
        Say("I had a look, it is red.", tool_calls=[tool_call("look", "{}")]),
        Say(""),
    ]
    with Loopback(script) as server:
        client = LLMClient(settings_of(server, "tiny"))
        task = setting.tasks[0].model_copy(update={"instruction": "You are Ana. Your internet is down."})
        user = LLMUser(client).start(task, seed=0, context={"tools": [look]})
        user.reply(None)
        acted = user.reply("Please look at the light.")
        said = user.observe([ToolMessage(tool_call_id=acted.tool_calls[0].id, name="look", content="red")])
        assert len(server.requests) == 3
    assert (said.text, said.stop, said.fault) == ("I had a look, it is red.", False, None)


FIRST_CALL = """
import sys
from loopback import Loopback
from mua_env.llm import ChatRequest, LLMClient, LLMSettings
from mua_env.llm.waiting import WaitLimit

class Watched(WaitLimit):
    def running(self):
        self.loaded = set(sys.modules)
        return super().running()

with Loopback() as server:
    client = LLMClient(LLMSettings("tiny", base_url=server.base_url, api_key="none"))
    wait = Watched(20.0)
    client.complete(ChatRequest(messages=[{"role": "user", "content": "hello"}]), wait)
print(sorted(name for name in sys.modules if name.startswith("litellm.llms.") and name not in wait.loaded))
"""


def test_whoever_calls_first_has_loaded_the_provider_before_its_time_runs():
    path = os.pathsep.join([str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", FIRST_CALL], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
