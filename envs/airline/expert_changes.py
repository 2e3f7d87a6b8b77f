"""The airline expert's handlers of changes: flights, cabin, bags, passengers."""

from __future__ import annotations

from typing import Any

from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from .expert_requests import Change, Paying, cabin_in_words, find_flights, legs_in_words
from .generate_requests import halves
from .goals import full_name, replaced, with_bags
from .itineraries import plain_legs
from .language import matching

Record = dict[str, Any]


class Cabin(Paying):
    """Changes the cabin of all flights."""

    late_question = "ask_reservation_cabin"
    tool = "update_reservation_flights"
    claim = "The cabin of reservation {id} has been changed."
    cabin = ""

    def collect(self, text: str) -> Part:
        """Reservation, then cabin and payment method."""
        text = yield from self.find(text)
        yield from self.transfer_if_departed("change the cabin of")
        yield from self.need("ask_cabin_payment", text, lambda: bool(self.cabin and self.method))

    def take(self, text: str) -> bool:
        """Cabin and payment method."""
        cabin = reading.cabin(text)
        self.cabin = cabin or self.cabin
        return self.take_method(text) or cabin is not None

    def check(self) -> Part:
        """A trip that has begun is handed over."""
        yield from self.transfer_if_departed("change the cabin of")

    def action(self) -> str:
        """The change in words."""
        name, cabin = self.row["reservation_id"], cabin_in_words(self.cabin)
        return (
            f"Change the cabin of reservation {name} to {cabin} for all flights and passengers; the "
            f"difference goes to your {self.payment}."
        )

    def arguments(self) -> Record:
        """Reservation, cabin, the same flights, payment method."""
        return {
            "reservation_id": self.row["reservation_id"],
            "cabin": self.cabin,
            "flights": plain_legs(self.row["flights"]),
            "payment_id": self.method_id,
        }

    def carry_out(self) -> Part:
        """Change it, and remember the cabin."""
        yield from super().carry_out()
        self.desk.cabins[self.row["reservation_id"]] = self.cabin


class Flights(Cabin):
    """Exchanges flights within the same route."""

    late_question = "ask_reservation_flights"
    claim = "The flights of reservation {id} have been changed."

    def __init__(self, desk: Any, intent: str) -> None:
        super().__init__(desk, intent)
        self.dates: Record = {}
        self.choice: Any = None
        self.legs: list[Record] = []

    def collect(self, text: str) -> Part:
        """Reservation, then cabin where that changes, dates, preference and payment method."""
        text = yield from self.find(text)
        yield from self.refuse()
        self.cabin = "" if self.intent.endswith(":cabin") else self.desk.cabin(self.row)
        if not self.cabin:
            yield from self.need("ask_cabin", text, lambda: bool(self.cabin))
        round_trip = self.row["flight_type"] == "round_trip"
        yield from self.need("ask_flights_round" if round_trip else "ask_flights_one", text, self.complete)

    def complete(self) -> bool:
        """Whether everything is known."""
        dated = isinstance(self.choice, list) or bool(self.dates)
        return bool(dated and self.choice and self.method)

    def refuse(self) -> Part:
        """What the policy document forbids."""
        yield from self.transfer_if_departed("change the flights of")
        if self.desk.cabin(self.row) == "basic_economy" and not self.intent.endswith(":cabin"):
            raise Refusal("the flights of a basic economy reservation cannot be changed")

    def take(self, text: str) -> bool:
        """Cabin (if it changes), dates, preference, payment method."""
        dates, choice = reading.travel_dates(text, self.desk.today[:4]), reading.choice(text)
        self.dates |= dates
        self.choice = choice or self.choice
        cabin = reading.cabin(text) if self.intent.endswith(":cabin") else None
        self.cabin = cabin or self.cabin
        return any((self.take_method(text), dates, choice, cabin))

    def check(self) -> Part:
        """Search the days that change."""
        yield from self.refuse()
        if isinstance(self.choice, list):
            self.legs = self.choice
            return
        there, back = halves(self.row)
        ends = (self.row["origin"], self.row["destination"])
        parts = [(there, "date", ends), (back, "return_date", ends[::-1])][: 2 if back else 1]
        days = [str(self.dates.get(name, part[0]["date"])) for part, name, _ in parts]
        moved = [(*route, day) for (part, _, route), day in zip(parts, days, strict=True) if day != part[0]["date"]]
        found = iter((yield from find_flights(moved, self.cabin, len(self.row["passengers"]), str(self.choice))))
        self.legs = []
        for (part, _, _), day in zip(parts, days, strict=True):
            self.legs += part if day == part[0]["date"] else next(found)

    def action(self) -> str:
        """The change in words."""
        name, cabin = self.row["reservation_id"], cabin_in_words(self.cabin)
        flights = legs_in_words(self.legs)
        return (
            f"Change the flights of reservation {name} to {flights}, in {cabin}; the difference goes to your "
            f"{self.payment}."
        )

    def arguments(self) -> Record:
        """Reservation, cabin, flights, payment method."""
        return super().arguments() | {"flights": plain_legs(self.legs)}


