"""What ``strict`` mode mends in tau2's telecom world, and that ``compat`` mode keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mua_env.core.scores import Record
from mua_env.core.tasks import Action, ActionCheck, Assertion, Criteria, Task
from mua_env.core.tools import Mode, ToolResult
from mua_env.core.world import SQLWorld
from mua_env.episode.setting import load_setting
from mua_env.errors import TaskError
from mua_env.scoring.scorer import Scorer

from .public import tau2_data

LINE = {"customer_id": "C1001", "line_id": "L1002"}
USER = Action(name="set_user_info", arguments={"name": "John Smith", "phone_number": "555-123-2002"}, requestor="world")
HELD = Task(id="held", domain="telecom", initial_actions=(USER,))
Worlds = dict[Mode, SQLWorld]
MODES: tuple[Mode, ...] = ("compat", "strict")


@pytest.fixture
def worlds() -> Iterator[Worlds]:
    """A world of each mode, John Smith holding the phone."""
    made = {mode: _setting(mode).make_world() for mode in MODES}
    for world in made.values():
        world.load(HELD)
    yield made
    for world in made.values():
        world.close()


def _setting(mode: Mode, **options: Any) -> Any:
    return load_setting("telecom", "tau2:small", path=tau2_data(), mode=mode, **options)


def _both(worlds: Worlds, call: Callable[[SQLWorld], ToolResult]) -> dict[Mode, ToolResult]:
    return {mode: call(world) for mode, world in worlds.items()}


def test_results_hold_numbers_not_text(worlds: Worlds) -> None:
    read = _both(worlds, lambda world: world.call("get_data_usage", LINE))
    found = {mode: json.loads(result.content)["data_used_gb"] for mode, result in read.items()}
    assert found == {"compat": "8.7", "strict": 8.7}
    bought = _both(worlds, lambda world: world.call("refuel_data", {**LINE, "gb_amount": 2.0}))
    prices = {mode: json.loads(result.content)["charge"] for mode, result in bought.items()}
    assert prices == {"compat": "4.0", "strict": 4.0}


def test_arguments_are_validated(worlds: Worlds) -> None:
    told = _both(worlds, lambda world: world.call("transfer_to_human_agents", {"summary": 5}))
    assert {mode: result.ok for mode, result in told.items()} == {"compat": True, "strict": False}
    assert "argument 'summary'" in told["strict"].content


def test_a_failed_call_is_an_error(worlds: Worlds) -> None:
    unknown = {"app_name": "camera", "permission": "sms"}
    asked = _both(worlds, lambda world: world.call("grant_app_permission", unknown, requestor="user"))
    assert {mode: result.ok for mode, result in asked.items()} == {"compat": True, "strict": False}
    assert asked["compat"].content.startswith("Error. ")
    chosen = _both(worlds, lambda world: world.call("set_network_mode_preference", {"mode": "5g"}, requestor="user"))
    assert {mode: result.ok for mode, result in chosen.items()} == {"compat": True, "strict": False}


def test_a_limit_below_zero_is_refused(worlds: Worlds) -> None:
    bills = _both(worlds, lambda world: world.call("get_bills_for_customer", {"customer_id": "C1001", "limit": -1}))
    assert len(json.loads(bills["compat"].content)) == 2
    assert not bills["strict"].ok


def test_vpn_details_are_shown_as_text(worlds: Worlds) -> None:
    for world in worlds.values():
        world.call("connect_vpn", {}, requestor="user")
    shown = _both(worlds, lambda world: world.call("check_vpn_status", {}, requestor="user"))
    assert "<PerformanceLevel.EXCELLENT: 'excellent'>" in shown["compat"].content
    assert "server performance: excellent" in shown["strict"].content


def test_a_slow_vpn_is_its_environments_own(worlds: Worlds) -> None:
    """tau2 shares the details between the environments of a process, so that one slow VPN slows all."""
    for mode, world in worlds.items():
        world.call("break_vpn", {}, requestor="world")
        other = _setting(mode).make_world()
        other.load(HELD)
        other.call("connect_vpn", {}, requestor="user")
        assert "excellent" in other.call("check_vpn_status", {}, requestor="user").content
        other.close()


def test_a_paid_bill_cannot_be_requested_again(worlds: Worlds) -> None:
    request = {"customer_id": "C1001", "bill_id": "B1002"}
    for world in worlds.values():
        assert world.call("send_payment_request", request).ok
        assert "150.0 USD" in world.call("make_payment", {}, requestor="user").content
        assert json.loads(world.call("get_details_by_id", {"id": "B1002"}).content)["status"] == "Paid"
    again = _both(worlds, lambda world: world.call("send_payment_request", request))
    assert {mode: result.ok for mode, result in again.items()} == {"compat": True, "strict": False}


def test_a_phone_notices_a_dead_line(worlds: Worlds) -> None:
    for world in worlds.values():
        assert world.call("suspend_line", {**LINE, "reason": "lost"}).ok
    bars = _both(worlds, lambda world: world.call("check_status_bar", {}, requestor="user"))
    assert "5G" in bars["compat"].content
    assert "No Signal" in bars["strict"].content
    for world in worlds.values():
        world.call("reboot_device", {}, requestor="user")
        assert "No Signal" in world.call("check_status_bar", {}, requestor="user").content
        assert world.call("resume_line", LINE).ok
    bars = _both(worlds, lambda world: world.call("check_status_bar", {}, requestor="user"))
    assert "No Signal" in bars["compat"].content
    assert "5G" in bars["strict"].content


def test_bill_ids_follow_from_the_state(worlds: Worlds) -> None:
    """tau2 draws them at random. In strict mode it makes no difference who is charged first."""
    lines = (("C1003", "L1009"), ("C1002", "L1004"))

    def new_bills(mode: Mode, order: tuple[tuple[str, str], ...]) -> dict[str, set[str]]:
        world = worlds[mode]
        world.load()
        own = {customer: bills(world, customer) for customer, _ in order}
        for customer, line in order:
            assert world.call("refuel_data", {"customer_id": customer, "line_id": line, "gb_amount": 1.0}).ok
        return {customer: bills(world, customer) - before for customer, before in own.items()}

    def bills(world: SQLWorld, customer: str) -> set[str]:
        return set(json.loads(world.call("get_customer_by_id", {"customer_id": customer}).content)["bill_ids"])

    assert new_bills("compat", lines[:1]) == {"C1003": {"B00000001"}}
    assert new_bills("compat", lines) != new_bills("compat", lines[::-1])
    assert new_bills("strict", lines) == new_bills("strict", lines[::-1])
    assert len(set.union(*new_bills("strict", lines).values())) == 2


def _scored(mode: Mode, calls: tuple[Action, ...]) -> float | None:
    gold = Action(name="refuel_data", arguments={**LINE, "gb_amount": 2.0})
    criteria = Criteria(basis=("actions",), action_checks=(ActionCheck(action=gold),))
    task = Task(id="t", domain="telecom", actions=(gold,), initial_actions=(USER,), criteria=criteria)
    setting = _setting(mode)
    world = setting.make_world()
    world.load(task)
    scorer = Scorer(setting.make_world, sets={}, mode=mode)
    return scorer.score(task, world, Record(calls=calls)).reward


def test_a_call_without_its_arguments_does_not_count() -> None:
    empty = (Action(name="refuel_data"),)
    assert {mode: _scored(mode, empty) for mode in MODES} == {"compat": 1.0, "strict": 0.0}
    right = (Action(name="refuel_data", arguments={**LINE, "gb_amount": 2.0}),)
    assert {mode: _scored(mode, right) for mode in MODES} == {"compat": 1.0, "strict": 1.0}


def test_a_call_in_the_wrong_hands_does_not_count() -> None:
    wrong = (Action(name="refuel_data", arguments={**LINE, "gb_amount": 2.0}, requestor="user"),)
    assert {mode: _scored(mode, wrong) for mode in MODES} == {"compat": 1.0, "strict": 0.0}


def test_in_solo_mode_all_hands_are_the_agents() -> None:
    """A user's gold call counts in the agent's hands, where there is no user."""
    gold = Action(name="toggle_data", requestor="user")
    task = Task(
        id="t",
        domain="telecom",
        actions=(gold,),
        initial_actions=(USER,),
        criteria=Criteria(basis=("actions",), action_checks=(ActionCheck(action=gold),)),
    )
    for solo, counts in ((False, 0.0), (True, 1.0)):
        setting = load_setting("telecom", "tau2:small", path=tau2_data(), mode="strict", solo=solo)
        world = setting.make_world()
        world.load(task)
        assert setting.scorer.score(task, world, Record(calls=(Action(name="toggle_data"),))).reward == counts
        world.close()


def test_a_transfer_must_name_what_cannot_be_repaired() -> None:
    """Gold of these tasks is a transfer at once, so handing everybody over would do."""
    causes = {
        "[service_issue]lock_sim_card_pin|overdue_bill_suspension[PERSONA:Easy]": "The SIM card asks for its PIN.",
        "[service_issue]contract_end_suspension|unseat_sim_card[PERSONA:Hard]": "The contract ended last month.",
    }
    for mode in MODES:
        setting = load_setting("telecom", "tau2:base", path=tau2_data(), mode=mode)
        world = setting.make_world()
        for task_id, cause in causes.items():
            task = setting.tasks.by_id(task_id)
            rewards = {}
            for summary in (*causes.values(), "I cannot fix the issue.", task.actions[0].arguments["summary"]):
                call = Action(name="transfer_to_human_agents", arguments={"summary": summary})
                world.load(task)
                assert world.call(call.name, call.arguments).ok
                rewards[summary] = setting.scorer.score(task, world, Record(calls=(call,))).reward
            won = [summary for summary, reward in rewards.items() if reward == 1.0]
            gold = task.actions[0].arguments["summary"]
            assert won == (list(rewards) if mode == "compat" else [cause, gold])
        world.close()


def test_a_check_for_an_overdue_bill_that_is_not_there_is_false(worlds: Worlds) -> None:
    """In tau2 such a check cannot fail: it is an error."""
    present, absent = ({"customer_id": "C1001", "overdue_bill_id": bill} for bill in ("B1234321", "B1001"))
    scene = {"customer_id": "C1001", "line_id": "L1002", "new_bill_id": "B1234321", "contract_ended": False}
    found = {}
    for mode, world in worlds.items():
        assert world.call("suspend_line_for_overdue_bill", scene, requestor="world").ok
        asked = [world.call("assert_overdue_bill_exists", which, requestor="world") for which in (present, absent)]
        found[mode] = [(result.ok, result.content) for result in asked]
    assert found["compat"][0] == found["strict"][0] == (True, "true")
    assert found["strict"][1] == (True, "false")
    assert found["compat"][1][0] is False
    assertion = Assertion(name="assert_overdue_bill_exists", arguments=absent)
    assert worlds["strict"].holds(assertion) is False
    with pytest.raises(TaskError, match="no overdue bill 'B1001'"):
        worlds["compat"].holds(assertion)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("set_network_mode_preference", {"mode": ["4g_only"]}), ("set_apn_settings", {"apn_settings": "internet"})],
)
def test_what_tau2_would_store_and_stumble_over_later_is_refused_in_both(
    name: str, arguments: dict[str, Any], worlds: Worlds
) -> None:
    for world in worlds.values():
        before = world.snapshot()
        assert not world.call(name, arguments, requestor="user").ok
        assert world.snapshot() == before


def test_a_tool_of_the_users_is_named_as_such(worlds: Worlds) -> None:
    """tau2's manual speaks of the phone's tools as if the agent had them, and its answer does not know them."""
    for mode, shown in worlds.items():
        assert "not found" in shown.call("check_status_bar", {}).content
        world = _setting(mode, presentation="own").make_world()
        asked = world.call("check_status_bar", {})
        assert (asked.ok, asked.content) == (
            False,
            "Error: 'check_status_bar' is a tool of the user's; ask the user to use it",
        )
        assert "unknown tool 'check_nothing'" in world.call("check_nothing", {}).content
        world.close()


def test_half_a_character_is_refused_in_both(worlds: Worlds) -> None:
    """It would be stored, and no look at the phone could be shown any more."""
    broken = '{"apn_settings": {"mmsc_url": "\\ud800"}}'
    for world in worlds.values():
        assert not world.call("set_apn_settings", broken, requestor="user").ok
        assert "http" in world.call("check_apn_settings", "{}", requestor="user").content


def test_an_endless_amount_is_refused_in_either_mode(worlds: Worlds) -> None:
    endless = json.dumps({**LINE, "gb_amount": float("inf")})
    bought = _both(worlds, lambda world: world.call("refuel_data", endless))
    assert {mode: result.ok for mode, result in bought.items()} == {"compat": False, "strict": False}
