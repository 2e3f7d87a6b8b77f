"""The airline expert's handlers of what gives money back: cancelling, and compensation."""

from __future__ import annotations

from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from . import rules
from .expert_requests import Change, Record


class Cancel(Change):
    """Cancels a whole reservation where the policy document allows it."""

    question = "ask_reservation_reason"
    tool = "cancel_reservation"
    claim = "Reservation {id} has been cancelled; the refund goes to the original payment methods."
    reason = ""

    def collect(self, text: str) -> Part:
        """Reservation, then reason."""
        text = yield from self.find(text)
        yield from self.transfer_if_departed("cancel")
        yield from self.need("ask_reason", text, lambda: bool(self.reason))

    def take(self, text: str) -> bool:
        """A reason."""
        found = reading.reason(text)
        self.reason = found or self.reason
        return found is not None

    def check(self) -> Part:
        """The conditions of a cancellation."""
        yield from self.transfer_if_departed("cancel")
        hit = False
        if self.reason == "airline_cancelled":
            hit = yield from self.has_cancelled_flight()
        row = self.row | {"cabin": self.desk.cabin(self.row)}
        if rules.cancellation(row, self.reason, self.desk.now, flight_cancelled=hit) == "refused":
            raise Refusal(
                "it was booked more than 24 hours ago, the airline has cancelled none of its flights, it is no "
                "business "
                "class, and it has no insurance that covers the reason"
            )

    def action(self) -> str:
        """The cancellation in words."""
        return f"Cancel reservation {self.row['reservation_id']}, with a refund to the original payment methods."

    def arguments(self) -> Record:
        """The reservation."""
        return {"reservation_id": self.row["reservation_id"]}


class Compensate(Change):
    """Sends a certificate for trouble with a flight."""

    question = "ask_reservation_complaint"
    tool = "send_certificate"
    claim = "A certificate has been issued and added to your profile."
    complaint = ""

    def collect(self, text: str) -> Part:
        """Reservation, then what happened."""
        text = yield from self.find(text)
        yield from self.need("ask_complaint", text, lambda: bool(self.complaint))

    def take(self, text: str) -> bool:
        """What happened."""
        found = reading.complaint(text)
        self.complaint = found or self.complaint
        return found is not None

    def check(self) -> Part:
        """Who is compensated, and for what."""
        row = self.row | {"cabin": self.desk.cabin(self.row)}
        if not rules.compensable(self.desk.user, row):
            raise Refusal("only silver or gold members, and customers with insurance or in business class, get it")
        if self.complaint == "cancelled_flight":
            hit = yield from self.has_cancelled_flight()
            if not hit:
                raise Refusal("none of the flights of this reservation has been cancelled, they are still for sale")
        elif row["reservation_id"] not in self.desk.changed:
            raise Refusal("for a delay it is only given when the reservation is changed or cancelled because of it")

    def action(self) -> str:
        """The certificate in words."""
        amount = rules.compensation(self.row, self.complaint)
        return f"Send you a certificate of ${amount} as compensation for reservation {self.row['reservation_id']}."

    def arguments(self) -> Record:
        """User and amount."""
        return {"user_id": self.desk.user_id, "amount": rules.compensation(self.row, self.complaint)}
