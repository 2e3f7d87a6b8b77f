"""Builders of requests: each draws one request of an intent from the user's records, or gives up with ``None``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mua_env.core.tasks import Request

from .customers import make_passenger
from .fleet import Draw, Record
from .goals import answer_to, booking_total, full_name, method_slot
from .itineraries import CHOICES, Itinerary
from .records import CABINS
from .rules import cancellation
from .search import NOW

Builder = Callable[[Draw], Request | None]


def cancel_reservation(draw: Draw) -> Request | None:
    """Cancel a reservation, for a reason that the policy document accepts."""
    reservation = draw.take("clean", "hit")
    if reservation is None:
        return None
    hit = draw.fleet.kind(reservation) == "hit"
    reasons = ["airline_cancelled"] if hit else ["change_of_plans", "health", "weather", "other"]
    reason = draw.rng.choice(reasons)
    if cancellation(reservation, reason, NOW, flight_cancelled=hit) != "allowed":
        return None
    return Request(intent="cancel_reservation", slots=about(reservation) | {"reason": reason})


def change_cabin(draw: Draw) -> Request | None:
    """Change the cabin of all flights."""
    reservation = draw.take("clean")
    if reservation is None:
        return None
    cabin = draw.rng.choice([cabin for cabin in CABINS if cabin != reservation["cabin"]])
    return to_cabin(draw, reservation, cabin)


def to_cabin(draw: Draw, reservation: Record, cabin: str) -> Request | None:
    """The change of a reservation to a cabin, where that has seats."""
    slots = {"cabin": cabin, "payment": [method_slot(draw.method())]}
    if not draw.fleet.has_seats(reservation, cabin):
        return None
    return Request(intent="change_cabin", slots=about(reservation) | slots)


def change_flights(draw: Draw) -> Request | None:
    """Move a reservation that is not in basic economy to other days."""
    reservation = draw.take("clean", cabins=("economy", "business"))
    return None if reservation is None else other_flights(draw, reservation)


def other_flights(draw: Draw, reservation: Record) -> Request | None:
    """The change of a reservation's flights to another day, of a round trip there or back."""
    there, back = halves(reservation)
    dates = {"date": there[0]["date"]} | ({"return_date": back[0]["date"]} if back else {})
    moved = draw.rng.choice(sorted(dates))
    choice = draw.rng.choice(CHOICES)
    days = [day for day in draw.fleet.days if day not in dates.values()]
    if back:
        days = [day for day in days if (day < dates["return_date"] if moved == "date" else day > there[-1]["date"])]
    if not days:
        return None
    day = draw.rng.choice(days)
    origin, destination = reservation["origin"], reservation["destination"]
    route = (origin, destination) if moved == "date" else (destination, origin)
    heads = len(reservation["passengers"])
    found = draw.fleet.pick(*route, day, reservation["cabin"], heads, choice)
    if found is None or (back and moved == "date" and found[-1]["date"] > dates["return_date"]):
        return None
    flights = [*found, *back] if moved == "date" else [*there, *found]
    slots = about(reservation) | dates | {moved: day, "choice": choice, "payment": [method_slot(draw.method())]}
    return Request(intent="change_flights", slots=slots | {"flights": short(flights)})


def add_bags(draw: Draw) -> Request | None:
    """Add checked bags, free or paid ones."""
    reservation = draw.take("clean")
    if reservation is None:
        return None
    slots = {"bags": draw.rng.choice((1, 1, 2, 2, 3)), "payment": [method_slot(draw.method())]}
    return Request(intent="add_bags", slots=about(reservation) | slots)


def change_passenger(draw: Draw) -> Request | None:
    """Put someone else in the place of a passenger."""
    reservation = draw.take("clean")
    if reservation is None:
        return None
    names = [full_name(passenger) for passenger in reservation["passengers"]]
    if len(set(names)) < len(names):
        return None
    slots = {"passenger": draw.rng.choice(names), "new_passenger": make_passenger(draw.rng)}
    return Request(intent="change_passenger", slots=about(reservation) | slots)


