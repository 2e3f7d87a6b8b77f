"""Which refusal is which in tau2-bench's telecom tools, in the order of their lines (see ``public.wording``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TAU2: Final[Mapping[str, str]] = {
    "_get_line_by_id": "line",
    "_get_plan_by_id": "plan",
    "_get_device_by_id": "device",
    "_get_bill_by_id": "bill",
    "_get_target_line": "owned_line",
    "get_customer_by_phone": "phone",
    "get_customer_by_id": "customer",
    "get_details_by_id": "kind",
    "suspend_line": "active",
    "resume_line": "suspended",
    "send_payment_request": "- waiting owned_bill",
    "refuel_data": "amount -",
}
"""Names with an underscore are functions that the tools share; ``get_customer_by_id`` is shared and a tool as well."""
