import random

import pytest

from mua_env.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, dump
from mua_env.errors import ConfigError
from mua_env.inference.chat_template import SystemPrompt, system_prompt
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.data.demonstrations import copy_drills, encode_dialogue, renumber, turn_windows
from mua_env.training.tiny_model.from_nothing import build_tokenizer

from .conftest import Toy
from .toy_domain import call

TEXTS = ["hi", " two  spaces", "line\nbreak\n", "1234 #W567890", "ünïcode 中", "</tool_call>", "a:b,c."]


def _random_dialogue(rng: random.Random) -> list[Message]:
    messages: list[Message] = [UserMessage(content=rng.choice(TEXTS))]
    for _ in range(rng.randrange(1, 6)):
        if rng.random() < 0.5:
            calls = [call("get_order", order_id=rng.choice(TEXTS)).tool_calls[0] for _ in range(rng.randrange(1, 4))]
            content = rng.choice([None, "One moment."])
            messages.append(AssistantMessage(content=content, tool_calls=tuple(calls)))
            messages += [ToolMessage(tool_call_id="x", name="get_order", content=rng.choice(TEXTS)) for _ in calls]
        else:
            messages += [AssistantMessage(content=rng.choice(TEXTS)), UserMessage(content=rng.choice(TEXTS))]
    return [*messages, AssistantMessage(content="done.")]


@pytest.mark.parametrize("detail", ["full", "compact", "none"])
def test_appended_ids_equal_the_full_render(toy: Toy, detail: str) -> None:
    rng = random.Random(7)
    system = system_prompt("Be kind.", toy.setting.tools, tool_detail=detail)  # type: ignore[arg-type]
    head = [{"role": "system", "content": system.text}] if system.text else []
    for _ in range(70):
        messages = _random_dialogue(rng)
        trajectory = encode_dialogue(toy.chat, system, messages)
        full = toy.chat.tokenizer.apply_chat_template(
            [*head, *map(dump, messages)],
            tools=system.tools,
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        ids, mask = full["input_ids"], full["assistant_masks"]
        # The newline after the last end-of-turn token belongs to a next turn that does not come.
        assert trajectory.ids == ids[:-1]
        assert [0] * len(trajectory.prompt_ids) + trajectory.mask == mask[:-1]


def test_sources_cover_what_each_side_said(toy: Toy) -> None:
    messages = toy.dialogues[1]
    system = system_prompt(toy.setting.tasks.policy, toy.setting.tools, tool_detail="compact")
    trajectory = encode_dialogue(toy.chat, system, messages)
    said: dict[str, str] = {}
    for span in trajectory.spans:
        text = toy.chat.decode(trajectory.ids[span.start : span.end])
        said[span.source] = said.get(span.source, "") + text
    assert said["system"] == system.text
    assert "get_order(order_id)" in said["system"]
    assert said["user"] == "".join(m.content for m in messages if isinstance(m, UserMessage))
    assert said["tool"] == "".join(m.content for m in messages if isinstance(m, ToolMessage))
    assert said["agent"].count("<|im_end|>") == trajectory.turns == 4
    assert set(said["template"].replace("<|im_start|>", "").replace("<|im_end|>", "").split()) <= {
        *("system", "user", "tool", "assistant")
    }


def test_read_turn_is_what_the_environment_gets(toy: Toy) -> None:
    turn = call("get_order", order_id="#W123456")
    ids = toy.chat.agent_turn(turn)
    assert toy.chat.read_turn(ids, turn=2).tool_calls[0].function == turn.tool_calls[0].function
    assert toy.chat.read_turn(ids[:-1]).tool_calls[0].function == turn.tool_calls[0].function
    assert toy.chat.read_turn([toy.chat.end_id]) == AssistantMessage(content="")


def test_digits_are_single_and_the_tokenizer_is_deterministic() -> None:
    corpus = ["order 123456 123456 123456\nuser hello hello"] * 50
    first, second = (build_tokenizer(corpus, vocabulary=300) for _ in range(2))
    assert first.get_vocab() == second.get_vocab()
    assert len(first("123456", add_special_tokens=False)["input_ids"]) == 6
    with pytest.raises(ConfigError, match="cannot hold 256 bytes"):
        build_tokenizer(corpus, vocabulary=200)


def test_tokenizers_that_cannot_serve_are_refused() -> None:
    tokenizer = build_tokenizer(["x"], vocabulary=270)
    tokenizer.eos_token = "<|endoftext|>"
    with pytest.raises(ConfigError, match=r"does not end a turn with '<\|endoftext\|>'"):
        ChatTokens(tokenizer)
    tokenizer.chat_template = None
    with pytest.raises(ConfigError, match="no chat template"):
        ChatTokens(tokenizer)


def test_drills_and_renumbering(toy: Toy) -> None:
    messages = toy.dialogues[1]
    drills = copy_drills(messages)
    assert [drill[1].tool_calls[0].function.name for drill in drills] == ["get_order", "cancel_order"]
    changed = renumber(messages, random.Random(1))
    ids = {m.content for m in changed if isinstance(m, UserMessage)} - {m.content for m in messages}
    assert len(ids) == 1
    number = ids.pop().split("#W")[1]
    assert len(number) == 6
    assert all(number in drill[1].tool_calls[0].function.arguments for drill in copy_drills(changed))
    empty = encode_dialogue(toy.chat, SystemPrompt("", None), changed)
    assert not [span for span in empty.spans if span.source == "system"]


def test_windows_hold_one_turn_and_little_before_it(toy: Toy) -> None:
    messages = toy.dialogues[1]
    turns = [message for message in messages if isinstance(message, AssistantMessage)]
    windows = turn_windows(messages)
    assert [window[-1] for window in windows] == turns
    for window in windows:
        assert isinstance(window[0], UserMessage)
        assert len(window) <= 4
    assert [message.content for message in windows[-1][:-1]] == [m.content for m in messages[-4:-1]]
