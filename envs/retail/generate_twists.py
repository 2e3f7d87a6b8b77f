"""What makes a request hard: something unknown, a change of mind, a wish that cannot be had, a rule in the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mua_env.tasks import Action, MindChange, Request

from . import generate_requests as plain
from .goals import ORDER_INTENTS, item_slot, method_slot, write_action
from .shop import Draw, Record, paid_amount, paid_with
from .world_data import make_address


@dataclass(frozen=True)
class Part:
    """Requests that belong together, with the call lists whose last call the tools must refuse."""

    requests: tuple[Request, ...]
    must_fail: tuple[tuple[Action, ...], ...] = ()


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
    order = draw.shop.orders[slots["order_id"]]
    items = list(slots["items"])
    at = draw.rng.randrange(len(items))
    old = next(item for item in order["items"] if item["item_id"] == items[at]["item_id"])
    new = draw.variant(old, but=[items[at]["new_item_id"]])
    if new is None:
        return None
    items[at] = item_slot(old, new)
    return {"items": items}


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


def fallback(draw: Draw) -> Part | None:
    """The first wish cannot be had; the user then wants the second."""
    return draw.rng.choice((_sold_out, _sold_out, _short_funds, _wrong_refund, _cancel_else_return))(draw)


def _instead(draw: Draw, first: Request, second: Request) -> Part:
    first = first.model_copy(update={"outcome": "refused", "fallback": second})
    return Part((first,), must_fail=((_write(draw, first),),))


def _sold_out(draw: Draw) -> Part | None:
    """A variant that is not available; then another one."""
    builder = draw.rng.choice((plain.exchange_items, plain.modify_items))
    second = builder(draw)
    if second is None:
        return None
    order = draw.shop.orders[second.slots["order_id"]]
    items = list(second.slots["items"])
    at = draw.rng.randrange(len(items))
    old = next(item for item in order["items"] if item["item_id"] == items[at]["item_id"])
    gone = draw.variant(old, available=False)
    if gone is None:
        return None
    items[at] = item_slot(old, gone)
    return _instead(draw, second.model_copy(update={"slots": second.slots | {"items": items}}), second)


def _short_funds(draw: Draw) -> Part | None:
    """A gift card that does not cover a pending order; then another method."""
    second = plain.modify_order_payment(draw)
    card = second and draw.short_gift_card(paid_amount(draw.shop.orders[second.slots["order_id"]]))
    if not second or not card or card["id"] == paid_with(draw.shop.orders[second.slots["order_id"]]):
        return None
    slots = second.slots | {"payment_method": method_slot(card)}
    return _instead(draw, second.model_copy(update={"slots": slots}), second)


def _wrong_refund(draw: Draw) -> Part | None:
    """A refund to a method that is neither the original one nor a gift card; then one that is."""
    second = plain.return_items(draw)
    method = second and _foreign_method(draw, draw.shop.orders[second.slots["order_id"]])
    if not second or not method:
        return None
    slots = second.slots | {"payment_method": method_slot(method)}
    return _instead(draw, second.model_copy(update={"slots": slots}), second)


def _cancel_else_return(draw: Draw) -> Part | None:
    """Cancelling an order that was delivered already; then returning it."""
    second = plain.return_items(draw)
    if second is None:
        return None
    slots = {"order_id": second.slots["order_id"], "reason": draw.rng.choice(plain.REASONS)}
    return _instead(draw, Request(intent="cancel_order", slots=slots), second)


def refused(draw: Draw) -> Part | None:
    """A rule forbids the request; nothing is to be changed, and the user is to be told so."""
    kinds = (_too_late, _too_early, _no_refund, _poor_card, _wrong_reason, _not_yours, _gone)
    return draw.rng.choice(kinds)(draw)


def _refusal(draw: Draw, intent: str, slots: Record, *, by_tool: bool = True) -> Part:
    request = Request(intent=intent, slots=slots, outcome="refused")
    return Part((request,), must_fail=((_write(draw, request),),) if by_tool else ())


def _too_late(draw: Draw) -> Part | None:
    """Cancelling an order that was delivered, or redirecting it."""
    order = draw.take("delivered", "cancelled")
    if order is None:
        return None
    slots: Record = {"order_id": order["order_id"]}
    if order["status"] == "delivered" and draw.rng.random() < 0.5:
        return _refusal(draw, "cancel_order", slots | {"reason": draw.rng.choice(plain.REASONS)})
    return _refusal(draw, "modify_order_address", slots | {"address": make_address(draw.rng)})


def _too_early(draw: Draw) -> Part | None:
    """Returning what has not been delivered."""
    order = draw.take("pending")
    method = order and draw.refund_method(order)
    if not order or not method:
        return None
    items = [item_slot(item) for item in draw.items(order)]
    slots = {"order_id": order["order_id"], "items": items, "payment_method": method_slot(method)}
    return _refusal(draw, "return_items", slots)


def _no_refund(draw: Draw) -> Part | None:
    """A refund to a method that is neither the original one nor a gift card."""
    order = draw.take("delivered")
    method = order and _foreign_method(draw, order)
    if not order or not method:
        return None
    items = [item_slot(item) for item in draw.items(order)]
    slots = {"order_id": order["order_id"], "items": items, "payment_method": method_slot(method)}
    return _refusal(draw, "return_items", slots)


def _poor_card(draw: Draw) -> Part | None:
    """Paying a pending order with a gift card that does not cover it."""
    order = draw.take("pending")
    card = order and draw.short_gift_card(paid_amount(order))
    if not order or not card or card["id"] == paid_with(order):
        return None
    slots = {"order_id": order["order_id"], "payment_method": method_slot(card)}
    return _refusal(draw, "modify_order_payment", slots)


def _wrong_reason(draw: Draw) -> Part | None:
    """Cancelling for a reason that does not count."""
    order = draw.take("pending")
    reasons = ("found it cheaper elsewhere", "the delivery takes too long", "bought it in a shop today")
    if order is None:
        return None
    return _refusal(draw, "cancel_order", {"order_id": order["order_id"], "reason": draw.rng.choice(reasons)})


def _not_yours(draw: Draw) -> Part | None:
    """Cancelling somebody else's order: the tools would do it, the policy document forbids it."""
    order = draw.foreign_order("pending")
    if order is None:
        return None
    slots = {"order_id": order["order_id"], "reason": draw.rng.choice(plain.REASONS)}
    return _refusal(draw, "cancel_order", slots, by_tool=False)


def _gone(draw: Draw) -> Part | None:
    """Exchanging for a variant that is not available, with nothing else in mind."""
    part = _sold_out(draw)
    if part is None:
        return None
    wish = part.requests[0].model_copy(update={"fallback": None})
    return Part((wish,), must_fail=part.must_fail)


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
    return Part((request,), must_fail=((_write(draw, request),),))


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
    second = requests[1].model_copy(update={"outcome": "refused"})
    return Part((requests[0], second), must_fail=((_write(draw, requests[0]), _write(draw, second)),))


def _foreign_method(draw: Draw, order: Record) -> Record | None:
    """A card or account of the user that the order was not paid with."""
    cards = [method_id for method_id, method in draw.user["payment_methods"].items() if method["source"] == "gift_card"]
    return draw.method(but=[paid_with(order), *cards])


def _write(draw: Draw, request: Request) -> Action:
    return write_action(request.intent, request.slots, draw.user["user_id"])


TWISTS: Final[Mapping[str, Twist]] = {
    "unknown": unknown,
    "change": change,
    "fallback": fallback,
    "refused": refused,
    "twice": twice,
    "transfer": transfer,
}
"""``transfer`` must come last in a task: it ends the episode."""
