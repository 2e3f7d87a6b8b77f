"""What the own telecom domain adds to the public benchmark's tools: plans can be listed and changed."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mua_env.core.tools import tool
from mua_env.errors import ToolError

from .billing import TODAY, add_overdue
from .models import Plan
from .records import whole
from .stage import TelecomStage
from .tools import CustomerId, LineId, Record, TelecomTools


class TelecomDesk(TelecomTools):
    """The fifteen tools of the agent of the own domain."""

    @tool
    def get_available_plans(self) -> list[Record]:
        """List the plans: id, name, data limit, price a month, and the price of a GB more."""
        return [whole(Plan, row) for row in self.db.find(Plan, order_by=Plan.plan_id)]

    @tool(writes=True)
    def change_plan(
        self,
        customer_id: CustomerId,
        line_id: LineId,
        plan_id: Annotated[str, Field(description="Id of the new plan, such as 'P0000'.")],
    ) -> Record:
        """Move a line to another plan; it holds at once, and its price from the next bill on."""
        line = self.line_of(customer_id, line_id)
        plan = self._record(Plan, plan_id)
        if line["status"] != "Active":
            raise ToolError(f"only the plan of an active line can be changed; {line_id} is {line['status']}")
        if line["plan_id"] == plan_id:
            raise ToolError(f"line {line_id} has the plan {plan_id} already")
        text = f"Line {line_id} is now on the plan {plan['name']} for ${plan['price_per_month']:.2f} a month"
        return self._set_status(line, text, plan_id=plan_id, last_plan_change_date=str(TODAY))


class TelecomScenes(TelecomStage):
    """The set-up functions and assertions of the own domain."""

    @tool(writes=True)
    def leave_bill_unpaid(self, customer_id: str, new_bill_id: str, amount: float) -> str:
        """Give a customer a bill of last month that is overdue, with all lines in service."""
        customer = self.customer(customer_id)
        add_overdue(self.db, customer, new_bill_id, amount, "Equipment instalment")
        return f"Bill {new_bill_id} is overdue"

    @tool
    def assert_plan(self, customer_id: str, line_id: str, expected_plan_id: str) -> bool:
        """Whether a line is on a plan."""
        return bool(self.line_of(customer_id, line_id)["plan_id"] == expected_plan_id)

    @tool
    def assert_line_roaming(self, customer_id: str, line_id: str, expected_status: bool) -> bool:
        """Whether a line may be used abroad (or may not)."""
        return bool(self.line_of(customer_id, line_id)["roaming_enabled"] is expected_status)
