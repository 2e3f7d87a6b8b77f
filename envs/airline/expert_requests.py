"""How the airline expert carries out requests: what all handlers share, and those of cancelling and refusing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from mua_env.agents import desk as base
from mua_env.agents.desk import Refusal
from mua_env.agents.expert import Asked, Call, Heard, Step, ToolFailed, call_all, change, transfer

from . import expert_reading as reading
from . import rules
from .generate_text import CABIN_WORDS, method_words
from .goals import answer_to
from .itineraries import plain_legs
from .language import matching

if TYPE_CHECKING:
    from .expert import Desk

Record = dict[str, Any]
_ROUNDS = 5


class Handler(base.Handler["Desk"]):
    """Carries out one request: what every kind of it must look up and learn."""

    question = "ask_reservation"
    late_question = ""

    def __init__(self, desk: Desk, intent: str) -> None:
        super().__init__(desk, intent)
        self.row: Record = {}

    def find(self, text: str) -> Asked:
        """Learn which reservation it is about; returns the text that told it."""
        act = self.late_question if self.desk.late and self.late_question else self.question
        for _ in range(_ROUNDS):
            for name in matching.reservation_ids(text):
                if name not in self.desk.user["reservations"]:
                    raise Refusal(f"reservation {name} is not in your profile, and I can only help with your own")
                self.row = yield from self.desk.reservation(name)
                return text
            if len(matching.airport_codes(text)) > 1:
                rows = yield from self.desk.all_reservations()
                found = self.desk.fitting(text, rows)
                if found:
                    self.row = found[0]
                    return text
            text = yield from self.ask(act)
            act = "ask_reservation"
        raise Refusal("the reservation cannot be found without its id")

    def transfer_if_departed(self, what: str) -> Generator[Step, Heard, None]:
        """Hand over what concerns a trip that has begun."""
        if rules.departed(self.row, self.desk.today):
            name = self.row["reservation_id"]
            summary = f"The user wants to {what} reservation {name}, of which a flight has already departed."
            yield from transfer(summary)

    def has_cancelled_flight(self) -> Generator[Step, Heard, bool]:
        """Whether a later flight of the reservation is no longer for sale."""
        if self.desk.trusting:
            return True
        legs = [leg for leg in self.row["flights"] if leg["date"] > self.desk.today]
        listed = yield from call_all(*[_search(leg) for leg in legs])
        return any(
            leg["flight_number"] not in [flight["flight_number"] for flight in flights]
            for leg, flights in zip(legs, listed, strict=True)
        )


class Change(Handler):
    """A request that changes something once the user agrees. Subclasses say what it needs and what it does."""

    tool = ""
    claim = ""

    def run(self, text: str) -> Asked:
        """The request from the user's wish to the user's next message."""
        try:
            yield from self.collect(text)
            while True:
                yield from self.check()
                answer = yield from self.desk.say("propose", action=self.action())
                if reading.agrees(answer):
                    break
                self.notice_switch(answer)
                yield from self.amend(answer)
            yield from self.carry_out()
        except Refusal as refusal:
            return (yield from self.desk.say("refuse", reason=str(refusal)))
        return (yield from self.desk.say("done", claim=self.claim.format(id=self.row.get("reservation_id", ""))))

    @abstractmethod
    def collect(self, text: str) -> Generator[Step, Heard, None]:
        """Ask for what is needed."""

    def check(self) -> Generator[Step, Heard, None]:
        """Look up what the proposal needs, and refuse what is not allowed.

        Raises:
            Refusal: with the reason.
        """
        yield from ()

    @abstractmethod
    def action(self) -> str:
        """What is going to be done, in words."""

    @abstractmethod
    def arguments(self) -> Record:
        """Arguments of the tool call."""

    @abstractmethod
    def take(self, text: str) -> bool:
        """Take over the values that a text states; whether there were any."""

    def amend(self, text: str) -> Generator[Step, Heard, None]:
        """Take over what the user corrects."""
        for _ in range(_ROUNDS):
            named = matching.reservation_ids(text)
            other = bool(named) and named[0] != self.row.get("reservation_id")
            if other:
                self.row = yield from self.desk.reservation(named[0])
            if self.take(text) or other or reading.goes_on(text):
                return
            text = yield from self.ask("fix")
        raise Refusal("the details are required")

    def carry_out(self) -> Generator[Step, Heard, None]:
        """Do it."""
        try:
            record = yield from change(self.tool, **self.arguments())
        except ToolFailed as failure:
            text = str(failure).removeprefix("Error: ").rstrip(".")
            raise Refusal(f"the system does not allow it: {text}") from None
        if isinstance(record, dict):
            self.desk.take_over(record)

    def need(self, act: str, text: str, done: Callable[[], bool]) -> Generator[Step, Heard, None]:
        """Ask until everything is known."""
        self.take(text)
        for _ in range(_ROUNDS):
            if done():
                return
            self.take((yield from self.ask(act)))
        raise Refusal("the details are required")


def _search(leg: Record) -> Call:
    return Call(
        "search_direct_flight", {"origin": leg["origin"], "destination": leg["destination"], "date": leg["date"]}
    )


class Paying(Change):
    """What requests with a payment method share."""

    method: Record | None = None

    def take_method(self, text: str) -> bool:
        """Take over the payment method that a text names."""
        named = matching.methods_named(text, self.desk.user["payment_methods"].values())
        if named:
            self.method = named[0]
        return bool(named)

    @property
    def payment(self) -> str:
        """The payment method in words."""
        assert self.method is not None
        return method_words(self.method)

    @property
    def method_id(self) -> str:
        """Id of the payment method."""
        assert self.method is not None
        return str(self.method["id"])


HANDLERS: dict[str, Callable[[Desk, str], Handler]] = {}
"""By intent, with the topic behind a colon. Filled by the modules that define them."""


def register(*intents: str) -> Callable[[type[Handler]], type[Handler]]:
    """Make a class the handler of intents."""

    def mark(handler: type[Handler]) -> type[Handler]:
        HANDLERS.update(dict.fromkeys(intents, handler))
        return handler

    return mark


@register("cancel_reservation")
class Cancel(Change):
    """Cancels a whole reservation where the policy document allows it."""

    question = "ask_reservation_reason"
    tool = "cancel_reservation"
    claim = "Reservation {id} has been cancelled; the refund goes to the original payment methods."
    reason = ""

    def collect(self, text: str) -> Generator[Step, Heard, None]:
        """Reservation, then reason."""
        text = yield from self.find(text)
        yield from self.transfer_if_departed("cancel")
        yield from self.need("ask_reason", text, lambda: bool(self.reason))

    def take(self, text: str) -> bool:
        """A reason."""
        found = reading.reason(text)
        self.reason = found or self.reason
        return found is not None

    def check(self) -> Generator[Step, Heard, None]:
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


@register("compensation")
class Compensate(Change):
    """Sends a certificate for trouble with a flight."""

    question = "ask_reservation_complaint"
    tool = "send_certificate"
    claim = "A certificate has been issued and added to your profile."
    complaint = ""

    def collect(self, text: str) -> Generator[Step, Heard, None]:
        """Reservation, then what happened."""
        text = yield from self.find(text)
        yield from self.need("ask_complaint", text, lambda: bool(self.complaint))

    def take(self, text: str) -> bool:
        """What happened."""
        found = reading.complaint(text)
        self.complaint = found or self.complaint
        return found is not None

    def check(self) -> Generator[Step, Heard, None]:
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


@register("ask:free_bags", "ask:total_paid")
class Answer(Handler):
    """Answers a question about a reservation."""

    def run(self, text: str) -> Asked:
        """Look it up and say it."""
        try:
            yield from self.find(text)
        except Refusal as refusal:
            return (yield from self.desk.say("refuse", reason=str(refusal)))
        topic = self.intent.partition(":")[2]
        answer = answer_to(topic, self.desk.user, self.row)
        claim = (
            f"You paid ${answer} in total for it." if topic == "total_paid" else f"It has {answer} free checked bags."
        )
        return (yield from self.desk.say("answer", claim=claim))


_NEVER = {
    "remove_bags": "checked bags can be added but never removed or refunded",
    "add_insurance": "insurance can only be bought together with the flight",
    "add_passenger": "the number of passengers of a reservation cannot change; only a passenger can be replaced",
    "change_route": "origin and destination of a reservation must stay the same",
}


@register(*_NEVER)
class Never(Handler):
    """Refuses what is never allowed."""

    def run(self, text: str) -> Asked:
        """Say no, and why."""
        return (yield from self.desk.say("refuse", reason=_NEVER[self.intent]))


@register("human")
class Human(Handler):
    """Hands over to a human agent."""

    def run(self, text: str) -> Asked:
        """Ends the dialogue."""
        yield from transfer("The user asks for a human agent.")
        return (yield from self.desk.say("bye"))


def legs_in_words(legs: list[Record]) -> str:
    """Flights with their dates."""
    return ", ".join(f"{leg['flight_number']} on {leg['date']}" for leg in plain_legs(legs))


def cabin_in_words(cabin: str) -> str:
    """A cabin."""
    return CABIN_WORDS[cabin]


# Importing them registers their handlers.
from . import expert_booking, expert_changes  # noqa: E402

_REGISTERED = (expert_booking, expert_changes)
