"""Calls in an agent's text: asked for in the prompt, read from the reply, in any environment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Say, tool_call
from typer.testing import CliRunner

from mua_env.agents.llm import LLMAgent
from mua_env.agents.make import agent_factory
from mua_env.cli.app import app
from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall, ToolMessage, UserMessage
from mua_env.core.task_files import write_tasks
from mua_env.core.tasks import Action
from mua_env.core.trajectory import read_trajectories
from mua_env.domain.contract import load_domain
from mua_env.errors import ConfigError
from mua_env.inference.text_calls import TEXT_DIALECTS, TextCalls, text_dialect

STYLES = sorted(TEXT_DIALECTS)
TOOL = {
    "type": "function",
    "function": {
        "name": "move",
        "description": "Moves.",
        "parameters": {
            "type": "object",
            "properties": {
                "source": {"type": "string"},
                "count": {"type": "integer"},
                "flags": {"type": "array", "items": {"type": "boolean"}},
            },
            "required": ["source"],
        },
    },
}


def message(*calls: tuple[str, dict[str, Any]], text: str | None = None) -> AssistantMessage:
    made = (FunctionCall(name=name, arguments=json.dumps(arguments)) for name, arguments in calls)
    return AssistantMessage(content=text, tool_calls=tuple(ToolCall(id=str(n), function=f) for n, f in enumerate(made)))


def read(style: str, text: str) -> AssistantMessage:
    codec = TextCalls(TEXT_DIALECTS[style])
    codec.begin("", [TOOL])
    return codec.read(text)


def called(turn: AssistantMessage) -> list[tuple[str, Any]]:
    return [(call.function.name, json.loads(call.function.arguments)) for call in turn.tool_calls]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"source": "docs"},
        {"source": "it's [f()] (really)", "count": -3},
        {"source": 'say "no"\nin two lines', "flags": [True, False]},
        {"source": "\u00fcber \\ \U0001f600", "count": 0},
    ],
)
def test_what_is_written_is_read_back(style: str, arguments: dict[str, Any]) -> None:
    turn = message(("move", arguments), ("move", {"source": "b"}), text="One moment.")
    text = TEXT_DIALECTS[style].render(turn, [TOOL])
    found = read(style, text)
    assert called(found) == [("move", arguments), ("move", {"source": "b"})]
    assert found.content == "One moment."


@pytest.mark.parametrize(
    ("text", "calls", "content"),
    [
        ("[move(source='a')]", [("move", {"source": "a"})], None),
        ("[move('a', 2)]", [("move", {"source": "a", "count": 2})], None),
        ("```python\n[move(source='a')]\n```", [("move", {"source": "a"})], None),
        (
            "I will do it.\n[move(source='a'), move(source='b')]",
            [("move", {"source": n}) for n in "ab"],
            "I will do it.",
        ),
        ("<think>[move(source='x')]</think>\n[move(source='a')]", [("move", {"source": "a"})], None),
        ("It is in the list [move(source='a')].", [], "It is in the list [move(source='a')]."),
        ("Done.", [], "Done."),
        ("[1, 2]", [], "[1, 2]"),
    ],
)
def test_lists_of_calls_are_read(text: str, calls: list[tuple[str, Any]], content: str | None) -> None:
    turn = read("python", text)
    assert called(turn) == calls
    assert turn.content == content


@pytest.mark.parametrize("text", ["\n" * 200_000, "[" * 200_000, "```\n" * 50_000, "[move('" + "\\'" * 100_000])
def test_texts_made_to_be_slow_are_read_like_others(text: str) -> None:
    turn = read("python", text)  # a pattern that goes through a text again and again would not come to its end here
    assert len(turn.tool_calls) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "[move(source=open('/etc/passwd').read())]",
        "[move(source=__import__('os').system('true'))]",
        "[move(source='a'",
        "[move({1, 2})]",
        "[move(source=b'a')]",
        "[move('a', 1, [], 4)]",
        "[move(*['a'])]",
        "[move(" + "[" * 5000,
        "[move(source='" + "a" * 30_000 + "')]",
    ],
)
def test_what_is_no_call_is_answered_by_the_environment_and_never_run(text: str) -> None:
    turn = read("python", text)
    assert [call.function.name for call in turn.tool_calls] == ["move"]
    assert turn.tool_calls[0].function.arguments == text


def test_a_dialogue_is_of_system_user_and_assistant_messages_alone() -> None:
    asked = LLMAgent("tiny", calls="hermes", base_url="http://127.0.0.1:1/v1")
    asked.reset(system_prompt="Be kind.", tools=[TOOL], seed=1)
    codec = asked._codec
    assert codec is not None
    first = asked._request([UserMessage(content="Hello.")])
    assert first.tools == []
    assert [m["role"] for m in first.messages] == ["system", "user"]
    assert first.messages[0]["content"].startswith("Be kind.\n\n# Tools\n")
    results = [ToolMessage(tool_call_id=n, name="move", content=f"result {n}") for n in "12"]
    second = asked._request(results)
    assert second.messages[-1]["content"].count("<tool_response>") == 2
    new = {"type": "function", "function": {"name": "late", "parameters": {"type": "object", "properties": {}}}}
    asked.equip([TOOL, new])
    assert "late" not in asked._request(results).messages[-1]["content"]  # told with the user's next words
    told = asked._request([UserMessage(content="And now?")]).messages[-1]["content"]
    assert '"late"' in told
    assert '"move"' not in told
    assert told.endswith("And now?")


def writes(style: str, task_actions: list[Action]) -> Callable[[dict[str, Any]], Say]:
    """A model that makes a task's gold calls one after another, then says that it is done."""

    def answer(body: dict[str, Any]) -> Say:
        assert "tools" not in body
        assert {m["role"] for m in body["messages"]} <= {"system", "user", "assistant"}
        made = sum(m["role"] == "assistant" for m in body["messages"])
        if body["messages"][-1]["content"].startswith("This only checks"):
            return Say("OK")
        if made >= len(task_actions):
            return Say("Done. Is there anything else?")
        action = task_actions[made]
        return Say(TEXT_DIALECTS[style].render(message((action.name, action.arguments))))

    return answer


