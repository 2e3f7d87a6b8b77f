from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import mua_env
from mua_env import Session, load_setting
from mua_env.core.messages import AssistantMessage, ToolCall
from mua_env.core.tasks import Action
from mua_env.envs.acebench import checkout as reader
from mua_env.envs.acebench.milestones import process_score, read_stone
from mua_env.envs.acebench.users import NUDGE
from mua_env.errors import ConfigError, DataError, TaskError
from mua_env.users.base import UserReply, UserSession, UserSimulator

ID = "MUA/ACEBenchAgent-v1"


class Patient(UserSimulator):
    """Says what it was told to want, and goes once the agent says that it is done."""

    name = "patient"

    def start(self, task: mua_env.Task, *, seed: int, context: Any = None) -> UserSession:
        return PatientSession(task.instruction)


class PatientSession(UserSession):
    def __init__(self, wish: str) -> None:
        self.wish = wish

    def reply(self, agent_text: str | None) -> UserReply:
        return UserReply(text=self.wish) if agent_text is None else UserReply(text="", stop="done" in agent_text)

    def fork(self) -> UserSession:
        return PatientSession(self.wish)


def calling(*actions: Action) -> AssistantMessage:
    calls = [{"id": str(i), "function": {"name": a.name, "arguments": a.arguments}} for i, a in enumerate(actions)]
    return AssistantMessage(tool_calls=tuple(map(ToolCall.model_validate, calls)))


def session_of(root: Path, kind: str, mode: Any = None) -> Session:
    return Session(load_setting("acebenchagent", kind, path=root, mode=mode), Patient())


def play(session: Session, index: int, *actions: Action, end: str = "All done. finish conversation") -> Any:
    session.start(session.setting.tasks[index])
    for action in actions:
        session.send(calling(action))
    return session.send(end).score


@pytest.mark.parametrize("kind", ["multi_turn", "multi_step"])
def test_milestones_lead_to_the_answer(checkout: Path, kind: str) -> None:
    session = session_of(checkout, kind)
    task = session.setting.tasks[0]
    assert task.actions[1].arguments["message"] == "Domino's it is"  # no valid Python as it is written
    score = play(session, 0, *task.actions)
    assert score.reward == score.tcr == 1.0
    session.close()


def test_each_way_of_doing_it_wrong_is_named(checkout: Path) -> None:
    session = session_of(checkout, "multi_turn")
    wifi, send = session.setting.tasks[0].actions
    assert play(session, 0).difference[0].got == "0"  # nothing was run: there is no state to compare
    half = play(session, 0, wifi)
    assert (half.reward, half.tcr) == (0.0, 0.5)
    assert {(cell.table, cell.column) for cell in half.difference} == {("MessageApi", "inbox")}
    swapped = play(session, 0, send, wifi)
    assert swapped.reward == 0.0
    session.close()


def test_wifi_is_switched_on_for_every_class(checkout: Path) -> None:
    session = session_of(checkout, "multi_turn")
    session.start(session.setting.tasks[0])
    session.send(calling(Action(name="turn_on_wifi")))
    found = session.send(calling(session.setting.tasks[0].actions[1])).messages[0].content
    assert json.loads(found)["status"] is True
    session.close()


@pytest.mark.parametrize(("mode", "reward"), [("compat", 1.0), ("strict", 0.0)])
def test_a_misspelt_class_is_not_compared_in_compat_mode_alone(checkout: Path, mode: str, reward: float) -> None:
    session = session_of(checkout, "multi_turn", mode)
    assert play(session, 1, Action(name="turn_on_wifi")).reward == reward
    session.close()


def test_best_of_several_ways_counts_for_the_process(checkout: Path) -> None:
    session = session_of(checkout, "multi_turn")
    assert play(session, 2, Action(name="day_of", arguments={"message_id": 1})).tcr == 1.0
    assert process_score([["a", "b", "c"], ["x"]], ["b", "c"]) == 0.0
    assert process_score([["a", "b", "c"]], ["b", "a", "c"]) == pytest.approx(1 / 3)
    session.close()


def test_text_without_a_call_is_answered_by_one_line_where_there_is_no_user(checkout: Path) -> None:
    session = session_of(checkout, "multi_step")
    opening = session.start(session.setting.tasks[0]).messages
    assert opening[0].content == "Tell Ann: Domino's it is."
    assert session.send("Which Ann?").messages[0].content == NUDGE
    assert session.send("finish conversation").terminated
    assert session.user.name == "nudge"
    session.close()


