"""``mua-env tasks audit`` and ``mua-env tasks generate``, run as commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mua_env.cli import main
from mua_env.core.task_files import read_tasks
from mua_env.core.tasks import Task

COMMAND = [sys.executable, "-c", "import sys; from mua_env.cli import main; sys.exit(main())", "tasks"]


def generate(path: Path, *options: str) -> bytes:
    arguments = ["tasks", "generate", "retail", "--level", "2", "--count", "40", "--output", str(path), *options]
    assert main(arguments) == 0
    return path.read_bytes()


def test_equal_seeds_give_equal_bytes(tmp_path: Path) -> None:
    first = generate(tmp_path / "a.jsonl", "--seed", "7")
    assert generate(tmp_path / "deep" / "b.jsonl", "--seed", "7") == first
    assert generate(tmp_path / "c.jsonl", "--seed", "8") != first
    tasks = read_tasks(tmp_path / "a.jsonl")
    assert len(tasks) == len({task.id for task in tasks}) == 40
    assert {task.level for task in tasks} == {2}


def test_standard_output_holds_tasks_and_nothing_else(tmp_path: Path) -> None:
    command = [*COMMAND, "generate", "retail", "--level", "2", "--count", "40", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == generate(tmp_path / "a.jsonl", "--seed", "7")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = [*COMMAND, "generate", "retail", "--level", "1", "--count", "20000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        Task.model_validate_json(process.stdout.readline())
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == b""


def test_an_interruption_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    command = [*COMMAND, "generate", "retail", "--level", "3", "--count", "1000000", "--output", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 30
        while (not path.exists() or path.stat().st_size < 50_000) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert len(read_tasks(path)) == text.count("\n") > 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nowhere"], "no domain 'nowhere'"),
        (["retail", "--level", "9"], "level"),
        (["retail", "--split", "dev"], "dev"),
        (["retail", "--count", "0"], "count"),
    ],
)
def test_wrong_input_of_generate(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "generate", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_audit_writes_table_json_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, report = tmp_path / "audit.html", tmp_path / "audit.json"
    arguments = ["tasks", "audit", "retail:test", "--limit", "5", "--html", str(page), "--json", str(report)]
    assert main([*arguments, "--check", "--all"]) == 0
    table = capsys.readouterr().out
    assert "Audit of retail:test (strict scoring)" in table
    assert "do nothing" in table
    assert json.loads(report.read_text())["totals"]["tasks"] == 5
    assert "<h1>Audit of retail:test</h1>" in page.read_text()


def test_audit_prints_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "audit", "retail:test", "--limit", "2", "--no-baselines", "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tasks"]) == 2


def test_check_fails_where_something_is_wrong(tau1_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["tasks", "audit", "retail:tau1:test", "--path", str(tau1_dir), "--limit", "14", "--no-baselines"]
    assert main(arguments) == 0
    assert "12, 13" in capsys.readouterr().out
    assert main([*arguments, "--check"]) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["retail"], "retail:train"),
        (["retail:dev"], "unknown task source"),
        (["retail:train", "--scoring", "kind"], "'kind'"),
        (["retail:generate:level=1"], "limit"),
    ],
)
def test_wrong_input_of_audit(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "audit", *options]) == 2
    assert message in capsys.readouterr().err
