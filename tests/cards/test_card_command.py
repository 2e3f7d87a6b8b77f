"""`mua-env users card` through its real entry point, with the agenda user and with a model's user on a server."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from loopback import Loopback, Say, Status

from mua_env.cli import main
from mua_env.core.trajectory import read_trajectories
from mua_env.errors import ConfigError
from mua_env.evaluation.user_card.folder import CardFolder


def card(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["users", "card", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def read(folder) -> dict:
    return json.loads((folder / "card.json").read_text(encoding="utf-8"))


def results(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_card_of_the_agenda_user(capsys, tmp_path):
    folder = tmp_path / "card"
    status, out, _ = card(capsys, "agenda", "--tasks", "test:level=2", "--episodes", "16", "--output", str(folder))
    assert status == 0
    assert "facts revealed unasked" in out
    assert "expert" in out
    made = read(folder)
    assert made["dialogues"] == 16
    assert made["user"] == "agenda"
    assert made["tokens"] == {}
    assert made["cost_usd"] is None
    assert made["words"] > 3
    assert (folder / "card.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert len(results(folder)) == 16


def test_a_card_that_was_broken_off_is_taken_up(capsys, tmp_path):
    folder = tmp_path / "card"
    arguments = ["agenda", "--output", str(folder), "--tasks", "test:level=1"]
    card(capsys, *arguments, "--episodes", "8")
    first = results(folder)
    with (folder / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "half a li')
    status, _, _ = card(capsys, *arguments, "--episodes", "16")
    assert status == 0
    assert results(folder)[:8] == first
    assert len(results(folder)) == 16
    assert read(folder)["dialogues"] == 16


def test_a_folder_of_another_card_is_refused(capsys, tmp_path):
    folder = str(tmp_path / "card")
    card(capsys, "agenda", "--episodes", "1", "--output", folder)
    status, _, err = card(capsys, "agenda", "--episodes", "1", "--output", folder, "--seed", "7")
    assert status == 2
    assert "seed 0, not 7" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("human", "nobody can be measured"),
        ("agend", "Did you mean 'agenda'?"),
        ("agenda --episodes 0", "--count"),
        ("agenda --user-option persona", "KEY=VALUE"),
        ("agenda --user-option persona=angry", "angry"),
        ("agenda --domain retial", "Did you mean 'retail'?"),
        ("agenda --tasks {tmp}/none.jsonl", "none.jsonl"),
    ],
)
def test_wrong_input_is_answered_in_one_line(capsys, tmp_path, arguments, words):
    status, _, err = card(capsys, *arguments.format(tmp=tmp_path).split())
    assert status == 2
    last = err.strip().splitlines()[-1]
    assert last.startswith("mua-env: ")
    assert words in last


def test_tasks_without_goals_cannot_measure(capsys, tmp_path):
    file = tmp_path / "bare.jsonl"
    file.write_text('{"id": "a", "domain": "retail", "instruction": "You are Ana."}\n', encoding="utf-8")
    status, _, err = card(capsys, "agenda", "--tasks", str(file))
    assert status == 2
    assert "no task has a goal" in err


def test_a_folder_says_what_it_holds(tmp_path):
    CardFolder(tmp_path, {"user": "agenda"}).close()
    with pytest.raises(ConfigError, match="user 'agenda', not 'llm'"):
        CardFolder(tmp_path, {"user": "llm"})


def llm(server: Loopback, *more: str) -> list[str]:
    pairs = [f"base_url={server.base_url}", "model=loopback", "api_key=secret-key", "attempts=1", *more]
    return ["llm", "--tasks", "test:level=1", *(part for pair in pairs for part in ("--user-option", pair))]


def test_a_model_on_a_server_is_measured(capsys, tmp_path):
    def customer(body):
        heard = body["messages"][-1]["content"]
        if "today" in heard:
            return Say("Hello, my card number is 4929-1111-7777.", prompt_tokens=100, completion_tokens=9)
        return Say("Yes, please. ###STOP###" if "yes/no" in heard else "I cannot say.", prompt_tokens=100)

    folder = tmp_path / "card"
    with Loopback(default=customer) as server:
        options = llm(server, "guards=false")
        status, out, _ = card(capsys, *options, "--episodes", "16", "--max-turns", "6", "--output", str(folder))
    assert status == 0
    made = read(folder)
    assert made["violations"]["invented"] == 16
    assert made["violations"]["early_stop"] >= 2
    assert made["openings"] == made["shared_openings"] == 1
    assert made["tokens"]["prompt_tokens"] == 100 * made["replies"]
    assert made["tokens"]["completion_tokens"] > 5 * made["replies"]
    assert "prompt tokens" in out
    assert made["ms"] > 0
    assert made["user"].startswith("llm:")
    assert "secret-key" not in (folder / "config.json").read_text(encoding="utf-8")
    found = list(read_trajectories(folder / "found.jsonl"))
    assert {trajectory.id for trajectory in found} == {line["id"] for line in results(folder)}


def test_guards_that_had_a_line_made_anew_are_counted(capsys, tmp_path):
    lines = [Say("My ticket is 99887766."), Say("I need help with an order.")]
    folder = tmp_path / "card"
    with Loopback(lines, default=Say("I don't know. ###STOP###")) as server:
        card(capsys, *llm(server), "--episodes", "1", "--concurrency", "1", "--output", str(folder))
    made = read(folder)
    assert made["guarded"] >= 1
    assert made["violations"]["invented"] == 0


def test_a_server_that_fails_ends_no_card(capsys, tmp_path):
    folder = tmp_path / "card"

    def customer(body):
        return Say("I need help." if "today" in body["messages"][-1]["content"] else "Never mind. ###STOP###")

    with Loopback([Status(500), Status(500)], default=customer) as server:
        status, out, _ = card(capsys, *llm(server), "--episodes", "8", "--concurrency", "1", "--output", str(folder))
    assert status == 0
    made = read(folder)
    assert made["dialogues"] == 8
    assert sum(made["faults"].values()) == 2
    assert "2 faults" in out or out.count("1 faults") == 2


def test_a_domain_without_an_expert_is_told_before_the_first_dialogue() -> None:
    from shop import shop

    from mua_env.episode.setting import load_setting
    from mua_env.errors import DomainError
    from mua_env.evaluation.user_card.run import plan, run
    from mua_env.users.agenda.user import AgendaUser

    setting = load_setting(shop, "train")
    ended: list[object] = []
    with pytest.raises(DomainError, match="'shop' has no scripted expert"):
        run(setting, AgendaUser(), plan(setting, 8), on_end=lambda result, _: ended.append(result))
    assert ended == []


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size there")
@pytest.mark.parametrize("size", [1500, 6000])
def test_a_full_disk_is_told_in_a_line_and_the_card_is_taken_up(tmp_path, size):
    folder = tmp_path / "card"
    command = ["users", "card", "agenda", "--tasks", "test:level=1", "--count", "16", "--output", str(folder)]
    program = (
        "import resource, sys; from mua_env.cli import main; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY)); sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "could not be written" in done.stderr.splitlines()[-1]
    assert main(command) == 0
    assert len({item["id"] for item in results(folder)}) == len(results(folder)) == 16


def test_a_budget_is_the_folders_goes_to_whole_dialogues_and_what_it_cut_is_held_again(capsys, tmp_path):
    folder = tmp_path / "card"
    with Loopback(default=Say("I want to cancel my order.", prompt_tokens=5000, completion_tokens=0)) as server:
        pairs = [part for item in ("model=openai/gpt-4.1", "api_key=none") for part in ("--user-option", item)]
        where = ["--user-option", f"base_url={server.base_url}", "--output", str(folder), "--max-turns", "3"]

        def run(budget: float) -> int:
            status, _, err = card(capsys, "llm", *pairs, *where, "--count", "12", "--max-usd", str(budget))
            assert status == 0
            assert "the budget is used up" in err
            return len(server.requests)

        first = run(0.2)
        assert 10 <= first <= 20
        held = results(folder)
        # Only the last, alone, may take longer than all before it.
        assert sum(str(item.get("fault")).startswith("budget") for item in held) <= 1 < len(held)
        assert run(0.2) == first
        assert results(folder) == held
        assert first < run(0.3) <= 30
    lines = (folder / "spending.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(json.loads(line)["cost_usd"] for line in lines) <= 0.3 + 1e-9


def test_a_dialogue_that_a_budget_cut_is_measured_when_there_is_more(capsys, tmp_path):
    folder = tmp_path / "card"
    with Loopback(default=Say("I want to cancel my order.", prompt_tokens=5000, completion_tokens=0)) as server:
        pairs = [part for item in ("model=openai/gpt-4.1", "api_key=none") for part in ("--user-option", item)]
        where = ["--user-option", f"base_url={server.base_url}", "--output", str(folder), "--count", "1"]
        card(capsys, "llm", *pairs, *where, "--max-usd", "0.01")
        assert [str(item["fault"])[:7] for item in results(folder)] == ["budget:"]
        card(capsys, "llm", *pairs, *where, "--max-usd", "5")
    assert read(folder)["dialogues"] == 1
    assert read(folder)["faults"] in ({}, 0) or "budget" not in str(read(folder)["faults"])
