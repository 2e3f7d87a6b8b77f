"""The airline expert's handler of bookings."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.expert import Heard, Step, call_all
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from .expert_requests import Paying, cabin_in_words, find_flights, legs_in_words, search
from .generate_text import method_words
from .goals import booking, full_name
from .language import matching

Record = dict[str, Any]


class Book(Paying):
    """Books a trip."""

    tool = "book_reservation"
    claim = "Your trip has been booked."

    def __init__(self, desk: Any, intent: str) -> None:
        super().__init__(desk, intent)
        self.slots: Record = {}
        self.methods: list[Record] = []

    def collect(self, text: str) -> Part:
        """Trip, travellers, extras."""
        if self.desk.late:
            self.take((yield from self.ask("ask_booking")))
        yield from self.need("ask_trip", "", lambda: self._has("flight_type", "origin", "destination", "date", "cabin"))
        if self.slots["flight_type"] == "round_trip":
            yield from self.need("ask_return", "", lambda: self._has("return_date"))
        yield from self.need("ask_travellers", "", lambda: self._has("choice", "passengers"))
        yield from self.need("ask_extras", "", lambda: self._has("bags", "insurance") and bool(self.methods))

    def _has(self, *names: str) -> bool:
        return all(name in self.slots for name in names)

    def take(self, text: str) -> bool:
        """Every value that a text states."""
        found: Record = reading.travel_dates(text, self.desk.today[:4])
        for name, read in _READERS.items():
            value = read(text)
            if value is not None:
                found[name] = value
        people = matching.people(text)
        if people:
            found["passengers"] = people
        found |= _route(text)
        methods = matching.methods_named(text, self.desk.user["payment_methods"].values())
        self.methods = methods or self.methods
        self.slots |= found
        return bool(found or methods)

    def check(self) -> Part:
        """Search the flights of each way.

        Raises:
            Refusal: there are none, or what was named does not pay for them.
        """
        slots = self.slots
        if len(slots["passengers"]) > 5:
            raise Refusal("a reservation can have at most five passengers")
        if isinstance(slots["choice"], list):
            slots["flights"] = yield from self._priced(slots["choice"])
        else:
            ways = [(slots["origin"], slots["destination"], slots["date"])]
            if slots["flight_type"] == "round_trip":
                ways.append((slots["destination"], slots["origin"], slots["return_date"]))
            found = yield from find_flights(ways, slots["cabin"], len(slots["passengers"]), slots["choice"])
            slots["flights"] = [leg for itinerary in found for leg in itinerary]
        if not self.arguments()["payment_methods"]:
            raise Refusal("the payment methods do not cover the price")

    def _priced(self, legs: list[Record]) -> Generator[Step, Heard, list[Record]]:
        """The named flights with their prices, found on the routes that they can be on."""
        slots = self.slots
        ends = (slots["origin"], slots["destination"])
        routes = [ends] if slots["flight_type"] == "one_way" else [ends, ends[::-1]]
        searches = [
            search(tool, origin, destination, day)
            for day in dict.fromkeys(leg["date"] for leg in legs)
            for origin, destination in routes
            for tool in ("search_direct_flight", "search_onestop_flight")
        ]
        results = yield from call_all(*searches)
        found: dict[tuple[str, str], int] = {}
        for made, result in zip(searches, results, strict=True):
            for entry in result:
                for flight in entry if isinstance(entry, list) else [entry]:
                    key = (flight["flight_number"], flight.get("date") or made.arguments["date"])
                    found[key] = flight["prices"][slots["cabin"]]
        missing = [leg for leg in legs if (leg["flight_number"], leg["date"]) not in found]
        if missing:
            raise Refusal(f"flight {missing[0]['flight_number']} is not available on {missing[0]['date']}")
        return [{**leg, "price": found[leg["flight_number"], leg["date"]]} for leg in legs]

    def action(self) -> str:
        """The booking in words."""
        slots, made = self.slots, self.arguments()
        who = " and ".join(f"{full_name(person)} (born {person['dob']})" for person in slots["passengers"])
        paid = " and ".join(
            f"${part['amount']} with your {method_words(method)}"
            for part, method in zip(made["payment_methods"], self.methods, strict=False)
        )
        insurance = "with travel insurance" if slots["insurance"] == "yes" else "no insurance"
        trip = slots["flight_type"].replace("_", " ")
        return (
            f"Book a {trip} from {slots['origin']} to {slots['destination']} in "
            f"{cabin_in_words(slots['cabin'])}: flights "
            f"{legs_in_words(slots['flights'])}, for {who}, {slots['bags']} checked bags, {insurance}; {paid}."
        )

    def arguments(self) -> Record:
        """Everything that the tool needs."""
        user = self.desk.user | {"user_id": self.desk.user_id}
        slots = self.slots | {"payment": self.methods}
        return booking(user, slots, {method["id"]: method for method in self.methods})


_READERS = {
    "flight_type": reading.flight_type,
    "cabin": reading.cabin,
    "choice": reading.choice,
    "bags": reading.bags,
    "insurance": reading.insurance,
}


def _route(text: str) -> Record:
    """Origin and destination, by what stands before them."""
    found = {}
    low = text.lower()
    for code in matching.airport_codes(text):
        at = _place_of(code, text)
        before = low[max(0, at - 24) : at]
        names = [
            ("origin", before.rfind("from")),
            ("origin", before.rfind("starts in")),
            ("destination", before.rfind("to ")),
        ]
        name, spot = max(names, key=lambda pair: pair[1])
        if spot >= 0:
            found[name] = code
    return found


def _place_of(code: str, text: str) -> int:
    from .airports import city

    spots = [text.find(code), text.lower().find(city(code).lower())]
    return min(spot for spot in spots if spot >= 0)
