"""The agent's tools in the telecom world: names, arguments and effects are those of the public telecom benchmark."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field
from sqlalchemy import BindParameter, bindparam, or_, select

from mua_env.core.tools import Toolkit, tool
from mua_env.domain.bounds import check_within
from mua_env.errors import ToolError

from .billing import TODAY, charge, find_bill, month_end, with_status
from .models import Bill, Customer, Device, Line, Plan
from .records import whole

Record = dict[str, Any]
CustomerId = Annotated[str, Field(description="Customer id, such as 'C0000'.")]
LineId = Annotated[str, Field(description="Line id, such as 'L0000'; it must be a line of this customer.")]
BillId = Annotated[str, Field(description="Bill id, such as 'B0000'; it must be a bill of this customer.")]
Summary = Annotated[str, Field(description="What the user wants and why it is handed over.")]
LEAST_DATA, MOST_DATA = 0.001, 1_000
"""Gigabytes that can be added at once."""
_NUMBER: Final[BindParameter[str]] = bindparam("number")
_CUSTOMER_OF: Final = (
    select(Customer.customer_id)
    .where(
        or_(
            Customer.phone_number == _NUMBER,
            Customer.customer_id.in_(select(Line.owner_id).where(Line.phone_number == _NUMBER)),
        )
    )
    .order_by(Customer.customer_id)
    .limit(1)
)
_BY_LETTER: Final[dict[str, Any]] = {"L": Line, "D": Device, "B": Bill, "C": Customer, "P": Plan}


class OperatorTools(Toolkit):
    """What the agent can do in the operator's records."""

    # Customers

    @tool
    def get_customer_by_phone(
        self, phone_number: Annotated[str, Field(description="Number of contact or of a line, such as '555-000-0000'.")]
    ) -> Record:
        """Find a customer by the number of one of their lines, or by the number that they are reached at."""
        return whole(Customer, self.customer_of(phone_number))

    @tool
    def get_customer_by_id(self, customer_id: CustomerId) -> Record:
        """Look a customer up: name, address, account status, payment methods, ids of lines and bills."""
        return whole(Customer, self.customer(customer_id))

    @tool
    def get_customer_by_name(
        self,
        full_name: Annotated[str, Field(description="First and last name.")],
        dob: Annotated[str, Field(description="Date of birth as YYYY-MM-DD.")],
    ) -> list[Record]:
        """Find the customers of a name and date of birth; an empty list if there are none."""
        wanted = full_name.lower()
        born = self.db.find(Customer, Customer.date_of_birth == dob) if isinstance(dob, str) else []
        return [whole(Customer, row) for row in born if row["full_name"].lower() == wanted]

    @tool
    def get_details_by_id(
        self, id: Annotated[str, Field(description="Id of a customer (C), line (L), device (D), bill (B) or plan (P).")]
    ) -> Record:
        """Look a record of any kind up by its id."""
        model = _BY_LETTER.get(id[:1])
        if model is None:
            problem = f"the id {id!r} is of no known kind; ids begin with {', '.join(_BY_LETTER)}"
            raise ToolError(problem, kind="kind", id=id)
        return whole(model, self._record(model, id))

    # Lines

    @tool(writes=True)
    def suspend_line(
        self,
        customer_id: CustomerId,
        line_id: LineId,
        reason: Annotated[str, Field(description="Why it is suspended.")],
    ) -> Record:
        """Suspend an active line."""
        line = self.line_of(customer_id, line_id)
        if line["status"] != "Active":
            problem = f"only an active line can be suspended; {line_id} is {line['status']}"
            raise ToolError(problem, kind="active")
        text = "Line suspended successfully. $5/month holding fee will apply."
        return self._set_status(line, text, status="Suspended", suspension_start_date=str(TODAY))

    @tool(writes=True)
    def resume_line(self, customer_id: CustomerId, line_id: LineId) -> Record:
        """Make a line active that is suspended or waits for its activation."""
        line = self.line_of(customer_id, line_id)
        if line["status"] not in ("Suspended", "Pending Activation"):
            problem = f"only a suspended or new line can be resumed; {line_id} is {line['status']}"
            raise ToolError(problem, kind="suspended")
        return self._set_status(line, "Line resumed successfully", status="Active", suspension_start_date=None)

    def _set_status(self, line: Record, message: str, **columns: Any) -> Record:
        self.db.update(Line, line["line_id"], **columns)
        return {"message": message, "line": whole(Line, {**line, **columns})}

    @tool
    def get_data_usage(self, customer_id: CustomerId, line_id: LineId) -> Record:
        """Look up what a line has used of its data this month, what its plan allows, and what was added."""
        line = self.line_of(customer_id, line_id)
        return {
            "line_id": line_id,
            "data_used_gb": self._shown(line["data_used_gb"]),
            "data_limit_gb": self._shown(self._record(Plan, line["plan_id"])["data_limit_gb"]),
            "data_refueling_gb": self._shown(line["data_refueling_gb"]),
            "cycle_end_date": str(month_end(TODAY)),
        }

    @tool(writes=True)
    def enable_roaming(self, customer_id: CustomerId, line_id: LineId) -> str:
        """Allow a line to be used in networks abroad."""
        return self._set_roaming(customer_id, line_id, enabled=True)

    @tool(writes=True)
    def disable_roaming(self, customer_id: CustomerId, line_id: LineId) -> str:
        """No longer allow a line to be used in networks abroad."""
        return self._set_roaming(customer_id, line_id, enabled=False)

    def _set_roaming(self, customer_id: str, line_id: str, *, enabled: bool) -> str:
        state = "enabled" if enabled else "disabled"
        if self.line_of(customer_id, line_id)["roaming_enabled"] is enabled:
            return f"Roaming was already {state}"
        self.db.update(Line, line_id, roaming_enabled=enabled)
        return f"Roaming {state} successfully"

    @tool(writes=True)
    def refuel_data(
        self,
        customer_id: CustomerId,
        line_id: LineId,
        gb_amount: Annotated[float, Field(allow_inf_nan=False, description="How much to add, in GB; more than 0.")],
    ) -> Record:
        """Add data to a line for this month; its price by the line's plan goes on the customer's next bill."""
        line = self.line_of(customer_id, line_id)
        if not gb_amount > 0:
            raise ToolError(f"the amount of data must be more than 0 GB, got {gb_amount}", kind="amount")
        check_within("the amount of data in GB", gb_amount, LEAST_DATA, MOST_DATA)
        rate = self._record(Plan, line["plan_id"])["data_refueling_price_per_gb"]
        price, total = gb_amount * rate, line["data_refueling_gb"] + gb_amount
        self.db.update(Line, line_id, data_refueling_gb=total)
        charged = f"Data refueling: {gb_amount} GB at ${rate}/GB"
        charge(self.db, self.customer(customer_id), price, charged, mode=self.mode)
        return {
            "message": f"Successfully added {gb_amount} GB of data for line {line_id} for ${price:.2f}",
            "new_data_refueling_gb": self._shown(total),
            "charge": self._shown(price),
        }

    # Bills

    @tool
    def get_bills_for_customer(
        self,
        customer_id: CustomerId,
        limit: Annotated[int, Field(description="How many at most.")] = 12,
    ) -> list[Record]:
        """List a customer's bills, the newest first."""
        bills = [find_bill(self.db, bill_id) for bill_id in self.customer(customer_id)["bill_ids"]]
        newest = sorted(bills, key=lambda bill: str(bill["issue_date"]), reverse=True)
        if self.mode == "strict" and limit < 0:
            raise ToolError(f"the limit must not be below 0, got {limit}")
        return [whole(Bill, bill) for bill in newest[:limit]]

    @tool(writes=True)
    def send_payment_request(self, customer_id: CustomerId, bill_id: BillId) -> str:
        """Ask the user to pay a bill; only one bill at a time can wait to be paid."""
        customer = self.customer(customer_id)
        if with_status(self.db, customer, "Awaiting Payment"):
            raise ToolError(f"a bill of customer {customer_id} already waits to be paid", kind="waiting")
        if bill_id not in customer["bill_ids"]:
            problem = f"customer {customer_id} has no bill {bill_id!r}"
            raise ToolError(problem, kind="owned_bill", bill_id=bill_id, customer_id=customer_id)
        if self.mode == "strict" and find_bill(self.db, bill_id)["status"] == "Paid":
            raise ToolError(f"bill {bill_id} is paid already")
        self.db.update(Bill, bill_id, status="Awaiting Payment")
        return f"Payment request sent to the customer for bill {bill_id}"

    # Look-ups that the tools share

    def customer(self, customer_id: object) -> Record:
        """A customer's row."""
        return self._record(Customer, customer_id)

    def customer_of(self, phone_number: object) -> Record:
        """The row of the customer with a number."""
        if isinstance(phone_number, str):
            found = self.db.execute(_CUSTOMER_OF, {"number": phone_number}).scalar()
            if found is not None:
                return self.customer(found)
        raise ToolError(f"no customer has the number {phone_number!r}", kind="phone", phone_number=phone_number)

    def line_of(self, customer_id: object, line_id: object) -> Record:
        """The row of a line that must be the customer's."""
        if line_id not in self.customer(customer_id)["line_ids"]:
            problem = f"customer {customer_id} has no line {line_id!r}"
            raise ToolError(problem, kind="owned_line", line_id=line_id, customer_id=customer_id)
        return self._record(Line, line_id)

    def _record(self, model: Any, key: object) -> Record:
        row = self.db.get(model, key) if isinstance(key, str) else None
        if row is None:
            kind = model.__name__.lower()
            raise ToolError(f"there is no {kind} {key!r}", kind=kind, key=key)
        return row

    def _shown(self, number: Any) -> Any:
        # tau2 gives the numbers of these results as text.
        return str(number) if self.mode == "compat" else number


class TelecomTools(OperatorTools):
    """The thirteen tools of the telecom agent."""

    @tool(terminal=True)
    def transfer_to_human_agents(self, summary: Summary) -> str:
        """Hand the conversation over to a human agent, which ends it. Only for what these tools cannot do."""
        return "Transfer successful"
