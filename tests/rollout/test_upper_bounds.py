"""A figure that hangs on statements which nobody has judged says so, wherever it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import Loopback, Say
from typer.testing import CliRunner

from mua_env.cli.app import app
from mua_env.core.scores import Check, Score, bounded
from mua_env.core.task_files import write_tasks
from mua_env.core.tasks import Criteria
from mua_env.core.trajectory import read_trajectories
from mua_env.domain.contract import load_domain
from mua_env.evaluation.reports.terminal import _verdict
from mua_env.training.rollout.episode_statistics import Outcome, dialogue_metrics
from mua_env.training.run.report import _MEASURED, _table

WON = Criteria(basis=("database", "judged"), statements=("It was said.",))


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Three tasks that the expert solves: two with a statement, one without."""
    chosen = [task for task in load_domain("retail").task_set("test") if task.level == 1][:3]
    judged = [task.model_copy(update={"criteria": WON, "requirements": ()}) for task in chosen[:2]]
    write_tasks(tmp_path / "tasks.jsonl", [*judged, chosen[2]])
    return tmp_path / "tasks.jsonl"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def rollout(tasks: Path, out: Path, *more: str) -> str:
    return run("rollout", "-d", "retail", "--tasks", str(tasks), "--agent", "expert", "-o", str(out), *more)


def test_rollout_page_and_results_without_a_judge_are_marked(tasks: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = rollout(tasks, out, "--repeats", "2")
    assert "success at most 100.0%" in said
    assert "4 of them hold statements that nobody has judged, 4 of the successes among them" in said
    assert "pass^2 at most 1.000" in said
    kept = json.loads((out / "summary.json").read_text())
    assert (kept["unjudged"], kept["upper_bounds"]) == (4, 4)
    lines = (out / "trajectories.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["score"]["unjudged"] for line in lines) == [0, 0, 1, 1, 1, 1]
    assert [t.score.unjudged for t in read_trajectories(out / "trajectories.jsonl") if t.score].count(1) == 4
    run("view", str(out))
    page = (out / "report.html").read_text()
    assert "at most 100.0 %" in page
    assert page.count("Reward at most 1<") == 4
    assert page.count("Reward 1<") == 2


def test_rollout_with_a_judge_is_not_marked(tasks: Path, tmp_path: Path) -> None:
    verdict = Say(json.dumps({"verdicts": [{"number": 1, "reason": "so", "holds": True}]}))
    with Loopback(default=verdict) as server:
        said = rollout(tasks, tmp_path / "run", "--judge", "tiny", "-J", f"base_url={server.base_url}")
        assert len(server.requests) >= 2
    assert "success 100.0%" in said
    assert "at most" not in said
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["upper_bounds"] == 0


def test_an_evaluation_and_what_is_made_of_it_are_marked(tasks: Path, tmp_path: Path) -> None:
    out, users = tmp_path / "run", "agenda,agenda:persona=terse"
    evaluated = ("eval", "--tasks", f"retail:{tasks}", "--trials", "2")
    said = run(*evaluated, "--users", users, "-o", str(out))
    assert "| at most 100.0 % |" in said
    assert "| at most 1.000 |" in said
    assert "8 scored dialogues with statements that nobody has judged, 8 of the successes among them" in said
    kept = json.loads((out / "results.json").read_text())
    assert [row["metrics"]["upper_bounds"] for row in kept["rows"]] == [4, 4]
    assert [share["upper_bounds"] for share in kept["rows"][0]["levels"].values()] == [4]
    for name in ("results.md", "report.html"):
        # Two rows, two users and their mean, two levels, and the kinds of requests.
        assert (out / name).read_text().count("at most 100.0 %") >= 8
    assert "at most 100.0%" in run("runs", str(out))
    assert f"{out}: at most 100.0; {out}: at most 100.0" in run("compare", str(out), str(out))
    assert "at most 100.0" not in run("compare", str(out), str(out), "--metric", "tcr")
    run(*evaluated, "--reward", "outcome", "-o", str(tmp_path / "outcome"))
    run(*evaluated, "--reward", f"{__name__}:always", "-o", str(tmp_path / "own"))
    for folder in ("outcome", "own"):
        assert "at most" not in (tmp_path / folder / "results.md").read_text()


def always(task: object, trajectory: object) -> float:
    return 1.0


def test_failures_are_no_upper_bounds(tasks: Path, tmp_path: Path) -> None:
    said = run("rollout", "-d", "retail", "--tasks", str(tasks), "--agent", "random", "-o", str(tmp_path / "run"))
    assert "success 0.0%" in said
    assert "hold statements that nobody has judged (--judge MODEL)" in said


def test_audit_marks_what_an_idle_agent_and_the_baselines_get(tmp_path: Path) -> None:
    task = load_domain("retail").task_set("test")[0]
    idle = task.model_copy(update={"criteria": WON, "requirements": (), "actions": ()})
    write_tasks(tmp_path / "tasks.jsonl", [idle])
    page, data = tmp_path / "audit.html", tmp_path / "audit.json"
    said = run("tasks", "audit", f"retail:{tmp_path / 'tasks.jsonl'}", "--html", str(page), "--json", str(data))
    assert "at most" in said
    totals = json.loads(data.read_text())["totals"]
    assert totals["bounds"]["idle"] == {"task": 1, "outcome": 0, "tau1": 1, "tau1-no-outputs": 1}
    assert totals["bounds"]["do nothing"]["task"] == 1
    assert "at most 1 of 1" in page.read_text()
    assert "at most 1.000" in page.read_text()


def test_card_marks_the_goals_that_were_reached(tasks: Path, tmp_path: Path) -> None:
    said = run("users", "card", "agenda", "-d", "retail", "-t", str(tasks), "-n", "20", "-o", str(tmp_path / "card"))
    card = json.loads((tmp_path / "card" / "card.json").read_text())
    assert card["upper_bounds"] > 0
    assert f"at most {card['expert']['made']} of {card['expert']['of']}" in said
    assert "at most" in (tmp_path / "card" / "card.html").read_text()


def test_training_counts_them_and_its_tables_say_so() -> None:
    won = Outcome(1.0, "user_stop", 4, 2, 100, 60, 30, upper_bound=True)
    lost = Outcome(0.0, "user_stop", 4, 2, 100, 60, 30)
    metrics = dialogue_metrics([won, lost])
    assert metrics["dialogue/upper_bounds"] == 1
    assert "dialogue/upper_bounds" not in dialogue_metrics([lost])
    assert _table(_MEASURED, [{"title": "x", "success": 0.5, **metrics}])[1][1] == "at most 50.0%"


@pytest.mark.parametrize(("reward", "shown"), [(1.0, "Reward at most 1 ("), (0.0, "Reward 0 (")])
def test_terminal_marks_one_score(reward: float, shown: str) -> None:
    score = Score(
        reward=reward,
        success=reward == 1,
        parts={"database": reward, "judged": None},
        basis=("database", "judged"),
        checks=(Check(part="judged", name="It was said.", holds=None),),
    )
    assert _verdict(score).plain.startswith(shown)
    assert Score.model_validate_json(score.model_dump_json()) == score


@pytest.mark.parametrize(("count", "shown"), [(0, "50.0%"), (1, "at most 50.0%"), (False, "50.0%")])
def test_one_way_of_writing_a_bound(count: int, shown: str) -> None:
    assert bounded("50.0%", count) == shown
