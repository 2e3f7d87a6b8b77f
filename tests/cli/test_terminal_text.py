"""What a terminal would obey, or show in another order, never reaches it from a file."""

from __future__ import annotations

import ast
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import mua_env
from mua_env.cli import main
from mua_env.core.outside import visible, visible_json
from mua_env.core.screen import echo, open_console
from mua_env.episode.setting import load_setting

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.\u2066\u200f\x00\x7f\rover"
PIECES = ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2066", "\u200f", "\x00", "\x7f", "\rover")
FORBIDDEN = {
    *map(chr, (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))),
    *map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))),
}


def forbidden_in(text: str) -> set[str]:
    return FORBIDDEN & set(text)


def doctored(value: Any) -> Any:
    """A value with every text in it made hostile."""
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, dict):
        return {name: doctored(part) for name, part in value.items()}
    return [doctored(part) for part in value] if isinstance(value, list) else value


@pytest.fixture(params=["the user's side", "all of it"])
def tasks(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A task file that somebody has tampered with."""
    task = load_setting("retail", "test:level=1").tasks[0].model_dump(mode="json")
    task |= {"id": task["id"] + HOSTILE, "instruction": task["instruction"] + HOSTILE, "outputs": ["42" + HOSTILE]}
    task["goal"]["facts"]["note"] = HOSTILE
    if request.param == "all of it":
        task["actions"] = doctored(task["actions"])
        task["goal"]["requests"][0]["slots"] = doctored(task["goal"]["requests"][0]["slots"])
        task["requirements"] = [{"kind": "told", "value": HOSTILE}, {"kind": "terminal_tool", "name": HOSTILE}]
        task["user_id"] += HOSTILE
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(task) + "\n", encoding="utf-8")
    return path


COMMANDS = (
    "tasks list retail:{tasks}",
    "tasks list retail:{tasks} --json",
    "tasks show retail:{tasks} {id}",
    "tasks check retail:{tasks}",
    "tasks audit retail:{tasks}",
    "tasks audit retail:{tasks} --all --no-baselines",
    "tasks audit retail:{tasks} --json -",
    "play --watch --tasks {tasks} --full",
    "rollout {out} --tasks {tasks} --agent random",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("terminal", [False, True])
def test_no_command_prints_what_a_terminal_would_obey(monkeypatch, capsys, tmp_path, tasks, command, terminal):
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
    given = json.loads(tasks.read_text())["id"]
    arguments = [part.format(tasks=tasks, id=given, out=tmp_path / "out") for part in command.split(" ")]
    main(arguments)
    out, err = capsys.readouterr()
    assert out + err
    for name, text in (("output", out), ("errors", err)):
        # Colours and bars are rich's own escapes; no piece of the file's may be among them.
        left = {piece for piece in PIECES if piece in text} if terminal else forbidden_in(text)
        assert not left, f"{name}: {left}"


def test_json_on_a_terminal_is_the_same_to_whoever_parses_it(capsys, tasks):
    assert main(["tasks", "list", f"retail:{tasks}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["instruction"].endswith(HOSTILE)


@pytest.mark.parametrize("text", [HOSTILE, "plain", "\ud800", "é\n\t日本", "a\r\nb"])
def test_visible_text_can_be_shown_and_written(text):
    assert not forbidden_in(visible(text))
    visible(text).encode()
    assert visible(text).count("\n") == text.count("\n")
    assert json.loads(visible_json(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize("options", [{}, {"soft_wrap": True}, {"width": 20}])
def test_a_console_prints_no_hyperlink_that_a_text_brings(options):
    out = io.StringIO()
    console = open_console(file=out, force_terminal=True, color_system="truecolor", **options)
    console.print(f"[link=https://evil.example]click[/link] [bold]{HOSTILE}[/bold]")
    assert "evil.example" not in out.getvalue()
    assert not [piece for piece in PIECES if piece in out.getvalue()]
    assert "\x1b[1m" in out.getvalue()


def test_a_person_at_the_terminal_is_shown_visible_text_only(monkeypatch, capsys):
    from mua_env.users.human import HumanUser

    monkeypatch.setattr(sys, "stdin", io.StringIO("hello\n"))
    task = load_setting("retail", "test:level=1").tasks[0]
    user = HumanUser().start(task.model_copy(update={"instruction": HOSTILE}), seed=0)
    user.reply(HOSTILE)
    out, err = capsys.readouterr()
    assert not forbidden_in(out + err)
    echo(HOSTILE)
    assert not forbidden_in(capsys.readouterr().out)


def test_everything_in_the_package_that_prints_goes_the_one_way():
    root = Path(mua_env.__file__).parent
    own = {"print", "echo", "secho", Console.__name__, "pprint"}
    found = []
    for path in root.rglob("*.py"):
        if path.name == "screen.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        ours = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".screen")
            for alias in node.names
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id in own - ours:
                found.append(f"{path}:{node.lineno}: {called.id}")
            if isinstance(called, ast.Attribute) and called.attr in ("echo", "secho", Console.__name__):
                found.append(f"{path}:{node.lineno}: {called.attr}")
    assert not found, "use mua_env.core.screen: " + ", ".join(found)