@pytest.mark.parametrize("style", STYLES)
def test_rollout_on_retail_by_text(style: str, tmp_path: Path) -> None:
    tasks = load_domain("retail").task_set("test").tasks
    task = next(t for t in tasks if t.level == 1 and t.actions and not t.requirements)
    chosen = [action for action in task.actions if action.name != "transfer_to_human_agents"]
    write_tasks(tmp_path / "one.jsonl", [task])
    with Loopback(default=writes(style, chosen)) as server:
        result = CliRunner().invoke(
            app,
            f"rollout -d retail -t {tmp_path / 'one.jsonl'} --agent llm -A model=tiny -A calls={style} "
            f"-A base_url={server.base_url} -o {tmp_path / 'run'}",
        )
    assert result.exit_code == 0, result.output
    (kept,) = read_trajectories(tmp_path / "run" / "trajectories.jsonl")
    assert kept.agent == f"llm:tiny ({style} calls)"
    assert kept.score is not None
    assert kept.score.reward == 1.0
    assert json.loads((tmp_path / "run" / "config.json").read_text())["agent_options"]["calls"] == style


def test_rollout_on_bfcl_by_text(tmp_path: Path) -> None:
    pytest.importorskip("bfcl_eval")
    domain = load_domain("bfclmultiturn")
    task = domain.task_set("miss_func").tasks[0]
    turns = [[*turn.actions, None] for turn in task.script]
    steps = iter([step for turn in turns for step in turn])

    def answer(body: dict[str, Any]) -> Say:
        assert "tools" not in body
        if body["messages"][-1]["content"].startswith("This only checks"):
            return Say("OK")
        step = next(steps, None)
        if step is None:
            return Say("Next, please.")
        return Say(TEXT_DIALECTS["python"].render(message((step.name, step.arguments))))

    with Loopback(default=answer) as server:
        result = CliRunner().invoke(
            app,
            f"rollout -d bfclmultiturn -t miss_func -n 1 --agent llm -A model=tiny -A calls=python "
            f"-A base_url={server.base_url} -o {tmp_path / 'run'}",
        )
        requests = server.requests
    assert result.exit_code == 0, result.output
    (kept,) = read_trajectories(tmp_path / "run" / "trajectories.jsonl")
    assert kept.score is not None
    assert kept.score.reward == 1.0
    withheld = next(name for turn in task.script for name in turn.reveals)
    assert f'"name": "{withheld}"' not in requests[1]["messages"][0]["content"]
    assert any("Tools:" in m["content"] and withheld in m["content"] for m in requests[-1]["messages"][1:])


def test_an_endpoint_that_reads_calls_by_itself_is_heard_all_the_same() -> None:
    calls = [tool_call("move", '{"source": "a"}')]
    with Loopback([Say(None, tool_calls=calls), Say("Done.")]) as server:
        agent = LLMAgent("tiny", calls="python", base_url=server.base_url)
        agent.reset(system_prompt="", tools=[TOOL], seed=1)
        turn = agent.act([UserMessage(content="Hello.")])
        assert called(turn) == [("move", {"source": "a"})]
        agent.act([ToolMessage(tool_call_id="1", name="move", content="moved")])
        assert server.requests[1]["messages"][2] == {"role": "assistant", "content": "[move(source='a')]"}


def test_unknown_styles_are_refused_before_a_model_is_asked() -> None:
    with pytest.raises(ConfigError, match=r"calls is 'pyton'.*python"):
        agent_factory("llm", load_domain("retail"), {"model": "tiny", "calls": "pyton"})
    assert text_dialect("native") is None
