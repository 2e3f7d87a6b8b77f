"""The operator's records as the telecom expert knows them: a customer, its lines and bills."""

from __future__ import annotations

from typing import Any

from mua_env.agents.scripted.expert import Call, call, call_all

from .billing import TODAY

Record = dict[str, Any]


class Records:
    """What is known of a customer; empty until it is read.

    Attributes:
        line: the line in question.
        abroad: whether the caller is abroad; ``None`` while nothing is known.
    """

    def __init__(self) -> None:
        self.customer: Record = {}
        self.line: Record = {}
        self.bills: list[Record] = []
        self.abroad: bool | None = None

    @property
    def ids(self) -> dict[str, str]:
        """The arguments that name the line."""
        return {"customer_id": self.customer["customer_id"], "line_id": self.line["line_id"]}

    @property
    def ended(self) -> bool:
        """Whether the line is suspended because its contract has ended."""
        return self.line["status"] == "Suspended" and str(self.line.get("contract_end_date") or "9") < str(TODAY)

    def read(self, number: str | None) -> Any:
        """Find the customer by a phone number, and read its lines and bills; the line in question has that number.

        Raises:
            ToolFailed: nobody has the number.
        """
        self.customer = yield from call("get_customer_by_phone", phone_number=number)
        customer_id = self.customer["customer_id"]
        lines = [Call("get_details_by_id", {"id": line_id}) for line_id in self.customer["line_ids"]]
        *found, self.bills = yield from call_all(*lines, Call("get_bills_for_customer", {"customer_id": customer_id}))
        self.line = next((line for line in found if line["phone_number"] == number), found[0])

    def let_roam(self) -> Any:
        """Switch roaming on for a line that is abroad without it."""
        if self.abroad and not self.line["roaming_enabled"]:
            yield from call("enable_roaming", **self.ids)
            self.line["roaming_enabled"] = True
