"""Agendas made from gold actions."""

from __future__ import annotations

from pathlib import Path

import pytest

from mua_env.core.database import Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Action, Task
from mua_env.envs.retail import domain
from mua_env.envs.retail.derive import Deriver, derive_goal


@pytest.fixture(scope="module")
def public(tau1_dir: Path) -> TaskSet:
    return domain.task_set("tau1:test", path=tau1_dir)


def order(rows: Rows, status: str, *, items: int = 1) -> dict[str, object]:
    return next(dict(row) for row in rows["orders"] if row["status"] == status and len(row["items"]) >= items)


def test_every_public_task_has_a_derived_goal(public: TaskSet) -> None:
    goals = [task.goal for task in public]
    assert all(goal is not None and goal.derived for goal in goals)
    assert all(set(goal.facts) == {"first_name", "last_name", "zip", "email"} for goal in goals if goal)
    assert sum(bool(goal.requests) for goal in goals if goal) >= 100


def test_gold_calls_that_fail_are_no_requests(public: TaskSet) -> None:
    for position in (12, 13, 64, 106):
        task = public[position]
        writes = [action for action in task.actions if action.name in _WRITES]
        assert task.goal is not None
        assert len([r for r in task.goal.requests if r.intent != "human"]) < len(writes)


_WRITES = {
    "cancel_pending_order",
    "return_delivered_order_items",
    "exchange_delivered_order_items",
    "modify_pending_order_items",
    "modify_pending_order_address",
    "modify_pending_order_payment",
    "modify_user_address",
}


def test_values_come_from_the_calls_and_the_records(rows: Rows) -> None:
    chosen = order(rows, "delivered", items=2)
    user = next(row for row in rows["users"] if row["user_id"] == chosen["user_id"])
    method_id = chosen["payment_history"][0]["payment_method_id"]  # type: ignore[index]
    held = chosen["items"]
    call = Action(
        name="return_delivered_order_items",
        arguments={
            "order_id": chosen["order_id"],
            "item_ids": [held[0]["item_id"]],  # type: ignore[index]
            "payment_method_id": method_id,
        },
    )
    read = Action(name="get_user_details", arguments={"user_id": user["user_id"]})
    goal = derive_goal(Task(id="x", domain="retail", user_id=user["user_id"], actions=(read, call, call)), rows)
    assert goal is not None
    assert goal.facts["email"] == user["email"]
    # The second return of the same order fails when it is run.
    (request,) = goal.requests
    assert request.intent == "return_items"
    assert request.slots["items"][0]["name"] == held[0]["name"]  # type: ignore[index]
    assert request.slots["payment_method"]["source"] == user["payment_methods"][method_id]["source"]


def test_a_task_that_only_transfers_asks_for_a_human(rows: Rows) -> None:
    user = rows["users"][0]
    transfer = Action(name="transfer_to_human_agents", arguments={"summary": "x"})
    goal = derive_goal(Task(id="x", domain="retail", user_id=user["user_id"], actions=(transfer,)), rows)
    assert goal is not None
    assert [(r.intent, r.outcome) for r in goal.requests] == [("human", "transferred")]


def test_unknown_users_have_no_goal(rows: Rows) -> None:
    deriver = Deriver(rows)
    assert deriver.goal(Task(id="x", domain="retail", user_id="nobody_0000")) is None
    assert deriver.goal(Task(id="x", domain="retail")) is None
    deriver.close()
