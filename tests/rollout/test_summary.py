"""What a rollout's summary says of repeated dialogues and of tasks with criteria of their own."""

from __future__ import annotations

import pytest

from mua_env.core.scores import Score
from mua_env.core.tasks import Criteria
from mua_env.core.trajectory import Trajectory, TrajectoryWriter
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.evaluation.fault_watch import FaultWatch
from mua_env.evaluation.reports.dialogues import write_report
from mua_env.evaluation.summary import pass_k, summarize
from mua_env.users.make import make_user


def test_pass_k_is_the_chance_that_k_of_the_dialogues_all_succeed():
    outcomes = [("a", True), ("a", True), ("a", False), ("a", False), ("b", True), ("b", True), ("b", True)]
    assert pass_k(outcomes) == pytest.approx({1: (2 / 4 + 1) / 2, 2: (1 / 6 + 1) / 2, 3: (0 + 1) / 2, 4: 0})


@pytest.mark.parametrize("outcomes", [[], [("a", True)], [("a", True), ("b", False)]])
def test_pass_k_needs_several_dialogues_of_a_task(outcomes):
    assert pass_k(outcomes) == {}


def _ended(task, repeat, success, *, of=None, cause=None):
    """A dialogue that ended so; `success` None for a fault."""
    reward = None if success is None else float(success)
    score = Score(reward=reward, success=success, parts={}, basis=())
    return Trajectory(
        id=f"{task}#{repeat}" + (".2" if of else ""),
        domain="d",
        tasks="t",
        revision="",
        task_id=task,
        seed=0,
        user="u",
        system_prompt="",
        tools=[],
        entries=[],
        turns=1,
        ended_by="fault" if success is None else "user_stop",
        cause=cause or ("auth: no key" if success is None else None),
        score=score,
        meta={"of": of} if of else {},
    )


FIVE = [
    *(_ended("a", repeat, True) for repeat in range(4)),
    *(_ended("b", repeat, None if repeat == 0 else True) for repeat in range(4)),
    *(_ended("c", repeat, None) for repeat in range(4)),
]


def test_a_fault_takes_its_task_out_of_pass_4_and_not_pass_4_away():
    summary = summarize(FIVE)
    assert summary.pass_k == {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}
    assert summary.pass_k_tasks == {1: 2, 2: 2, 3: 2, 4: 1}
    assert (summary.tasks, summary.success, summary.scored) == (3, 1.0, 7)


def test_where_no_task_has_enough_dialogues_that_is_said():
    summary = summarize([item for item in FIVE if item.task_id != "a"])
    assert summary.pass_k_tasks == {1: 1, 2: 1, 3: 1, 4: 0}
    assert 4 not in summary.pass_k


def test_counted_as_tau_bench_does_a_fault_is_a_failure():
    summary = summarize(FIVE, counting="tau-bench")
    assert summary.success == 7 / 12
    assert summary.pass_k == pytest.approx({1: (1 + 3 / 4) / 3, 2: (1 + 1 / 2) / 3, 3: (1 + 1 / 4) / 3, 4: 1 / 3})
    assert summary.pass_k_tasks == {1: 3, 2: 3, 3: 3, 4: 3}
    assert (summary.scored, summary.counting) == (7, "tau-bench")


def test_a_fault_that_was_taken_again_counts_as_it_came_out():
    again = _ended("b", 0, False, of="b#0")
    summary = summarize([*FIVE, again])
    assert (summary.episodes, summary.scored, summary.retaken) == (12, 8, 1)
    assert summary.faults == {"auth": 4}
    assert summary.pass_k_tasks[4] == 2


def test_faults_are_named_by_who_and_what_with_the_commonest_cause():
    causes = [
        "agent: auth: key 1",
        "agent: auth: key 2",
        "agent: auth: key 2",
        "unusable reply: it is empty",
        "ValueError: x",
    ]
    summary = summarize([_ended("a", number, None, cause=cause) for number, cause in enumerate(causes)])
    assert summary.faults == {"ValueError": 1, "agent: auth": 3, "unusable reply": 1}
    assert summary.causes["agent: auth"] == "agent: auth: key 2"


def _watched(*causes):
    watch = FaultWatch(fatal=3, passing=5)
    for number, cause in enumerate(causes):
        watch.see(_ended("a", number, cause is None or None, cause=cause))
    return watch.cause


AUTH, QUOTA, DOWN = "agent: auth: no key 1", "agent: quota: empty", "connection: refused"


@pytest.mark.parametrize(
    ("causes", "stopped"),
    [
        ([AUTH, AUTH], None),
        ([AUTH, AUTH, AUTH], AUTH),
        ([AUTH, AUTH, None, AUTH, AUTH], None),
        ([AUTH, QUOTA, AUTH, QUOTA], None),
        ([AUTH, AUTH, "auth: no key"], None),
        ([DOWN] * 4, None),
        ([DOWN] * 5, DOWN),
        (["unusable reply: it is empty"] * 9, None),
        (
            ["agent: bad_request: no tool 1", "agent: bad_request: no tool 2", "agent: bad_request: no tool 3"],
            "agent: bad_request: no tool 3",
        ),
        (["bad_request: one", "bad_request: two", "bad_request: three"], None),
    ],
)
def test_equal_faults_that_meet_every_dialogue_stop_a_run(causes, stopped):
    assert _watched(*causes) == stopped


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
