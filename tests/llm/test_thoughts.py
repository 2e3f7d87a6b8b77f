"""What is said aloud of what a model wrote: one rule, wherever the model is."""

import pytest
from loopback import Loopback, Say, tool_call

from mua_env.core.thoughts import Tags, leaves_open, spoken
from mua_env.llm import ChatRequest, LLMClient

ASK = ChatRequest(messages=[{"role": "user", "content": "hello"}])
SAID = [
    ("Hello.", False, "Hello."),
    ("  Hello.\n", False, "  Hello.\n"),
    ("<think>hm</think>Hello.", False, "Hello."),
    ("<think>\nhm\n</think>\n\nHello.", False, "Hello."),
    ("Wait. <think>hm</think> Hello.", False, "Wait.\nHello."),
    ("<think>one</think>Hello.<think>two</think>", False, "Hello."),
    # A header had opened it.
    ("hm</think>Hello.", True, "Hello."),
    ("hm</think>Hello.", False, "Hello."),
    ("<think>again</think>Hello.", True, "Hello."),
    ("I say this.</think>Hello.", False, "Hello."),
    ("<think>a</think>b</think>Hello.", False, "Hello."),
    # It never ends.
    ("<think>hm", False, ""),
    ("Wait. <think>hm", False, "Wait."),
    ("<think>", False, ""),
    ("hm", True, ""),
    ("", True, ""),
    ("hm</think>Hello.<think>and", True, "Hello."),
    ("<think>a<think>b</think>Hello.", False, "Hello."),
]


@pytest.mark.parametrize(("text", "opened", "said"), SAID)
def test_thoughts_are_not_said(text: str, opened: bool, said: str) -> None:
    assert spoken(text, opened=opened) == said


def test_other_tags() -> None:
    tags = Tags("<|channel>", "<channel|>")
    assert spoken("<|channel>thought\nhm<channel|>Hello.", tags=tags) == "Hello."
    assert spoken("<|channel>thought\nhm", tags=tags) == ""
    assert spoken("<think>Hello.", tags=tags) == "<think>Hello."


@pytest.mark.parametrize(
    ("header", "opened"),
    [
        ("<|im_start|>assistant\n", False),
        ("<|im_start|>assistant\n<think>\n", True),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("<think></think>", False),
    ],
)
def test_a_header_may_open_a_thought(header: str, opened: bool) -> None:
    assert leaves_open(header) is opened


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>hm</think>\n\nHello.", "Hello."),
        ("hm</think>Hello.", "Hello."),
        ("<think>They want", ""),
        ("Hello. <think>They want", "Hello."),
        ("Hello.", "Hello."),
    ],
)
def test_a_served_models_thoughts_are_not_said(settings_for, text: str, said: str) -> None:
    with Loopback([Say(text)]) as server:
        client = LLMClient(settings_for(server))
        reply = client.complete(ASK, client.wait_limit())
    assert (reply.text or "").strip() == said


def test_a_served_model_that_thinks_to_the_end_beside_a_call_says_nothing(settings_for) -> None:
    with Loopback([Say("<think>I look", tool_calls=[tool_call("f", "{}")])]) as server:
        client = LLMClient(settings_for(server))
        reply = client.complete(ASK, client.wait_limit())
    assert not reply.text
    assert [call.function.name for call in reply.tool_calls] == ["f"]
