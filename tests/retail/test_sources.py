"""Options of the source of generated tasks: chosen intents, and other worlds."""

from __future__ import annotations

import pytest

from mua_env.domain.contract import load_domain
from mua_env.envs.retail import domain
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import DomainError, TaskError
from mua_env.users.agenda.user import AgendaUser


def test_only_lets_through_tasks_of_the_intents_named() -> None:
    tasks = domain.task_set("generate:level=1:only=modify_user_address+ask.order_total").tasks
    found = {(r.intent, r.slots.get("topic")) for i in range(60) if (g := tasks[i].goal) for r in g.requests}
    assert found == {("modify_user_address", None), ("ask", "order_total")}


def test_only_is_about_every_request_of_a_task() -> None:
    tasks = domain.task_set("generate:level=3:only=cancel_order+return_items").tasks
    for i in range(8):
        goal = tasks[i].goal
        assert goal is not None
        assert {r.intent for request in goal.requests for r in (request, request.fallback) if r} <= {
            "cancel_order",
            "return_items",
        }


def test_an_intent_that_never_comes_up_is_named() -> None:
    with pytest.raises(TaskError, match=r"only=ask\.weather"):
        domain.task_set("generate:level=1:only=ask.weather").tasks[0]


def test_another_world_shares_no_record_with_the_own() -> None:
    own, other = domain.data(), domain.in_world(1).data()
    keys = {"users": "user_id", "orders": "order_id", "products": "product_id"}
    for table, key in keys.items():
        assert not {row[key] for row in own[table]} & {row[key] for row in other[table]}
    assert not {user["email"] for user in own["users"]} & {user["email"] for user in other["users"]}
    assert len(other["users"]) == 2000
    assert domain.in_world(1).data() == other


def test_the_expert_solves_tasks_of_another_world() -> None:
    setting = load_setting("retail", "generate:level=2:world=1:split=train")
    assert setting.tasks.world != load_setting("retail", "generate:level=2").tasks.world
    session = Session(setting, AgendaUser())
    rewards = [hold(session, domain.expert(), setting.tasks[i], seed=i).reward for i in range(12)]
    assert rewards == [1.0] * 12
    session.close()


def test_a_domain_without_other_worlds_says_so() -> None:
    with pytest.raises(DomainError, match="no world but its own"):
        load_domain("telecom").task_set("generate:level=1:world=1")
    with pytest.raises(TaskError, match="world is 'x'"):
        domain.task_set("generate:level=1:world=x")
