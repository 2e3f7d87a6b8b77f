import json

import pytest

from mua_env.core.messages import AssistantMessage
from mua_env.inference.tool_call_text import parse_turn, render_turn


def _calls(text: str) -> list[tuple[str, str]]:
    return [(c.function.name, c.function.arguments) for c in parse_turn(text).tool_calls]


def test_text_alone() -> None:
    assert parse_turn("Hello, what is your id?") == AssistantMessage(content="Hello, what is your id?")


def test_one_call_and_several_with_text_beside() -> None:
    one = '<tool_call>\n{"name": "get_order", "arguments": {"order_id": "#W1"}}\n</tool_call>'
    message = parse_turn(f"Let me see.\n{one}{one} Moment.", turn=3)
    assert [c.id for c in message.tool_calls] == ["call_3_0", "call_3_1"]
    assert message.content == "Let me see.\nMoment."
    assert _calls(one) == [("get_order", '{"order_id": "#W1"}')]
    assert parse_turn(one).content is None


@pytest.mark.parametrize(
    ("text", "name", "raw"),
    [
        ('<tool_call>{"name": "a", "arguments": {"x": 1}</tool_call>', "a", '{"x": 1}'),
        ('<tool_call>\n{"name": "a", "arguments": {"x": "1', "a", '{"x": "1'),
        ('<tool_call>{"name": "a", "arg', "a", '{"name": "a", "arg'),
        ("<tool_call>get_order(1)</tool_call>", "", "get_order(1)"),
        ("<tool_call></tool_call>", "", ""),
        ("<tool_call>", "", ""),
        ("<tool_call>[1]</tool_call>", "", "[1]"),
        ('<tool_call>{"name": 3}</tool_call>', "", '{"name": 3}'),
        ('<tool_call>{"name": "a", "arguments": "{\\"x\\": 1}"}</tool_call>', "a", '{"x": 1}'),
        ('<tool_call>{"name": "a"}</tool_call>', "a", "{}"),
    ],
)
def test_broken_calls_are_passed_on(text: str, name: str, raw: str) -> None:
    assert _calls(text) == [(name, raw)]


def test_a_call_without_its_end_is_read_if_its_json_is_whole() -> None:
    assert _calls('<tool_call>{"name": "a", "arguments": {}}') == [("a", "{}")]


def test_empty_and_thinking() -> None:
    assert parse_turn("") == AssistantMessage(content="")
    assert parse_turn("<think>\nhm\n</think>\n\nYes.") == AssistantMessage(content="Yes.")
    assert parse_turn("<think>never ends <tool_call>").tool_calls == ()


def test_written_turns_are_read_back() -> None:
    arguments = json.dumps({"address": {"zip": "01"}, "n": 1.5, "text": 'q"é'}, ensure_ascii=False)
    message = AssistantMessage.model_validate(
        {
            "content": "Done.",
            "tool_calls": [
                {"id": "call_0_0", "function": {"name": "a", "arguments": arguments}},
                {"id": "call_0_1", "function": {"name": "b", "arguments": "{broken"}},
            ],
        }
    )
    assert parse_turn(render_turn(message)).tool_calls[0] == message.tool_calls[0]
    assert _calls(render_turn(message))[1][0] == "b"
    assert _calls(render_turn(message))[1][1].startswith("{broken")
