"""The sixteen tools: schemas, effects, refusals, and where strict and compat part."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mua_env.core.database import Rows
from mua_env.core.world import SQLWorld
from mua_env.envs.retail.tools import RetailTools

PUBLIC = {
    "calculate": {"expression"},
    "cancel_pending_order": {"order_id", "reason"},
    "exchange_delivered_order_items": {"order_id", "item_ids", "new_item_ids", "payment_method_id"},
    "find_user_id_by_email": {"email"},
    "find_user_id_by_name_zip": {"first_name", "last_name", "zip"},
    "get_order_details": {"order_id"},
    "get_product_details": {"product_id"},
    "get_user_details": {"user_id"},
    "list_all_product_types": set(),
    "modify_pending_order_address": {"order_id", "address1", "address2", "city", "state", "country", "zip"},
    "modify_pending_order_items": {"order_id", "item_ids", "new_item_ids", "payment_method_id"},
    "modify_pending_order_payment": {"order_id", "payment_method_id"},
    "modify_user_address": {"user_id", "address1", "address2", "city", "state", "country", "zip"},
    "return_delivered_order_items": {"order_id", "item_ids", "payment_method_id"},
    "think": {"thought"},
    "transfer_to_human_agents": {"summary"},
}
ADDRESS = {"address1": "1 New Street", "address2": "", "city": "Reno", "state": "NV", "country": "USA", "zip": "89501"}


def find_order(rows: Rows, fits: Callable[[dict[str, Any], dict[str, Any]], bool]) -> tuple[Any, Any]:
    """The first order, with its user, that fits."""
    users = {user["user_id"]: user for user in rows["users"]}
    return next((order, users[order["user_id"]]) for order in rows["orders"] if fits(order, users[order["user_id"]]))


def ok(world: SQLWorld, name: str, **arguments: Any) -> Any:
    result = world.call(name, arguments)
    assert result.ok, result.content
    return json.loads(result.content) if result.content[:1] in ("{", "[") else result.content


def refused(world: SQLWorld, name: str, **arguments: Any) -> str:
    before = world.snapshot()
    result = world.call(name, arguments)
    assert not result.ok
    assert world.snapshot() == before
    return result.content


def test_names_and_arguments_are_the_public_ones() -> None:
    schemas = {schema["function"]["name"]: schema["function"] for schema in RetailTools.schemas()}
    assert {name: set(schema["parameters"]["properties"]) for name, schema in schemas.items()} == PUBLIC
    for schema in schemas.values():
        assert len(schema["description"]) > 20
        assert set(schema["parameters"].get("required", ())) == set(schema["parameters"]["properties"])
        assert all(field.get("description") for field in schema["parameters"]["properties"].values())
        assert "$ref" not in json.dumps(schema)


def test_users_are_found_whatever_the_case(world: SQLWorld, rows: Rows) -> None:
    user = rows["users"][7]
    assert ok(world, "find_user_id_by_email", email=user["email"].upper()) == user["user_id"]
    name = {key: value.lower() for key, value in user["name"].items()}
    assert ok(world, "find_user_id_by_name_zip", **name, zip=user["address"]["zip"]) == user["user_id"]
    assert "no user" in refused(world, "find_user_id_by_name_zip", **name, zip="00000")
    profile = ok(world, "get_user_details", user_id=user["user_id"])
    assert profile == {key: value for key, value in user.items() if key != "user_id"}


def test_a_moved_user_is_found_by_the_new_zip(world: SQLWorld, rows: Rows) -> None:
    user = rows["users"][7]
    ok(world, "modify_user_address", user_id=user["user_id"], **ADDRESS)
    assert ok(world, "find_user_id_by_name_zip", **user["name"], zip=ADDRESS["zip"]) == user["user_id"]


def test_cancelling_refunds_a_gift_card_at_once(world: SQLWorld, rows: Rows) -> None:
    def fits(order: Any, user: Any) -> bool:
        return order["status"] == "pending" and "gift_card" in order["payment_history"][0]["payment_method_id"]

    order, user = find_order(rows, fits)
    paid = order["payment_history"][0]
    done = ok(world, "cancel_pending_order", order_id=order["order_id"], reason="no longer needed")
    assert (done["status"], done["cancel_reason"]) == ("cancelled", "no longer needed")
    assert done["payment_history"][1] == {**paid, "transaction_type": "refund"}
    card = ok(world, "get_user_details", user_id=user["user_id"])["payment_methods"][paid["payment_method_id"]]
    before = user["payment_methods"][paid["payment_method_id"]]["balance"]
    assert card["balance"] == round(before + paid["amount"], 2)
    assert "pending" in refused(world, "cancel_pending_order", order_id=order["order_id"], reason="no longer needed")


def test_a_reason_that_does_not_count_is_refused(world: SQLWorld, rows: Rows) -> None:
    order, _ = find_order(rows, lambda order, user: order["status"] == "pending")
    text = refused(world, "cancel_pending_order", order_id=order["order_id"], reason="changed my mind")
    assert "reason" in text
    assert "ordered by mistake" in text


def pay_with_card(rows: Rows) -> tuple[Any, Any, str]:
    """A pending order, its user, and a gift card that covers it but did not pay it."""

    def fits(order: Any, user: Any) -> bool:
        return order["status"] == "pending" and card_for(order, user) is not None

    order, user = find_order(rows, fits)
    card = card_for(order, user)
    assert card is not None
    return order, user, card


def card_for(order: Any, user: Any) -> str | None:
    paid = order["payment_history"][0]
    for method_id, method in user["payment_methods"].items():
        covers = method["source"] == "gift_card" and method["balance"] >= paid["amount"]
        if covers and method_id != paid["payment_method_id"]:
            return str(method_id)
    return None


def test_cancelling_after_a_changed_payment(world: SQLWorld, compat: SQLWorld, rows: Rows) -> None:
    order, user, card = pay_with_card(rows)
    balance = user["payment_methods"][card]["balance"]
    after = {}
    for name, shop in (("strict", world), ("compat", compat)):
        ok(shop, "modify_pending_order_payment", order_id=order["order_id"], payment_method_id=card)
        done = ok(shop, "cancel_pending_order", order_id=order["order_id"], reason="ordered by mistake")
        now = ok(shop, "get_user_details", user_id=user["user_id"])["payment_methods"][card]["balance"]
        after[name] = (len(done["payment_history"]), now)
    # Paid once, moved to the card: strict pays the card back; compat also "refunds" the old method, twice.
    assert after == {"strict": (4, balance), "compat": (6, balance)}


def test_payment_is_moved_and_balances_follow(world: SQLWorld, rows: Rows) -> None:
    order, user, card = pay_with_card(rows)
    paid = order["payment_history"][0]
    done = ok(world, "modify_pending_order_payment", order_id=order["order_id"], payment_method_id=card)
    assert [line["transaction_type"] for line in done["payment_history"]] == ["payment", "payment", "refund"]
    now = ok(world, "get_user_details", user_id=user["user_id"])["payment_methods"][card]["balance"]
    assert now == round(user["payment_methods"][card]["balance"] - paid["amount"], 2)
    again = refused(world, "modify_pending_order_payment", order_id=order["order_id"], payment_method_id=card)
    assert "payment entries" in again


def test_a_short_gift_card_is_refused(world: SQLWorld, rows: Rows) -> None:
    def fits(order: Any, user: Any) -> bool:
        paid = order["payment_history"][0]
        cards = [m for m in user["payment_methods"].values() if m["source"] == "gift_card"]
        return order["status"] == "pending" and any(
            card["balance"] < paid["amount"] and card["id"] != paid["payment_method_id"] for card in cards
        )

    order, user = find_order(rows, fits)
    card = next(method["id"] for method in user["payment_methods"].values() if method["source"] == "gift_card")
    text = refused(world, "modify_pending_order_payment", order_id=order["order_id"], payment_method_id=card)
    assert "does not cover" in text


def swap(rows: Rows, status: str) -> tuple[Any, Any, Any, Any]:
    """An order of a status, its first item, another available variant, and a card or account to pay with."""
    products = {product["product_id"]: product for product in rows["products"]}

    def other(item: Any) -> Any:
        variants = products[item["product_id"]]["variants"].values()
        return next((v for v in variants if v["available"] and v["item_id"] != item["item_id"]), None)

    def fits(order: Any, user: Any) -> bool:
        paid = order["payment_history"][0]["payment_method_id"]
        return order["status"] == status and other(order["items"][0]) is not None and "gift_card" not in paid

    order, _ = find_order(rows, fits)
    item = order["items"][0]
    return order, item, other(item), order["payment_history"][0]["payment_method_id"]


def test_items_of_a_pending_order_are_swapped_once(world: SQLWorld, compat: SQLWorld, rows: Rows) -> None:
    order, item, new, method = swap(rows, "pending")
    arguments = {
        "order_id": order["order_id"],
        "item_ids": [item["item_id"]],
        "new_item_ids": [new["item_id"]],
        "payment_method_id": method,
    }
    done = ok(world, "modify_pending_order_items", **arguments)
    assert done["status"] == "pending (item modified)"
    assert done["items"][0] == {**item, **{key: new[key] for key in ("item_id", "price", "options")}}
    difference = new["price"] - item["price"]
    assert done["payment_history"][-1]["amount"] == round(abs(difference), 2)
    raw = ok(compat, "modify_pending_order_items", **arguments)
    assert raw["payment_history"][-1]["amount"] == abs(0 + difference), "compat keeps the float as it is"
    assert "pending (item modified)" in refused(world, "modify_pending_order_items", **arguments)
    assert "pending (item modified)" in refused(
        world, "cancel_pending_order", order_id=order["order_id"], reason="no longer needed"
    )


def test_exchange_records_what_is_wanted(world: SQLWorld, rows: Rows) -> None:
    order, item, new, method = swap(rows, "delivered")
    arguments = {"order_id": order["order_id"], "item_ids": [item["item_id"]], "payment_method_id": method}
    done = ok(world, "exchange_delivered_order_items", **arguments, new_item_ids=[new["item_id"]])
    assert done["status"] == "exchange requested"
    assert done["exchange_items"] == [item["item_id"]]
    assert done["exchange_new_items"] == [new["item_id"]]
    assert done["exchange_price_difference"] == round(new["price"] - item["price"], 2)
    assert done["items"] == order["items"]
    assert "exchange requested" in refused(world, "return_delivered_order_items", **arguments)


@pytest.mark.parametrize("name", ["modify_pending_order_items", "exchange_delivered_order_items"])
def test_swaps_that_cannot_be(world: SQLWorld, rows: Rows, name: str) -> None:
    order, item, new, method = swap(rows, "pending" if "pending" in name else "delivered")
    good = {
        "order_id": order["order_id"],
        "item_ids": [item["item_id"]],
        "new_item_ids": [new["item_id"]],
        "payment_method_id": method,
    }
    product = next(product for product in rows["products"] if product["product_id"] == item["product_id"])
    gone = next((v["item_id"] for v in product["variants"].values() if not v["available"]), None)
    stranger = next(p for p in rows["products"] if p["product_id"] != item["product_id"])
    bad: list[tuple[dict[str, Any], str]] = [
        ({"item_ids": [], "new_item_ids": []}, "empty"),
        ({"item_ids": [item["item_id"]] * 2, "new_item_ids": [new["item_id"]] * 2}, "2 time"),
        ({"new_item_ids": []}, "0; pair them up"),
        ({"new_item_ids": [next(iter(stranger["variants"]))]}, "no variant"),
        ({"payment_method_id": "gift_card_1"}, "not in the user's profile"),
        ({"order_id": "#W0"}, "no order"),
    ]
    if gone is not None:
        bad.append(({"new_item_ids": [gone]}, "not available"))
    for change, message in bad:
        assert message in refused(world, name, **{**good, **change})


def test_a_return_goes_to_the_original_method_or_a_gift_card(world: SQLWorld, rows: Rows) -> None:
    def fits(order: Any, user: Any) -> bool:
        sources = {method["source"] for method in user["payment_methods"].values()}
        paid = order["payment_history"][0]["payment_method_id"]
        return order["status"] == "delivered" and len(sources) == 3 and "gift_card" not in paid

    order, user = find_order(rows, fits)
    paid = order["payment_history"][0]["payment_method_id"]
    items = [item["item_id"] for item in order["items"]]
    other = next(
        method_id for method_id in user["payment_methods"] if method_id != paid and "gift_card" not in method_id
    )
    card = next(method_id for method_id in user["payment_methods"] if "gift_card" in method_id)
    call = {"order_id": order["order_id"], "item_ids": items}
    assert "original method" in refused(world, "return_delivered_order_items", **call, payment_method_id=other)
    done = ok(world, "return_delivered_order_items", **call, payment_method_id=card)
    assert done["status"] == "return requested"
    assert done["return_items"] == sorted(items)
    assert done["return_payment_method_id"] == card


def test_an_address_with_holes(world: SQLWorld, compat: SQLWorld, rows: Rows) -> None:
    order, user = find_order(rows, lambda order, user: order["status"] == "pending")
    for name, key in (
        ("modify_pending_order_address", {"order_id": order["order_id"]}),
        ("modify_user_address", {"user_id": user["user_id"]}),
    ):
        assert "'city'" in refused(world, name, **key, **{**ADDRESS, "city": " "})
        short = {field: value for field, value in ADDRESS.items() if field != "zip"}
        assert "'zip' is missing" in refused(compat, name, **key, **short)
        assert ok(world, name, **key, **ADDRESS)["address"] == ADDRESS


def test_reads_and_the_rest(world: SQLWorld, rows: Rows) -> None:
    types = ok(world, "list_all_product_types")
    assert list(types) == sorted(types)
    assert len(types) == 50
    product = rows["products"][3]
    assert ok(world, "get_product_details", product_id=types[product["name"]]) == product
    assert "item id" in refused(world, "get_product_details", product_id=next(iter(product["variants"])))
    assert ok(world, "think", thought="hm") == ""
    assert ok(world, "transfer_to_human_agents", summary="x") == "Transfer successful"
    assert world.is_terminal("transfer_to_human_agents")
    assert world.snapshot() == {}


def test_swap_by_position_or_chained(world: SQLWorld, compat: SQLWorld, rows: Rows) -> None:
    """ "A to B, B to C" in one order with A and B of one product: only the public tool turns A into C."""
    from mua_env.envs.retail.tools import replace_items

    variants = list(rows["products"][0]["variants"].values())[:3]
    first, second, third = ({**variant, "name": "x", "product_id": "p"} for variant in variants)
    ids = [first["item_id"], second["item_id"]]
    strict = replace_items([first, second], ids, [second, third], chained=False)
    chained = replace_items([first, second], ids, [second, third], chained=True)
    assert [item["item_id"] for item in strict] == [second["item_id"], third["item_id"]]
    assert [item["item_id"] for item in chained] == [third["item_id"], second["item_id"]]
