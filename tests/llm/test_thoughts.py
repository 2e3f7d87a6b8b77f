"""What is said aloud of what a model wrote: one rule, wherever the model is."""

import pytest
from loopback import Loopback, Say, tool_call

from mua_env.core.thoughts import Tags, leaves_open, spoken
from mua_env.inference.tool_call_text import parse_turn
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
    # It holds nothing.
    ("<think/>Hello.", False, "Hello."),
    ("Well. <thinking />Hello.", False, "Well.\nHello."),
    ("<think>a<think/>b", False, ""),
]
# (what a thought begins with, what it ends with), in other spellings.
SPELLINGS = [
    ("<THINK>", "</THINK>"),
    ("<Think>", "</think>"),
    ("<think type='x' effort=\"high\">", "</think >"),
    ("<think\n>", "</ think>"),
    ("< think >", "< /think >"),
    ("<thinking>", "</thinking>"),
    ("<Thought>", "</Thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<thinking>", "</think>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<seed:think>", "</seed:think>"),
    ("<reasoning effort='1'>", "</reasoning>"),
    ("<|think|>", "<|/think|>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
]
NO_THOUGHTS = ["I think so.", "<b>Thinking</b> of it", "[thinking] Well, yes.", "<thing>", "2 < 3 > 1"]


@pytest.mark.parametrize(("text", "opened", "said"), SAID)
def test_thoughts_are_not_said(text: str, opened: bool, said: str) -> None:
    assert spoken(text, opened=opened) == said


@pytest.mark.parametrize(("begin", "end"), SPELLINGS)
def test_a_thought_is_one_however_its_element_is_spelled(begin: str, end: str) -> None:
    assert spoken(f"{begin}hm{end}Hello.") == "Hello."
    assert spoken(f"Wait. {begin}hm") == "Wait."
    assert spoken(f"hm{end}Hello.") == "Hello."
    assert leaves_open(f"assistant\n{begin}\n")
    assert not leaves_open(f"assistant\n{begin}\n{end}")
    # The trainer's reading of a turn and the client's are one.
    turn = parse_turn(f'{begin}<tool_call>{{"name": "f", "arguments": {{}}}}</tool_call>{end}Hello.')
    assert turn.content == "Hello."
    assert not turn.tool_calls


@pytest.mark.parametrize("text", NO_THOUGHTS)
def test_what_only_looks_like_a_thought_is_said(text: str) -> None:
    assert spoken(text) == text
    assert parse_turn(text).content == text


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
        ("<THINKING x='1'>hm</Thinking >\n\nHello.", "Hello."),
        ("Hello. <reasoning>They want", "Hello."),
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