@pytest.mark.parametrize(("mode", "counts"), [("compat", 1.0), ("strict", 0.0)])
def test_forty_messages_after_the_first_cut_an_episode(checkout: Path, mode: str, counts: float) -> None:
    session = session_of(checkout, "multi_step", mode)
    session.start(session.setting.tasks[0])
    for action in session.setting.tasks[0].actions:
        session.send(calling(action))
    messages, result = 5, None
    while result is None or not result.done:
        result = session.send(calling(Action(name="day_of", arguments={"message_id": 1})))
        messages += 2
    assert messages == 41
    assert result.truncated
    assert result.score is not None
    assert result.score.reward == counts
    session.close()


def test_errors_are_answered_and_go_on(checkout: Path) -> None:
    session = session_of(checkout, "multi_turn", "strict")
    session.start(session.setting.tasks[0])
    for name, arguments in [("day_of", {"message_id": 9}), ("day_of", {}), ("nothing", {}), ("_load_scenario", {})]:
        result = session.send(calling(Action(name=name, arguments=arguments)))
        assert not result.done
        assert result.messages[0].content.startswith("Error during execution: ")
    session.close()


def test_nobody_but_the_agent_has_tools_there(checkout: Path) -> None:
    session = session_of(checkout, "multi_turn", "strict")
    session.start(session.setting.tasks[0])
    refused = session.world.call("turn_on_wifi", {}, requestor="user")
    assert not refused.ok
    assert "the user has no tools" in refused.content
    session.close()


def test_it_is_an_environment(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reader.VARIABLE, str(checkout))
    env = gym.make(ID, tasks="multi_step")
    messages, info = env.reset(seed=0)
    said = json.dumps([messages, info], default=str)
    assert "mile_stone" not in said
    assert "answer" not in info
    assert {tool["function"]["name"] for tool in info["tools"]} == {"turn_on_wifi", "send_message", "day_of"}
    types = info["tools"][2]["function"]["parameters"]["properties"]
    assert types["message_id"]["type"] == "integer"
    env.close()


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "from subprocess import run",
        "open('/etc/passwd')",
        "eval('1')",
        "().__class__.__bases__",
        "__import__('os')",
        "from os import *",
    ],
)
def test_a_scenario_file_that_reaches_outside_is_not_executed(checkout: Path, line: str) -> None:
    path = checkout / "model_inference" / "multi_turn" / "scenariosen" / "phone_platform" / "message.py"
    marker = checkout / "ran"
    path.write_text(f"{path.read_text()}\n{line}\nopen({str(marker)!r}, 'w')\n")
    with pytest.raises(DataError, match="not executed"):
        session_of(checkout, "multi_turn").start(load_setting("acebenchagent", "multi_turn", path=checkout).tasks[0])
    assert not marker.exists()


def test_what_is_missing_is_said(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(reader.VARIABLE, raising=False)
    with pytest.raises(TaskError, match=reader.VARIABLE):
        gym.make(ID)
    with pytest.raises(TaskError, match="no checkout"):
        gym.make(ID, tasks_path=tmp_path)
    with pytest.raises(TaskError, match="Did you mean"):
        gym.make(ID, tasks="multi_tern", tasks_path=checkout)
    for option in ({"solo": True}, {"policy": "x"}, {"database_url": "postgresql://x"}):
        with pytest.raises(ConfigError):
            gym.make(ID, tasks_path=checkout, **option)
    (checkout / "data_all" / "data_en" / "possible_answer" / "data_agent_multi_step.json").write_text("{")
    with pytest.raises(DataError, match="line 1"):
        gym.make(ID, tasks="multi_step", tasks_path=checkout)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[send(a='Today's spending', b='it's')]", {"a": "Today's spending", "b": "it's"}),
        ("[send(a=[{'p': 'Domino's', 'n': 1}])]", {"a": [{"p": "Domino's", "n": 1}]}),
        ("[send(a='plain')]", {"a": "plain"}),
    ],
)
def test_apostrophes_in_milestones_are_mended(text: str, message: dict[str, Any]) -> None:
    calls, valid = read_stone(text)
    assert calls[0].arguments == message
    assert valid is (message == {"a": "plain"})
