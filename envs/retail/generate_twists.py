"""What makes a request hard: something unknown, a change of mind, a wish that cannot be had, a rule in the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mua_env.core.tasks import MindChange, Request

from . import generate_requests as plain
from .generate_refused import fallback, refused
from .generate_requests import Part, one_swapped, write
from .goals import ORDER_INTENTS, item_slot, method_slot
from .shop import Draw, Record, paid_amount, paid_with
from .world_data import make_address

Twist = Callable[[Draw], Part | None]


def unknown(draw: Draw) -> Part | None:
    """The user does not know the order id, only what is in the order."""
    request = plain.BUILDERS[draw.rng.choice(sorted(ORDER_INTENTS))](draw)
    if request is None:
        return None
    elsewhere = {
        item["name"]
        for order in draw.orders
        if order["order_id"] != request.slots["order_id"]
        for item in order["items"]
    }
    inside = request.slots.get("items") or draw.shop.orders[request.slots["order_id"]]["items"]
    names = [item["name"] for item in inside]
    if all(name in elsewhere for name in names):
        return None
    if "items" not in request.slots:
        # One telling item is what people remember of an order.
        names = [draw.rng.choice([name for name in names if name not in elsewhere])]
    slots = request.slots | {"order_hint": names}
    return Part((request.model_copy(update={"slots": slots, "unknown": ("order_id",)}),))


def change(draw: Draw) -> Part | None:
    """The user changes its mind when asked to confirm, or, of an address, after it has been changed."""
    request = plain.BUILDERS[draw.rng.choice(sorted(_CHANGES))](draw)
    slots = request and _CHANGES[request.intent](draw, request.slots)
    if not request or not slots:
        return None
    late = "address" in slots and draw.rng.random() < 0.3
    planned = MindChange(slots=slots, after="confirmation" if late else "proposal")
    return Part((request.model_copy(update={"change": planned}),))


def _other_reason(draw: Draw, slots: Record) -> Record:
    return {"reason": next(reason for reason in plain.REASONS if reason != slots["reason"])}


def _other_items(draw: Draw, slots: Record) -> Record | None:
    order = draw.shop.orders[slots["order_id"]]
    if len(order["items"]) < 2:
        return None
    items = [item_slot(item) for item in draw.items(order)]
    return {"items": items} if items != slots["items"] else None


def _other_variant(draw: Draw, slots: Record) -> Record | None:
    items = one_swapped(draw, slots, lambda old, slot: draw.variant(old, but=[slot["new_item_id"]]))
    return None if items is None else {"items": items}


def _other_address(draw: Draw, slots: Record) -> Record:
    return {"address": make_address(draw.rng)}


def _other_payment(draw: Draw, slots: Record) -> Record | None:
    order = draw.shop.orders[slots["order_id"]]
    method = draw.method(covers=paid_amount(order), but=[paid_with(order), slots["payment_method"]["id"]])
    return method and {"payment_method": method_slot(method)}


_CHANGES: Final[Mapping[str, Callable[[Draw, Record], Record | None]]] = {
    "cancel_order": _other_reason,
    "return_items": _other_items,
    "exchange_items": _other_variant,
    "modify_items": _other_variant,
    "modify_order_address": _other_address,
    "modify_order_payment": _other_payment,
    "modify_user_address": _other_address,
}


def transfer(draw: Draw) -> Part | None:
    """A change of an order that is being shipped: only a human agent may do something about it."""
    order = draw.take("processed")
    if order is None:
        return None
    slots: Record = {"order_id": order["order_id"]}
    intent = draw.rng.choice(("cancel_order", "modify_order_address"))
    if intent == "cancel_order":
        slots["reason"] = draw.rng.choice(plain.REASONS)
    else:
        slots["address"] = make_address(draw.rng)
    request = Request(intent=intent, slots=slots, outcome="transferred")
    return Part((request,), must_fail=((write(draw, request),),))


def twice(draw: Draw) -> Part | None:
    """A second change of an order that was just exchanged or returned in part: an order takes one only."""
    order = draw.take("delivered", least_items=2)
    method = order and draw.refund_method(order)
    if not order or not method:
        return None
    kept, given = draw.rng.sample(order["items"], 2)
    new = draw.variant(kept)
    payment = draw.method(covers=None if new is None else new["price"] - kept["price"])
    if new is None or payment is None:
        return None
    swap = {"items": [item_slot(kept, new)], "payment_method": method_slot(payment)}
    back = {"items": [item_slot(given)], "payment_method": method_slot(method)}
    requests = [
        Request(intent="exchange_items", slots={"order_id": order["order_id"], **swap}),
        Request(intent="return_items", slots={"order_id": order["order_id"], **back}),
    ]
    if draw.rng.random() < 0.5:
        requests.reverse()
    second = requests[1].model_copy(update={"outcome": "refused", "rules": ("one-change-per-order",)})
    return Part((requests[0], second), must_fail=((write(draw, requests[0]), write(draw, second)),))


TWISTS: Final[Mapping[str, Twist]] = {
    "unknown": unknown,
    "change": change,
    "fallback": fallback,
    "refused": refused,
    "twice": twice,
    "transfer": transfer,
}
"""``transfer`` must come last in a task: it ends the episode."""
