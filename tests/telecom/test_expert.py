"""The scripted expert with the agenda user, in both styles, and alone with a ticket."""

from __future__ import annotations

import pytest

from mua_env.domain.contract import load_domain
from mua_env.envs.telecom import expert_reading
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.fixed_lines import SoloUser
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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Already resting until overtime. I must be able to send MMS again, thanks!", "mms"),
        ("Napping around rugby... I wish to send photos by message again, it fails every time!", "mms"),
        ("Waiting since surgery; I'm here to pay a bill that I forgot.", "pay_bill"),
        ("Drawing from sundown; Time to pay my overdue bill, thanks!", "pay_bill"),
        ("Outside after fencing... I've got to get rid of the no signal problem on my phone.", "service"),
        ("Indoors from nightfall! Please, have my phone back on the network, it has no signal. Please.", "service"),
        ("I would liek to be able to snd MMS again, if I may.", "mms"),
        ("I'm writing because I want to buy more daa for this month.", "refuel_data"),
        ("My number is 251-555-5599, please. I'm Chiara Hedlund.", None),
        ("Yes, please do so. My phone has a signal.", None),
    ],
)
def test_expert_hears_what_is_wanted(text: str, wanted: str | None) -> None:
    assert expert_reading.intent(text) == wanted


@pytest.mark.parametrize(
    ("text", "suffers"),
    [
        ("My phone has no service.", "service"),
        ("I can't make calls since this morning.", "service"),
        ("Hello, my phone isn't working!", "service"),
        ("The mobile data on my phone are very slow.", "data"),
        ("Internet doesn't work.", "data"),
        ("My pictures don't go out any more.", "mms"),
        ("I am unable to send photos.", "mms"),
        ("Hello, is this the right place?", None),
        ("I have a question about my bill.", None),
    ],
)
def test_expert_hears_a_bare_complaint(text: str, suffers: str | None) -> None:
    assert expert_reading.complaint(text) == suffers


_ASKS_AGAIN = {"How can I help you?", "What can I do for you?", "What would you like me to do?"}


def test_expert_asks_nobody_twice_what_they_want(setting: Setting) -> None:
    session = Session(setting, AgendaUser(noise=0.0))
    for seed, task in enumerate(spread(setting.tasks, 15)):
        agent = load_domain("telecom").expert()
        agent.reset(system_prompt="", tools=session.tools, seed=seed)
        result, said = session.start(task, seed=seed), []
        while not result.done:
            turn = agent.act(result.messages)
            said.append(turn.content or "")
            result = session.send(turn)
        assert not _ASKS_AGAIN & set(said), task.id
    session.close()
