"""Figures of an evaluation against what they are by definition, and intervals against simulated truth."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import load_setting
from mua_env.evaluation.metrics import break_down, clustered_interval, mean_of, measure, share, students_t
from mua_env.evaluation.outcomes import Outcome, Outcomes, about
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.users.agenda.user import AgendaUser

NEVER = Outcome(
    id="", source="s", task="", trial=0, user="u", seed=0, success=False, turns=4, tool_calls=2, tool_errors=1,
    agent_tokens=None, cost=0.5, ended_by="user_stop", cause="", fault=None, tcr=None, tcr_at_end=None,
    tcr_initial=None, unjudged=False, level=1, kinds=("cancel_order",), rules=(), task_revision="",
)  # fmt: skip


def outcomes(**tasks: str) -> list[Outcome]:
    """``a="+-x"``: task a was held three times: success, failure, a fault of the user."""
    return [
        replace(
            NEVER,
            id=f"{task}#{trial}",
            task=task,
            trial=trial,
            success={"+": True, "-": False, "x": None}[letter],
            fault="user" if letter == "x" else None,
        )
        for task, letters in tasks.items()
        for trial, letter in enumerate(letters)
    ]


def test_pass_k_and_pass_at_k_are_shares_of_all_choices_of_k_trials() -> None:
    trials = {"a": "++-+", "b": "----", "c": "+-", "d": "++++"}
    found = measure(outcomes(**trials))
    for k in (1, 2, 3, 4):
        covered = [list(combinations(letters, k)) for letters in trials.values() if len(letters) >= k]
        every = [sum(set(choice) == {"+"} for choice in choices) / len(choices) for choices in covered]
        some = [sum("+" in choice for choice in choices) / len(choices) for choices in covered]
        assert found.k_tasks[k] == len(covered)
        assert found.pass_k[k] == pytest.approx(sum(every) / len(every))
        assert found.pass_at_k[k] == pytest.approx(sum(some) / len(some))
    assert found.success == found.pass_k[1] == found.pass_at_k[1]


def test_a_fault_counts_for_nothing_unless_counted_as_tau_bench_does() -> None:
    every = outcomes(a="+x", b="x", c="-+")
    assert measure(every).success == pytest.approx((1 + 0.5) / 2)
    counted = measure(every, counting="tau-bench")
    assert counted.success == pytest.approx((0.5 + 0 + 0.5) / 3)
    for found in (measure(every), counted):
        assert (found.ended, found.scored, found.faults, found.cost_usd) == (5, 3, {"user": 2}, 2.5)
    assert measure([]).success is None
    assert measure(outcomes(a="x")).interval is None


@pytest.mark.parametrize(("a", "b"), [(2, 2), (0.5, 0.5), (9, 1), (40, 1)])
@pytest.mark.parametrize(("tasks", "trials"), [(12, 4), (50, 1), (50, 4), (115, 4)])
def test_the_interval_holds_the_true_success_as_often_as_it_says(a: float, b: float, tasks: int, trials: int) -> None:
    """Tasks differ in how hard they are (a beta distribution), trials of one task are alike."""
    drawn = random.Random(1)
    held = 0
    for _ in range(500):
        hard = [drawn.betavariate(a, b) for _ in range(tasks)]
        rates = [sum(drawn.random() < chance for _ in range(trials)) / trials for chance in hard]
        interval = clustered_interval(rates, dialogues=tasks * trials)
        held += interval.low <= a / (a + b) <= interval.high
    assert held / 500 >= 0.925


def test_trials_of_one_task_are_worth_less_than_tasks() -> None:
    tasks = share({("s", str(number)): [number < 20] for number in range(40)})
    trials = share({("s", str(number)): [number < 5] * 4 for number in range(10)})
    assert tasks.success == trials.success == 0.5
    assert tasks.interval
    assert trials.interval
    assert trials.interval.high - trials.interval.low > 1.5 * (tasks.interval.high - tasks.interval.low)


def test_a_dozen_solved_tasks_leave_doubt() -> None:
    solved = share({("s", str(number)): [True] * 4 for number in range(12)})
    assert solved.interval
    assert solved.interval.high == 1
    assert 0.6 < solved.interval.low < 0.85


@pytest.mark.parametrize(("freedom", "value"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (100, 1.984)])
def test_students_t_is_that_of_the_tables(freedom: int, value: float) -> None:
    assert students_t(0.95, freedom) == pytest.approx(value, rel=0.012)


def test_the_mean_of_sources_takes_each_once() -> None:
    whole = mean_of([share({("s", "a"): [True], ("s", "b"): [False]}), share({("t", "a"): [True]})])
    assert (whole.success, whole.tasks, whole.dialogues) == (0.75, 3, 3)
    assert mean_of([]).success is None


class Clumsy(Agent):
    """Calls a tool that is not, then hands over."""

    def reset(self, **_: object) -> None:
        self.turn = 0

    def act(self, messages: object) -> AssistantMessage:
        self.turn += 1
        return AssistantMessage.model_validate(
            {"tool_calls": [{"function": {"name": "nothing"}}]} if self.turn == 1 else {"content": "Goodbye."}
        )

    def usage(self) -> dict[str, float]:
        return {"prompt_tokens": 100, "completion_tokens": 20, "cost_usd": 0.25}


def test_an_outcome_is_what_the_trajectory_says_and_its_file_is_enough() -> None:
    setting = load_setting("retail", "test:level=2")
    held: list[Trajectory] = []
    episodes = [
        replace(
            episode,
            id=f"retail/{episode.task.id}#3",
            meta={"about": about(episode.task, source="retail:test:level=2", trial=3, user="agenda", rules=["r"])},
        )
        for episode in plan(setting.tasks, limit=40)
    ]
    tasks = {episode.task.id: episode.task for episode in episodes}
    options = RolloutOptions(max_turns=3, concurrency=4)
    run_rollout(setting, AgendaUser(), Clumsy, episodes, options=options, on_end=held.append)
    read = [Trajectory.model_validate_json(item.model_dump_json()) for item in held]
    found = list(Outcomes(read))
    assert {outcome.task for outcome in found} == set(tasks)
    for outcome in found:
        assert (outcome.tool_calls, outcome.tool_errors, outcome.success, outcome.trial) == (1, 1, False, 3)
        assert (outcome.agent_tokens, outcome.cost, outcome.level) == (120, 0.25, 2)
    assert {outcome.rules for outcome in found} == {("r",)}
    by_kind = break_down(found, lambda outcome: outcome.kinds)
    assert set(by_kind) == {request.intent for task in tasks.values() for request in task.goal.requests}


def test_a_dialogue_that_was_taken_again_counts_as_it_came_out_last_and_costs_twice() -> None:
    setting = load_setting("retail", "test:level=1")
    held: list[Trajectory] = []
    run_rollout(setting, AgendaUser(), Clumsy, plan(setting.tasks, limit=1), on_end=held.append)
    failed = held[0].model_copy(update={"score": None, "ended_by": "fault", "cause": "agent: timeout: 3 s"})
    again = held[0].model_copy(update={"id": f"{held[0].id}.2", "meta": {**held[0].meta, "of": held[0].id}})
    found = Outcomes([failed, again])
    assert (len(found), found.retaken, found.cost) == (1, 1, 0.5)
    (outcome,) = found
    assert (outcome.success, outcome.fault) == (False, None)
    assert next(iter(Outcomes([failed]))).fault == "agent"