def book_flight(draw: Draw) -> Request | None:
    """Book a trip of one or two people."""
    rng, fleet = draw.rng, draw.fleet
    origin, destination = rng.sample(fleet.airports, 2)
    me = {**draw.user["name"], "dob": draw.user["dob"]}
    saved = draw.user["saved_passengers"]
    others = [dict(rng.choice(saved)) if saved and rng.random() < 0.3 else make_passenger(rng)]
    passengers = [me, *others] if rng.random() < 0.4 else [me] if rng.random() < 0.7 else others
    first = rng.randrange(len(fleet.days) - 4)
    slots: dict[str, Any] = {
        "flight_type": "one_way",
        "origin": origin,
        "destination": destination,
        "date": fleet.days[first],
        "cabin": rng.choice(CABINS),
        "choice": rng.choice(CHOICES),
        "passengers": passengers,
    }
    if rng.random() < 0.4:
        later = fleet.days[first + 2 + rng.randrange(min(4, len(fleet.days) - first - 3))]
        slots |= {"flight_type": "round_trip", "return_date": later}
    flights = flights_for(draw, slots)
    if flights is None:
        return None
    slots |= {"bags": rng.choice((0, 0, 1, 2, 3)), "insurance": rng.choice(("yes", "no", "no")), "flights": flights}
    slots["payment"] = [method_slot(method) for method in paying(draw, slots)]
    return Request(intent="book_flight", slots=slots)


def flights_for(draw: Draw, slots: Record) -> Itinerary | None:
    """The flights of a booking, where the preference leaves no doubt."""
    way = (slots["cabin"], len(slots["passengers"]), slots["choice"])
    flights = draw.fleet.pick(slots["origin"], slots["destination"], slots["date"], *way)
    if flights and "return_date" in slots:
        back = draw.fleet.pick(slots["destination"], slots["origin"], slots["return_date"], *way)
        flights = flights + back if back else None
    return short(flights, prices=True) if flights else None


def paying(draw: Draw, slots: Record) -> list[Record]:
    """A card alone, or a certificate first and a card for the rest."""
    card = draw.card()
    certificate = draw.method(certificate=True)
    total = booking_total(slots, draw.user["membership"])
    if certificate and certificate["amount"] < total and draw.rng.random() < 0.35:
        return [certificate, card]
    return [card]


def ask(draw: Draw) -> Request | None:
    """Ask something about a reservation that the tools can answer."""
    reservation = draw.take("clean", "hit")
    if reservation is None:
        return None
    topic = draw.rng.choice(("total_paid", "total_paid", "free_bags"))
    slots = {"topic": topic, "answer": answer_to(topic, draw.user, reservation)}
    return Request(intent="ask", slots=about(reservation) | slots, outcome="answered")


def about(reservation: Record) -> Record:
    """The slot that names a reservation."""
    return {"reservation_id": reservation["reservation_id"]}


def halves(reservation: Record) -> tuple[Itinerary, Itinerary]:
    """The flights there and, of a round trip, those back."""
    flights = reservation["flights"]
    if reservation["flight_type"] == "one_way":
        return flights, []
    ends = [leg["destination"] for leg in flights]
    at = ends.index(reservation["destination"]) + 1
    return flights[:at], flights[at:]


def short(flights: Itinerary, *, prices: bool = False) -> Itinerary:
    """Number and date of each flight, with its price if wanted."""
    names = ("flight_number", "date", "price") if prices else ("flight_number", "date")
    return [{name: leg[name] for name in names} for leg in flights]


BUILDERS: Final[Mapping[str, Builder]] = {
    "add_bags": add_bags,
    "ask": ask,
    "book_flight": book_flight,
    "cancel_reservation": cancel_reservation,
    "change_cabin": change_cabin,
    "change_flights": change_flights,
    "change_passenger": change_passenger,
}
