"""Which refusal is which in the benchmarks' retail tools, in the order of their lines (see ``public.wording``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TAU1: Final[Mapping[str, str]] = {
    "calculate": "characters -",
    "cancel_pending_order": "order status reason",
    "exchange_delivered_order_items": "order status item count variant|unavailable method funds",
    "find_user_id_by_email": "user",
    "find_user_id_by_name_zip": "user",
    "get_order_details": "order",
    "get_product_details": "product",
    "get_user_details": "user",
    "modify_pending_order_address": "order status",
    "modify_pending_order_items": "order status item count variant|unavailable method funds",
    "modify_pending_order_payment": "order status method payments same funds",
    "modify_user_address": "user",
    "return_delivered_order_items": "order status method original item",
}
"""tau-bench's."""

TAU2: Final[Mapping[str, str]] = {
    "_get_order": "order",
    "_get_user": "user",
    "_get_product": "product",
    "_get_item": "item_details",
    "_get_variant": "variant",
    "_get_payment_method": "method",
    "calculate": "characters",
    "cancel_pending_order": "status reason",
    "exchange_delivered_order_items": "status item count - unavailable funds",
    "find_user_id_by_email": "user",
    "find_user_id_by_name_zip": "user",
    "modify_pending_order_address": "status",
    "modify_pending_order_items": "status item count same - unavailable funds -",
    "modify_pending_order_payment": "status payments same funds",
    "return_delivered_order_items": "status original item",
}
"""tau2-bench's; names with an underscore are functions that its tools share."""
