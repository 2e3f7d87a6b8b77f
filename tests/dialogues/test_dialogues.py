"""Recorded dialogues as tasks: rows of id, source, messages and tools, in the forms that they come in."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest
from typer.testing import CliRunner

import mua_env  # noqa: F401 - registers the environments
from mua_env.cli.app import app
from mua_env.core.tasks import Task
from mua_env.core.trajectory import read_trajectories
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, TaskError
from mua_env.evaluation.audit import audit
from mua_env.users.agenda.user import AgendaUser

from .rows import MESSAGES, TOOLS, call, row, said, write

pytestmark = pytest.mark.filterwarnings("ignore:.*rows are left out")


AS_TEXT = [
    MESSAGES[0],
    said("user", "I am Ann."),
    said("assistant", '<think>Who?</think><tool_call>\n{"name": "find", "arguments": {"name": "Ann"}}\n</tool_call>'),
    said("user", '<tool_response>\n{"flat": "F7"}\n</tool_response>'),
    said("assistant", "You have F7."),
    said("user", "Until May, please."),
    said("assistant", '<tool_call>\n{"name": "rent", "arguments": {"flat": "F7", "until": "May"}}\n</tool_call>'),
    said("user", "<tool_response>\ndone\n</tool_response>"),
    said("assistant", "It is yours."),
]


BROKEN = {
    "no word of a user": row("b1", [said("system", "x")]),
    "role 'narrator'": row("b2", [said("user", "x"), said("narrator", "y")]),
    "a call of 'fly'": row("b3", [said("user", "x"), call("fly")]),
    "2 results of 1 calls": row("b4", [said("user", "x"), call("find"), said("tool", "a"), said("tool", "b")]),
    "no function schema": row("b5", tools=[{"type": "function"}]),
    "messages is no list": row("b6", {"role": "user"}),
    "tools is no JSON": row("b7", tools="[{"),
    "arguments are no JSON object": row(
        "b8", [said("user", "x"), {"role": "assistant", "function_call": {"name": "find", "arguments": "[1]"}}]
    ),
    "before the user has said a word": row("b9", [call("find"), said("user", "x")]),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    chat = row("d3", [said("user", "Thanks!"), said("assistant", "Welcome.")])
    failed = [said("user", "x"), call("find", name="Zoe"), said("tool", "Error: nobody"), said("assistant", "Sorry.")]
    return write(tmp_path / "rows.jsonl", [row("d1"), row("d2", AS_TEXT), chat, row("d4", failed), *BROKEN.values()])


def play(session: Session, task: Task, *, without: int = 0) -> float:
    result = session.start(task)
    for turn in task.script:
        for action in turn.actions[: len(turn.actions) - without]:
            session.send({"tool_calls": [{"function": {"name": action.name, "arguments": action.arguments}}]})
        result = session.send("So be it.")
    assert result.done
    return result.reward


@pytest.mark.parametrize("name", ["d1", "d2"])
def test_every_form_of_calls_gives_the_same_task(file: Path, name: str) -> None:
    setting = load_setting("dialogues", str(file))
    task = setting.tasks.by_id(name)
    assert [turn.text for turn in task.script] == ["I am Ann.", "Until May, please."]
    assert [(a.name, a.arguments) for a in task.actions] == [
        ("find", {"name": "Ann"}),
        ("rent", {"flat": "F7", "until": "May"}),
    ]
    assert task.scene["results"] == ['{"flat": "F7"}', "done"]
    assert task.scene["said"] == [["You have F7."], ["It is yours."]]
    assert task.policy == "# Flats\nBe brief."
    session = Session(setting, AgendaUser())
    assert play(session, task) == 1.0
    assert play(session, task, without=1) == 0.0
    assert session.score is not None
    assert session.score.unmet == (
        'was not called: find {"name": "Ann"}',
        'was not called: rent {"flat": "F7", "until": "May"}',
    )
    assert session.system_prompt == "# Flats\nBe brief."
    session.close()


def test_each_row_that_is_left_out_is_named_with_its_reason(file: Path) -> None:
    with pytest.warns(UserWarning, match="9 of 13 rows are left out"):
        found = load_setting("dialogues", str(file)).tasks.left_out
    assert list(found) == [f"rows.jsonl, line {number}" for number in range(5, 14)]
    for part, reason in zip(BROKEN, found.values(), strict=True):
        assert part in reason


def test_audit_of_dialogues(file: Path, tmp_path: Path) -> None:
    found = audit(load_setting("dialogues", str(file)))
    totals = found.totals
    assert totals.idle["task"] == ("d3", "d4")  # no call is asked for, or the only one failed
    assert totals.failing == ("d4",)
    assert totals.needs_user == ("d1", "d2", "d4")
    assert len(found.left_out) == 9
    by_id = {task.id: task for task in found.tasks}
    assert by_id["d1"].values.total == 3
    assert by_id["d1"].values.without_user == 2  # the flat is in the first result
    assert by_id["d3"].baselines["do nothing"].rewards["task"] == 1.0
    page = tmp_path / "audit.html"
    result = CliRunner().invoke(app, ["tasks", "audit", f"dialogues:{file}", "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "won by doing nothing" in result.output
    assert "a message of the role" in page.read_text()


def test_calls_that_nobody_made_then_have_no_answer(file: Path) -> None:
    world = load_setting("dialogues", str(file)).make_world()
    world.load(load_setting("dialogues", str(file)).tasks.by_id("d1"))
    assert "unknown tool 'fnd'" in world.call("fnd", "{}").content
    assert "nothing is known" in world.call("find", '{"name": "Bob"}').content
    assert "not valid JSON" in world.call("find", "{").content
    twin = world.fork()
    assert twin.call("find", '{"name": "Ann"}').ok
    assert world.snapshot() == {}


def test_environment_shows_each_tasks_own_tools_and_policy(tmp_path: Path) -> None:
    other = [said("system", "# Other"), *MESSAGES[2:6]]
    file = write(tmp_path / "rows.jsonl", [row("d1"), row("d2", other, TOOLS[:1])])
    env = gym.make("MUA/Dialogues-v1", tasks=str(file))
    shown = {}
    for name in ("d1", "d2"):
        _, info = env.reset(options={"task_id": name})
        shown[name] = (info["system_prompt"], [each["function"]["name"] for each in info["tools"]])
    env.close()
    assert shown == {"d1": ("# Flats\nBe brief.", ["find", "rent"]), "d2": ("# Other", ["find"])}


def test_parquet_with_json_texts_reads_the_same(file: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    texts = {**row("d1"), "messages": json.dumps(MESSAGES), "tools": json.dumps(TOOLS)}
    parquet.write_table(pyarrow.Table.from_pylist([texts]), tmp_path / "texts.parquet")
    nested = {**row("d1"), "tools": json.dumps(TOOLS)}
    parquet.write_table(pyarrow.Table.from_pylist([nested]), tmp_path / "nested.parquet")
    expected = load_setting("dialogues", str(file)).tasks.by_id("d1")
    for name in ("texts", "nested"):
        assert load_setting("dialogues", str(tmp_path / f"{name}.parquet")).tasks[0] == expected


def test_sources_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="recorded dialogues are read from your own files"):
        load_setting("dialogues", "train")
    with pytest.raises(ConfigError, match="no solo mode"):
        load_setting("dialogues", str(tmp_path), solo=True)
    with pytest.raises(TaskError, match="none of 1 rows can be used"):
        load_setting("dialogues", str(write(tmp_path / "x.jsonl", [BROKEN["no word of a user"]])))


@pytest.mark.parametrize(("text", "lines"), [("###STOP###", ["Hi."]), ("Bye. ###STOP###", ["Hi.", "Bye."])])
def test_a_stop_of_the_recorded_user_is_no_word_to_the_agent(tmp_path: Path, text: str, lines: list[str]) -> None:
    messages = [said("user", "Hi."), said("assistant", "Hello."), said("user", text)]
    file = write(tmp_path / "rows.jsonl", [row("d1", messages)])
    assert [turn.text for turn in load_setting("dialogues", str(file)).tasks[0].script] == lines


def test_expert_says_and_does_what_the_recorded_agent_did(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    result = CliRunner().invoke(
        app, ["rollout", "-d", "dialogues", "-t", str(file), "--agent", "expert", "-o", str(out)]
    )
    assert result.exit_code == 0, result.output
    assert "success 100.0%" in result.output
    kept = {item.task_id: item for item in read_trajectories(out / "trajectories.jsonl")}
    texts = [entry.message.content for entry in kept["d1"].entries if entry.source == "agent"]
    assert texts == [None, "You have F7.", None, "It is yours."]
    checked = CliRunner().invoke(app, ["tasks", "check", f"dialogues:{file}"])
    assert checked.exit_code == 1
    assert "d4: gold action fails: find: Error: nobody" in checked.output
    assert "rows.jsonl, line 5: left out: no word of a user" in checked.output
    assert "gold changes nothing" not in checked.output.replace("whose gold changes nothing", "")
