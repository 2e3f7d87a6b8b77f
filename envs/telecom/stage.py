"""How a scene in the telecom world is set up, and what can be asked of it at the end.

Names and arguments are those of the public telecom benchmark. Nobody is offered these functions; a task's initial
actions and its assertions call them, and the tools of both sides as well.
"""

from __future__ import annotations

from mua_env.core.tools import tool
from mua_env.errors import ToolError

from .billing import TODAY, add_overdue, find_bill, with_status
from .handset import Handset
from .models import Line, Plan
from .phone import TelecomPhone
from .radio import can_send_mms, data_works, measure_speed
from .scene import Scene
from .tools import OperatorTools


class Office(OperatorTools):
    """What happens in the operator's records before the dialogue, and what can be asked of them."""

    @tool(writes=True)
    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> str:
        """Say how much data a line has used."""
        self.line_of(customer_id, line_id)
        self.db.update(Line, line_id, data_used_gb=data_used_gb)
        return f"Data usage set to {data_used_gb} GB for line {line_id}"

    @tool(writes=True)
    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> str:
        """Suspend a line for a bill of last month that was not paid; its contract may have ended as well."""
        line = self._record(Line, line_id)
        customer = self.customer(customer_id)
        if line["status"] != "Active":
            raise ToolError(f"only an active line can be suspended; {line_id} is {line['status']}")
        if with_status(self.db, customer, "Overdue"):
            raise ToolError(f"customer {customer_id} has an overdue bill already")
        price = self._record(Plan, line["plan_id"])["price_per_month"]
        if price <= 0:
            raise ToolError(f"the plan of line {line_id} costs nothing, so nothing can be overdue")
        add_overdue(self.db, customer, new_bill_id, price, f"Charge for line {line_id}")
        columns = {"status": "Suspended", "suspension_start_date": str(TODAY)}
        if contract_ended:
            columns["contract_end_date"] = find_bill(self.db, new_bill_id)["period_end"]
        self.db.update(Line, line_id, **columns)
        return f"Line {line_id} suspended for unpaid bill {new_bill_id}. Contract ended: {contract_ended}"

    @tool
    def assert_data_refueling_amount(self, customer_id: str, line_id: str, expected_amount: float) -> bool:
        """Whether so much data was added to a line this month."""
        return bool(abs(self.line_of(customer_id, line_id)["data_refueling_gb"] - expected_amount) < 1e-6)

    @tool
    def assert_line_status(self, customer_id: str, line_id: str, expected_status: str) -> bool:
        """Whether a line has a status."""
        return bool(self.line_of(customer_id, line_id)["status"] == expected_status)

    @tool
    def assert_overdue_bill_exists(self, customer_id: str, overdue_bill_id: str) -> bool:
        """Whether the customer has an overdue bill of this id; in ``compat`` mode the lack of it is an error."""
        exists = overdue_bill_id in self.customer(customer_id)["bill_ids"]
        exists = exists and find_bill(self.db, overdue_bill_id)["status"] == "Overdue"
        if not exists and self.mode == "compat":
            raise ToolError(f"customer {customer_id} has no overdue bill {overdue_bill_id!r}")
        return exists

    @tool
    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Whether the bill of this id is paid, or does not exist."""
        try:
            return bool(find_bill(self.db, overdue_bill_id)["status"] == "Paid")
        except ToolError:
            return True


class Checks(Handset):
    """What can be asked of the phone."""

    @tool
    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        """Whether airplane mode is on (or off)."""
        return self._is("airplane_mode", expected_status)

    @tool
    def assert_service_status(self, expected_status: str) -> bool:
        """Whether the connection has a status, as ``connected`` or ``no_service``."""
        return self._is("network_connection_status", expected_status)

    @tool
    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        """Whether mobile data comes through (or does not)."""
        return data_works(self.phone(), self.around()) == expected_status

    @tool
    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        """Whether data roaming is on (or off)."""
        return self._is("roaming_enabled", expected_status)

    @tool
    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        """Whether data saver mode is on (or off)."""
        return self._is("data_saver_mode", expected_status)

    @tool
    def assert_internet_speed(self, expected_speed: float, expected_desc: str | None = None) -> bool:
        """Whether mobile internet is at least so fast, in Mbps, and is called so."""
        speed, grade = measure_speed(self.phone(), self.around())
        named = expected_desc is None or grade.lower() == expected_desc.lower()
        return (speed or 0.0) >= expected_speed and named

    @tool
    def assert_internet_not_excellent(self) -> bool:
        """Whether mobile internet is not as fast as can be."""
        return measure_speed(self.phone(), self.around())[1] != "Excellent"

    @tool
    def assert_can_send_mms(self, expected_status: bool) -> bool:
        """Whether a picture message can be sent (or cannot)."""
        return can_send_mms(self.phone(), self.around()) == expected_status

    @tool
    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        """Whether the line's data is used up (or is not)."""
        return self.around()["mobile_data_usage_exceeded"] is expected_status

    def _is(self, field: str, expected: object) -> bool:
        return bool(self.phone()[field] == expected)


class TelecomStage(Scene, Checks, Office, TelecomPhone):
    """All that can be called by nobody but the world itself."""
