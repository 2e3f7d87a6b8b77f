"""What a rollout's summary says of repeated dialogues and of tasks with criteria of their own."""

from __future__ import annotations

import pytest

from mua_env.core.tasks import Criteria
from mua_env.core.trajectory import TrajectoryWriter
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.evaluation.reports.dialogues import write_report
from mua_env.evaluation.rollout_folder import pass_k, summarize
from mua_env.users.make import make_user


def test_pass_k_is_the_chance_that_k_of_the_dialogues_all_succeed():
    outcomes = [("a", True), ("a", True), ("a", False), ("a", False), ("b", True), ("b", True), ("b", True)]
    assert pass_k(outcomes) == pytest.approx({1: (2 / 4 + 1) / 2, 2: (1 / 6 + 1) / 2, 3: (0 + 1) / 2})


@pytest.mark.parametrize("outcomes", [[], [("a", True)], [("a", True), ("a", True), ("b", False)]])
def test_pass_k_needs_several_dialogues_of_each_task(outcomes):
    assert pass_k(outcomes) == {}


def _transferring(tasks):
    """Trajectories of an agent that hands every task over at once, the last one cut before that."""
    setting = load_setting("retail", "test")
    session = Session(setting, make_user("agenda"))
    found = []
    for at, task in enumerate(tasks):
        session.start(task, seed=at)
        if at < len(tasks) - 1:
            session.send(
                {"tool_calls": [{"function": {"name": "transfer_to_human_agents", "arguments": '{"summary": "x"}'}}]}
            )
        else:
            session.truncate("2000 tokens")
        found.append(session.trajectory(id=f"{task.id}#{at}"))
    session.close()
    return found


def test_completion_is_told_apart_from_success_with_what_it_was_at_the_start(tmp_path):
    retail = load_setting("retail", "test").tasks
    done = Criteria(basis=("database", "outputs"), statements=("Nobody counts this.",))
    judged = Criteria(basis=("database", "judged"), statements=("It was said.",))
    first = retail[0].model_copy(
        update={"actions": (), "outputs": ("never said",), "criteria": done, "requirements": ()}
    )
    second = retail[1].model_copy(update={"actions": (), "criteria": judged, "requirements": ()})
    trajectories = _transferring([first, second, second, second])
    summary = summarize(trajectories)
    assert (summary.scored, summary.success) == (4, 0.5)
    assert summary.tcr == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    assert summary.tcr_at_end == summary.tcr_initial == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    assert summary.unjudged == 3
    with TrajectoryWriter(tmp_path / "trajectories.jsonl") as writer:
        for trajectory in trajectories:
            writer.write(trajectory)
    page = write_report(tmp_path).read_text()
    for part in ("0.625", "-0.250", "Not judged: It was said.", "statements not judged in"):
        assert part in page
    assert "Nobody counts this" not in page


def test_own_tasks_have_no_completion_rate():
    assert summarize(_transferring([load_setting("retail", "test").tasks[at] for at in range(2)])).tcr is None
