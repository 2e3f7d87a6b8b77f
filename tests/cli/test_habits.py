"""What a person expects of a command line without reading about it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mua_env.cli import main
from mua_env.cli.app import command
from mua_env.cli.stage import mistyped
from mua_env.core.screen import counted
from mua_env.core.trajectory import read_trajectories


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def commands(group: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    found = []
    for name, sub in group.commands.items():
        inner = hasattr(sub, "commands")
        found += commands(sub, (*path, name)) if inner else [((*path, name), sub)]
    return found


COMMANDS = [pytest.param(path, found, id=" ".join(path)) for path, found in commands(command())]


@pytest.mark.parametrize(("path", "found"), COMMANDS)
def test_counts_and_outputs_have_one_name(path: tuple[str, ...], found: Any) -> None:
    options = {option for parameter in found.params for option in parameter.opts}
    assert not options & {"--limit", "--episodes", "--number", "--out", "--save", "--folder"}
    for parameter in found.params:
        if "--count" in parameter.opts:
            assert "-n" in parameter.opts
        if "--output" in parameter.opts:
            assert "-o" in parameter.opts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tasks list retail:train --limit 2", "tasks list retail:train --count 2"),
        ("tasks list retail:train --limit=2", "tasks list retail:train -n 2"),
        ("tasks check retail:train --limit 2", "tasks check retail:train --count 2"),
        ("tasks audit retail:test --limit 2 --no-baselines", "tasks audit retail:test --count 2 --no-baselines"),
        ("users card agenda --episodes 12 --tasks test:level=1", "users card agenda -n 12 --tasks test:level=1"),
    ],
)
def test_old_names_do_the_same(capsys: pytest.CaptureFixture[str], old: str, new: str) -> None:
    first, second = run(capsys, *old.split()), run(capsys, *new.split())
    assert first[0] == second[0] == 0
    seconds = re.compile(r"[\d.,]+ ms")
    assert seconds.sub("", first[1]) == seconds.sub("", second[1])


def test_every_output_is_named_alike(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run(capsys, "rollout", "--output", str(folder), "--count", "1", "--tasks", "test:level=1")[0] == 0
    status, _, err = run(capsys, "rollout", str(folder), "-o", str(tmp_path / "other"))
    assert status == 2
    assert "name one" in err
    for old in ("--out", "--output", "-o"):
        page = tmp_path / f"page{old}.html"
        assert run(capsys, "view", str(folder), old, str(page))[0] == 0
        assert page.exists()
    for old in ("--save", "--output"):
        file = tmp_path / f"played{old}.jsonl"
        assert run(capsys, "play", "--watch", "--tasks", "test:level=1", old, str(file))[0] == 0
        assert len(list(read_trajectories(file))) == 1


def test_a_rollout_tells_its_folder_first_and_counts_one_as_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, out, err = run(capsys, "rollout", str(tmp_path / "run"), "--count", "1", "--tasks", "test:level=1")
    assert status == 0
    assert err.startswith(f"Run folder: {tmp_path / 'run'}\n")
    assert out.startswith("1 dialogue, 1 scored")
    assert run(capsys, "tasks", "check", "retail:train", "-n", "1")[1].startswith("1 task checked")


def test_the_bar_shows_time_and_time_left_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from mua_env.cli.bar import counting

    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with counting(4, 0, "right"):
        pass
    assert re.search(r"dialogues .* 0/4 .*0:00:00 left -:--:-- right 0", screen.getvalue())


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 dialogues"), (1, "1 dialogue"), (2, "2 dialogues"), (1200, "1,200 dialogues")]
)
def test_numbers_go_with_their_nouns(number: int, text: str) -> None:
    assert counted(number, "dialogue") == text
    assert counted(number, "reply", "replies").endswith("reply" if number == 1 else "replies")


def test_show_does_not_wrap_where_it_is_piped(capsys: pytest.CaptureFixture[str]) -> None:
    task = json.loads(run(capsys, "tasks", "list", "retail:train:level=5", "-n", "1", "--json")[1])
    words = [sys.executable, "-m", "mua_env", "tasks", "show", "retail", task["id"]]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "40"})
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) > 100
    for paragraph in task["instruction"].split("\n"):
        assert paragraph.rstrip() in lines or not paragraph.strip()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(shell: str) -> None:
    # Which shell it is stands in the processes above, where a runner may have none.
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    words = [sys.executable, "-m", "mua_env", "--show-completion", shell]
    shown = subprocess.run(words, capture_output=True, text=True, check=False, env=named)
    assert shown.returncode == 0, shown.stderr
    assert "MUA_ENV_COMPLETE" in shown.stdout


def test_completion_answers_the_shell() -> None:
    asked = {"_MUA_ENV_COMPLETE": "complete_bash", "COMP_WORDS": "mua-env ro", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mua_env"], capture_output=True, text=True, check=False, env={**os.environ, **asked}
    )
    assert done.stdout.split() == ["rollout"]


def test_a_foreign_page_is_not_overwritten(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run(capsys, "rollout", str(folder), "--count", "1", "--tasks", "test:level=1")[0] == 0
    mine = tmp_path / "notes.html"
    mine.write_text("<p>my notes</p>")
    status, _, err = run(capsys, "view", str(folder), "--output", str(mine))
    assert status == 2
    assert str(mine) in err
    assert "--force" in err
    assert mine.read_text() == "<p>my notes</p>"
    assert run(capsys, "view", str(folder), "--output", str(mine), "--force")[0] == 0
    assert "mua-env" in mine.read_text()
    page = folder / "report.html"
    assert run(capsys, "view", str(folder))[2] == ""
    status, out, err = run(capsys, "view", str(folder))
    assert (status, out.strip()) == (0, str(page))
    assert err.strip() == f"Replaced the page that was there: {page}"


def test_help_and_tools_are_there_in_both_seats(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, "/help", "/tools", "/quit")
    _, out, _ = run(capsys, "play", "--seed", "1")
    for word in ("/help", "/tools", "/policy", "/say", "/undo", "/quit", "get_order_details order_id"):
        assert word in out
    type_in(monkeypatch, "/help", "/tools", "Never mind. /stop", "/stop")
    _, out, _ = run(capsys, "play", "--as", "user", "--seed", "1")
    assert "/stop" in out
    assert "You have no tools here" in out
    type_in(monkeypatch, "/tools", "My phone has no signal.", "toggle_airplane_mod", "/stop")
    _, out, _ = run(capsys, "play", "--as", "user", "-d", "telecom", "--tasks", "train")
    assert "Did you mean 'toggle_airplane_mode'?" in out


def test_a_mistyped_tool_is_named_and_not_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "mine.jsonl"
    type_in(
        monkeypatch,
        'get_ordr_details {"order_id": "#W1"}',
        "find_user_id_by_emial",
        "/say get_order_detials",
        "Hello",
        "/quit",
    )
    _, out, _ = run(capsys, "play", "--seed", "1", "--output", str(file))
    assert "Did you mean 'get_order_details'?" in out
    assert "Did you mean 'find_user_id_by_email'?" in out
    (trajectory,) = read_trajectories(file)
    assert [entry.message.content for entry in trajectory.entries if entry.source == "agent"] == [
        "get_order_detials",
        "Hello",
    ]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("get_ordr", True),
        ('cancel {"a": 1}', True),
        ("calculate {", True),
        ("Hello", False),
        ("thanks", False),
        ("well done", False),
        ("my e-mail is a_b@c.de", False),
        ("a_b c", False),
        ("get_order", False),
        ('get_order {"a": 1}', False),
        ("", False),
    ],
)
def test_words_are_told_from_calls(line: str, meant: bool) -> None:
    assert (mistyped(line, ["get_order", "cancel_order"]) is not None) == meant


@pytest.mark.parametrize("role", ["agent", "user"])
def test_ctrl_c_saves_what_was_said(tmp_path: Path, role: str) -> None:
    file = tmp_path / "mine.jsonl"
    words = [sys.executable, "-u", "-m", "mua_env", "play", "--seed", "1", "--as", role, "--output", str(file)]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A runner without a terminal may have interrupts ignored, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("Hello, what is your email address?\n")
        child.stdin.flush()
        heard, deadline = "", time.monotonic() + 60
        while heard.count("> ") < 2 and time.monotonic() < deadline:
            heard += child.stdout.read(1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in err
    (trajectory,) = read_trajectories(file)
    assert trajectory.ended_by == "fault"
    assert trajectory.score is not None
    assert trajectory.score.reward is None
    assert any("Hello, what is" in (entry.message.content or "") for entry in trajectory.entries)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1"])
@pytest.mark.parametrize("option", ["--deadline", "--max-usd"])
def test_options_take_no_senseless_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str, value: str
) -> None:
    status, _, err = run(capsys, "rollout", str(tmp_path / "run"), option, value)
    assert status == 2
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "run").exists()
