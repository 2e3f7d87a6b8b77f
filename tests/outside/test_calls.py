"""Calls with arguments of any kind are answered in every domain, and scored as what the agent did."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from shop.domain import shop
from shop.user import ShopUser

from mua_env import Session, load_setting
from mua_env.core.limits import LONGEST_ARGUMENTS, LONGEST_LINE, LONGEST_NAME, MOST_CALLS
from mua_env.core.messages import AssistantMessage, parse_agent_turn
from mua_env.core.world import SQLWorld
from mua_env.gym.env import DialogueEnv
from mua_env.gym.vector import DialogueVectorEnv
from mua_env.inference.chat_formats.dialect import Dialect
from mua_env.inference.chat_formats.json_calls import LLAMA_FORM
from mua_env.inference.tool_call_text import parse_turn, render_turn
from mua_env.llm.chat import replayable
from mua_env.scoring.llm_judge import read_verdicts

from .hostile import DEEP, NO_TEXT, NUMBERS, OUTSIDE

LLAMA = Dialect("llama 3.1", LLAMA_FORM)
DOMAINS = ("retail", "airline", "telecom")
ALL = {
    **DEEP,
    **{f"number {n[:20]}": f'{{"amount": {n}}}' for n in NUMBERS},
    **{f"text {t!r}": f'{{"a": "{t}"}}' for t in NO_TEXT},
}


def call(name: Any, arguments: Any, id: Any = "c") -> dict[str, Any]:
    return {"tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]}


@pytest.fixture(scope="module", params=[(domain, mode) for domain in DOMAINS for mode in ("strict", "compat")], ids=str)
def world(request: pytest.FixtureRequest) -> Iterator[SQLWorld]:
    domain, mode = request.param
    made = load_setting(domain, "test", mode=mode).make_world()
    yield made
    made.close()


def test_malformed_arguments_are_answered_and_change_nothing(world: SQLWorld) -> None:
    world.load()
    for name in world.toolset.toolkit.specs:
        for text in (DEEP["[ x 1000"], DEEP["deep in a field"], '{"a": NaN}', '{"a": "\\ud800"}'):
            result = world.call(name, text)
            assert not result.ok
            assert result.content.startswith(f"Error: {name}: ")
            assert len(result.content) < LONGEST_LINE + 10
    assert world.snapshot() == {}


def _numbers(schema: dict[str, Any]) -> Iterator[str]:
    for name, part in schema["properties"].items():
        kinds = [part, *part.get("anyOf", ())]
        if any(kind.get("type") in ("number", "integer") for kind in kinds):
            yield name


@pytest.mark.parametrize("number", NUMBERS)
def test_no_argument_is_a_number_that_is_none(world: SQLWorld, number: str) -> None:
    world.load()
    for name, spec in world.toolset.toolkit.specs.items():
        parameters = spec.schema["function"]["parameters"]
        for field in _numbers(parameters):
            others = {other: "x" for other in parameters["properties"] if other != field}
            text = json.dumps(others)[:-1] + (", " if others else "") + f'"{field}": {number}}}'
            result = world.call(name, text)
            assert not result.ok
            assert "JSON" in result.content or "does not fit" in result.content
    assert world.snapshot() == {}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308, 10**400])
def test_no_argument_in_a_mapping_is_a_number_that_is_none(value: float) -> None:
    world = load_setting("telecom", "test").make_world()
    result = world.call("refuel_data", {"customer_id": "C1001", "line_id": "L1001", "gb_amount": value})
    assert not result.ok
    assert "does not fit" in result.content
    world.close()


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_an_episode_takes_the_call_and_scores_it(text: str) -> None:
    env = DialogueEnv("telecom", tasks="test", max_turns=2)
    env.reset(seed=0)
    observation, *_ = env.step(call("get_customer_by_phone", text))
    assert observation[0]["content"].startswith("Error: ")
    *_, truncated, info = env.step(call("get_customer_by_phone", text))
    assert truncated
    assert (info["score"]["reward"], info["score"]["fault"]) == (0.0, None)
    env.close()


def test_one_dialogues_call_ends_no_other() -> None:
    env = DialogueVectorEnv("telecom", num_envs=2, tasks="test", max_turns=1)
    env.reset(seed=0)
    *_, truncated, infos = env.step([call("get_bills_for_customer", "[" * 1000), call("get_bills_for_customer", "{}")])
    assert truncated.all()
    assert [score[0]["reward"] for score in infos["score"]] == [0.0, 0.0]
    env.close()


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_a_sampled_turn_is_read_whatever_it_holds(text: str) -> None:
    for parse, render, wrapped in (
        (parse_turn, render_turn, f'<tool_call>{{"name": "f", "arguments": {text}}}</tool_call>'),
        (parse_turn, render_turn, f"<tool_call>{text}</tool_call>"),
        (LLAMA.parse, LLAMA.render, f'{{"name": "f", "parameters": {text}}}'),
        (LLAMA.parse, LLAMA.render, f"<|python_tag|>{text}"),
    ):
        turn = parse(wrapped)
        assert len(turn.tool_calls) >= 1
        turn.model_dump_json()
        assert render(turn)
    message = AssistantMessage.model_validate(call("f", text))
    render_turn(message)
    LLAMA.render(message)


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_a_judge_and_a_history_read_it(text: str) -> None:
    assert read_verdicts(f'{{"verdicts": {text}}}', 1) is None
    assert read_verdicts(text, 1) is None
    sent = replayable(parse_agent_turn(call("f", text)))["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(sent), dict)
    sent.encode()


def test_a_mapping_of_any_depth_is_a_call_that_is_answered() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    for arguments in ({"a": deep}, {"a": [[[[1]]]] * 3, "b": float("nan")}):
        env = DialogueEnv(shop, user=ShopUser())
        env.reset(seed=0)
        observation, *_ = env.step(call("get_order", arguments))
        assert observation[0]["content"].startswith("Error: get_order: ")
        env.close()


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE)
def test_any_name_and_id_is_answered_and_kept_short(text: str) -> None:
    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks[0])
    messages = session.send(call(text, "{}", id=text)).messages
    assert len(messages) == 1
    assert messages[0].content.startswith("Error: unknown tool ")
    assert len(messages[0].content) < 4 * LONGEST_NAME + 500
    session.trajectory(id="t").model_dump_json().encode()
    session.close()


@pytest.mark.parametrize(
    "ids",
    [
        ["c", "c", "c"],
        [None, None],
        ["", "c", ""],
        ["c", None, "c"],
        [1, 1],
        ["x" * 10_000, "x" * 10_001],
        ["\ud800", "\udfff"],
    ],
)
def test_every_call_of_a_dialogue_has_an_id_of_its_own(ids: list[Any]) -> None:
    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks[0])
    turn = {
        "tool_calls": [{"id": id, "function": {"name": "get_order", "arguments": '{"order_id": "#1"}'}} for id in ids]
    }
    found: list[str] = []
    for _ in range(2):
        messages = session.send(turn).messages
        said = session.episode.entries[-1 - len(ids)].message
        assert isinstance(said, AssistantMessage)
        assert [call.id for call in said.tool_calls] == [message.tool_call_id for message in messages]
        assert all(not message.content.startswith("Error") for message in messages)
        found += [message.tool_call_id for message in messages]
    assert all(found)
    assert len(set(found)) == len(found)
    session.close()


@pytest.mark.parametrize("name", [None, ""])
def test_a_call_without_a_name_is_answered(name: str | None) -> None:
    env = DialogueEnv(shop, user=ShopUser())
    env.reset(seed=0)
    observation, *_ = env.step(
        {"tool_calls": [{"id": None, "type": None, "function": {"name": name, "arguments": None}}]}
    )
    assert observation[0]["content"].startswith("Error: unknown tool ''")
    env.close()


def test_calls_beyond_the_bound_are_answered_and_not_run() -> None:
    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks[0])
    one = {"function": {"name": "get_order", "arguments": '{"order_id": "#1"}'}}
    messages = session.send({"tool_calls": [one] * (MOST_CALLS + 3)}).messages
    assert [message.content.startswith("Error") for message in messages] == [False] * MOST_CALLS + [True] * 3
    session.close()


def test_arguments_of_any_length_get_a_short_answer() -> None:
    world = load_setting(shop).make_world()
    many = json.dumps({f"key_{n}": n for n in range(9000)})
    long = json.dumps({"order_id": "x" * LONGEST_ARGUMENTS})
    for text in (many, long, json.dumps({"order_id": ["x" * 1000] * 50})):
        result = world.call("get_order", text)
        assert not result.ok
        assert len(result.content) <= LONGEST_LINE + 10
    world.close()


@pytest.mark.parametrize("text", ["[" * 1000, '{"a":' * 1000, '{"a": 1e400}'])
def test_a_page_shows_the_call(text: str, tmp_path: Any) -> None:
    from mua_env.core.trajectory import TrajectoryWriter
    from mua_env.evaluation.reports.dialogues import write_report

    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks[0])
    session.send(call("get_order", text))
    with TrajectoryWriter(tmp_path / "trajectories.jsonl") as writer:
        writer.write(session.trajectory(id="t"))
    session.close()
    write_report(tmp_path)
