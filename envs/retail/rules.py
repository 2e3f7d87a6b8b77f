"""Which rules of the retail policy document a task falls under, by id.

A rule binds a task if its condition has to be checked for one of the gold writes or of the requests that are refused
or handed over. What binds every task (identify the customer, ask before writing) is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mua_env.core.database import Database
from mua_env.core.tasks import Request, Task

from .models import Order, User

Record = Mapping[str, Any]

RULES: Final[Mapping[str, str]] = {
    "own-orders-only": "An order of another customer is refused.",
    "cancel-pending-only": "Only a pending order can be cancelled.",
    "cancel-reason": "An order is cancelled only for one of the two reasons.",
    "modify-pending-only": "Address, payment and items change only while the order is pending.",
    "return-delivered-only": "Only items of a delivered order can be returned.",
    "exchange-delivered-only": "Only items of a delivered order can be exchanged.",
    "one-change-per-order": "Items of an order are modified, returned or exchanged once: all of them at a time.",
    "same-product-available": "A new item is an available variant of the same product.",
    "payment-in-profile": "Only payment methods in the profile are used, for a new payment another than before.",
    "gift-card-balance": "A gift card that is charged must cover the amount.",
    "refund-original-or-gift-card": "A return is refunded to the original payment method or to a gift card.",
    "processed-transfer": "Changes of a processed order are handed over to a human agent.",
}
"""The rules by id, in the order of the policy document."""

_INTENTS: Final = {
    "cancel_pending_order": "cancel_order",
    "return_delivered_order_items": "return_items",
    "exchange_delivered_order_items": "exchange_items",
    "modify_pending_order_items": "modify_items",
    "modify_pending_order_address": "modify_order_address",
    "modify_pending_order_payment": "modify_order_payment",
}
_OF_INTENT: Final[Mapping[str, tuple[str, ...]]] = {
    "cancel_order": ("cancel-pending-only", "cancel-reason"),
    "return_items": ("return-delivered-only", "one-change-per-order", "refund-original-or-gift-card"),
    "exchange_items": ("exchange-delivered-only", "one-change-per-order", "same-product-available"),
    "modify_items": ("modify-pending-only", "one-change-per-order", "same-product-available"),
    "modify_order_address": ("modify-pending-only",),
    "modify_order_payment": ("modify-pending-only", "payment-in-profile"),
}
_CHARGES: Final = frozenset({"exchange_items", "modify_items", "modify_order_payment"})


@dataclass(frozen=True)
class _Wish:
    """A write that is made or refused: its intent, order and payment method."""

    intent: str
    order_id: str
    method_id: str


def binding_rules(task: Task, database: Database) -> Iterator[str]:
    """The ids of the rules that a task falls under; some may come twice.

    Args:
        task: an own or a public task.
        database: holds the state that the task starts from.
    """
    for wish in _wishes(task):
        order = database.get(Order, wish.order_id)
        if order is None:
            continue
        yield from _of_order(wish, order, task.user_id)
        method = (database.get(User, order["user_id"]) or {}).get("payment_methods", {}).get(wish.method_id, {})
        if wish.intent in _CHARGES and method.get("source") == "gift_card":
            yield "gift-card-balance"


def _of_order(wish: _Wish, order: Record, user_id: str | None) -> Iterator[str]:
    if user_id is not None and order["user_id"] != user_id:
        yield "own-orders-only"
    elif order["status"] == "processed":
        yield "processed-transfer"
    else:
        yield from _OF_INTENT[wish.intent]


def _wishes(task: Task) -> Iterator[_Wish]:
    for action in task.actions:
        if action.name in _INTENTS:
            arguments = action.arguments
            method = str(arguments.get("payment_method_id", ""))
            yield _Wish(_INTENTS[action.name], str(arguments.get("order_id", "")), method)
    for request in task.goal.requests if task.goal else ():
        yield from _refused(request)


def _refused(request: Request) -> Iterator[_Wish]:
    slots = request.slots
    if request.outcome in ("refused", "transferred") and request.intent in _OF_INTENT and "order_id" in slots:
        method = (slots.get("payment_method") or {}).get("id", "")
        yield _Wish(request.intent, slots["order_id"], str(method))
    if request.fallback is not None:
        yield from _refused(request.fallback)
