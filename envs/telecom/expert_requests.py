"""How the telecom expert carries out requests: symptoms of the phone, bills, data and plans."""

from __future__ import annotations

from typing import Any

from mua_env.agents.scripted.expert import Asked, call, change
from mua_env.agents.scripted.handlers import Handler

from . import expert_reading as reading
from .compose import MOST_GB
from .expert_desk import Clerk
from .expert_phone import FOR, PROOF, repairs, solved

_ROUNDS = 4


class Stranger(Handler[Clerk]):
    """A request of somebody who is not the owner of the account."""

    def run(self, text: str) -> Asked:
        """Refuse it."""
        return (yield from self.desk.say("stranger"))


class Symptom(Handler[Clerk]):
    """A phone that has no service, slow or no data, or sends no pictures."""

    def run(self, text: str) -> Asked:
        """Look, repair, look again, until the caller sees that it works."""
        desk = self.desk
        proof = PROOF[self.intent]
        for turn in range(_ROUNDS):
            where = self.intent != "service" and desk.abroad is None
            names = FOR[self.intent] if turn == 0 else (*FOR[self.intent], proof)
            text = yield from desk.look(names, where=where, act="unsolved" if turn else "look")
            if self._over(text):
                return text
            reason = yield from self._hand_over_for()
            if reason:
                return (yield from self.hand_over(reason))
            text = yield from self.records(text)
            if self._over(text):
                return text
            steps = repairs(self.intent, desk.seen, abroad=desk.abroad is True)
            if desk.resumed and "reboot" not in steps:
                steps.append("reboot")
            desk.resumed = False
            text = yield from desk.repair(steps, proof)
            if self._over(text):
                return text
        return (yield from self.hand_over("The problem is still there after every step of the manual."))

    def _over(self, text: str) -> bool:
        """Whether the symptom is gone; a new request in the text is followed at once."""
        self.notice_switch(text)
        return solved(self.intent, self.desk.seen)

    def _hand_over_for(self) -> Asked:
        """Why nothing can be done here; what can be repaired is repaired before. Empty where something can be done."""
        desk = self.desk
        lock = str(desk.seen.get("sim", ""))
        reason = "The line is suspended and its contract has ended." if desk.ended else ""
        if lock.startswith("locked"):
            reason = f"The SIM card is locked and asks for its {lock[-3:].upper()}."
        if reason and desk.seen.get("airplane") is True:
            yield from desk.repair(["airplane"], "bar")
        return reason

    def hand_over(self, reason: str) -> Asked:
        """Hand the caller over to a human agent, which ends the dialogue."""
        summary = f"Line {self.desk.line['phone_number']}: {reason}"
        yield from call("transfer_to_human_agents", summary=summary)
        # Where the transfer itself does not end the dialogue, the user does.
        return (yield from self.desk.say("transferred"))

    def records(self, text: str) -> Asked:
        """Do what can be done in the records: suspension, roaming, data that are used up."""
        desk = self.desk
        if desk.line["status"] == "Suspended":
            text = yield from self._lift(text)
        if self.intent == "service":
            return text
        yield from desk.let_roam()
        usage = yield from call("get_data_usage", **desk.ids)
        used, limit = float(usage["data_used_gb"]), float(usage["data_limit_gb"]) + float(usage["data_refueling_gb"])
        if used >= limit:
            text = yield from self._more_data(used, limit)
        return text

    def _lift(self, text: str) -> Asked:
        desk = self.desk
        bill = desk.overdue()
        if bill is not None:
            text = yield from desk.pay(bill)
            self.notice_switch(text)
            if bill["status"] != "Paid":
                return text
        result = yield from call("resume_line", **desk.ids)
        desk.take_over(result)
        desk.resumed = True
        return text

    def _more_data(self, used: float, limit: float) -> Asked:
        desk = self.desk
        plan = yield from call("get_details_by_id", id=desk.line["plan_id"])
        rate = plan["data_refueling_price_per_gb"]
        text = yield from desk.say("remedy", used=f"{used:g}", limit=f"{limit:g}", rate=f"{rate:.2f}")
        self.notice_switch(text)
        bought: tuple[str, str] = yield from buy(self, text)
        return bought[1]


def buy(handler: Handler[Clerk], text: str) -> Any:
    """Add data or change the plan as the caller wants; returns what was done (or nothing), and the caller's text."""
    desk = handler.desk
    for _ in range(_ROUNDS):
        gb, plan = reading.gigabytes(text), reading.plan(text)
        if plan is not None:
            done, text = yield from _change(handler, plan)
        elif gb is not None:
            if gb > MOST_GB:
                text = yield from desk.say("too_much", gb=f"{gb:g}")
                if reading.gigabytes(text) is None:
                    return "", text
                continue
            done, text = yield from _add(handler, gb)
        else:
            text = yield from desk.say("ask_gb" if handler.intent != "change_plan" else "ask_plan", plans="")
            continue
        if done:
            return done, text
        if reading.gigabytes(text) is None and reading.plan(text) is None:
            return "", text
    return "", text


def _add(handler: Handler[Clerk], gb: float) -> Any:
    desk = handler.desk
    plan = yield from call("get_details_by_id", id=desk.line["plan_id"])
    price = gb * plan["data_refueling_price_per_gb"]
    agreed, text = yield from desk.consent("propose_gb", "", gb=f"{gb:g}", price=f"{price:.2f}")
    if not agreed:
        return "", text
    yield from change("refuel_data", **desk.ids, gb_amount=gb)
    return f"{gb:g} GB of data were added", text


def _change(handler: Handler[Clerk], name: str) -> Any:
    desk = handler.desk
    plans = yield from call("get_available_plans")
    plan = next(row for row in plans if row["name"] == name)
    if plan["data_limit_gb"] <= 1:
        return "", (yield from desk.say("watch", plan=name))
    agreed, text = yield from desk.consent("propose_plan", "", plan=name, price=f"{plan['price_per_month']:.2f}")
    if not agreed:
        return "", text
    result = yield from change("change_plan", **desk.ids, plan_id=plan["plan_id"])
    desk.take_over(result)
    return f"your plan was changed to {name}", text


class Bill(Handler[Clerk]):
    """An overdue bill to be paid."""

    def run(self, text: str) -> Asked:
        """Send the request, and see that it was paid."""
        desk = self.desk
        bill = desk.overdue()
        if bill is None and desk.paid and self.intent == "pay_bill":
            return (yield from desk.say("paid", bill=desk.paid))
        if bill is None or self.intent == "next_bill":
            return (yield from desk.say("not_due"))
        text = yield from desk.pay(bill)
        self.notice_switch(text)
        if bill["status"] == "Paid":
            return text if reading.intent(text) else (yield from desk.say("paid", bill=str(bill["bill_id"])))
        return text


class Purchase(Handler[Clerk]):
    """Data to be added, or another plan."""

    def run(self, text: str) -> Asked:
        """Ask for the amount or the plan, propose it, carry it out."""
        desk = self.desk
        act, values = "ask_gb", {}
        if self.intent == "change_plan":
            plans = yield from call("get_available_plans")
            act = "ask_plan"
            values = {"plans": ", ".join(f"{row['name']} (${row['price_per_month']:g})" for row in plans)}
        text = yield from self.ask(act, **values)
        done, text = yield from buy(self, text)
        return (yield from desk.say("bought", what=done)) if done else text
