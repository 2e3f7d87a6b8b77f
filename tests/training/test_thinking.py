"""Models whose turn begins within a thought: what they think is not said, not run, and ended by what is trained."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from mua_env.agents.local import LocalAgent
from mua_env.core.messages import AssistantMessage, Source, ToolMessage, UserMessage
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.batching import Batcher
from mua_env.inference.backends.cache_engine import CacheEngine
from mua_env.inference.chat_template import CHAT_TEMPLATE, SystemPrompt
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.sampling import SampledTurn
from mua_env.inference.serving.decoding import Sampling
from mua_env.inference.serving.local_model import LocalModel
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.demonstrations import encode_dialogue
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import DialoguePool

from .conftest import Toy
from .families import FAMILIES, TOOLS
from .toy_domain import ToyUser, call

OPENING = CHAT_TEMPLATE.replace(
    "'<|im_start|>assistant\\n' -}}{%- endif -%}", "'<|im_start|>assistant\\n<think>\\n' -}}{%- endif -%}"
)
CALL = '<tool_call>\n{"name": "cancel_order", "arguments": {"order_id": "%s"}}\n</tool_call>'


@pytest.fixture
def thinking(toy: Toy) -> ChatTokens:
    """The toy's tokens with a header that opens a thought."""
    assert OPENING != CHAT_TEMPLATE
    tokenizer: Any = AutoTokenizer.from_pretrained(toy.folder)
    tokenizer.chat_template = OPENING
    return ChatTokens(tokenizer)


class _Says(CacheEngine):
    """Says the same in every turn."""

    says: list[int]

    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        return {each.row: SampledTurn(self.says, [0.0] * len(self.says)) for each in requests}


def _hold(toy: Toy, chat: ChatTokens, text: str, turns: int = 3) -> tuple[Any, list[tuple[Source, str]]]:
    """A dialogue whose agent samples the same text in each turn, and what each side said as the episode has it."""
    engine = _Says(toy.model().eval(), end_id=chat.end_ids, pad_id=0)
    engine.says = [*chat.tokenizer(text, add_special_tokens=False)["input_ids"], chat.end_id]
    pool = DialoguePool(toy.setting, ToyUser(), max_turns=turns)
    driver = RolloutDriver(chat, lengths=LengthConfig(total=900, turn=200), tools="compact")
    (dialogue,) = pool.dialogues([toy.setting.tasks[1]], [0])
    (trajectory,) = asyncio.run(driver.hold(Batcher(engine), [dialogue], seeds=[0]))
    heard = [(entry.source, entry.message.content or "") for entry in dialogue.session.episode.entries]
    pool.close()
    return trajectory, heard


@pytest.mark.parametrize(
    "text", ["I only think of the order id", f"I could say {CALL % '#W1'} and more", "<think>again"]
)
def test_a_thought_that_never_ends_is_neither_said_nor_run(toy: Toy, thinking: ChatTokens, text: str) -> None:
    wanted = toy.setting.tasks[1].instruction
    trajectory, heard = _hold(toy, thinking, text.replace("#W1", wanted))
    assert (trajectory.turns, trajectory.tool_calls, trajectory.ended_by) == (3, 0, "max_turns")
    assert trajectory.reward == 0
    assert {text for source, text in heard if source == "agent"} == {""}
    assert "tool" not in {source for source, _ in heard}


def test_what_follows_a_thought_is_said_and_run(toy: Toy, thinking: ChatTokens) -> None:
    wanted = toy.setting.tasks[1].instruction
    text = f"Maybe {CALL % 'nothing'}?\n</think>\n\n{CALL % wanted}"
    trajectory, heard = _hold(toy, thinking, text, turns=2)
    assert trajectory.tool_calls == 2
    assert [said for source, said in heard if source == "tool"] == ["ok", "ok"]
    _, heard = _hold(toy, thinking, "the order id?\n</think>\n\nwhat is the order id?")
    assert [said for source, said in heard if source == "agent"] == ["what is the order id?"] * 3


def test_a_header_without_a_thought_leaves_a_turn_as_it_is(toy: Toy) -> None:
    _, heard = _hold(toy, toy.chat, "what is the order id?")
    assert [said for source, said in heard if source == "agent"] == ["what is the order id?"] * 3


def test_a_local_agent_whose_header_opens_a_thought_says_nothing_of_it(toy: Toy, tmp_path: Path) -> None:
    """The toy's model never learned to end a thought; with its own header it speaks."""
    said = {}
    for name, template in (("own", CHAT_TEMPLATE), ("thinking", OPENING)):
        folder = tmp_path / name
        toy.model().save_pretrained(folder)
        tokenizer: Any = AutoTokenizer.from_pretrained(toy.folder)
        tokenizer.chat_template = template
        tokenizer.save_pretrained(folder)
        agent = LocalAgent(folder, tools="compact", max_new_tokens=20)
        agent.reset(system_prompt="Ask.", tools=toy.setting.tools, seed=0)
        turn = agent.act([UserMessage(content="hi, cancel my order")])
        said[name] = turn
        assert agent.usage()["completion_tokens"] > 1
    assert said["own"].content or said["own"].tool_calls
    assert said["thinking"] == AssistantMessage(content="")


