"""From goals to gold: the slots of each intent, and the tool calls that fulfil a request.

The vocabulary is the one that the agenda user and the scripted expert share. Facts: ``first_name``, ``last_name``,
``zip``, ``email``. Intents: ``cancel_order``, ``return_items``, ``exchange_items``, ``modify_items``,
``modify_order_address``, ``modify_order_payment``, ``modify_user_address``, ``ask``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mua_env.core.outcomes import required, settled
from mua_env.core.tasks import Action, Goal, Request, Requirement

from .shop import Record, Shop

ORDER_INTENTS = frozenset(
    {"cancel_order", "return_items", "exchange_items", "modify_items", "modify_order_address", "modify_order_payment"}
)
_IN_TRANSIT = ("process", "ship", "carrier", "transit")
"""Beginnings of the words by which a transfer tells its reason: the order is on its way."""
_WRITES = {
    "cancel_order": "cancel_pending_order",
    "return_items": "return_delivered_order_items",
    "exchange_items": "exchange_delivered_order_items",
    "modify_items": "modify_pending_order_items",
    "modify_order_address": "modify_pending_order_address",
    "modify_order_payment": "modify_pending_order_payment",
    "modify_user_address": "modify_user_address",
}


def method_slot(method: Record) -> Record:
    """A payment method as a slot: what the user can say of it, and its id."""
    return {name: method[name] for name in ("id", "source", "brand", "last_four") if name in method}


def item_slot(item: Record, new: Record | None = None) -> Record:
    """An item as a slot: named by product and options; the ids are truth for checking only."""
    slot = {"name": item["name"], "options": item["options"], "item_id": item["item_id"]}
    if new is not None:
        slot |= {"new_options": new["options"], "new_item_id": new["item_id"]}
    return slot


def write_action(intent: str, slots: Record, user_id: str) -> Action:
    """The tool call that carries out a request with these slots."""
    arguments: dict[str, Any] = {"user_id": user_id} if intent == "modify_user_address" else {}
    if "order_id" in slots:
        arguments["order_id"] = slots["order_id"]
    if intent == "cancel_order":
        arguments["reason"] = slots["reason"]
    if "items" in slots:
        arguments["item_ids"] = [item["item_id"] for item in slots["items"]]
    if intent in ("exchange_items", "modify_items"):
        arguments["new_item_ids"] = [item["new_item_id"] for item in slots["items"]]
    if "payment_method" in slots:
        arguments["payment_method_id"] = slots["payment_method"]["id"]
    if "address" in slots:
        arguments |= slots["address"]
    return Action(name=_WRITES[intent], arguments=arguments)


def gold_actions(
    shop: Shop, user: Record, goal: Goal, *, requests: Sequence[Request] | None = None
) -> tuple[Action, ...]:
    """The calls of an agent that makes no detour: identify the user, then read and write for each request.

    Args:
        shop: the data.
        user: the user's record.
        goal: facts and requests.
        requests: take these instead of the goal's settled requests.
    """
    plan = [settled(request) for request in goal.requests] if requests is None else list(requests)
    actions = [_identify(goal)]
    if any(_needs_profile(request) for request in plan):
        actions.append(Action(name="get_user_details", arguments={"user_id": user["user_id"]}))
    for request in plan:
        actions += [action for action in _reads(shop, user, request) if action not in actions]
        if request.outcome == "done":
            actions.append(write_action(request.intent, request.slots, user["user_id"]))
        elif request.outcome == "transferred":
            wish = request.intent.replace("_", " ")
            summary = f"The user wants this for a processed order, which the tools do not allow: {wish}."
            actions.append(Action(name="transfer_to_human_agents", arguments={"summary": summary}))
    return tuple(actions)


def requirements(goal: Goal) -> tuple[Requirement, ...]:
    """What must hold besides the database: refusals without a fallback, transfers, answers."""
    return required(map(settled, goal.requests), handed_over=_IN_TRANSIT)


def _identify(goal: Goal) -> Action:
    facts = goal.facts
    if "email" in facts:
        return Action(name="find_user_id_by_email", arguments={"email": facts["email"]})
    return Action(
        name="find_user_id_by_name_zip",
        arguments={name: facts[name] for name in ("first_name", "last_name", "zip")},
    )


def _needs_profile(request: Request) -> bool:
    return "payment_method" in request.slots or "order_id" in request.unknown


def _reads(shop: Shop, user: Record, request: Request) -> list[Action]:
    slots = request.slots
    actions = []
    if "order_id" in request.unknown:
        # The order is found by looking through the user's orders.
        upto = user["orders"].index(slots["order_id"]) + 1
        actions += [_read_order(order_id) for order_id in user["orders"][:upto]]
    elif "order_id" in slots:
        actions.append(_read_order(slots["order_id"]))
    if request.intent in ("exchange_items", "modify_items"):
        order = shop.orders[slots["order_id"]]
        of = {item["item_id"]: item["product_id"] for item in order["items"]}
        actions += [_read_product(of[item["item_id"]]) for item in slots["items"]]
    if request.intent == "ask" and "product" in slots:
        product_id = next(key for key, product in shop.products.items() if product["name"] == slots["product"])
        actions += [Action(name="list_all_product_types"), _read_product(product_id)]
    return actions


def _read_order(order_id: str) -> Action:
    return Action(name="get_order_details", arguments={"order_id": order_id})


def _read_product(product_id: str) -> Action:
    return Action(name="get_product_details", arguments={"product_id": product_id})
