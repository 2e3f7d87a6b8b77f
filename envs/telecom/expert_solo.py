"""The telecom expert in solo mode: a ticket, and both pairs of hands in its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from mua_env.agents.scripted.expert import Call, Say, Script, ScriptedExpert, ToolFailed, call, call_all

from . import expert_reading as reading
from .compose import MOST_GB
from .expert_phone import FOR, LOOKS, PROOF, REPAIRS, Seen, repairs, solved
from .expert_records import Records

Record = dict[str, Any]
_ROUNDS: Final = 3
_ITEM = re.compile(r"^\d+\. (.*)$", re.MULTILINE)


def work_off(expert: ScriptedExpert, ticket: str) -> Script:
    """The work on a ticket, to its end by ``done`` or a transfer."""
    worker = _Worker(ticket)
    if not (yield from worker.look_up()):
        yield Say("I cannot do this, because the caller is not the owner of the account.")
        yield Call("done")
        return
    for intent, line in _items(ticket):
        reason = yield from worker.handle(intent, line)
        if reason:
            summary = f"Line {worker.line['phone_number']}: {reason}"
            yield Call("transfer_to_human_agents", {"summary": summary})
            break
    # Nobody gets here after a transfer that ends the episode.
    yield Call("done")


def _items(ticket: str) -> Iterator[tuple[str | None, str]]:
    """What is wanted, and the text that says so. A ticket without numbers, as tau2's, begins with its one item."""
    numbered = _ITEM.findall(ticket)
    for text in numbered:
        yield reading.item(text), text
    if not numbered:
        yield reading.item(ticket.partition(". ")[0]), ticket


class _Worker(Records):
    """What is known of the ticket's customer, line and phone.

    Attributes:
        public: it is a ticket of tau2's, with neither numbers nor a date of birth.
    """

    def __init__(self, ticket: str) -> None:
        super().__init__()
        self.ticket = ticket
        self.public = not _ITEM.search(ticket)
        self.abroad = reading.abroad(ticket)

    def look_up(self) -> Any:
        """Find the customer; whether it is the caller."""
        try:
            yield from self.read(reading.phone(self.ticket))
        except ToolFailed:
            return False
        born = reading.birth_date(self.ticket)
        named = self.customer["full_name"] in self.ticket
        return named and (self.customer["date_of_birth"] == born or (born is None and self.public))

    def handle(self, intent: str | None, item: str) -> Any:
        """Do one item of the ticket; returns why it must be handed over, or nothing."""
        if intent in PROOF:
            return (yield from self._symptom(str(intent), item))
        if intent == "pay_bill":
            yield from self._pay()
        elif (intent == "refuel_data" and (reading.gigabytes(item) or 0) <= MOST_GB) or intent == "change_plan":
            yield from self._buy(item)
        else:
            yield from self._refuse(intent)
        return ""

    def _refuse(self, intent: str | None) -> Any:
        why = {
            "next_bill": "only overdue bills can be paid here, so I cannot pay the next bill",
            "refuel_data": "at most 2 GB can be added, so I cannot add the data",
        }.get(str(intent), "the policy does not allow it")
        yield Say(f"I cannot do this because {why}.")

    def _symptom(self, intent: str, item: str) -> Any:
        for attempt in range(_ROUNDS):
            seen = yield from self._look((*FOR[intent], PROOF[intent]))
            if solved(intent, seen):
                return ""
            steps = repairs(intent, seen, abroad=self.abroad is True)
            lock = str(seen.get("sim", ""))
            if self.ended or lock.startswith("locked"):
                yield from self._do([step for step in steps if step == "airplane"])
                return "The contract of the suspended line has ended." if self.ended else f"The SIM card is {lock}."
            yield from self._records(intent, item)
            # tau2's phone notices a line that is back only when it looks for its network.
            yield from self._do(steps or (["reboot"] if attempt else []))
        return "The problem is still there after every step of the manual."

    def _look(self, names: tuple[str, ...]) -> Any:
        steps = [LOOKS[name] for name in names]
        results = yield from call_all(*[Call(step.tool, step.arguments) for step in steps])
        seen: Seen = {}
        for result in results:
            seen.update(reading.screen(str(result)))
        return seen

    def _do(self, names: list[str]) -> Any:
        steps = [REPAIRS[name] for name in names]
        yield from call_all(*[Call(step.tool, step.arguments) for step in steps])

    def _records(self, intent: str, item: str) -> Any:
        if self.line["status"] == "Suspended":
            yield from self._pay()
            result = yield from call("resume_line", **self.ids)
            self.line = result["line"]
        if intent == "service":
            return
        yield from self.let_roam()
        usage = yield from call("get_data_usage", **self.ids)
        if usage["data_used_gb"] >= usage["data_limit_gb"] + usage["data_refueling_gb"]:
            yield from self._buy(item)

    def _pay(self) -> Any:
        bill = next((bill for bill in self.bills if bill["status"] == "Overdue"), None)
        if bill is None:
            return
        yield from call("send_payment_request", customer_id=bill["customer_id"], bill_id=bill["bill_id"])
        yield from self._do(["pay"])
        bill.update((yield from call("get_details_by_id", id=bill["bill_id"])))

    def _buy(self, item: str) -> Any:
        """What the ticket says that the customer agreed to."""
        plan, gb = reading.plan(item), reading.gigabytes(item)
        # tau2's tickets on picture messages do not say what its gold buys.
        gb = MOST_GB if gb is None and self.public else gb
        if plan is None:
            if gb is not None:
                yield from call("refuel_data", **self.ids, gb_amount=gb)
            return
        plans = yield from call("get_available_plans")
        row = next(row for row in plans if row["name"] == plan)
        if row["data_limit_gb"] <= 1:
            yield Say("I cannot change the plan because that plan is only for watches.")
            return
        result = yield from call("change_plan", **self.ids, plan_id=row["plan_id"])
        self.line = result["line"]
