"""Generated tasks that end in a refusal, the rule that stands in their way, and what a refusal can say about them.

The rule follows from the goal and the records that the domain's tools return, read by the policy document alone: the
benchmark needs no part of the domain's own telling. Rules go by the ids of `Domain.policy_rules`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mua_env import Request, Setting, Task

Record = Mapping[str, Any]
Look = Callable[..., Any]
"""Calls a tool by name with its arguments and reads the result."""
Found = tuple[str, dict[str, Any]] | None
"""A rule, and what fills the places of a wording."""
LEVELS = (2, 3, 4)
"""Level 1 has no refusals."""


@dataclass(frozen=True)
class Case:
    """A task whose last request is rightly refused, by which rule, and the values of its wordings."""

    task: Task
    request: Request
    rule: str
    values: Mapping[str, str]


def cases(setting: Setting, *, seed: int, drawn: int) -> Iterator[Case]:
    """The cases among so many generated tasks of each level, levels in turn.

    The refused request is the last one and has nothing in its place, so that a right refusal ends the dialogue.
    """
    world = setting.make_world()
    streams = [setting.domain.generate(level=level, seed=seed, split="test") for level in LEVELS]
    try:
        for tasks in zip(*(islice(stream, drawn) for stream in streams), strict=True):
            for task in tasks:
                requests = task.goal.requests if task.goal else ()
                last = requests[-1] if requests else None
                if last is None or last.outcome != "refused" or last.fallback or len(task.requirements) > len(requests):
                    continue
                world.load(task)
                if found := _FIND[setting.domain.name](_looking(world), task, last):
                    rule, values = found
                    yield Case(task, last, rule, {name: str(value) for name, value in values.items()})
    finally:
        world.close()


def _looking(world: Any) -> Look:
    def look(name: str, **arguments: Any) -> Any:
        result = world.call(name, arguments)
        assert result.ok, result.content
        return json.loads(result.content)

    return look


def _retail(look: Look, task: Task, request: Request) -> Found:
    assert task.goal is not None
    order = look("get_order_details", order_id=request.slots["order_id"])
    user = look("get_user_details", user_id=task.user_id)
    items = request.slots.get("items", [])
    missing = [item for item in items if "new_item_id" in item and not _available(look, order, item)]
    rule = _retail_rule(task.goal.requests[:-1], request, order, task.user_id, bool(missing))
    if rule is None:
        return None
    named = (missing or items or order["items"])[0]
    paid = order["payment_history"][0]
    method = user["payment_methods"].get((request.slots.get("payment_method") or {}).get("id"), {})
    do = {"exchange_items": "exchange", "return_items": "return", "cancel_order": "cancel"}.get(
        request.intent, "change"
    )
    options = named.get("options", {})
    wanted = {name: value for name, value in named.get("new_options", {}).items() if options.get(name) != value}
    return rule, {
        "first_name": user["name"]["first_name"],
        "order_id": order["order_id"],
        "status": order["status"],
        "item": named["name"],
        "wanted": ", ".join(f"{name} {value}" for name, value in wanted.items()),
        "do": do,
        "change": do,
        "reason": request.slots.get("reason", ""),
        "payment": _method(method),
        "original": _method(user["payment_methods"].get(paid["payment_method_id"], {})),
        "balance": f"{method.get('balance', 0):.2f}",
        "total": f"{paid['amount']:.2f}",
    }


def _retail_rule(
    earlier: Sequence[Request], request: Request, order: Record, user_id: str | None, missing: bool
) -> str | None:
    status, intent = order["status"], request.intent
    if order["user_id"] != user_id:
        return "own-orders-only"
    if any(other.slots.get("order_id") == order["order_id"] and other.outcome == "done" for other in earlier):
        return "one-change-per-order"
    if intent == "cancel_order":
        return "cancel-reason" if status == "pending" else "cancel-pending-only"
    if intent == "return_items":
        return "refund-original-or-gift-card" if status == "delivered" else "return-delivered-only"
    if intent.startswith("modify_order") and status != "pending":
        return "modify-pending-only"
    if intent == "modify_order_payment":
        return "gift-card-balance"
    return "same-product-available" if missing else None


def _available(look: Look, order: Record, item: Record) -> bool:
    product = next((own["product_id"] for own in order["items"] if own["item_id"] == item["item_id"]), None)
    variants = look("get_product_details", product_id=product)["variants"] if product else {}
    return bool(variants.get(item["new_item_id"], {}).get("available"))


def _method(method: Record) -> str:
    if method.get("source") == "credit_card":
        return f"{str(method['brand']).capitalize()} card ending in {method['last_four']}"
    return {"paypal": "PayPal account", "gift_card": "gift card"}.get(str(method.get("source")), "")


_AIRLINE = {
    "cancel_reservation": "cancel-conditions",
    "change_flights": "basic-economy-flights",
    "change_route": "same-route",
    "remove_bags": "bags-added-only",
    "add_insurance": "insurance-at-booking",
    "add_passenger": "passenger-count",
    "compensation": "compensation-conditions",
}


def _airline(look: Look, task: Task, request: Request) -> Found:
    booked = look("get_reservation_details", reservation_id=request.slots["reservation_id"])
    user = look("get_user_details", user_id=task.user_id)
    rule = _AIRLINE.get(request.intent)
    entitled = user["membership"] != "regular" or booked["insurance"] == "yes" or booked["cabin"] == "business"
    if rule == "compensation-conditions" and entitled:
        rule = "compensation-cancelled"
    if rule is None:
        return None
    added = request.slots.get("new_passenger", {})
    return rule, {
        "first_name": user["name"]["first_name"],
        "membership": user["membership"],
        "passenger": f"{added.get('first_name', '')} {added.get('last_name', '')}",
        "count": len(booked["passengers"]),
        "bags": booked["total_baggages"],
        "cabin": booked["cabin"].replace("_", " "),
        "created": booked["created_at"][:10],
        "new_destination": request.slots.get("destination", ""),
        **{name: booked[name] for name in ("reservation_id", "origin", "destination", "insurance")},
    }


def _telecom(look: Look, task: Task, request: Request) -> Found:
    assert task.goal is not None
    facts = task.goal.facts
    account = look("get_customer_by_phone", phone_number=facts["phone"])
    owner = (account["full_name"], account["date_of_birth"]) == (facts["full_name"], facts["dob"])
    rules = {"pay_bill": "overdue-only", "refuel_data": "two-gb", "change_plan": "watch-plan"}
    rule = rules.get(request.intent) if owner else "owner-only"
    if rule is None:
        return None
    bills = look("get_bills_for_customer", customer_id=account["customer_id"])
    bill: Record = next((each for each in bills if each["status"] == "Draft"), {})
    return rule, {
        "first_name": facts["full_name"].split()[0],
        "phone": facts["phone"],
        "gb": f"{request.slots.get('gb', 0):g}",
        "plan": request.slots.get("plan", ""),
        "bill_id": bill.get("bill_id", ""),
        "due": f"{bill.get('total_due', 0):.2f}",
        "status": str(bill.get("status", "")).lower(),
    }


_FIND: Mapping[str, Callable[[Look, Task, Request], Found]] = {
    "retail": _retail,
    "airline": _airline,
    "telecom": _telecom,
}
