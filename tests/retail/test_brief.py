"""Tool results in few words."""

from __future__ import annotations

import json

from mua_env.core.messages import ToolMessage, UserMessage
from mua_env.envs.retail import domain
from mua_env.envs.retail.world_data import generate_data
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.training.rollout.pool import DialoguePool
from mua_env.users.agenda.user import AgendaUser

ORDERS = generate_data()["orders"]


def brief(tool: str, record: object) -> str:
    return domain.brief(tool, json.dumps(record, ensure_ascii=False))


def test_an_order_keeps_what_level_1_asks_for() -> None:
    for order in ORDERS[:200]:
        text = brief("get_order_details", order)
        address, paid = order["address"], order["payment_history"][0]
        assert order["order_id"] in text
        assert order["user_id"] in text
        assert f"status {order['status']}" in text
        assert f"total {paid['amount']:.2f}" in text
        assert all(address[key] in text for key in ("address1", "address2", "city", "state", "zip", "country"))
        assert all(number in text for part in order["fulfillments"] for number in part["tracking_id"])
        assert all(item["item_id"] in text and item["name"] in text for item in order["items"])
        assert len(text) < 0.5 * len(json.dumps(order))


def test_a_change_tells_only_what_it_changed() -> None:
    order = {**ORDERS[0], "status": "cancelled"}
    assert brief("cancel_pending_order", order) == f"{order['order_id']} cancelled"
    assert brief("modify_pending_order_address", order).endswith(order["address"]["country"])


def test_ids_and_errors_go_as_they_are() -> None:
    assert domain.brief("find_user_id_by_email", "ada_stone_1234") == "ada_stone_1234"
    assert domain.brief("get_order_details", "Error: there is no order '#W1'") == "Error: there is no order '#W1'"


def test_every_result_in_the_expert_s_dialogues_can_be_told_in_few_words() -> None:
    setting = load_setting("retail", "generate:level=2:seed=3")
    session = Session(setting, AgendaUser())
    tools = set()
    for number in range(60):
        hold(session, domain.expert(), setting.tasks[number], seed=number)
        for entry in session.episode.entries:
            if isinstance(entry.message, ToolMessage):
                tools.add(entry.message.name)
                text = domain.brief(entry.message.name, entry.message.content)
                assert "{" not in text
                assert len(text) <= len(entry.message.content)
    session.close()
    assert tools >= {"get_user_details", "get_product_details", "get_order_details", "return_delivered_order_items"}


def test_variants_that_are_not_available_are_marked() -> None:
    product = generate_data()["products"][0]
    lines = brief("get_product_details", product).splitlines()[1:]
    marked = [line for line in lines if line.endswith("(not available)")]
    assert len(lines) == len(product["variants"])
    assert len(marked) == sum(not variant["available"] for variant in product["variants"].values())


def test_a_pool_shows_results_in_few_words_only_where_asked() -> None:
    messages = [
        UserMessage(content='{"a": 1}'),
        ToolMessage(tool_call_id="1", name="get_order_details", content=json.dumps(ORDERS[0])),
    ]
    setting = load_setting("retail", "train:level=1")
    for results, changed in (("full", False), ("brief", True)):
        pool = DialoguePool(setting, AgendaUser(), results=results)  # type: ignore[arg-type]
        shown = pool.shown(messages)
        assert shown[0] == messages[0]
        assert (shown[1] != messages[1]) is changed
