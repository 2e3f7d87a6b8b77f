"""Bills: what is charged when, and what stands open."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from mua_env.core.database import Database
from mua_env.errors import ToolError

from .models import Bill, Customer, Number

Record = dict[str, Any]

TODAY: Final = date(2025, 2, 25)
"""The day that the world is at, as in the public benchmark."""
_PAYMENT_DAYS: Final = 14


def month_end(day: date) -> date:
    """The last day of a day's month."""
    return _next_month(day) - timedelta(days=1)


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def find_bill(db: Database, bill_id: object) -> Record:
    """A bill by its id.

    Raises:
        ToolError: there is none.
    """
    bill = db.get(Bill, bill_id) if isinstance(bill_id, str) else None
    if bill is None:
        raise ToolError(f"there is no bill {bill_id!r}")
    return bill


def with_status(db: Database, customer: Record, status: str) -> list[Record]:
    """A customer's bills of one status, oldest first."""
    bills = (find_bill(db, bill_id) for bill_id in customer["bill_ids"])
    return [bill for bill in bills if bill["status"] == status]


def charge(db: Database, customer: Record, amount: Number, description: str) -> None:
    """Put an amount (below 0: a credit) on the customer's next bill, which is begun where there is none yet."""
    drafts = with_status(db, customer, "Draft")
    bill = drafts[0] if drafts else _begin(db, customer, start=_next_month(TODAY))
    items = [*bill["line_items"], _item(description, amount)]
    db.update(Bill, bill["bill_id"], line_items=items, total_due=bill["total_due"] + amount)


def add_overdue(db: Database, customer: Record, bill_id: str, amount: Number, description: str) -> None:
    """Give the customer a bill of last month that was never paid."""
    end = TODAY.replace(day=1) - timedelta(days=1)
    bill = _blank(bill_id, customer, start=end.replace(day=1), end=end, status="Overdue")
    _add(db, customer, {**bill, "line_items": [_item(description, amount)], "total_due": 0.0 + amount})


def _begin(db: Database, customer: Record, start: date) -> Record:
    bill = _blank(_free_id(db), customer, start=start, end=month_end(start), status="Draft")
    _add(db, customer, bill)
    return bill


def _blank(bill_id: str, customer: Record, *, start: date, end: date, status: str) -> Record:
    return {
        "bill_id": bill_id,
        "customer_id": customer["customer_id"],
        "period_start": str(start),
        "period_end": str(end),
        "issue_date": str(start),
        "total_due": 0.0,
        "due_date": str(start + timedelta(days=_PAYMENT_DAYS)),
        "line_items": [],
        "status": status,
    }


def _item(description: str, amount: Number) -> Record:
    kind = "Credit" if amount < 0 else "Charge"
    return {"description": description, "amount": float(amount), "date": str(TODAY), "item_type": kind}


def _add(db: Database, customer: Record, bill: Record) -> None:
    db.insert(Bill, bill)
    db.update(Customer, customer["customer_id"], bill_ids=[*customer["bill_ids"], bill["bill_id"]])


def _free_id(db: Database) -> str:
    """The first id that is free: the same state gives the same id (tau2 draws it at random)."""
    number = 1
    while db.get(Bill, f"B{number:08d}") is not None:
        number += 1
    return f"B{number:08d}"
