"""Tool results in few words, for models too small to read whole records.

What is left out is written here and nowhere else: the tools, the database and the scoring know nothing of it. Of an
order: product ids, prices and options of its items, and all payments but the first; of what a change returns: all but
what it changed; of a product: nothing but words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from . import expert_words as words

Record = Mapping[str, Any]


def brief(tool: str, result: str) -> str:
    """The result of a tool as a small model reads it; what is no record (an id, an error) goes as it is."""
    if not result.startswith("{"):
        return result
    return _BRIEF.get(tool, _as_it_is)(json.loads(result))


def _as_it_is(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)


def _order(order: Record) -> str:
    paid = order["payment_history"][0]
    numbers = [number for part in order["fulfillments"] for number in part["tracking_id"]]
    return "\n".join(
        [
            f"{order['order_id']} of {order['user_id']}",
            f"status {order['status']}",
            f"total {paid['amount']:.2f} by {paid['payment_method_id']}",
            f"to {words.address(order['address'])}",
            *(f"tracking {number}" for number in numbers),
            *(f"item {item['item_id']} {item['name']}" for item in order["items"]),
        ]
    )


def _user(user: Record) -> str:
    return "\n".join(
        [
            f"name {user['name']['first_name']} {user['name']['last_name']}",
            f"email {user['email']}",
            f"address {words.address(user['address'])}",
            *(f"pays {method['id']} {words.method(method, full=True)}" for method in user["payment_methods"].values()),
            *(f"order {number}" for number in user["orders"]),
        ]
    )


def _product(product: Record) -> str:
    variants = [
        f"{variant['item_id']} {variant['price']:.2f} {words.options(variant['options'])}"
        + ("" if variant["available"] else " (not available)")
        for variant in product["variants"].values()
    ]
    return "\n".join([f"{product['product_id']} {product['name']}", *variants])


def _products(ids: Record) -> str:
    return "\n".join(f"{number} {name}" for name, number in ids.items())


def _status(order: Record) -> str:
    return f"{order['order_id']} {order['status']}"


def _address(record: Record) -> str:
    return f"address {words.address(record['address'])}"


_BRIEF: Final[Mapping[str, Callable[[Record], str]]] = {
    "get_order_details": _order,
    "get_user_details": _user,
    "get_product_details": _product,
    "list_all_product_types": _products,
    "cancel_pending_order": _status,
    "return_delivered_order_items": _status,
    "exchange_delivered_order_items": _status,
    "modify_pending_order_items": _status,
    "modify_pending_order_payment": _status,
    "modify_pending_order_address": _address,
    "modify_user_address": _address,
}
