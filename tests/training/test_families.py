"""The chat templates of model families: what is appended turn by turn is the full render."""

import json
import random
import re
from typing import Any

import pytest

pytest.importorskip("trl")

from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall, ToolMessage, UserMessage
from mua_env.inference.chat_template import SystemPrompt, tools_as_text
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.data.demonstrations import encode_dialogue

from .families import FAMILIES, TOOLS, Family, for_template, random_dialogue

DIALOGUES = 100
each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def _full(chat: ChatTokens, family: Family, messages: list[Message], *, stock: bool = False) -> str:
    """The whole dialogue by the template alone, up to the agent's last end-of-turn token."""
    tools: Any = TOOLS
    system = "Be kind."
    if not chat._shows_tools:
        system, tools = f"{system}\n\n{tools_as_text(TOOLS)}", None
    chosen = family.template if stock or family.whole is None else family.whole
    text: str = chat.tokenizer.apply_chat_template(  # type: ignore[assignment]
        [{"role": "system", "content": system}, *for_template(chat, messages)],
        tools=tools,
        chat_template=family.text(chosen),
        tokenize=False,
        **{**family.options, **family.whole_options},
    )
    if family.swapped:
        text = re.sub(*family.swapped, text)
    ends = text.rfind(family.end)
    # A template whose turns end where the next message begins does not end the last one.
    done = text.endswith("Done.") or ends < 0
    return text + family.end if done else text[: ends + len(family.end)]


@each_family
def test_appended_ids_equal_the_full_render(family: Family) -> None:
    chat, rng = family.chat(), random.Random(5)
    calls = turns = 0
    for _ in range(DIALOGUES):
        messages = random_dialogue(rng, family)
        trajectory = encode_dialogue(chat, SystemPrompt("Be kind.", TOOLS), messages)
        whole = chat.tokenizer(_full(chat, family, messages), add_special_tokens=False)["input_ids"]
        assert trajectory.ids == whole
        calls += trajectory.tool_calls
        turns += trajectory.turns
    assert calls > 2 * DIALOGUES
    assert turns > 4 * DIALOGUES


def _bounds(mask: list[int]) -> list[int]:
    return [place for place, value in enumerate(mask) if value and (place == 0 or not mask[place - 1])]


@each_family
def test_the_mask_is_what_the_agent_says(family: Family) -> None:
    """Each stretch under the mask, alone, is a turn as the dialect writes it, with its end-of-turn token."""
    chat, rng = family.chat(), random.Random(6)
    for _ in range(20):
        messages = random_dialogue(rng, family)
        trajectory = encode_dialogue(chat, SystemPrompt("Be kind.", TOOLS), messages)
        starts = _bounds(trajectory.mask)
        said = []
        for start in starts:
            stop = start
            while stop < len(trajectory.mask) and trajectory.mask[stop]:
                stop += 1
            said.append(trajectory.completion_ids[start:stop])
        agent = [message for message in messages if isinstance(message, AssistantMessage)]
        for ids, message, start in zip(said, agent, starts, strict=True):
            before = [*trajectory.prompt_ids, *trajectory.completion_ids[:start]]
            assert ids == chat.agent_turn(message, before=before, tools=TOOLS)
            end = family.call_end or family.end if message.tool_calls else family.end
            assert chat.decode(ids[-1:]) == end
            read = chat.read_turn(ids, before=before, tools=TOOLS)
            assert _called(read) == _called(message)
            plain = re.sub(r"<think>.*?</think>", "", message.content or "", flags=re.DOTALL).strip()
            assert (read.content or "") == plain


def _called(message: AssistantMessage) -> list[tuple[str, Any]]:
    return [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls]


def test_the_stock_template_of_qwen3_differs_in_thoughts_alone() -> None:
    """It rewrites the thoughts of earlier turns; what was appended keeps what the agent saw."""
    for family in FAMILIES[1:3]:
        chat, rng = family.chat(), random.Random(7)
        for _ in range(DIALOGUES):
            messages = random_dialogue(rng, family)
            trajectory = encode_dialogue(chat, SystemPrompt("Be kind.", TOOLS), messages)
            ours, stock = chat.decode(trajectory.ids), _full(chat, family, messages, stock=True)
            assert _thoughtless(ours) == _thoughtless(stock)


