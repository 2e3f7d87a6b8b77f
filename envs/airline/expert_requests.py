"""How the airline expert carries out requests: what all handlers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import Any

from mua_env.agents.scripted import handlers as base
from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.expert import Asked, Call, Heard, Step, call_all, transfer
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from . import rules
from .expert_desk import Desk
from .generate_text import CABIN_WORDS, method_words
from .goals import answer_to
from .itineraries import Itinerary, choose, itineraries, plain_legs
from .language import matching

Record = dict[str, Any]
_ROUNDS = 5


class Handler(base.Handler[Desk]):
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

    def transfer_if_departed(self, what: str) -> Part:
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
        listed = yield from call_all(
            *[search("search_direct_flight", leg["origin"], leg["destination"], leg["date"]) for leg in legs]
        )
        return any(
            leg["flight_number"] not in [flight["flight_number"] for flight in flights]
            for leg, flights in zip(legs, listed, strict=True)
        )


class Change(Handler, base.Change[Desk]):
    """A request that changes something once the user agrees."""

    @property
    def subject(self) -> str:
        """Id of the reservation."""
        return str(self.row.get("reservation_id", ""))

    @abstractmethod
    def take(self, text: str) -> bool:
        """Take over the values that a text states; whether there were any."""

    def amend(self, text: str) -> Part:
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

    def need(self, act: str, text: str, done: Callable[[], bool]) -> Part:
        """Ask until everything is known."""
        self.take(text)
        for _ in range(_ROUNDS):
            if done():
                return
            self.take((yield from self.ask(act)))
        raise Refusal("the details are required")


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


def search(tool: str, origin: str, destination: str, day: str) -> Call:
    """A search for the flights of a day."""
    return Call(tool, {"origin": origin, "destination": destination, "date": day})


def find_flights(
    ways: Sequence[tuple[str, str, str]], cabin: str, heads: int, choice: str
) -> Generator[Step, Heard, list[Itinerary]]:
    """Search all ways (origin, destination, day) in one turn, and choose for each.

    Raises:
        Refusal: there is no such flight.
    """
    tools = ["search_direct_flight", "search_onestop_flight"][: 2 if choice == "cheapest" else 1]
    found = yield from call_all(*[search(tool, *way) for way in ways for tool in tools])
    chosen = []
    for at, (origin, destination, day) in enumerate(ways):
        results = found[at * len(tools) : (at + 1) * len(tools)]
        options = itineraries(results[0], results[1] if len(results) > 1 else [], cabin, heads, day)
        best = choose(options, choice)
        if best is None:
            raise Refusal(f"no such flight from {origin} to {destination} on {day} has enough seats available")
        chosen.append(best)
    return chosen


def legs_in_words(legs: list[Record]) -> str:
    """Flights with their dates."""
    return ", ".join(f"{leg['flight_number']} on {leg['date']}" for leg in plain_legs(legs))


def cabin_in_words(cabin: str) -> str:
    """A cabin."""
    return CABIN_WORDS[cabin]


class Answer(Handler):
    """Answers a question about a reservation."""

    def run(self, text: str) -> Asked:
        """Look it up and say it."""
        yield from self.find(text)
        topic = self.intent.partition(":")[2]
        answer = answer_to(topic, self.desk.user, self.row)
        claim = (
            f"You paid ${answer} in total for it." if topic == "total_paid" else f"It has {answer} free checked bags."
        )
        return (yield from self.desk.say("answer", claim=claim))


NEVER = {
    "remove_bags": "checked bags can be added but never removed or refunded",
    "add_insurance": "insurance can only be bought together with the flight",
    "add_passenger": "the number of passengers of a reservation cannot change; only a passenger can be replaced",
    "change_route": "origin and destination of a reservation must stay the same",
}


class Never(Handler):
    """Refuses what is never allowed."""

    def run(self, text: str) -> Asked:
        """Say no, and why."""
        return (yield from self.desk.say("refuse", reason=NEVER[self.intent]))
