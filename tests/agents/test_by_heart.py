"""The expert that knows gold by heart."""

from __future__ import annotations

import pytest

from mua_env.agents.scripted.by_heart import DONE, ByHeart, Part
from mua_env.core.messages import AssistantMessage, ToolMessage, UserMessage
from mua_env.core.tasks import Action
from mua_env.errors import ConfigError

ONE, TWO = Action(name="one", arguments={"a": 1}), Action(name="two")
PARTS = [
    Part(heard=("Hi.", "More."), calls=((ONE,), (TWO,)), said=("First.", "Second.")),
    Part(heard=("Hi.", "Less."), calls=((ONE,), ()), said=("First.", "Nothing to do.")),
]


def tools(*names: str) -> list[dict[str, object]]:
    return [{"type": "function", "function": {"name": name}} for name in names]


def heard(agent: ByHeart, text: str) -> AssistantMessage:
    return agent.act([UserMessage(content=text)])


def result(agent: ByHeart) -> AssistantMessage:
    return agent.act([ToolMessage(tool_call_id="1", name="x", content="ok")])


def called(turn: AssistantMessage) -> list[tuple[str, str]]:
    return [(call.function.name, call.function.arguments) for call in turn.tool_calls]


def test_it_plays_the_task_that_the_words_belong_to() -> None:
    agent = ByHeart(lambda: PARTS)
    for second, calls, last in (("More.", [("two", "{}")], "Second."), ("Less.", [], "Nothing to do.")):
        agent.reset(system_prompt="", tools=tools("one", "two"), seed=0)
        assert called(heard(agent, "Hi.")) == [("one", '{"a": 1}')]
        assert result(agent).content == "First."
        twin = agent.fork()
        for each in (agent, twin):
            turn = heard(each, second)
            assert called(turn) == calls
            assert (result(each) if calls else turn).content == last


def test_words_that_nobody_knows_and_lines_after_the_last_are_answered_by_a_word() -> None:
    agent = ByHeart(lambda: PARTS)
    agent.reset(system_prompt="", tools=tools("one"), seed=0)
    assert heard(agent, "What?").content == DONE
    once = ByHeart(lambda: [Part(heard=("Hi.",), calls=((),), said=("Hello.",), last="Anything else?")])
    once.reset(system_prompt="", tools=[], seed=0)
    assert [heard(once, text).content for text in ("Hi.", "Well.", "Hm.")] == ["Hello.", *["Anything else?"] * 2]


def test_it_prefers_a_task_whose_calls_it_has_tools_for() -> None:
    parts = [
        Part(heard=("Hi.",), calls=((ONE, TWO),), said=("Both.",)),
        Part(heard=("Hi.",), calls=((ONE,),), said=("One.",)),
    ]
    agent = ByHeart(lambda: parts)
    agent.reset(system_prompt="", tools=tools("one"), seed=0)
    heard(agent, "Hi.")
    assert result(agent).content == "One."


def test_slips_are_refused() -> None:
    with pytest.raises(ConfigError, match="no slips"):
        ByHeart(lambda: PARTS, slips=0.5)
