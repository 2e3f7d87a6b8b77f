"""The scripted airline expert solves tasks by dialogue with the agenda user."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import mua_env  # noqa: F401 (registers the environments)
from mua_env.core.agent import Agent
from mua_env.core.tasks import Task
from mua_env.envs.airline import domain
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.users.agenda.user import AgendaUser

POLICY_BREAKERS = {
    "16": "gold compensates a delay without changing or cancelling the reservation",
    "26": "gold cancels a reservation whose flights have landed",
    "27": "gold cancels a reservation whose flights have landed",
    "45": "gold compensates a delay without changing or cancelling the reservation",
    "46": "gold compensates a delay without changing or cancelling the reservation",
}
"""Public tasks whose gold actions break the public policy document, to which the expert keeps."""


def talk(session: Session, task: Task, agent: Agent, seed: int = 0) -> bool:
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
    step = session.start(task, seed=seed)
    while not step.done:
        step = session.send(agent.act(step.messages))
    assert step.score is not None
    return bool(step.score.success)


def solved(source: str, count: int, *, style: str = "plain") -> int:
    setting = load_setting("airline", source)
    session = Session(setting, AgendaUser())
    agent = domain.expert(style=style)
    return sum(talk(session, setting.tasks[i], agent, seed=i) for i in range(min(count, len(setting.tasks))))


@pytest.mark.parametrize("style", ["plain", "compact"])
@pytest.mark.parametrize(("level", "least"), [(1, 60), (2, 60), (3, 59), (4, 58), (5, 57)])
def test_solves_generated_tasks_of_every_level(level: int, least: int, style: str) -> None:
    assert solved(f"generate:level={level}:seed=11", 60, style=style) >= least


@pytest.mark.parametrize("persona", ["terse", "plain", "polite", "chatty", "confused", "impatient"])
def test_every_persona_can_be_served_even_with_noise(persona: str) -> None:
    setting = load_setting("airline", "test:level=3")
    session = Session(setting, AgendaUser(persona=persona, noise=0.5))
    agent = domain.expert()
    assert sum(talk(session, setting.tasks[i], agent, seed=i) for i in range(30)) >= 28


def test_solves_public_tasks_whose_gold_keeps_to_the_policy_document(tau1_dir: Path) -> None:
    setting = load_setting("airline", "tau1:test", path=tau1_dir)
    session = Session(setting, AgendaUser(), reward="tau1-no-outputs")
    agent = domain.expert()
    failed = [task.id for task in setting.tasks if not talk(session, task, agent)]
    assert len(setting.tasks) == 50
    assert all(task.goal and task.goal.derived for task in setting.tasks)
    assert failed == list(POLICY_BREAKERS)


def test_an_idle_agent_solves_no_generated_task() -> None:
    setting = load_setting("airline", "test")
    session = Session(setting, AgendaUser())
    for task in setting.tasks:
        step = session.start(task)
        while not step.done:
            step = session.send("I see.")
        assert step.score is not None
        assert not step.score.success, task.id


def test_a_fork_of_the_expert_goes_on_alike() -> None:
    setting = load_setting("airline", "test:level=4")
    session = Session(setting, AgendaUser())
    agent = domain.expert()
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=3)
    step = session.start(setting.tasks[0], seed=3)
    for _ in range(5):
        step = session.send(agent.act(step.messages))
    twin, other = session.fork(), agent.fork()
    for one, who in ((session, agent), (twin, other)):
        now = step
        while not now.done:
            now = one.send(who.act(now.messages))
        assert now.score is not None
        assert now.score.success
    assert session.episode.entries == twin.episode.entries


def test_the_environment_passes_the_checker() -> None:
    env = gym.make("MUA/Airline-v1", tasks="test")
    check_env(env.unwrapped, skip_render_check=True)
    env.close()
