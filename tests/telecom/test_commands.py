"""The commands on telecom tasks: whose calls are whose, what the scene is, and generated tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mua_env.cli import main
from mua_env.core.task_files import read_tasks


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_a_task_is_shown_with_its_scene_and_both_pairs_of_hands(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "tasks", "show", "telecom", "telecom-test-1-1-5")
    assert "Before: suspend_line_for_overdue_bill" in text
    assert "Gold: make_payment {} (by the user)" in text
    assert "Gold: resume_line" in text
    assert text.count("(by the user)") == 1
    assert "Must hold: assert_service_status(expected_status='connected') is true" in text


@pytest.mark.parametrize("level", [1, 5])
def test_tasks_are_generated_and_played(level: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tasks.jsonl"
    run(capsys, "tasks", "generate", "telecom", "--level", str(level), "-n", "3", "--seed", "5", "--output", str(file))
    assert [task.level for task in read_tasks(file)] == [level] * 3
    told = run(capsys, "rollout", str(tmp_path / "run"), "-d", "telecom", "-t", str(file), "--concurrency", "1")
    assert "success 100.0%" in told
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["variant"] == "manual"
