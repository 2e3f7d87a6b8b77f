"""Twists about wishes that cannot be had: with something else in their place, or with nothing."""

from __future__ import annotations

from mua_env.core.tasks import Request

from . import generate_requests as plain
from .generate_requests import Part, one_swapped, write
from .goals import method_slot
from .shop import Draw, Record, paid_amount, paid_with
from .world_data import make_address


def fallback(draw: Draw) -> Part | None:
    """The first wish cannot be had; the user then wants the second."""
    return draw.rng.choice((_sold_out, _sold_out, _short_funds, _wrong_refund, _cancel_else_return))(draw)


def _wanting(request: Request, **slots: object) -> Request:
    return request.model_copy(update={"slots": request.slots | slots})


def _instead(draw: Draw, first: Request, second: Request, rule: str) -> Part:
    first = first.model_copy(update={"outcome": "refused", "fallback": second, "rules": (rule,)})
    return Part((first,), must_fail=((write(draw, first),),))


def _sold_out(draw: Draw) -> Part | None:
    """A variant that is not available; then another one."""
    builder = draw.rng.choice((plain.exchange_items, plain.modify_items))
    second = builder(draw)
    if second is None:
        return None
    items = one_swapped(draw, second.slots, lambda old, _: draw.variant(old, available=False))
    return None if items is None else _instead(draw, _wanting(second, items=items), second, "same-product-available")


def _short_funds(draw: Draw) -> Part | None:
    """A gift card that does not cover a pending order; then another method."""
    second = plain.modify_order_payment(draw)
    card = second and draw.short_gift_card(paid_amount(draw.shop.orders[second.slots["order_id"]]))
    if not second or not card or card["id"] == paid_with(draw.shop.orders[second.slots["order_id"]]):
        return None
    first = _wanting(second, payment_method=method_slot(card))
    return _instead(draw, first, second, "gift-card-balance")


def _wrong_refund(draw: Draw) -> Part | None:
    """A refund to a method that is neither the original one nor a gift card; then one that is."""
    second = plain.return_items(draw)
    method = second and _foreign_method(draw, draw.shop.orders[second.slots["order_id"]])
    if not second or not method:
        return None
    first = _wanting(second, payment_method=method_slot(method))
    return _instead(draw, first, second, "refund-original-or-gift-card")


def _cancel_else_return(draw: Draw) -> Part | None:
    """Cancelling an order that was delivered already; then returning it."""
    second = plain.return_items(draw)
    if second is None:
        return None
    order = draw.shop.orders[second.slots["order_id"]]
    return _instead(draw, _cancelling(order, draw.rng.choice(plain.REASONS)), second, "cancel-pending-only")


def refused(draw: Draw) -> Part | None:
    """A rule forbids the request; nothing is to be changed, and the user is to be told so."""
    kinds = (_too_late, _too_early, _no_refund, _poor_card, _wrong_reason, _not_yours, _gone)
    return draw.rng.choice(kinds)(draw)


def _refusal(draw: Draw, request: Request, rule: str, *, by_tool: bool = True) -> Part:
    wish = request.model_copy(update={"outcome": "refused", "rules": (rule,)})
    return Part((wish,), must_fail=((write(draw, wish),),) if by_tool else ())


def _too_late(draw: Draw) -> Part | None:
    """Cancelling an order that was delivered, or redirecting it."""
    order = draw.take("delivered", "cancelled")
    if order is None:
        return None
    if order["status"] == "delivered" and draw.rng.random() < 0.5:
        return _refusal(draw, _cancelling(order, draw.rng.choice(plain.REASONS)), "cancel-pending-only")
    slots = {"order_id": order["order_id"], "address": make_address(draw.rng)}
    return _refusal(draw, Request(intent="modify_order_address", slots=slots), "modify-pending-only")


def _cancelling(order: Record, reason: str) -> Request:
    return Request(intent="cancel_order", slots={"order_id": order["order_id"], "reason": reason})


def _too_early(draw: Draw) -> Part | None:
    """Returning what has not been delivered."""
    order = draw.take("pending")
    method = order and draw.refund_method(order)
    if not order or not method:
        return None
    return _refusal(draw, plain.returned(draw, order, method), "return-delivered-only")


def _no_refund(draw: Draw) -> Part | None:
    """A refund to a method that is neither the original one nor a gift card."""
    order = draw.take("delivered")
    method = order and _foreign_method(draw, order)
    if not order or not method:
        return None
    return _refusal(draw, plain.returned(draw, order, method), "refund-original-or-gift-card")


def _poor_card(draw: Draw) -> Part | None:
    """Paying a pending order with a gift card that does not cover it."""
    order = draw.take("pending")
    card = order and draw.short_gift_card(paid_amount(order))
    if not order or not card or card["id"] == paid_with(order):
        return None
    slots = {"order_id": order["order_id"], "payment_method": method_slot(card)}
    return _refusal(draw, Request(intent="modify_order_payment", slots=slots), "gift-card-balance")


def _wrong_reason(draw: Draw) -> Part | None:
    """Cancelling for a reason that does not count."""
    order = draw.take("pending")
    reasons = ("found it cheaper elsewhere", "the delivery takes too long", "bought it in a shop today")
    return _refusal(draw, _cancelling(order, draw.rng.choice(reasons)), "cancel-reason") if order else None


def _not_yours(draw: Draw) -> Part | None:
    """Cancelling somebody else's order: the tools would do it, the policy document forbids it."""
    order = draw.foreign_order("pending")
    if order is None:
        return None
    wish = _cancelling(order, draw.rng.choice(plain.REASONS))
    return _refusal(draw, wish, "own-orders-only", by_tool=False)


def _gone(draw: Draw) -> Part | None:
    """Exchanging for a variant that is not available, with nothing else in mind."""
    part = _sold_out(draw)
    if part is None:
        return None
    wish = part.requests[0].model_copy(update={"fallback": None})
    return Part((wish,), must_fail=part.must_fail)


def _foreign_method(draw: Draw, order: Record) -> Record | None:
    """A card or account of the user that the order was not paid with."""
    cards = [method_id for method_id, method in draw.user["payment_methods"].items() if method["source"] == "gift_card"]
    return draw.method(but=[paid_with(order), *cards])
