"""`mua-env eval` and `mua_env.evaluate`: faults, going on, widening, users, rewards, presets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from loopback import Drip, Loopback, Say, Status

import mua_env
from mua_env.cli import main
from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage
from mua_env.core.trajectory import Trajectory, read_trajectories
from mua_env.domain.contract import load_domain
from mua_env.errors import ConfigError
from mua_env.evaluation.evaluate import read_results
from mua_env.evaluation.presets import path_of, task_sources
from mua_env.evaluation.results_table import main_table
from mua_env.evaluation.rollouts import episode_seed

EASY = "retail:test:level=1"


class Silent(Agent):
    """Says the same to everything."""

    def __init__(self, words: str = "Thank you.") -> None:
        self.words = words

    def reset(self, **_: Any) -> None:
        pass

    def act(self, messages: Any) -> AssistantMessage:
        return AssistantMessage(content=self.words)


def generous(task: mua_env.Task, trajectory: Trajectory) -> float:
    return 1.0 if trajectory.turns <= 2 else 0.0


def silent_user() -> mua_env.UserSimulator:
    return mua_env.AgendaUser(persona="plain")


not_an_agent = dict


def held(folder: Path) -> list[Trajectory]:
    return list(read_trajectories(folder / "trajectories.jsonl"))


def test_an_evaluation_writes_figures_and_everything_they_come_from(tmp_path: Path) -> None:
    results = mua_env.evaluate(agent="expert", tasks=EASY, count=4, trials=2, folder=tmp_path)
    assert (results.success, results.scored, results.failed) == (1.0, 8, False)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"config.json", "tasks.json", "trajectories.jsonl", "results.json", "results.md", "report.html"} <= names
    assert read_results(tmp_path) == results
    config = json.loads((tmp_path / "config.json").read_text())
    assert {"revision", "policy", "tools", "data", "mode"} <= set(config["tasks"][EASY])
    assert len(json.loads((tmp_path / "tasks.json").read_text())[EASY]) == 4
    (row,) = results.rows
    assert (row.metrics.pass_k, row.metrics.k_tasks) == ({1: 1.0, 2: 1.0}, {1: 4, 2: 4})
    assert set(row.levels) == {"1"}
    assert row.kinds
    assert "| retail:test:level=1 | agenda |" in (tmp_path / "results.md").read_text()
    for trajectory in held(tmp_path):
        assert trajectory.seed == episode_seed(0, trajectory.task_id, trajectory.meta["about"]["trial"])


def test_nothing_is_kept_without_a_folder_and_a_loop_may_be_running(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    seen: list[str] = []

    async def work() -> mua_env.Results:
        return await mua_env.aevaluate(agent="random", tasks=EASY, count=2, on_end=lambda item: seen.append(item.id))

    results = asyncio.run(work())
    assert (results.folder, results.scored, len(seen)) == (None, 2, 2)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_widened_by_tasks_trials_sources_and_users_and_by_nothing_else(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"agent": "expert", "tasks": EASY, "count": 2, "folder": tmp_path}
    mua_env.evaluate(**asked)
    wider = mua_env.evaluate(**{**asked, "count": 3}, trials=2)
    assert (wider.scored, len(held(tmp_path))) == (6, 6)
    more = mua_env.evaluate(**{**asked, "tasks": [EASY, "airline:test:level=1"]}, users=["agenda:persona=impatient"])
    assert {(row.source, row.user, row.metrics.scored) for row in more.rows} == {
        (EASY, "agenda", 6),
        (EASY, "agenda:persona=impatient", 2),
        ("airline:test:level=1", "agenda:persona=impatient", 2),
    }
    config = json.loads((tmp_path / "config.json").read_text())
    assert (config["count"], config["trials"], len(config["tasks"]), len(config["users"])) == (3, 2, 2, 2)
    for change in ({"agent": "random"}, {"seed": 1}, {"max_turns": 5}, {"reward": "outcome"}, {"scoring": "compat"}):
        with pytest.raises(ConfigError, match="holds another evaluation"):
            mua_env.evaluate(**{**asked, **change})
    assert len(held(tmp_path)) == 10


def test_data_that_have_changed_since_are_refused(tmp_path: Path) -> None:
    mua_env.evaluate(tasks=EASY, count=2, folder=tmp_path)
    hashes = json.loads((tmp_path / "tasks.json").read_text())
    task = next(iter(hashes[EASY]))
    hashes[EASY][task] = "0" * 12
    (tmp_path / "tasks.json").write_text(json.dumps(hashes))
    with pytest.raises(ConfigError, match=f"1 tasks of {EASY} have changed, as {task!r}"):
        mua_env.evaluate(tasks=EASY, count=2, trials=2, folder=tmp_path)


def test_names_of_any_length_are_gone_on_with(tmp_path: Path) -> None:
    sources = [f"{EASY.replace('test', 'generate')}:only=cancel_order+{'+'.join(['modify_user_address'] * 12)}:seed=1"]
    users = ["agenda:persona=terse:noise=0:phrasings=unseen", "agenda:persona=plain:noise=0:phrasings=unseen"]
    for trials in (1, 2):
        results = mua_env.evaluate(tasks=sources, users=users, count=2, trials=trials, folder=tmp_path)
        assert (results.scored, results.unfinished) == (4 * trials, 0)
    assert len({item.id for item in held(tmp_path)}) == len(held(tmp_path)) == 8


def test_users_are_measured_side_by_side_with_equal_seeds() -> None:
    seeds: dict[str, list[int]] = {}

    def on_end(item: Trajectory) -> None:
        seeds.setdefault(item.meta["about"]["user"], []).append(item.seed)

    users = ["agenda:persona=plain", "agenda:persona=confused"]
    results = mua_env.evaluate(agent="random", tasks=EASY, users=users, count=6, on_end=on_end)
    assert list(results.users) == users
    assert sorted(seeds[users[0]]) == sorted(seeds[users[1]])
    spread = results.spread[EASY]
    rates = [results.users[user].success for user in users]
    assert (spread.users, spread.low, spread.high) == (2, min(rates), max(rates))


def eval_of(server: Loopback, folder: Path, *more: str) -> int:
    words = ["--tasks", EASY, "--count", "6", "--trials", "2", "--concurrency", "3", "--max-turns", "4"]
    model = ["--agent", server.base_url, "-A", "model=tiny", "-A", "attempts=1", "--output", str(folder)]
    return main(["eval", *words, *model, *more])


BAD = [Status(500), Status(429), Drip(), Say(finish_reason="length", text=None), Status(503)]


def test_faults_of_a_server_count_for_nothing_and_are_taken_up_again(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("litellm")
    slow = ["-A", "timeout_s=3", "--deadline", "20"]
    with Loopback([Say("OK"), Say(), Say(), *BAD, Say(), *BAD]) as server:
        assert eval_of(server, tmp_path, *slow) == 0
    first = read_results(tmp_path)
    faults = sum(row.metrics.faults.get("agent", 0) for row in first.rows)
    assert faults > 0
    assert first.rows[0].metrics.ended == 12
    assert first.scored == 12 - faults
    with Loopback() as server:
        assert eval_of(server, tmp_path, *slow) == 0
    again = read_results(tmp_path)
    assert (again.scored, again.retaken, again.rows[0].metrics.faults) == (12, faults, {})
    asked = len(held(tmp_path))
    with Loopback() as server:
        assert eval_of(server, tmp_path, *slow) == 0
        assert server.requests == []
    assert len(held(tmp_path)) == asked == 12 + faults
    capsys.readouterr()


def test_a_fatal_endpoint_stops_the_run_with_its_cause(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("litellm")
    with Loopback([Say("OK")], default=Status(401, message="No such key")) as server:
        assert eval_of(server, tmp_path, "--trials", "20") == 1
        assert len(server.requests) < 15
    said = capsys.readouterr()
    assert "No such key" in said.err
    results = read_results(tmp_path)
    assert results.success is None
    assert results.stopped is not None
    assert results.unfinished > 100
    with Loopback(default=Status(401, message="No such key")) as server:
        assert eval_of(server, tmp_path) == 2
        assert len(server.requests) == 1


def test_a_budget_ends_a_run_and_a_higher_one_goes_on(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("litellm")
    with Loopback(default=Say(prompt_tokens=90, completion_tokens=10)) as server:
        eval_of(server, tmp_path, "--max-tokens", "1000", "--concurrency", "1")
        assert len(server.requests) <= 10
        assert "The budget is used up" in capsys.readouterr().err
        assert eval_of(server, tmp_path, "--max-tokens", "100000") == 0
    assert read_results(tmp_path).scored == 12


def test_an_interrupted_run_keeps_what_had_ended(tmp_path: Path) -> None:
    seen = []

    def stop(item: Trajectory) -> None:
        seen.append(item)
        if len(seen) == 3:
            raise KeyboardInterrupt

    asked: dict[str, Any] = {"tasks": EASY, "count": 8, "folder": tmp_path, "concurrency": 2}
    with pytest.raises(KeyboardInterrupt):
        mua_env.evaluate(**asked, on_end=stop)
    before = held(tmp_path)
    assert 3 <= len(before) < 8
    assert read_results(tmp_path).scored == len(before)
    assert mua_env.evaluate(**asked).scored == 8
    assert [item.id for item in held(tmp_path)[: len(before)]] == [item.id for item in before]


@pytest.mark.parametrize("agent", [Silent, "tests.evaluation.test_eval:Silent", lambda words: Silent(words)])
def test_agents_users_and_rewards_may_be_anybodys(agent: Any, monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    results = mua_env.evaluate(
        agent=agent,
        agent_options={"words": "Goodbye."},
        user="tests.evaluation.test_eval:silent_user",
        reward=generous,
        tasks=EASY,
        count=2,
        max_turns=2,
    )
    assert results.success == 1.0
    assert results.config["reward"] == "generous"


def test_a_reward_that_fails_is_nobodys_failure(tmp_path: Path) -> None:
    def broken(task: object, trajectory: object) -> float:
        raise ValueError("no idea")

    results = mua_env.evaluate(tasks=EASY, count=2, reward=broken, folder=tmp_path)
    assert results.failed
    assert results.rows[0].metrics.faults == {"reward": 2}
    assert held(tmp_path)[0].cause == "reward: ValueError: no idea"
    assert mua_env.evaluate(tasks=EASY, count=2, folder=None, reward=generous).rows[0].metrics.faults == {}


def test_entry_points_are_found_by_name(tmp_path: Path, monkeypatch: Any) -> None:
    package = tmp_path / "theirs-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    groups = {"agents": "quiet = theirs:Quiet", "users": "calm = theirs:calm", "rewards": "kind = theirs:kind"}
    entries = "".join(f"[mua_env.{group}]\n{line}\n" for group, line in groups.items())
    (package / "entry_points.txt").write_text(entries)
    (tmp_path / "theirs.py").write_text(
        "from mua_env import Agent, AgendaUser, AssistantMessage\n"
        "class Quiet(Agent):\n"
        "    def reset(self, **_): pass\n"
        "    def act(self, messages): return AssistantMessage(content='...')\n"
        "def calm(persona='plain'): return AgendaUser(persona=persona)\n"
        "def kind(task, trajectory): return 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    results = mua_env.evaluate(agent="quiet", user="calm:persona=polite", reward="kind", tasks=EASY, count=2)
    assert results.success == 1.0
    with pytest.raises(ConfigError, match="Did you mean 'quiet'"):
        mua_env.evaluate(agent="quite", tasks=EASY, count=2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"agent": "exprt"}, "Did you mean 'expert'?"),
        ({"agent": "tests.evaluation.test_eval:not_an_agent"}, "makes a dict, and no mua_env.Agent"),
        ({"agent": "nowhere.at_all:Agent"}, "cannot be imported"),
        ({"agent": "runs/no/such/folder"}, "no such folder"),
        ({"agent": Silent()}, "a class, or a function"),
        ({"user": "human"}, "no place for a person"),
        ({"users": ["agenda", "agenda"]}, "named twice"),
        ({"users": ["agenda:persona=terze"]}, "Did you mean 'terse'?"),
        ({"reward": "taks"}, "Did you mean 'task'?"),
        ({"preset": "tau"}, "tau1"),
        ({"trails": 3}, "Did you mean 'trials'?"),
        ({"trials": 0}, "trials"),
        ({"tasks": "retial:test"}, "Did you mean 'retail'?"),
        ({"tasks": "bflc"}, "Did you mean 'bfcl'?"),
        ({"path": {"tua1": "here"}, "tasks": "retail:tau1:test"}, "Did you mean 'tau1'?"),
        ({"tasks": "retail:generate:level=1", "count": None}, "say how many"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_held(settings: dict[str, Any], words: str, monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    with pytest.raises(mua_env.MuaError) as caught:
        mua_env.evaluate(**{"tasks": EASY, "count": 1, **settings})
    assert words in str(caught.value)


def test_a_file_of_settings_gives_what_flags_give(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("yaml")
    file = tmp_path / "eval.yaml"
    file.write_text(f"agent: expert\ntasks: {EASY}\nusers: [agenda, 'agenda:persona=terse']\ncount: 2\ntrials: 2\n")
    assert main(["eval", str(file), "--output", str(tmp_path / "a")]) == 0
    flags = ["--users", "agenda,agenda:persona=terse", "--tasks", EASY, "--count", "2", "--trials", "2"]
    assert main(["eval", *flags, "--output", str(tmp_path / "b")]) == 0
    assert sorted(item.model_dump_json() for item in held(tmp_path / "a")) == sorted(
        item.model_dump_json() for item in held(tmp_path / "b")
    )
    assert mua_env.evaluate(file).scored == 8
    assert main(["eval", str(file), "--count", "1", "--output", str(tmp_path / "c")]) == 0
    assert len(held(tmp_path / "c")) == 4
    capsys.readouterr()


def test_words_stand_for_the_sources_of_a_benchmark() -> None:
    assert task_sources(["tau1", "retail", "retail:tau1:test"]) == (
        "retail:tau1:test",
        "airline:tau1:test",
        "retail:test",
    )
    assert len(task_sources(["tau2", "bfcl", "acebench"])) == 9
    assert task_sources(["banking"]) == ("banking:tau2:base",)
    assert task_sources(["bfclmultiturn", "bfcl:base"]) == task_sources(["bfcl"])
    assert task_sources(["acebench:multi_step"]) == ("acebenchagent:multi_step",)
    assert load_domain("bfcl").name == "bfclmultiturn"


@pytest.mark.parametrize(
    ("source", "one", "several"),
    [
        ("retail:test", None, None),
        ("retail:tau1:test", "F", "1"),
        ("telecom:tau2:base", "F", "2"),
        ("bfclmultiturn:base", None, None),
        ("acebenchagent:multi_step", "F", "A"),
        ("banking:tau2:base", "F", "2"),
        ("banking:scripted", "F", None),
        ("airline:tau2:base", "F", "domain"),
    ],
)
def test_files_are_looked_for_where_the_benchmark_of_a_source_is_said_to_lie(
    source: str, one: str | None, several: str | None
) -> None:
    assert path_of("F", source) == one
    assert path_of({"tau1": "1", "tau2": "2", "acebench": "A", "airline": "domain"}, source) == several


class Late(mua_env.AgendaUser):
    """Plays no task of the airline."""

    def check(self, task: mua_env.Task, **_: Any) -> None:
        if task.domain == "airline":
            raise mua_env.TaskError("not in the air")


def test_a_user_who_cannot_play_the_last_source_is_told_before_the_first_is_held(tmp_path: Path) -> None:
    with pytest.raises(mua_env.TaskError, match=r"cannot play 3 of 3 tasks: not in the air$"):
        mua_env.evaluate(tasks=[EASY, "airline:test"], users=[Late()], count=3, trials=2, folder=tmp_path)
    assert not held(tmp_path)


def test_tables_name_the_user_that_tasks_bring(tmp_path: Path) -> None:
    results = mua_env.evaluate(tasks=["telecom:test", EASY], solo=False, count=1)
    assert [row[1] for row in main_table(results)] == ["user", "agenda", "agenda"]
    alone = mua_env.evaluate(tasks="telecom:test", solo=True, agent="random", count=1, folder=tmp_path)
    assert [row[1] for row in main_table(alone)] == ["user", "solo"]
    assert "user solo of its own" in (tmp_path / "results.md").read_text()


def test_a_preset_is_the_benchmarks_settings_where_none_are_given(tau1_dir: Path) -> None:
    asked: dict[str, Any] = {"agent": Silent, "agent_options": {"words": "Hello."}, "path": str(tau1_dir), "count": 2}
    results = mua_env.evaluate(**asked, preset="tau1")
    assert {row.source for row in results.rows} == {"retail:tau1:test", "airline:tau1:test"}
    config = results.config
    assert (config["trials"], config["counting"], config["max_turns"]) == (4, "tau-bench", 30)
    assert all(row.metrics.dialogues == 8 for row in results.rows)
    assert any("compat scoring" in note and "reward tau1" in note for note in results.notes)
    paper = mua_env.evaluate(**asked, preset="paper", tasks="airline:tau1:test", trials=1)
    assert [row.metrics.dialogues for row in paper.rows] == [2]
    assert (paper.config["temperature"], paper.config["thinking"]) == (0.0, False)
    assert any("gpt-4.1" in note for note in paper.notes)


def test_the_papers_settings_reach_a_served_model(tmp_path: Path, capsys: Any, tau1_dir: Path) -> None:
    pytest.importorskip("litellm")
    words = ["--preset", "paper", "--tasks", "airline:tau1:test", "--path", str(tau1_dir), "--count", "1"]
    with Loopback(models=[{"id": "served"}]) as server:
        main(["eval", *words, "--agent", server.base_url, "--trials", "1", "-o", str(tmp_path)])
        asked = server.requests[-1]
    assert (asked["model"], asked["temperature"]) == ("served", 0.0)
    assert asked["chat_template_kwargs"] == {"enable_thinking": False}
    capsys.readouterr()
