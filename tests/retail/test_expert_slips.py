"""An expert that slips says that a change is made and does not make it; all else it does as ever."""

from __future__ import annotations

import pytest

from mua_env.agents.scripted.expert import ScriptedExpert
from mua_env.core.agent import Slips
from mua_env.core.messages import AssistantMessage
from mua_env.envs.retail import domain
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError
from mua_env.users.agenda.user import AgendaUser

CANCEL = "generate:level=1:only=cancel_order:seed=3"


def held(slips: Slips, count: int = 20) -> list[tuple[bool, list[str], list[str]]]:
    """Success, the tools called and the texts said, of some dialogues about cancellations."""
    session = Session(load_setting("retail", CANCEL), AgendaUser(persona="terse"), reward="task")
    agent = domain.expert(style="compact", slips=slips)
    return [talk(session, agent, number) for number in range(count)]


def talk(session: Session, agent: object, number: int) -> tuple[bool, list[str], list[str]]:
    assert isinstance(agent, ScriptedExpert)
    step = session.start(session.setting.tasks[number], seed=number)
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=number)
    while not step.done:
        step = session.send(agent.act(step.messages))
    turns = [e.message for e in session.episode.entries if isinstance(e.message, AssistantMessage)]
    assert step.score is not None
    calls = [call.function.name for turn in turns for call in turn.tool_calls]
    return bool(step.score.success), calls, [turn.content for turn in turns if turn.content]


def test_what_it_claims_is_not_done() -> None:
    for success, calls, texts in held(1.0):
        assert not success
        assert "cancel_pending_order" not in calls
        assert "get_order_details" in calls
        assert any("has been cancelled" in text for text in texts)


def test_without_slips_all_is_done() -> None:
    assert all(success and "cancel_pending_order" in calls for success, calls, _ in held(0.0))


def test_it_slips_by_the_seed_and_about_as_often_as_said() -> None:
    found = held(0.5, 60)
    assert 20 <= sum(not success for success, _, _ in found) <= 40
    assert found == held(0.5, 60)


def test_a_tool_of_its_own_can_have_the_chance() -> None:
    assert not any(success for success, _, _ in held({"cancel_pending_order": 1.0}))
    assert all(success for success, _, _ in held({"modify_user_address": 1.0}))


def test_a_fork_slips_where_the_first_does() -> None:
    session = Session(load_setting("retail", CANCEL), AgendaUser(persona="terse"), reward="task")
    agent = domain.expert(style="compact", slips=0.5)
    assert isinstance(agent, ScriptedExpert)
    for number in range(10):
        step = session.start(session.setting.tasks[number], seed=number)
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=number)
        while not step.done:
            twin = agent.fork()
            message = agent.act(step.messages)
            assert twin.act(step.messages) == message
            step = session.send(message)


@pytest.mark.parametrize("slips", [-0.1, 1.5, {"cancel_pending_order": 2.0}])
def test_a_chance_that_is_none_is_refused(slips: Slips) -> None:
    with pytest.raises(ConfigError, match=r"slips is .*; use chances from 0 to 1"):
        domain.expert(slips=slips)


def test_a_tool_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'cancel_pending_ordr'.* Did you mean 'cancel_pending_order'"):
        held({"cancel_pending_ordr": 1.0}, 1)


def test_the_chinese_expert_slips_too() -> None:
    session = Session(load_setting("retail", CANCEL), AgendaUser(language="zh"), reward="task")
    _, calls, _ = talk(session, domain.expert(language="zh", slips=1.0), 0)
    assert "get_order_details" in calls
    assert "cancel_pending_order" not in calls
