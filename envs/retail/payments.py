"""Money in the retail world: prices of changed items, gift card balances, refunds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mua_env.core.database import Database
from mua_env.core.tools import Mode
from mua_env.errors import ToolError

from .models import Order, Product, User

Record = dict[str, Any]


def require_order(db: Database, order_id: str) -> Record:
    """The order's record.

    Raises:
        ToolError: there is none.
    """
    order = db.get(Order, order_id)
    if order is None:
        raise ToolError(f"there is no order {order_id!r} (order ids look like '#W0000000')")
    return order


def require_status(order: Record, status: str, action: str) -> None:
    """Refuse unless the order has this very status."""
    if order["status"] != status:
        raise ToolError(f"order {order['order_id']} is {order['status']!r}; only a {status} order can be {action}")


def require_method(user: Record, payment_method_id: str) -> Record:
    """The user's payment method with this id, or a refusal."""
    method = user["payment_methods"].get(payment_method_id)
    if method is None:
        known = ", ".join(sorted(user["payment_methods"]))
        raise ToolError(f"payment method {payment_method_id!r} is not in the user's profile, which has: {known}")
    assert isinstance(method, dict)
    return method


def owner(db: Database, order: Record) -> Record:
    """The record of the user that an order belongs to."""
    user = db.get(User, order["user_id"])
    if user is None:
        raise ToolError(f"order {order['order_id']} belongs to no known user")
    return user


def require_funds(method: Record, amount: float) -> None:
    """Refuse if the method is a gift card with less than ``amount`` (US dollars) on it."""
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise ToolError(f"gift card {method['id']} holds {method['balance']}, which does not cover {amount:.2f}")


def charge(method: Record, amount: float) -> bool:
    """Take ``amount`` (negative: give it) from a gift card; other methods have no balance here.

    Returns:
        Whether the record was changed.
    """
    if method["source"] != "gift_card":
        return False
    method["balance"] = round(method["balance"] - amount, 2)
    return True


def require_items(order: Record, item_ids: Sequence[str], mode: Mode) -> None:
    """Refuse if the order does not hold every listed item as often as it is listed."""
    if not item_ids and mode == "strict":
        raise ToolError("item_ids is empty; list at least one item")
    held = Counter(item["item_id"] for item in order["items"])
    for item_id, times in Counter(item_ids).items():
        if times > held[item_id]:
            raise ToolError(f"item {item_id!r} is not in order {order['order_id']} {times} time(s)")


def swap_prices(db: Database, order: Record, item_ids: Sequence[str], new_item_ids: Sequence[str]) -> list[Record]:
    """The variants that shall replace items of an order, in the order listed.

    Raises:
        ToolError: the lists differ in length, or a new item is no available variant of the same product.
    """
    if len(item_ids) != len(new_item_ids):
        raise ToolError(f"item_ids has {len(item_ids)} entries and new_item_ids {len(new_item_ids)}; pair them up")
    variants = []
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = next(item for item in order["items"] if item["item_id"] == item_id)
        product = db.get(Product, item["product_id"])
        variant = None if product is None else product["variants"].get(new_item_id)
        if variant is None:
            raise ToolError(f"item {new_item_id!r} is no variant of the product {item['name']!r}")
        if not variant["available"]:
            raise ToolError(f"item {new_item_id!r} ({item['name']}) is not available")
        variants.append(variant)
    return variants


def price_difference(order: Record, item_ids: Sequence[str], variants: Sequence[Record]) -> float:
    """What the new items cost more than the old ones, in US dollars, not rounded."""
    prices = {item["item_id"]: item["price"] for item in reversed(order["items"])}
    difference: float = 0
    for item_id, variant in zip(item_ids, variants, strict=True):
        difference += variant["price"] - prices[item_id]
    return difference


def entry(kind: str, amount: float, payment_method_id: str) -> Record:
    """A line of an order's payment history."""
    return {"transaction_type": kind, "amount": amount, "payment_method_id": payment_method_id}


def refunds(order: Record, mode: Mode) -> list[Record]:
    """The refunds that cancelling an order takes.

    The public tool refunds every line of the history, refunds included, so that a changed payment method is paid
    back too often (``compat``); in ``strict`` mode each method gets back what was taken from it in sum.
    """
    history = order["payment_history"]
    if mode == "compat":
        return [entry("refund", line["amount"], line["payment_method_id"]) for line in history]
    paid: dict[str, float] = {}
    for line in history:
        sign = 1 if line["transaction_type"] == "payment" else -1
        method_id = line["payment_method_id"]
        paid[method_id] = round(paid.get(method_id, 0) + sign * line["amount"], 2)
    return [entry("refund", amount, method_id) for method_id, amount in paid.items() if amount > 0]
