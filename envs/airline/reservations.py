"""Own seeded reservations: trips over the network that were booked before the present moment."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

from .customers import make_passenger, pick
from .records import CABINS, FREE_BAGS, INSURANCE_PRICE
from .search import NOW, next_day

Row = dict[str, Any]

_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Network:
    """Flights by route, and the ways from one airport to another on a day, whatever became of the flights."""

    def __init__(self, flights: list[Row]) -> None:
        self.flights = {flight["flight_number"]: flight for flight in flights}
        self.by_route: dict[tuple[str, str], list[Row]] = {}
        for flight in flights:
            self.by_route.setdefault((flight["origin"], flight["destination"]), []).append(flight)
        self.airports = sorted({origin for origin, _ in self.by_route})
        self._hubs = {
            (origin, destination): [
                hub for hub in self.airports if (origin, hub) in self.by_route and (hub, destination) in self.by_route
            ]
            for origin in self.airports
            for destination in self.airports
        }

    def way(self, rng: Random, origin: str, destination: str, day: str) -> list[tuple[Row, str]] | None:
        """A direct flight where there is one, else a connection: flights with their dates."""
        flights = self.by_route.get((origin, destination))
        if flights:
            return [(pick(rng, flights), day)]
        hubs = self._hubs[origin, destination]
        if not hubs:
            return None
        hub = pick(rng, hubs)
        first = pick(rng, self.by_route[origin, hub])
        arrival = first["scheduled_arrival_time_est"]
        later = next_day(day) if "+1" in arrival else day
        seconds = [
            flight
            for flight in self.by_route[hub, destination]
            if flight["scheduled_departure_time_est"] >= arrival.removesuffix("+1") and later in flight["dates"]
        ]
        return [(first, day), (pick(rng, seconds), later)] if seconds else None


def make_reservations(rng: Random, count: int, users: list[Row], flights: list[Row], today: str) -> list[Row]:
    """Reservations with distinct ids, added to their users' profiles."""
    network = Network(flights)
    days = list(flights[0]["dates"])
    made: dict[str, Row] = {}
    while len(made) < count:
        name = "".join(pick(rng, _ALPHABET) for _ in range(6))
        user = pick(rng, users)
        if name in made:
            continue
        row = _reservation(rng, name, user, network, days, days.index(today))
        if row is not None:
            made[name] = row
            user["reservations"].append(name)
    return list(made.values())


def _reservation(rng: Random, name: str, user: Row, network: Network, days: list[str], now: int) -> Row | None:
    origin, destination = pick(rng, network.airports), pick(rng, network.airports)
    if origin == destination:
        return None
    chance = rng.random()
    if chance < 0.14:
        start = int(rng.random() * now)
    elif chance < 0.22:
        start = now
    else:
        start = now + 1 + int(rng.random() * (len(days) - now - 5))
    legs = network.way(rng, origin, destination, days[start])
    round_trip = rng.random() < 0.45
    if legs and round_trip:
        last = min(start + 1 + int(rng.random() * 6), len(days) - 2)
        back = network.way(rng, destination, origin, days[last]) if last > start else None
        legs = legs + back if back and legs[-1][1] < days[last] else None
    if not legs:
        return None
    cabin = pick(rng, CABINS)
    heads = 1 + int(rng.random() ** 2 * 4)
    flights = [_leg(rng, flight, day, cabin) for flight, day in legs]
    return _row(rng, name, user, flights, cabin, heads, (origin, destination, round_trip))


def _leg(rng: Random, flight: Row, day: str, cabin: str) -> Row:
    prices = flight["dates"][day].get("prices")
    # What a flight that is no longer for sale cost when it was.
    price = (
        prices[cabin]
        if prices
        else {"basic_economy": 70, "economy": 130, "business": 340}[cabin] + int(rng.random() * 90)
    )
    return {
        "origin": flight["origin"],
        "destination": flight["destination"],
        "flight_number": flight["flight_number"],
        "date": day,
        "price": price,
    }


def _row(
    rng: Random, name: str, user: Row, flights: list[Row], cabin: str, heads: int, trip: tuple[str, str, bool]
) -> Row:
    me = {**user["name"], "dob": user["dob"]}
    others = [make_passenger(rng) for _ in range(heads)]
    passengers = [me, *others[1:]] if rng.random() < 0.8 else others
    insured = rng.random() < 0.35
    free = FREE_BAGS[user["membership"]][cabin] * heads
    amount = sum(leg["price"] for leg in flights) * heads + (INSURANCE_PRICE * heads if insured else 0)
    return {
        "reservation_id": name,
        "user_id": user["user_id"],
        "origin": trip[0],
        "destination": trip[1],
        "flight_type": "round_trip" if trip[2] else "one_way",
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_history": [{"payment_id": _paid_with(rng, user), "amount": amount}],
        "created_at": _created(rng, flights[0]["date"]),
        "total_baggages": int(rng.random() * (min(free, 4) + 1)),
        "nonfree_baggages": 0,
        "insurance": "yes" if insured else "no",
    }


def _paid_with(rng: Random, user: Row) -> str:
    methods = [key for key, method in user["payment_methods"].items() if method["source"] != "certificate"]
    return str(pick(rng, methods))


def _created(rng: Random, first_day: str) -> str:
    """When it was booked: before the first departure, one in eight within the last day."""
    now = datetime.fromisoformat(NOW)
    departure_day = datetime.fromisoformat(f"{first_day}T00:00:00")
    recent = rng.random() < 0.125 and departure_day > now
    seconds = (3600 * 23 if recent else 20 * 86400) * rng.random()
    latest = now if recent else min(now - timedelta(hours=25), departure_day)
    return (latest - timedelta(seconds=int(seconds) + 60)).isoformat()