def _thoughtless(text: str) -> str:
    return re.sub(r"<think>.*?</think>\n\n", "", text, flags=re.DOTALL)


@each_family
def test_the_end_of_turn_token_is_the_familys(family: Family) -> None:
    chat = family.chat()
    assert chat.end_token == family.end
    assert chat.dialect.name == family.dialect
    assert chat.agent_turn(AssistantMessage(content="hi"))[-1] == chat.end_id
    (call,) = chat.tokenizer.convert_tokens_to_ids([family.call_end or family.end])
    made = AssistantMessage(tool_calls=(ToolCall(function=FunctionCall(name="get_order")),))
    assert chat.agent_turn(made, tools=TOOLS)[-1] == call
    assert {chat.end_id, call, chat.tokenizer.eos_token_id} <= set(chat.end_ids)
    suffix, sources = chat.suffix([UserMessage(content="bye")])
    assert set(sources) == {"template", "user"}
    assert chat.decode(suffix).count("bye") == 1


@each_family
def test_sources_name_what_tools_and_users_said(family: Family) -> None:
    chat = family.chat()
    result = '{"name":"mug","note":"a \\"b\\""}'
    ids, sources = chat.suffix([ToolMessage(tool_call_id="1", name="get_order", content=result)])
    said = chat.decode([token for token, source in zip(ids, sources, strict=True) if source == "tool"])
    assert "mug" in said
    assert "assistant" not in said
    ids, sources = chat.prompt(SystemPrompt("Be kind.", TOOLS), [UserMessage(content="cancel it")])
    told = chat.decode([token for token, source in zip(ids, sources, strict=True) if source == "user"])
    assert told == "cancel it"
    shown = chat.decode(ids)
    assert "get_order" in shown
    assert "cancel_order" in shown


@each_family
def test_an_empty_turn_and_one_without_its_end(family: Family) -> None:
    chat = family.chat()
    for end in chat.end_ids:
        assert chat.read_turn([end]) == AssistantMessage(content="")
    assert chat.read_turn([]) == AssistantMessage(content="")
    assert chat.read_turn(chat.agent_turn(AssistantMessage(content=""))) == AssistantMessage(content="")
    half = chat.agent_turn(AssistantMessage(content="half a sentence"))[:-1]
    assert chat.read_turn(half).content == "half a sentence"


@each_family
def test_a_call_cut_anywhere_reaches_the_environment_broken_or_not_at_all(family: Family) -> None:
    """Never as another call; what arrives cannot be run, because its arguments are no JSON object."""
    chat = family.chat()
    wanted = {"order_id": "#W1 {", "item": {"n": [1, "x"]}}
    call = ToolCall(function=FunctionCall(name="get_order", arguments=json.dumps(wanted)))
    text = chat.decode(chat.agent_turn(AssistantMessage(tool_calls=(call,)), tools=TOOLS)[:-1])
    whole = 0
    for cut in range(len(text) + 1):
        read = chat.read_turn(chat.tokenizer(text[:cut], add_special_tokens=False)["input_ids"], tools=TOOLS)
        for found in read.tool_calls:
            try:
                arguments = json.loads(found.function.arguments)
            except ValueError:
                assert found.function.arguments or not found.function.name
            else:
                assert (found.function.name, arguments) == ("get_order", wanted)
                whole += 1
    assert whole >= 1


@each_family
def test_a_turn_that_ended_with_another_end_is_followed_by_whole_messages(family: Family) -> None:
    """What the agent sampled stays; the next message begins with all of its own tokens."""
    chat = family.chat()
    for messages in ([UserMessage(content="bye")], [ToolMessage(tool_call_id="1", name="get_order", content="ok")]):
        expected, _ = chat.suffix(messages)
        for end in chat.end_ids:
            ids, sources = chat.suffix(messages, end=end)
            assert ids[-len(expected) :] == expected
            assert len(ids) - len(expected) <= 1
            assert sources[: len(ids) - len(expected)] in ([], ["template"])
