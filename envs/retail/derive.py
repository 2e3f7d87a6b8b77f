"""Agendas for public tasks, which come with an instruction text and gold actions only.

The gold calls that succeed when they are run become requests in their order; their values and the user's own record
become what the user knows and wants. What only the text says (preferences, questions, moods) is lost: results with
such a goal say ``agenda (derived)``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mua_env.core.database import Rows
from mua_env.core.tasks import Action, Request, Task
from mua_env.domain import derived_goals as deriving
from mua_env.domain.derived_goals import DerivedGoals, user_of

from .models import Base
from .tools import RetailTools

Record = dict[str, Any]

INTENTS: Mapping[str, str] = {
    "cancel_pending_order": "cancel_order",
    "return_delivered_order_items": "return_items",
    "exchange_delivered_order_items": "exchange_items",
    "modify_pending_order_items": "modify_items",
    "modify_pending_order_address": "modify_order_address",
    "modify_pending_order_payment": "modify_order_payment",
    "modify_user_address": "modify_user_address",
}
"""Writing tool -> intent."""
_ADDRESS = ("address1", "address2", "city", "state", "country", "zip")


class Deriver(deriving.Deriver):
    """Derives the goals of public tasks over one set of rows."""

    models = Base
    toolkit = RetailTools

    def facts(self, user: Record) -> Record:
        """Name, postal code and e-mail address."""
        return {**user["name"], "zip": user["address"]["zip"], "email": user["email"]}

    def requests(self, action: Action, user: Record) -> Iterator[Request]:
        """The request that a call fulfils, described from the records as they are before it."""
        intent = INTENTS.get(action.name)
        if intent is None:
            return
        arguments = action.arguments
        slots: Record = {}
        if "order_id" in arguments:
            slots["order_id"] = arguments["order_id"]
        if "reason" in arguments:
            slots["reason"] = arguments["reason"]
        if "address1" in arguments:
            slots["address"] = {name: arguments.get(name, "") for name in _ADDRESS}
        if "item_ids" in arguments:
            slots["items"] = self._items(arguments)
        if "payment_method_id" in arguments:
            slots["payment_method"] = _method(arguments["payment_method_id"], user)
        yield Request(intent=intent, slots=slots)

    def _items(self, arguments: Record) -> list[Record]:
        order = self._read("get_order_details", order_id=arguments["order_id"])
        held = {item["item_id"]: item for item in order.get("items", ())}
        new_ids = arguments.get("new_item_ids") or [None] * len(arguments["item_ids"])
        items = []
        for item_id, new_id in zip(arguments["item_ids"], new_ids, strict=False):
            item = held.get(item_id)
            if item is None:
                continue
            slot = {"name": item["name"], "options": item["options"], "item_id": item_id}
            if new_id is not None:
                product = self._read("get_product_details", product_id=item["product_id"])
                variant = product.get("variants", {}).get(new_id, {})
                slot |= {"new_options": variant.get("options", {}), "new_item_id": new_id}
            items.append(slot)
        return items

    def _read(self, tool: str, **arguments: str) -> Record:
        result = self.world.call(tool, arguments)
        parsed = json.loads(result.content) if result.ok else {}
        return parsed if isinstance(parsed, dict) else {}


def _method(method_id: str, user: Mapping[str, Any]) -> Record:
    """A payment method as the user can name it; of several gift cards, by what is on it."""
    methods = user["payment_methods"]
    method = methods.get(method_id, {"id": method_id})
    slot = {name: method[name] for name in ("id", "source", "brand", "last_four") if name in method}
    twins = [other for other in methods.values() if other.get("source") == method.get("source")]
    if method.get("source") == "gift_card" and len(twins) > 1:
        slot["balance"] = method["balance"]
    return slot


derive_goal = DerivedGoals(Deriver)
"""The derived agenda of a public task over its rows."""


def find_user(task: Task, rows: Rows) -> str | None:
    """The id of the user that a task is about; see :func:`mua_env.domain.derived_goals.user_of`.

    Where neither calls nor text have an id, the user whose e-mail address, or whose name and postal code, the text has.
    """
    users = {row["user_id"] for row in rows["users"]}
    found = user_of(task, users, {row["order_id"]: row["user_id"] for row in rows["orders"]})
    if found is not None:
        return found
    text = task.instruction.lower()
    for row in rows["users"]:
        name = row["name"]
        parts = (name["first_name"], name["last_name"], row["address"]["zip"])
        if row["email"].lower() in text or all(part.lower() in text for part in parts):
            return str(row["user_id"])
    return None