def test_a_local_user_whose_header_opens_a_thought_says_nothing_of_it(toy: Toy, tmp_path: Path) -> None:
    """What its reply is made to begin with is said all the same."""
    toy.model().save_pretrained(tmp_path)
    tokenizer: Any = AutoTokenizer.from_pretrained(toy.folder)
    tokenizer.chat_template = OPENING
    tokenizer.save_pretrained(tmp_path)
    model = LocalModel(tmp_path)
    asked = [{"role": "user", "content": "hi, cancel my order"}]
    thought = model.complete(asked, Sampling(max_tokens=12))
    assert thought.text == ""
    assert thought.completion_tokens > 1
    begun = model.submit(asked, Sampling(max_tokens=12), begin="It is so").result()
    assert begun.text.startswith("It is so")
    model.close()


@pytest.mark.parametrize("tools", [True, False])
def test_what_is_trained_ends_the_thought_of_its_header(toy: Toy, tools: bool) -> None:
    """Each turn of the cold start, after its header, says what the expert said."""
    tokenizer: Any = AutoTokenizer.from_pretrained(toy.folder)
    tokenizer.chat_template = OPENING
    chat = ChatTokens(tokenizer, tools=tools)
    messages = [m for m in toy.dialogues[1] if tools or m.role == "user" or (m.role == "assistant" and m.content)]
    trajectory = encode_dialogue(chat, SystemPrompt("", None, toy.setting.tools), messages)
    text = chat.decode(trajectory.ids)
    turns = [turn.split("<|im_end|>")[0] for turn in text.split("<|im_start|>assistant\n")[1:]]
    agent = [message for message in messages if isinstance(message, AssistantMessage)]
    assert len(turns) == len(agent) > 1
    for turn, message in zip(turns, agent, strict=True):
        assert turn == f"<think>\n</think>\n\n{chat.dialect.render(message)}"
    # The mask begins where the header ends.
    starts = [span.start for span in trajectory.spans if span.source == "agent"]
    assert all(chat.decode(trajectory.ids[:start]).endswith("<|im_start|>assistant\n<think>\n") for start in starts)


def test_a_turn_with_thoughts_of_its_own_goes_on_in_its_header(toy: Toy, thinking: ChatTokens) -> None:
    ids = thinking.agent_turn(AssistantMessage(content="<think>\nhm\n</think>\n\nYes."))
    assert thinking.decode(ids) == "hm\n</think>\n\nYes.<|im_end|>"
    assert thinking.read_turn(ids).content == "Yes."
    assert thinking.read_turn(thinking.agent_turn(call("get_order", order_id="#W1"))).tool_calls


THINKERS = ["Qwen3.5 thinking", "Qwen3.6", "GLM-4", "Gemma 4 gemma4_v5", "gpt-oss", "Muse Glimmer"]
THOUGHTS = {
    "xml": ("I look <tool_call>\n<function=get_order>\n</function>\n</tool_call>", "\n</think>\n\n", "Hello."),
    "glm": ("\n<think>I look <tool_call>get_order\n</tool_call>", "</think>", "\nHello."),
    "gemma 4": ("<|channel>thought\nI look <|tool_call>call:get_order{}<tool_call|>", "\n<channel|>", "Hello."),
    "harmony": (
        "<|channel|>analysis<|message|>I look",
        "<|end|><|start|>assistant",
        "<|channel|>final<|message|>Hello.",
    ),
    "atem": (" to=self<|message|>I look", "<|eom|><|start|>assistant", " to=user<|message|>Hello."),
}


@pytest.mark.parametrize("name", THINKERS)
def test_each_familys_thoughts_are_thoughts(name: str) -> None:
    chat = next(family for family in FAMILIES if family.name == name).chat()
    thought, closing, said = THOUGHTS[chat.dialect.name]
    for text, content in ((thought + closing + said, "Hello."), (thought, ""), (thought + closing, "")):
        ids = chat.tokenizer(text, add_special_tokens=False)["input_ids"]
        assert chat.read_turn([*ids, chat.end_id], tools=TOOLS) == AssistantMessage(content=content)


def test_a_header_that_opens_a_thought_after_results_alone() -> None:
    """Gemma 4's latest template does, where thinking is on; a turn after the user's words opens its own."""
    family = next(family for family in FAMILIES if family.name == "Gemma 4 gemma4_v5")
    chat = ChatTokens(family.tokenizer(), {"enable_thinking": True})
    prompt, _ = chat.prompt(SystemPrompt("Be kind.", TOOLS, TOOLS), [UserMessage(content="hi")])
    result, _ = chat.suffix([ToolMessage(tool_call_id="1", name="get_order", content="ok")])
    assert (chat.thinks_after(prompt), chat.thinks_after(result)) == (False, True)
    for before in (prompt, result):
        message = AssistantMessage(content="Hello.")
        ids = chat.agent_turn(message, before=before, tools=TOOLS)
        assert chat.read_turn(ids, before=before, tools=TOOLS) == message
    unended = chat.tokenizer("Hello.", add_special_tokens=False)["input_ids"]
    assert chat.read_turn(unended, before=prompt).content == "Hello."
    assert chat.read_turn(unended, before=result).content == ""
