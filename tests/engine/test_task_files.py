"""Files of tasks: read anew when they change, and looked at before the first dialogue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import mua_env
from mua_env.agents.make import agent_factory
from mua_env.cli import main
from mua_env.core.task_files import write_tasks
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import load_setting
from mua_env.errors import TaskError
from mua_env.evaluation.rollouts import plan, run_rollout
from mua_env.users.agenda.user import AgendaUser

TASKS = [task for task in load_setting("retail", "test:level=1").tasks if task.actions][:6]
Change = Callable[[dict[str, Any]], None]


def unknown_tool(task: dict[str, Any]) -> None:
    task["actions"][-1]["name"] = "cancel_ordre"


def wrong_value(task: dict[str, Any]) -> None:
    task["actions"] = [{"name": "cancel_pending_order", "arguments": {"order_id": "#W0", "reason": "no longer needed"}}]


def no_such_argument(task: dict[str, Any]) -> None:
    task["actions"][-1]["arguments"] = {"ordre": 1}


def unknown_intent(task: dict[str, Any]) -> None:
    task["goal"]["requests"][0]["intent"] = "dance"


def no_goal(task: dict[str, Any]) -> None:
    task["goal"] = None


def unknown_persona(task: dict[str, Any]) -> None:
    task["goal"]["persona"] = "plian"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, TASKS)
    return path


def spoil(file: Path, line: int, change: Change) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    task = json.loads(lines[line - 1])
    change(task)
    lines[line - 1] = json.dumps(task)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_changed_file_is_read_anew_in_one_process(file: Path) -> None:
    first = load_setting("retail", str(file))
    assert load_setting("retail", str(file)) is first
    write_tasks(file, TASKS[:2])
    second = load_setting("retail", str(file))
    assert [task.id for task in second.tasks] == [task.id for task in TASKS[:2]]
    assert second.tasks.revision != first.tasks.revision
    assert len(first.tasks) == len(TASKS)  # who holds the old one keeps it
    env = gym.make("MUA/Retail-v1", tasks=str(file))
    assert len(env.unwrapped.setting.tasks) == 2  # type: ignore[attr-defined]
    env.close()
    file.unlink()
    with pytest.raises(TaskError, match="cannot read tasks"):
        load_setting("retail", str(file))


@pytest.mark.parametrize("change", [unknown_tool, wrong_value, no_such_argument])
def test_gold_that_cannot_run_is_refused_with_its_line(file: Path, change: Change) -> None:
    spoil(file, 4, change)
    with pytest.raises(TaskError) as caught:
        load_setting("retail", str(file))
    assert f"{file}, line 4 (task {TASKS[3].id!r}): its gold action fails: " in str(caught.value)
    assert "mua-env tasks check" in str(caught.value)
    with pytest.raises(TaskError, match="line 4"):
        gym.make("MUA/Retail-v1", tasks=str(file))
    assert len(load_setting("retail", str(file), check=False).tasks) == len(TASKS)


@pytest.mark.parametrize("change", [unknown_intent, no_goal, unknown_persona])
def test_a_task_that_the_user_cannot_play_is_found_before_the_first_dialogue(file: Path, change: Change) -> None:
    spoil(file, 5, change)
    setting = load_setting("retail", str(file))
    ended: list[Trajectory] = []
    make = agent_factory("expert", setting.domain)
    with pytest.raises(TaskError, match=r"the user 'agenda' cannot play .*line 5"):
        run_rollout(setting, AgendaUser(), make, plan(setting.tasks), on_end=ended.append)
    assert ended == []
    with pytest.raises(TaskError, match="line 5"):
        gym.make("MUA/Retail-v1", tasks=str(file))


def test_a_whole_run_of_a_spoilt_file_leaves_no_folder(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(file, 2, wrong_value)
    spoil(file, 3, wrong_value)
    assert main(["rollout", str(tmp_path / "run"), "--tasks", str(file)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "line 2" in error
    assert "line 3" in error
    assert not (tmp_path / "run").exists()


def test_what_looks_at_a_spoilt_file_still_reads_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(file, 2, wrong_value)
    assert main(["tasks", "check", f"retail:{file}"]) == 1
    assert f"{TASKS[1].id}: gold action fails" in capsys.readouterr().out
    assert main(["tasks", "list", f"retail:{file}"]) == 0
    assert main(["tasks", "show", f"retail:{file}", TASKS[1].id]) == 0
    assert "Fails: " in capsys.readouterr().out
    assert main(["tasks", "audit", f"retail:{file}", "--no-baselines"]) == 0


@pytest.mark.parametrize("broken", ["{", "[]", '{"id": 3}', "null", '{"domain": "retail"}'])
def test_a_line_that_is_no_task_is_named(file: Path, broken: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + "\n" + broken + "\n", encoding="utf-8")
    with pytest.raises(TaskError, match=f"line {len(TASKS) + 2}: "):
        load_setting("retail", str(file))


def test_a_task_of_another_domain_is_named_by_its_line(file: Path) -> None:
    spoil(file, 3, lambda task: task.update(domain="airline"))
    with pytest.raises(TaskError, match=r"line 3 .*of the domain 'airline'"):
        load_setting("retail", str(file))


def test_the_files_tasks_are_a_list_of_tasks(file: Path) -> None:
    tasks = mua_env.load_setting("retail", str(file)).tasks
    assert list(tasks) == TASKS
    assert all(isinstance(task, Task) for task in tasks)
