"""The scripted expert with the agenda user, in both styles, and alone with a ticket."""

from __future__ import annotations

import pytest

from mua_env.domain import load_domain
from mua_env.setting import Setting, load_setting
from mua_env.users.agenda import AgendaUser
from mua_env.users.solo import SoloUser
from telecom.conftest import failures, spread


@pytest.mark.parametrize("style", ["plain", "compact"])
def test_expert_solves_the_test_split(style: str, setting: Setting) -> None:
    tasks = spread(setting.tasks, 8)
    assert len(failures(setting, tasks, style=style)) <= 0.05 * len(tasks)


@pytest.mark.parametrize("persona", ["careless", "wary", "terse", "confused"])
def test_expert_copes_with_every_manner(persona: str, setting: Setting) -> None:
    tasks = spread(setting.tasks, 2)
    assert len(failures(setting, tasks, user=AgendaUser(persona=persona))) <= 1


def test_expert_works_a_ticket_off_alone() -> None:
    alone = load_setting("telecom", "test", solo=True)
    tasks = spread(alone.tasks, 5)
    assert len(failures(alone, tasks, user=SoloUser())) <= 0.05 * len(tasks)


def test_expert_forks() -> None:
    from mua_env.session import Session

    setting = load_setting("telecom", "test")
    session = Session(setting, AgendaUser())
    agent = load_domain("telecom").expert()
    agent.reset(system_prompt="", tools=session.tools, seed=3)
    result = session.start(setting.tasks[120], seed=3)
    for _ in range(4):
        result = session.send(agent.act(result.messages))
    twin, other, heard = session.fork(), agent.fork(), result
    while not result.done:
        result = session.send(agent.act(result.messages))
    while not heard.done:
        heard = twin.send(other.act(heard.messages))
    assert heard.score == result.score
    assert [m.content for m in heard.messages] == [m.content for m in result.messages]
    session.close()
    twin.close()
