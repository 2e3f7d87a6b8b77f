"""Audits find what is known of public tasks, and nothing wrong with the own ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mua_env.core.scores import BASES
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Action, Goal, Request, Requirement, Task
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError
from mua_env.evaluation.audit import Audit, audit
from mua_env.evaluation.audit.values import ValueSources, leaves
from mua_env.evaluation.reports.audit import render_html

OWN = ["retail:train", "retail:test", "airline:train", "airline:test"]


@pytest.fixture(scope="module")
def public_retail(tau1_dir: Path) -> Audit:
    return audit(load_setting("retail", "tau1:test", path=tau1_dir))


@pytest.fixture(scope="module")
def public_airline(tau1_dir: Path) -> Audit:
    return audit(load_setting("airline", "tau1:test", path=tau1_dir))


def test_what_is_known_of_public_retail(public_retail: Audit) -> None:
    totals = public_retail.totals
    assert totals.tasks == 115
    assert len(totals.failing) == 19
    assert totals.failing_writes == ("12", "13", "64", "106")
    assert len(totals.empty) == 11
    assert len(totals.idle["tau1"]) == 7
    assert len(totals.idle["tau1-no-outputs"]) == len(totals.idle["outcome"]) == 11
    assert totals.without_user == pytest.approx(0.748, abs=0.0006)
    assert totals.user_only == pytest.approx(0.055, abs=0.0006)
    assert public_retail.scoring == "compat"


def test_what_is_known_of_public_airline(public_airline: Audit) -> None:
    totals = public_airline.totals
    assert totals.tasks == 50
    assert len(totals.empty) == 20
    assert len(totals.idle["tau1"]) == 19
    assert len(totals.idle["outcome"]) == 20
    assert totals.failing == ()
    assert totals.without_user == pytest.approx(0.887, abs=0.0006)
    assert totals.user_only == pytest.approx(0.117, abs=0.0006)


def test_failing_calls_come_with_the_answer_of_the_tool(public_retail: Audit) -> None:
    task = next(task for task in public_retail.tasks if task.id == "64")
    writes = [call for call in task.failures if call.writes]
    assert writes
    assert all(call.answer.startswith("Error: ") for call in task.failures)
    reads = [call for task in public_retail.tasks for call in task.failures if not call.writes]
    assert {call.tool for call in reads} <= {
        "find_user_id_by_email", "find_user_id_by_name_zip", "get_order_details", "get_product_details"
    }  # fmt: skip


def test_doing_nothing_is_run_for_real_and_agrees_with_what_is_computed(public_retail: Audit) -> None:
    played = [task for task in public_retail.tasks if task.baselines]
    assert len(played) > 100
    for task in played:
        run = task.baselines["do nothing"]
        assert run.ended_by == "user_stop"
        assert run.rewards == task.idle
        transfer = task.baselines["transfer at once"]
        # Without a gold call that could become a request, the user has nothing to say and goes at once.
        assert (transfer.ended_by, transfer.turns) == (("user_stop", 0) if run.turns == 0 else ("terminal_tool", 1))
        assert task.user == "agenda (derived)"


@pytest.mark.parametrize("source", OWN)
def test_own_splits_are_sound(source: str) -> None:
    domain, _, split = source.partition(":")
    totals = audit(load_setting(domain, split), run_baselines=False).totals
    assert totals.tasks >= 250
    assert totals.failing == ()
    assert totals.same_wish == ()
    assert totals.same_effect == ()
    assert totals.idle["task"] == ()
    assert all(count > 0 for count in totals.rules.values()) or split == "test", totals.rules


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_agents_without_skill_score_nothing_on_own_tasks(domain: str) -> None:
    totals = audit(load_setting(domain, "test")).totals
    assert set(totals.baseline_episodes.values()) == {totals.tasks}
    assert {name: rewards["task"] for name, rewards in totals.baselines.items()} == {
        "do nothing": 0.0,
        "transfer at once": 0.0,
        "random": 0.0,
    }
    outcome = totals.baselines["do nothing"]["outcome"]
    assert outcome is not None
    assert outcome > 0.0  # the paper's reward cannot tell doing nothing from a refusal


def test_the_random_baseline_is_seeded() -> None:
    setting = load_setting("retail", "test:level=2")
    first, again, other = (audit(setting, limit=6, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.tasks != other.tasks


# a task set made to be wrong


@pytest.fixture(scope="module")
def wrong() -> Setting:
    """Five retail tasks: sound, its twin, one that fails, one that changes nothing, one that must be refused."""
    own = load_setting("retail", "test")
    order = next(row for row in own.domain.data()["orders"] if row["status"] == "pending")
    user, slots = order["user_id"], {"order_id": order["order_id"], "reason": "no longer needed"}
    cancel = Action(name="cancel_pending_order", arguments=slots)
    goal = Goal(requests=(Request(intent="cancel_order", slots=slots),))
    sound = Task(
        id="sound", domain="retail", user_id=user, instruction="Cancel my order.", goal=goal, actions=(cancel,)
    )
    read = Action(name="get_order_details", arguments={"order_id": order["order_id"]})
    failing = {"id": "failing", "instruction": "Twice.", "actions": (read, cancel, cancel), "goal": None}
    idle = {"id": "idle", "instruction": "Look.", "actions": (read,), "goal": None}
    refusal = {"id": "refusal", "requirements": (Requirement(kind="refusal", intent="cancel_order"),)}
    tasks = [
        sound,
        sound.model_copy(update={"id": "twin", "instruction": "cancel  MY order."}),
        sound.model_copy(update=failing),
        sound.model_copy(update=idle),
        sound.model_copy(update={**idle, **refusal, "instruction": "Refuse."}),
    ]
    domain = own.domain
    return Setting(
        domain,
        TaskSet(
            name="wrong", domain="retail", tasks=tasks, data=domain.data, policy=domain.policy(), world="retail:own"
        ),
    )


def test_every_fault_is_found(wrong: Setting) -> None:
    found = {task.id: task for task in audit(wrong).tasks}
    assert not any(found["sound"].failures)
    assert [call.position for call in found["failing"].failures] == [2]
    assert found["failing"].failing_writes
    assert found["idle"].empty
    assert found["idle"].idle == dict.fromkeys(BASES, 1.0)
    assert found["refusal"].empty
    assert found["refusal"].idle == {"task": 0.0, "outcome": 1.0, "tau1": 1.0, "tau1-no-outputs": 1.0}
    assert found["sound"].same_wish == ("twin",)
    assert set(found["sound"].same_effect) == {"twin", "failing"}
    assert found["sound"].suspect
    assert not found["refusal"].suspect
    assert found["sound"].rules == ("cancel-pending-only", "cancel-reason")
    assert "no goal" in (found["idle"].not_run or "")
    assert found["idle"].baselines == {}


def test_writes_and_minimal_turns(wrong: Setting) -> None:
    found = {task.id: task for task in audit(wrong, run_baselines=False).tasks}
    # Ask, propose, write, close; the read in between takes a turn more; without writes: ask, read, close.
    assert [(found[name].writes, found[name].turns) for name in ("sound", "failing", "idle")] == [
        (1, 4),
        (2, 5),
        (0, 3),
    ]


def test_reads_that_hang_on_each_other_make_a_chain() -> None:
    setting = load_setting("retail", "test")
    user = setting.domain.data()["users"][0]
    order_id = user["orders"][0]
    reads = (
        Action(name="find_user_id_by_email", arguments={"email": user["email"]}),
        Action(name="get_user_details", arguments={"user_id": user["user_id"]}),
        Action(name="get_order_details", arguments={"order_id": order_id}),
    )
    task = Task(id="chain", domain="retail", user_id=user["user_id"], actions=reads, instruction="Where is my order?")
    told = task.model_copy(update={"id": "told", "instruction": f"Where is my order {order_id}?"})
    tasks = [task, told]
    domain = setting.domain
    own = TaskSet(
        name="chains", domain="retail", tasks=tasks, data=domain.data, policy=domain.policy(), world="retail:own"
    )
    found = audit(Setting(domain, own), run_baselines=False).tasks
    assert [item.turns for item in found] == [1 + 3 + 1, 1 + 2 + 1]


# where values come from


def test_leaves_are_the_strings_and_numbers_of_all_places() -> None:
    value = {"a": ["x", "", {"b": 3, "c": 2.5}], "d": True, "e": None, "f": "x"}
    assert sorted(leaves(value)) == ["2.5", "3", "x", "x"]


def test_values_by_where_they_can_come_from() -> None:
    setting = load_setting("retail", "test")
    data = setting.domain.data()
    user, product = data["users"][0], data["products"][0]
    address = {
        "address1": "1 New Street",
        "address2": "",
        "city": "Nowhere",
        "state": "ZZ",
        "country": "USA",
        "zip": "00000",
    }
    task = Task(
        id="values",
        domain="retail",
        user_id=user["user_id"],
        actions=(
            Action(name="think", arguments={"thought": "nothing that counts"}),
            Action(name="get_product_details", arguments={"product_id": product["product_id"]}),
            Action(name="get_order_details", arguments={"order_id": user["orders"][0]}),
            Action(name="modify_user_address", arguments={"user_id": user["user_id"], **address}),
            Action(name="transfer_to_human_agents", arguments={"summary": "nothing that counts"}),
        ),
    )
    sources = ValueSources(setting.make_world(), setting.domain.scratch_tools)
    values = sources.of(task)
    unknown = sources.of(task.model_copy(update={"user_id": None}))
    sources.close()
    # Product (public), order and user id (known once the user is), and five new parts of an address of which the
    # country stands in the user's own.
    assert values.total == 8
    assert values.without_user == 7
    assert values.user_only == 4
    assert unknown.user_only == unknown.without_user == 7


# reports


def test_the_json_report_is_whole(public_retail: Audit) -> None:
    report = json.loads(public_retail.model_dump_json())
    assert report["totals"]["failing_writes"] == ["12", "13", "64", "106"]
    assert len(report["tasks"]) == 115
    assert report["source"] == "retail:tau1:test"
    assert Audit.model_validate({key: value for key, value in report.items() if key != "totals"}) == public_retail


def test_the_page_stands_alone_and_escapes(public_retail: Audit) -> None:
    task = public_retail.tasks[0].model_copy(update={"id": "<script>alert(1)</script>"})
    page = render_html(public_retail.model_copy(update={"tasks": (task, *public_retail.tasks[1:])}))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "http://" not in page
    assert "https://" not in page
    assert page.count("<tr data-wrong=") == 115
    assert "4: 12, 13, 64, 106" in page


def test_an_endless_source_needs_a_limit() -> None:
    setting = load_setting("retail", "generate:level=1")
    with pytest.raises(ConfigError, match="limit"):
        audit(setting)
    assert audit(setting, limit=3, run_baselines=False).totals.tasks == 3
    with pytest.raises(ConfigError, match="limit is 0"):
        audit(setting, limit=0)