class Bags(Paying):
    """Adds checked bags."""

    late_question = "ask_reservation_bags"
    tool = "update_reservation_baggages"
    claim = "The bags have been added to reservation {id}."
    more: int | None = None
    paid: int | None = None
    """Paid bags after the change, where the customer names them."""

    def collect(self, text: str) -> Part:
        """Reservation, then number and payment method."""
        text = yield from self.find(text)
        yield from self.need("ask_bags_payment", text, lambda: bool(self.more and self.method))

    def take(self, text: str) -> bool:
        """Number and payment method."""
        more, paid = reading.bags(text), reading.paid_bags(text)
        self.more = self.more if more is None else more
        self.paid = self.paid if paid is None else paid
        return self.take_method(text) or more is not None

    def counts(self) -> tuple[int, int]:
        """Bags after the change: all, and those paid for."""
        assert self.more is not None
        total, paid = with_bags(self.desk.user, self.row | {"cabin": self.desk.cabin(self.row)}, self.more)
        return total, paid if self.paid is None else self.paid

    def action(self) -> str:
        """The change in words."""
        cost = 50 * max(0, self.counts()[1] - self.row["nonfree_baggages"])
        name = self.row["reservation_id"]
        return (
            f"Add {self.more} bag{'' if self.more == 1 else 's'} to reservation {name} for ${cost}, paid with "
            f"your {self.payment}."
        )

    def arguments(self) -> Record:
        """Reservation, numbers, payment method."""
        total, paid = self.counts()
        return {
            "reservation_id": self.row["reservation_id"],
            "total_baggages": total,
            "nonfree_baggages": paid,
            "payment_id": self.method_id,
        }


class Replace(Change):
    """Puts someone else in the place of a passenger."""

    late_question = "ask_reservation_passengers"
    tool = "update_reservation_passengers"
    claim = "The passenger of reservation {id} has been changed."
    old = ""
    new: Record | None = None

    def collect(self, text: str) -> Part:
        """Reservation, then both people."""
        text = yield from self.find(text)
        yield from self.need("ask_passengers_change", text, lambda: bool(self.old and self.new))

    def take(self, text: str) -> bool:
        """The passenger to be replaced, and the new one."""
        passengers = self.row["passengers"]
        people = [person for person in matching.people(text) if person not in passengers]
        told = text
        for person in people:
            told = told.replace(f"{full_name(person)}, born {person['dob']}", "")
        old = reading.replaced_name(told, passengers)
        self.old = old or self.old
        self.new = people[0] if people else self.new
        return bool(people) or old is not None

    def action(self) -> str:
        """The change in words."""
        assert self.new is not None
        who = f"{full_name(self.new)} (born {self.new['dob']})"
        return f"Replace the passenger {self.old} on reservation {self.row['reservation_id']} with {who}."

    def arguments(self) -> Record:
        """Reservation and all passengers."""
        assert self.new is not None
        passengers = replaced(self.row["passengers"], self.old, self.new)
        return {"reservation_id": self.row["reservation_id"], "passengers": passengers}
