"""The desk of the telecom expert: what it knows in one dialogue, how it speaks, and what it looks up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mua_env.agents.scripted import desk as base
from mua_env.agents.scripted.expert import Asked, ScriptedExpert, ToolFailed, call

from . import expert_reading as reading
from .expert_phone import LOOKS, REPAIRS, Seen, in_words
from .expert_phrases import phrase
from .expert_records import Record, Records

_TRIES = 3


class Clerk(base.Desk, Records):
    """What the expert knows in one dialogue, and how it speaks; ``stranger`` answers who is not the owner."""

    late_after = 20

    def __init__(
        self, expert: ScriptedExpert, handlers: base.Handlers, *, stranger: Callable[[Clerk, str], base.Serving]
    ) -> None:
        super().__init__(expert, handlers)
        self._stranger = stranger
        Records.__init__(self)
        self.heard = ""
        self.owner = False
        self.resumed = False
        self.paid = ""
        # The public benchmark's policy document asks for no date of birth of who names the number.
        self.strict = any(schema["function"]["name"] == "change_plan" for schema in expert.tools)
        self.seen: Seen = {}

    def phrase(self, act: str, **values: str) -> str:
        """A phrasing in the expert's style."""
        name = str(self.customer.get("full_name", "")).split(" ")[0]
        first = f", {name}" if name and self.owner else ""
        return phrase(act, self._expert.rng, compact=self._expert.compact, **{"first": first, **values})

    def intent(self, text: str) -> str | None:
        """What a text of the caller wants."""
        return reading.intent(text)

    def agrees(self, text: str) -> bool:
        """Whether the caller says yes to a proposal."""
        return reading.yes(text)

    def handler(self, intent: str) -> base.Serving:
        """What carries out a request; nothing is done for who is not the owner."""
        return super().handler(intent) if self.owner else self._stranger(self, intent)

    def take_over(self, record: Record) -> None:
        """Keep the line that a tool has changed."""
        self.line = record.get("line", self.line)

    # Who is calling

    def identify(self, text: str) -> Asked:
        """Find the customer and check name and date of birth; returns the caller's last text."""
        act = "identify"
        for _ in range(2 * _TRIES):
            text = yield from self.say(act)
            self.heard += "\n" + text
            if not self.customer:
                yield from self._look_up()
            if self.customer and self.line:
                self.owner = self._matches()
                if self.owner or act == "mismatch":
                    return text
                act = "mismatch"
            else:
                act = "ask_phone"
        return text

    def _look_up(self) -> Any:
        number = reading.phone(self.heard)
        if number is None:
            return
        with suppress(ToolFailed):
            yield from self.read(number)

    def _matches(self) -> bool:
        name, born = self.customer["full_name"], self.customer["date_of_birth"]
        named = name.lower() in self.heard.lower()
        return named and (not self.strict or reading.birth_date(self.heard) == born)

    def overdue(self) -> Record | None:
        """The bill that is overdue, if there is one, or that was and now waits to be paid."""
        return next((bill for bill in self.bills if bill["status"] in ("Overdue", "Awaiting Payment")), None)

    # The phone, in the caller's hands

    def look(self, names: tuple[str, ...], *, where: bool = False, act: str = "look") -> Asked:
        """Have the caller look at things, and say whether it is abroad; returns its text."""
        steps = in_words([LOOKS[name] for name in names])
        text = yield from self.say("look_abroad" if where and act == "look" else act, steps=steps)
        self.note(text)
        return text

    def repair(self, names: list[str], proof: str) -> Asked:
        """Have the caller do things and look whether they helped; returns its text."""
        self.seen = {}
        steps = in_words([*(REPAIRS[name] for name in names), LOOKS[proof]])
        text = yield from self.say("repair", steps=steps)
        return (yield from self.reassure(text))

    def reassure(self, text: str) -> Asked:
        """Stand by what was asked for, where the caller doubts it."""
        self.note(text)
        if reading.doubts(text):
            text = yield from self.say("explain")
            self.note(text)
        return text

    def note(self, text: str) -> None:
        """Keep what a text says of the phone and of where the caller is."""
        self.seen.update(reading.screen(text))
        where = reading.abroad(text)
        self.abroad = self.abroad if where is None else where

    # The records

    def pay(self, bill: Record, proof: tuple[str, ...] = ()) -> Asked:
        """Have the caller pay a bill; returns its text. The bill's record is read anew."""
        customer_id, bill_id = self.customer["customer_id"], bill["bill_id"]
        if bill["status"] == "Overdue":
            yield from call("send_payment_request", customer_id=customer_id, bill_id=bill_id)
        text = yield from self.say("pay", bill=bill_id, amount=f"{bill['total_due']:.2f}")
        text = yield from self.reassure(text)
        fresh = yield from call("get_details_by_id", id=bill_id)
        bill.update(fresh)
        self.paid = str(bill_id) if bill["status"] == "Paid" else self.paid
        return text

    def consent(self, act: str, text: str, **values: str) -> Any:
        """Put a proposal; returns whether the caller agrees, and its text."""
        text = yield from self.say(act, **values)
        return self.agrees(text), text
