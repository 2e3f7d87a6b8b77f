"""The chat templates of Qwen3, Qwen2.5, Llama 3.1 and SmolLM2: what is appended turn by turn is the full render."""

import random
import re
from typing import Any

import pytest

pytest.importorskip("trl")

from mua_env.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from mua_env.inference.chat_template import SystemPrompt, tools_as_text
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.data.demonstrations import encode_dialogue

from .families import FAMILIES, TOOLS, Family, for_template, random_dialogue

DIALOGUES = 200
each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def _full(chat: ChatTokens, family: Family, messages: list[Message], *, stock: bool = False) -> str:
    """The whole dialogue by the template alone, up to the agent's last end-of-turn token."""
    tools: Any = TOOLS
    system = "Be kind."
    if not chat._shows_tools:
        system, tools = f"{system}\n\n{tools_as_text(TOOLS)}", None
    chosen = family.template if stock or family.whole is None else family.whole
    text = chat.tokenizer.apply_chat_template(
        [{"role": "system", "content": system}, *for_template(chat, messages)],
        tools=tools,
        chat_template=family.text(chosen),
        tokenize=False,
        **family.options,
    )
    return str(text)[: str(text).rindex(family.end) + len(family.end)]


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
        assert [chat.decode(ids) for ids in said] == [chat.dialect.render(m) + family.end for m in agent]
        for ids, message in zip(said, agent, strict=True):
            read = chat.read_turn(ids)
            assert [c.function for c in read.tool_calls] == [c.function for c in message.tool_calls]
            plain = re.sub(r"<think>.*?</think>", "", message.content or "", flags=re.DOTALL).strip()
            assert (read.content or "") == plain


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
    assert chat.agent_turn(AssistantMessage(content="hi"))[-1] == chat.end_id
    assert chat.dialect.name == {"L": "llama 3.1", "S": "hermes as text"}.get(family.name[0], "hermes")
    suffix, sources = chat.suffix([UserMessage(content="bye")])
    assert suffix.count(chat.end_id) == 1
    assert set(sources) == {"template", "user"}


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
    assert chat.read_turn([chat.end_id]) == AssistantMessage(content="")
    assert chat.read_turn([]) == AssistantMessage(content="")
    assert chat.agent_turn(AssistantMessage(content="")) == [chat.end_id]
    half = chat.agent_turn(AssistantMessage(content="half a sentence"))[:-1]
    assert chat.read_turn(half).content == "half a sentence"


@each_family
def test_a_call_cut_in_half_reaches_the_environment_raw(family: Family) -> None:
    chat, rng = family.chat(), random.Random(8)
    for _ in range(20):
        message = random_dialogue(rng, family)[1]
        assert isinstance(message, AssistantMessage)
        call = message.tool_calls[0]
        ids = chat.agent_turn(AssistantMessage(tool_calls=(call,)))
        text = chat.decode(ids)
        cut = text.index('"order_id"') + 5
        read = chat.read_turn(chat.tokenizer(text[:cut], add_special_tokens=False)["input_ids"])
        (broken,) = read.tool_calls
        assert broken.function.name == call.function.name
        assert broken.function.arguments == '{"orde'
        assert read.content is None
