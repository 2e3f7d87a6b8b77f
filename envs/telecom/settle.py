"""What each side's changes do to the other: line, roaming and data to the phone; payments and requests for them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import bindparam, select

from mua_env.core.database import Database
from mua_env.core.tools import Mode
from mua_env.errors import ToolError

from .billing import with_status
from .models import PHONE, Bill, Line, Phone, Plan, Surroundings
from .radio import search_network
from .tools import OperatorTools

Row = dict[str, Any]
# Built once: this runs after every call that writes.
_LINE_OF: Final = select(Line.line_id).where(Line.phone_number == bindparam("number")).order_by(Line.line_id).limit(1)


def settle(db: Database, mode: Mode) -> None:
    """Carry over what has changed; there is nothing to do where no user's number is set.

    In ``strict`` mode the phone notices at once that its line went dead or came back; in ``compat`` mode, as in
    tau2, only when something makes it look for its network.

    Raises:
        ToolError: the user's number is of no line.
    """
    around = db.get(Surroundings, PHONE)
    if around is None or around.get("phone_number") is None:
        return
    line = _line(db, around["phone_number"])
    now = {
        "line_active": line["status"] == "Active",
        "roaming_allowed": line["roaming_enabled"],
        "mobile_data_usage_exceeded": _used_up(db, line),
        "payment_request": _payment(db, mode, around),
    }
    changed = {name: value for name, value in now.items() if value != around.get(name)}
    if not changed:
        return
    db.update(Surroundings, PHONE, **changed)
    if mode == "strict" and "line_active" in changed:
        _notice(db, {**around, **now})


def _line(db: Database, number: str) -> Row:
    line_id = db.execute(_LINE_OF, {"number": number}).scalar()
    line = None if line_id is None else db.get(Line, line_id)
    if line is None:
        raise ToolError(f"the user's number {number!r} is of no line")
    return line


def _used_up(db: Database, line: Row) -> bool:
    plan = db.get(Plan, line["plan_id"])
    if plan is None:
        raise ToolError(f"line {line['line_id']} has the plan {line['plan_id']!r}, which does not exist")
    return bool(line["data_used_gb"] >= plan["data_limit_gb"] + line["data_refueling_gb"])


def _payment(db: Database, mode: Mode, around: Row) -> Row | None:
    """The request that the user has now: a paid one settles its bill, and the next bill that waits takes its place."""
    request: Row | None = around.get("payment_request")
    if request is not None and request["paid"]:
        db.update(Bill, request["bill_id"], status="Paid")
        request = None
    if request is None:
        customer = OperatorTools(db, mode=mode).customer_of(around["phone_number"])
        waiting = with_status(db, customer, "Awaiting Payment")
        if waiting:
            bill = waiting[0]
            request = {"bill_id": bill["bill_id"], "amount_due": float(bill["total_due"]), "paid": False}
    return request


def _notice(db: Database, around: Row) -> None:
    phone = db.get(Phone, PHONE)
    if phone is not None:
        before = dict(phone)
        search_network(phone, around)
        changed = {name: value for name, value in phone.items() if value != before[name]}
        if changed:
            db.update(Phone, PHONE, **changed)
