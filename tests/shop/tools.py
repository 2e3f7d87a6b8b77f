from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from mua_env.core.tools import Toolkit, tool
from mua_env.errors import ToolError
from shop.models import Customer, Line, Order


class Address(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    street: Annotated[str, Field(description="Street and number", min_length=1)]
    zip: str


class LineChange(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    number: Annotated[int, Field(ge=1, le=9)]
    count: Annotated[int, Field(ge=1, le=99)]
    ship_to: Address | None = None


class ShopTools(Toolkit):
    @tool
    def find_customer(self, email: Annotated[str, Field(description="Email address, as the user says it")]) -> str:
        """Find a customer
        by email.

        This second paragraph is for programmers.
        """
        found = self.db.find(Customer, Customer.email_lower == email.lower())
        if not found:
            raise ToolError(f"no customer with the email {email}")
        return str(found[0]["customer_id"])

    @tool
    def get_order(self, order_id: str) -> dict[str, Any]:
        """The order with its lines."""
        order = self._order(order_id)
        return {**order, "lines": self.db.find(Line, Line.order_id == order_id)}

    @tool(writes=True)
    def cancel_order(
        self, order_id: str, reason: Literal["too late", "ordered by mistake"] = "too late"
    ) -> dict[str, Any]:
        """Cancel an order that is pending."""
        order = self._order(order_id)
        if order["status"] != "pending":
            raise ToolError(f"order {order_id} is {order['status']} and cannot be cancelled")
        self.db.update(Order, order_id, status=f"cancelled ({reason})")
        return self._order(order_id)

    @tool(writes=True)
    def change_lines(self, order_id: str, changes: list[LineChange]) -> str:
        """Change the counts of lines, one after the other."""
        self._order(order_id)
        for change in changes:
            if not self.db.update(Line, (order_id, change.number), count=change.count):
                raise ToolError(f"order {order_id} has no line {change.number}")
        return "changed"

    @tool(writes=True)
    def set_address(self, customer_id: str, address: Address) -> dict[str, Any]:
        """Change the address of a customer."""
        if not self.db.update(Customer, customer_id, address=address.model_dump()):
            raise ToolError(f"no customer {customer_id}")
        return address.model_dump()

    @tool(writes=True)
    def set_total(self, order_id: str, total: float | int) -> str:
        """Correct the total of an order."""
        self.db.update(Order, order_id, total=total)
        return "corrected"

    @tool(writes=True)
    def drop_line(self, order_id: str, number: int) -> str:
        """Remove a line of an order."""
        if not self.db.delete(Line, (order_id, number)):
            raise ToolError(f"order {order_id} has no line {number}")
        return "removed"

    @tool(terminal=True)
    def hand_over(self, summary: str) -> str:
        """Hand the user over to a person."""
        if not summary:
            raise ToolError("the summary is empty")
        return "handed over"

    def _order(self, order_id: str) -> dict[str, Any]:
        order = self.db.get(Order, order_id)
        if order is None:
            raise ToolError(f"no order {order_id}")
        return order
