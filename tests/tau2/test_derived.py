"""Agendas derived from tau2's gold actions: an expert that only talks to their user reaches what gold reaches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mua_env.agents.make import agent_factory
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import Setting, load_setting
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.evaluation.user_card.result import Result
from mua_env.evaluation.user_card.run import CardOptions, run
from mua_env.evaluation.user_card.run import plan as card_plan
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.fixed_lines import SoloUser
from mua_env.users.make import make_user
from tests.tau2 import public


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_expert_reaches_the_goal_on_nine_of_ten_test_tasks(domain: str) -> None:
    setting = load_setting(domain, "tau2:test", path=public.tau2_data())
    assert all(task.goal is not None and task.user_id is not None for task in setting.tasks)
    ended: list[Trajectory] = []
    options = RolloutOptions(reward="outcome", max_turns=60, concurrency=1)
    run_rollout(
        setting,
        make_user("agenda"),
        agent_factory("expert", setting.domain),
        plan(setting.tasks),
        options=options,
        on_end=ended.append,
    )
    assert len(ended) == len(setting.tasks)
    assert sum(item.score is not None and item.score.success is True for item in ended) >= 0.9 * len(ended)


@pytest.mark.parametrize("mode", ["compat", "strict"])
@pytest.mark.parametrize("solo", [False, True])
def test_the_expert_solves_telecom_with_the_user_and_alone(solo: bool, mode: Mode) -> None:
    setting = load_setting("telecom", "tau2:base", path=public.tau2_data(), mode=mode, solo=solo)
    ended: list[Trajectory] = []
    run_rollout(
        setting,
        SoloUser() if solo else make_user("agenda"),
        agent_factory("expert", setting.domain),
        plan(setting.tasks),
        options=RolloutOptions(max_turns=60, concurrency=1),
        on_end=ended.append,
    )
    solved = [item.task_id for item in ended if item.score is not None and item.score.success]
    assert len(solved) >= 0.95 * len(setting.tasks) == 0.95 * 114


def test_a_transfer_does_not_end_the_dialogue_but_the_user_does() -> None:
    setting = load_setting("airline", "tau2:base", path=public.tau2_data())
    task = next(task for task in setting.tasks if task.goal and [r.intent for r in task.goal.requests] == ["human"])
    ended: list[Trajectory] = []
    run_rollout(
        setting, make_user("agenda"), agent_factory("expert", setting.domain), plan([task]), on_end=ended.append
    )
    calls = [call.function.name for entry in ended[0].entries for call in getattr(entry.message, "tool_calls", ())]
    assert calls[-1] == "transfer_to_human_agents"
    assert ended[0].ended_by == "user_stop"


def test_the_users_card_blames_nobody_for_leaving_after_a_transfer() -> None:
    whole = load_setting("airline", "tau2:base", path=public.tau2_data())
    asking = [task for task in whole.tasks if _asks_for_a_human(task)]
    assert asking
    setting = Setting(whole.domain, replace(whole.tasks, tasks=asking[:2], _index={}))
    results: list[Result] = []
    run(
        setting,
        AgendaUser(),
        card_plan(setting, 20),
        options=CardOptions(concurrency=1),
        on_end=lambda result, _: results.append(result),
    )
    assert len(results) == 20
    assert [result.violations for result in results if result.violations] == []


def _asks_for_a_human(task: Task) -> bool:
    return task.goal is not None and any(request.intent == "human" for request in task.goal.requests)
