"""The command line, through its real entry point."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from loopback import Loopback, Say, Status

from mua_env.cli import main
from mua_env.cli.options import parse_pairs
from mua_env.core.trajectory import read_trajectories


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def type_in(monkeypatch):
    """What the person types, one line for each prompt."""

    def lines(*typed: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))

    return lines


@pytest.mark.parametrize(
    "command",
    [
        "",
        "play",
        "rollout",
        "train",
        "quickstart",
        "domains",
        "eval",
        "view",
        "tasks",
        "tasks list",
        "tasks show",
        "tasks check",
        "users",
        "users card",
    ],
)
def test_help_of_every_command(capsys, command):
    status, out, err = run(capsys, *command.split(), "--help")
    assert status == 0
    assert "Usage: mua-env" in out
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("nonsense", "nonsense"),
        ("play --domain retial", "Did you mean 'retail'?"),
        ("play --watch --tasks tain", "'train'"),
        ("play --watch --task no-such-task", "no-such-task"),
        ("play --watch --agent exprt", "Did you mean 'expert'?"),
        ("play --watch --user agend", "Did you mean 'agenda'?"),
        ("play --watch --user-option persona", "KEY=VALUE"),
        ("play --watch --user-option colour=red", "colour"),
        ("play --watch --user human", "--as user"),
        ("play --as somebody", "somebody"),
        ("play --max-turns 0", "--max-turns"),
        ("tasks show retail", "Missing argument"),
        ("rollout --tasks generate:level=1", "--count"),
        ("rollout {tmp}/x --reward most", "'outcome'"),
        ("rollout {tmp}/x --user human", "mua-env play"),
        ("rollout {tmp}/x --agent llm --agent-option strategy=react --agent-option model=m", "strategy"),
        ("rollout {tmp}/x --agent llm", "MUA_LLM_MODEL"),
        ("train {tmp}/none.yaml", "none.yaml"),
        ("view {tmp}/none", "no trajectories"),
        ("tasks show retail no-such-task", "no-such-task"),
        ("tasks show retail:test no-such-task", "no-such-task"),
        ("tasks list retail:train:level=99", "level 99"),
        ("tasks list retail:tau1:test --path {tmp}", "{tmp}"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.delenv("MUA_LLM_MODEL", raising=False)
    status, out, err = run(capsys, *arguments.format(tmp=tmp_path).split())
    assert status == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("mua-env: ")
    assert words.format(tmp=tmp_path) in err
    assert not (tmp_path / "x").exists()


def test_the_module_is_the_command_and_shows_no_traceback():
    done = subprocess.run([sys.executable, "-m", "mua_env", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mua-env ")
    wrong = subprocess.run([sys.executable, "-m", "mua_env", "nonsense"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


def test_help_imports_neither_models_nor_domains():
    code = (
        "import sys; from mua_env.cli import main; main(['--help']); "
        "print([m for m in ('torch', 'litellm', 'jinja2', 'mua_env.envs.retail') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_domains_lists_what_is_installed(capsys):
    status, out, _ = run(capsys, "domains")
    assert status == 0
    assert "retail" in out
    assert "MUA/Retail-v1" in out


def test_watch_prints_a_whole_dialogue_and_saves_it(capsys, tmp_path):
    file = tmp_path / "one.jsonl"
    status, out, _ = run(capsys, "play", "--watch", "--seed", "7", "--save", str(file))
    assert status == 0
    for word in (" user ", "agent ", " tool ", "Ended by user_stop", "Reward 1"):
        assert word in out
    (trajectory,) = read_trajectories(file)
    assert trajectory.agent == "expert"
    assert trajectory.score is not None
    assert trajectory.score.reward == 1.0


def test_equal_seeds_show_the_same_dialogue(capsys):
    first, second, other = (run(capsys, "play", "--watch", "--seed", seed)[1] for seed in ("3", "3", "4"))
    assert first == second
    assert first != other


def test_a_person_plays_the_agent_with_calls_forms_and_undo(capsys, type_in, tmp_path):
    type_in(
        "/tools",
        "/bogus",
        "/undo",
        "Could you tell me your email address?",
        'calculate {"expression": "2 + 3"}',
        "calculate",
        "40 + 2",
        "/undo",
        'calculate {"wrong": 1}',
        "calculate {broken",
        "/quit",
    )
    file = tmp_path / "mine.jsonl"
    status, out, _ = run(capsys, "play", "--seed", "1", "--save", str(file))
    assert status == 0
    assert "calculate expression" in out
    assert "Unknown command /bogus" in out
    assert "nothing to take back" in out
    assert "Taken back" in out
    (trajectory,) = read_trajectories(file)
    assert trajectory.agent == "human"
    tools = [entry.message.content for entry in trajectory.entries if entry.source == "tool"]
    assert float(tools[0]) == 5
    assert len(tools) == 3  # the 42 was taken back
    assert all(text.startswith("Error") for text in tools[1:])
    assert trajectory.ended_by == "fault"
    assert trajectory.score is not None
    assert trajectory.score.reward is None


def test_a_person_who_leaves_is_not_scored(capsys, type_in):
    type_in("Hello, how can I help?")
    status, out, _ = run(capsys, "play", "--seed", "1")
    assert status == 0
    assert "the person left" in out
    assert "Not scored" in out


def test_a_person_plays_the_user(capsys, type_in):
    type_in("/bogus", "I have a question.", "Never mind. /stop")
    status, out, _ = run(capsys, "play", "--as", "user", "--seed", "1")
    assert status == 0
    assert out.count("You are the user.") == 1
    assert "Unknown command /bogus" in out
    assert out.count("agent ") == 1
    assert "Ended by user_stop" in out


def test_the_user_takes_replies_back(capsys, type_in, tmp_path):
    file = tmp_path / "mine.jsonl"
    task = json.loads(run(capsys, "tasks", "list", "retail:train:level=1", "--limit", "1", "--json")[1])
    type_in("/undo", "wrong opening", "/undo", "Hello, help me.", "wrong answer", "/undo", "Better.", "/stop")
    arguments = ["--task", task["id"], "--tasks", "train:level=1", "--save", str(file)]
    status, out, _ = run(capsys, "play", "--as", "user", *arguments)
    assert status == 0
    assert "nothing to take back" in out
    (trajectory,) = read_trajectories(file)
    said = [entry.message.content for entry in trajectory.entries if entry.source == "user"]
    assert said == ["Hello, help me.", "Better.", ""]
    sources = [entry.source for entry in trajectory.entries]
    assert sources == ["user", "agent", "user", "agent", "user"]
    assert trajectory.agent == "expert"


def test_the_user_fills_in_forms_of_its_own_tools(capsys, type_in, tmp_path):
    file = tmp_path / "mine.jsonl"
    type_in(
        "My phone has no signal.",
        "set_network_mode_preference",
        "/undo",
        "set_network_mode_preference",
        "4g_only",
        "I have changed the network mode.",
        "/stop",
    )
    arguments = ["--domain", "telecom", "--tasks", "train", "--save", str(file)]
    status, out, _ = run(capsys, "play", "--as", "user", *arguments)
    assert status == 0
    assert "The call is dropped." in out
    assert out.count("takes a reply back") == 1
    (trajectory,) = read_trajectories(file)
    acts = [act for entry in trajectory.entries for act in entry.hidden.get("acts", ())]
    calls = [call["function"] for act in acts for call in act["tool_calls"]]
    assert [(call["name"], json.loads(call["arguments"])) for call in calls] == [
        ("set_network_mode_preference", {"mode": "4g_only"})
    ]


def test_rollout_writes_a_folder_resumes_it_and_refuses_another_run(capsys, tmp_path):
    folder = tmp_path / "run"
    common = ["rollout", str(folder), "--tasks", "test:level=1", "--count", "4"]
    status, out, _ = run(capsys, *common)
    assert status == 0
    assert "4 dialogues, 4 scored: success 100.0%" in out
    before = (folder / "trajectories.jsonl").read_bytes()
    assert len(list(read_trajectories(folder / "trajectories.jsonl"))) == 4
    lines = before.splitlines(keepends=True)
    (folder / "trajectories.jsonl").write_bytes(b"".join(lines[:2]) + b'{"half')
    assert run(capsys, *common)[0] == 0
    again = (folder / "trajectories.jsonl").read_bytes()
    assert sorted(again.splitlines()) == sorted(before.splitlines())
    status, _, err = run(capsys, *common, "--seed", "5")
    assert status == 2
    assert "seed was 0, now 5" in err
    assert json.loads((folder / "summary.json").read_text())["success"] == 1.0


def test_count_and_repeats_may_be_raised_on_a_folder_and_nothing_else(capsys, tmp_path):
    folder = tmp_path / "run"

    def rolled(*more):
        return run(capsys, "rollout", str(folder), "--tasks", "test:level=1", *more)

    assert rolled("--count", "2")[0] == 0
    status, out, _ = rolled("--count", "3", "--repeats", "2")
    assert (status, out.splitlines()[0][:21]) == (0, "6 dialogues, 6 scored")
    assert "pass^2 1.000 (over 3 of 3 tasks" in out
    config = json.loads((folder / "config.json").read_text())
    assert (config["count"], config["repeats"]) == (3, 2)
    assert "6 dialogues" in rolled("--count", "1")[1]
    assert json.loads((folder / "config.json").read_text()) == config
    for change in ("--max-turns", "--seed"):
        assert rolled("--count", "4", change, "7")[0] == 2
    status, out, _ = rolled("--count", "4", "--counting", "tau-bench")
    assert "pass^2 1.000 (over 3 of 4 tasks" in out
    assert "counted as tau-bench does" in out
    assert rolled("--counting", "tau")[0] == 2


def test_a_rollout_without_a_folder_makes_a_new_one_each_time(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert run(capsys, "rollout", "--tasks", "test:level=1", "--count", "1")[0] == 0
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert names == ["retail-expert-agenda", "retail-expert-agenda-2"]


def test_keys_are_never_written_down(capsys, tmp_path, monkeypatch):
    pytest.importorskip("litellm")
    arguments = ["rollout", str(tmp_path / "r"), "--count", "1", "--agent", "llm", "--deadline", "5"]
    with Loopback([Say("OK")], default=Status(500)) as server:
        options = ["model=m", "api_key=secret-key", f"base_url={server.base_url}", "attempts=1"]
        status, out, err = run(capsys, *arguments, *[part for option in options for part in ("-A", option)])
    assert status == 1
    assert "not scored: 1 (agent: server)" in out
    files = [path.read_text() for path in (tmp_path / "r").iterdir()]
    assert len(files) == 4
    assert not any("secret-key" in text for text in [*files, out, err])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("grpo.stepz=3", "grpo.stepz"),
        ("grpo.steps=many", "grpo.steps"),
        ("seed.inner=1", "--set seed.inner"),
        ("grpo", "KEY=VALUE"),
    ],
)
def test_train_refuses_settings_that_are_not_before_anything_runs(capsys, tmp_path, change, words):
    pytest.importorskip("yaml")
    file = tmp_path / "run.yaml"
    file.write_text("name: x\nseed: 0\n")
    status, _, err = run(capsys, "train", str(file), "--set", change, "--folder", str(tmp_path / "run"))
    assert status == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ('{"cancel_order": 0.5}', {"cancel_order": 0.5}),
        ("{cancel_order: 0.5}", {"cancel_order": 0.5}),
        ("[retail, airline]", ["retail", "airline"]),
        ("[retail", "[retail"),
        ("generate:level=1", "generate:level=1"),
    ],
)
def test_a_setting_may_be_a_number_a_text_or_written_as_in_a_file(text, value):
    assert parse_pairs([f"key={text}"], "--set") == {"key": value}


def test_train_refuses_a_folder_that_is_in_use(capsys, tmp_path):
    pytest.importorskip("trl")
    (tmp_path / "run.yaml").write_text("name: x\n")
    status, _, err = run(capsys, "train", str(tmp_path / "run.yaml"), "--folder", str(tmp_path))
    assert status == 2
    assert "is not empty" in err


def test_tasks_list_show_and_check(capsys):
    status, out, _ = run(capsys, "tasks", "list", "retail:train:level=1", "--limit", "3", "--json")
    assert status == 0
    tasks = [json.loads(line) for line in out.splitlines()]
    assert len(tasks) == 3
    status, out, _ = run(capsys, "tasks", "list", "retail:train:level=1", "--limit", "3")
    assert tasks[0]["id"] in out
    assert "more; --count shows them" in out
    status, out, _ = run(capsys, "tasks", "show", "retail", tasks[0]["id"])
    assert status == 0
    assert tasks[0]["actions"][0]["name"] in out
    assert "Changed by gold: " in out
    status, out, _ = run(capsys, "tasks", "check", "retail:train", "--limit", "20")
    assert status == 0
    assert "20 tasks checked: 0 with failing gold actions" in out


def test_check_fails_where_gold_actions_fail(capsys, tmp_path):
    action = {"name": "cancel_pending_order", "arguments": {"order_id": "#W0", "reason": "no longer needed"}}
    task = {"id": "bad", "domain": "retail", "instruction": "x", "actions": [action]}
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps(task) + "\n")
    status, out, _ = run(capsys, "tasks", "check", f"retail:{file}")
    assert status == 1
    assert "bad: gold action fails: cancel_pending_order" in out


def test_check_names_the_public_gold_that_fails(capsys, tau1_dir):
    status, out, _ = run(capsys, "tasks", "check", "retail:tau1:test", "--path", str(tau1_dir / "retail"))
    assert status == 1
    assert "115 tasks checked" in out


def test_a_full_disk_is_told_in_one_line(capsys):
    status, _, err = run(capsys, "tasks", "generate", "retail", "--count", "20", "--output", "/dev/full")
    assert status == 2
    assert "/dev/full could not be written (No space left on device)" in " ".join(err.split())
