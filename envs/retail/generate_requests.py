"""Builders of requests: each draws one request of an intent from the user's records, or gives up with ``None``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mua_env.core.tasks import Action, Request

from .goals import item_slot, method_slot, write_action
from .shop import Draw, Record, paid_amount, paid_with
from .world_data import make_address

REASONS: Final = ("no longer needed", "ordered by mistake")
Builder = Callable[[Draw], Request | None]


def cancel_order(draw: Draw) -> Request | None:
    """Cancel a pending order."""
    order = draw.take("pending")
    if order is None:
        return None
    return Request(intent="cancel_order", slots=_order(order) | {"reason": draw.rng.choice(REASONS)})


def return_items(draw: Draw) -> Request | None:
    """Return items of a delivered order, refunded to its payment method or a gift card."""
    order = draw.take("delivered")
    method = order and draw.refund_method(order)
    return returned(draw, order, method) if order and method else None


def returned(draw: Draw, order: Record, method: Record) -> Request:
    """Return some items of an order, refunded to a payment method."""
    items = [item_slot(item) for item in draw.items(order)]
    return Request(intent="return_items", slots=_order(order) | {"items": items, "payment_method": method_slot(method)})


def exchange_items(draw: Draw) -> Request | None:
    """Exchange items of a delivered order for other variants."""
    return _swap(draw, "exchange_items", draw.take("delivered"))


def modify_items(draw: Draw) -> Request | None:
    """Swap items of a pending order for other variants."""
    return _swap(draw, "modify_items", draw.take("pending"))


def modify_order_address(draw: Draw) -> Request | None:
    """Send a pending order elsewhere: to a new address, or to the default one where that differs."""
    order = draw.take("pending")
    if order is None:
        return None
    default: Record = draw.user["address"]
    home = order["address"] != default and draw.rng.random() < 0.5
    address = dict(default) if home else make_address(draw.rng)
    return Request(intent="modify_order_address", slots=_order(order) | {"address": address})


def modify_order_payment(draw: Draw) -> Request | None:
    """Move the payment of a pending order to another method that covers it."""
    order = draw.take("pending")
    method = order and draw.method(covers=paid_amount(order), but=[paid_with(order)])
    if not order or not method:
        return None
    return Request(intent="modify_order_payment", slots=_order(order) | {"payment_method": method_slot(method)})


def modify_user_address(draw: Draw) -> Request | None:
    """Change the default address in the profile."""
    return Request(intent="modify_user_address", slots={"address": make_address(draw.rng)})


def ask(draw: Draw) -> Request | None:
    """Ask something that the tools can answer."""
    topics = ["order_status", "order_total", "tracking_number", "delivery_address", "product_options_count"]
    topic = draw.rng.choice(topics)
    if topic == "product_options_count":
        return _ask_product(draw)
    statuses = ("processed", "delivered") if topic == "tracking_number" else ("pending", "processed", "delivered")
    order = draw.take(*statuses)
    if order is None:
        return None
    slots = {"topic": topic, **_order(order), "answer": _answer(topic, order)}
    return Request(intent="ask", slots=slots, outcome="answered")


def _answer(topic: str, order: Record) -> str:
    if topic == "order_status":
        return str(order["status"])
    if topic == "order_total":
        return plain_number(paid_amount(order))
    if topic == "tracking_number":
        return str(order["fulfillments"][0]["tracking_id"][0])
    return str(order["address"]["address1"])


def plain_number(value: float) -> str:
    """A number without trailing zeros, so that it is found in both ``12.50`` and ``12.5``."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _ask_product(draw: Draw) -> Request:
    product = draw.rng.choice(list(draw.shop.products.values()))
    available = sum(variant["available"] for variant in product["variants"].values())
    slots = {"topic": "product_options_count", "product": product["name"], "answer": str(available)}
    return Request(intent="ask", slots=slots, outcome="answered")


def _swap(draw: Draw, intent: str, order: Record | None) -> Request | None:
    if order is None:
        return None
    pairs = [(item, draw.variant(item)) for item in draw.items(order)]
    found = [(item, new) for item, new in pairs if new is not None]
    if len(found) < len(pairs):
        return None
    cost = sum(new["price"] - item["price"] for item, new in found)
    method = draw.method(covers=cost)
    if method is None:
        return None
    items = [item_slot(item, new) for item, new in found]
    return Request(intent=intent, slots=_order(order) | {"items": items, "payment_method": method_slot(method)})


def _order(order: Record) -> Record:
    return {"order_id": order["order_id"]}


BUILDERS: Final[Mapping[str, Builder]] = {
    "cancel_order": cancel_order,
    "return_items": return_items,
    "exchange_items": exchange_items,
    "modify_items": modify_items,
    "modify_order_address": modify_order_address,
    "modify_order_payment": modify_order_payment,
    "modify_user_address": modify_user_address,
    "ask": ask,
}


@dataclass(frozen=True)
class Part:
    """Requests that belong together, with the call lists whose last call the tools must refuse."""

    requests: tuple[Request, ...]
    must_fail: tuple[tuple[Action, ...], ...] = ()


def write(draw: Draw, request: Request) -> Action:
    """The tool call that would fulfil a request."""
    return write_action(request.intent, request.slots, draw.user["user_id"])


def one_swapped(draw: Draw, slots: Record, find: Callable[[Record, Record], Record | None]) -> list[Record] | None:
    """The items of a request, one of them for another new variant; ``find`` is given the item, and its slot."""
    order = draw.shop.orders[slots["order_id"]]
    items = list(slots["items"])
    at = draw.rng.randrange(len(items))
    old = next(item for item in order["items"] if item["item_id"] == items[at]["item_id"])
    new = find(old, items[at])
    if new is None:
        return None
    items[at] = item_slot(old, new)
    return items
