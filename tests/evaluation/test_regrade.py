"""Stored dialogues scored anew: the same where nothing has changed, and loud where something has."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mua_env import AgendaUser, TrajectoryWriter, agent_factory, load_setting, read_trajectories, run_rollout
from mua_env.cli import main
from mua_env.errors import ConfigError
from mua_env.evaluation.evaluate import evaluate
from mua_env.evaluation.regrade import aregrade, regrade
from mua_env.evaluation.rollouts import RolloutOptions, plan


def run_of(folder: Path, domain: str, tasks: str = "test", *, count: int = 12, max_turns: int | None = None) -> Path:
    setting = load_setting(domain, tasks)
    make = agent_factory("expert", setting.domain, {"slips": 0.3})
    with TrajectoryWriter(folder / "trajectories.jsonl", sync=False) as file:
        options = RolloutOptions(max_turns=max_turns)
        run_rollout(setting, AgendaUser(), make, plan(setting.tasks, limit=count), options=options, on_end=file.write)
    return folder


def rewrite(run: Path, **changes: Any) -> None:
    file = run / "trajectories.jsonl"
    lines = [json.loads(line) | changes for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("domain", "tasks"),
    [("retail", "test:level=4"), ("airline", "test:level=3"), ("telecom", "test:level=2"), ("retail", "test:level=5")],
)
def test_where_nothing_has_changed_scores_are_what_they_were(tmp_path: Path, domain: str, tasks: str) -> None:
    run = run_of(tmp_path, domain, tasks)
    found = regrade(run)
    assert len(found) == 12
    assert {one.was for one in found} == {0.0, 1.0}
    assert [one.id for one in found if one.changed or one.data_changed or one.notes] == []
    kept = read_trajectories(run / "trajectories.jsonl")
    assert [one.now_parts for one in found] == [item.score.parts for item in kept if item.score]


def test_dialogues_that_were_cut_stay_cut(tmp_path: Path) -> None:
    found = asyncio.run(aregrade(run_of(tmp_path, "retail", count=5, max_turns=3)))
    assert [(one.was, one.now, one.notes) for one in found] == [(0.0, 0.0, ())] * 5


def test_another_reward_may_be_asked_for(tmp_path: Path) -> None:
    found = regrade(run_of(tmp_path, "retail", "test:level=5"), reward="outcome")
    assert all(one.now == one.now_parts["database"] for one in found)
    with pytest.raises(ConfigError, match="reward is 'x'"):
        regrade(tmp_path, reward="x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"revision": "0"}, "the revision of tools, policy document and world has changed"),
        ({"system_prompt": "Be kind."}, "the policy document has changed"),
        ({"source_revision": "v0"}, "the benchmark's release has changed"),
        ({"meta": {"about": {"task_revision": "0"}}}, "the task has changed"),
        ({"task_id": "retail-test-1-1-nothing"}, "no task 'retail-test-1-1-nothing'"),
    ],
)
def test_what_has_changed_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    run = run_of(tmp_path, "retail", count=1)
    rewrite(run, **change)
    (one,) = regrade(run)
    assert one.data_changed
    assert any(said in note for note in one.notes)


def test_a_tool_that_answers_otherwise_is_told(tmp_path: Path) -> None:
    run = run_of(tmp_path, "retail", count=1)
    text = (run / "trajectories.jsonl").read_text(encoding="utf-8")
    (run / "trajectories.jsonl").write_text(text.replace('\\"status\\"', '\\"state\\"'), encoding="utf-8")
    (one,) = regrade(run)
    assert any("get_order_details gives" in note for note in one.notes)


def test_the_tasks_of_a_rollout_are_known_by_their_hash(tmp_path: Path) -> None:
    run = run_of(tmp_path, "retail", count=2)
    (run / "config.json").write_text(json.dumps({"task_revision": "0", "count": 2, "repeats": 1}), encoding="utf-8")
    assert all("the tasks of the run have changed" in one.notes[-1] for one in regrade(run))


def test_an_evaluations_data_are_known_by_their_hash(tmp_path: Path) -> None:
    run = tmp_path / "run"
    evaluate(folder=run, tasks="retail:test:level=1", count=2)
    assert not any(one.data_changed or one.changed for one in regrade(run))
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["tasks"]["retail:test:level=1"]["data"] = "0"
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert [one.notes for one in regrade(run)] == [("the data has changed",)] * 2


def test_the_command_is_loud_and_writes_a_run_that_others_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, new = run_of(tmp_path / "run", "retail", count=3), tmp_path / "new"
    assert main(["regrade", str(run), "--output", str(new)]) == 0
    assert "3 dialogues scored anew: 0 with another reward" in capsys.readouterr().out
    assert main(["compare", str(run), str(new)]) == 0
    assert "3 pairs over 3 tasks" in capsys.readouterr().out
    kept = list(read_trajectories(new / "trajectories.jsonl"))
    assert [item.meta["regraded"]["data_changed"] for item in kept] == [False] * 3
    rewrite(run, revision="0")
    assert main(["regrade", str(run)]) == 1
    assert "DATA CHANGED under 3 dialogues" in capsys.readouterr().err
    assert main(["regrade", str(run), "--output", str(new)]) == 2
    assert "is there already" in capsys.readouterr().err
