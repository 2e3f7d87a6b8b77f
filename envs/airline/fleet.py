"""The data as the task generator sees it: records by id, what became of flights, and flights that can be booked."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from mua_env.core.database import Rows

from . import search
from .itineraries import Itinerary, choose, is_clear, itineraries
from .rules import departed, recent
from .search import NOW

Record = dict[str, Any]
TODAY = NOW[:10]


class Fleet:
    """Users, reservations and flights as they stand at the start, with the searches that the tools make.

    Args:
        rows: the data. The records are shared: do not change them.
    """

    def __init__(self, rows: Rows) -> None:
        self.users: dict[str, Record] = {row["user_id"]: dict(row) for row in rows["users"]}
        self.reservations: dict[str, Record] = {row["reservation_id"]: dict(row) for row in rows["reservations"]}
        self.flights: dict[str, Record] = {row["flight_number"]: dict(row) for row in rows["flights"]}
        self.days = [day for day in next(iter(self.flights.values()))["dates"] if day > TODAY]
        self.airports = sorted({flight["origin"] for flight in self.flights.values()})
        self._routes = _by_route(self.flights[number] for number in sorted(self.flights))
        self._direct = lru_cache(maxsize=8192)(self._search_direct)
        self._one_stop = lru_cache(maxsize=8192)(self._search_one_stop)
        self._halves = self._split()
        self._kinds = {name: self._kind(reservation) for name, reservation in self.reservations.items()}
        self.customers = lru_cache(maxsize=256)(self._customers)

    def _customers(self, split: str, least: int, kinds: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        """Ids of the users of a split with so many reservations, of each group of kinds at least one."""
        found = []
        for name in self._halves[split]:
            held = {self._kinds[reservation] for reservation in self.users[name]["reservations"]}
            if len(self.users[name]["reservations"]) >= least and all(held & set(group) for group in kinds):
                found.append(name)
        return tuple(found)

    def statuses(self, reservation: Mapping[str, Any]) -> list[str]:
        """What became of each flight of a reservation."""
        return [self.flights[leg["flight_number"]]["dates"][leg["date"]]["status"] for leg in reservation["flights"]]

    def kind(self, reservation: Mapping[str, Any]) -> str:
        """What became of a reservation.

        ``clean``: all flights for sale; ``hit``: a later one cancelled; ``late``: one of today delayed; ``flown``: one
        has departed before today; ``none``: anything else of today.
        """
        return self._kinds[reservation["reservation_id"]]

    def _kind(self, reservation: Mapping[str, Any]) -> str:
        if departed(reservation, TODAY):
            return "flown"
        statuses = self.statuses(reservation)
        today = [leg["date"] == TODAY for leg in reservation["flights"]]
        if any(today):
            first = statuses[today.index(True)] == "delayed" and sum(today) == 1
            return "late" if first and set(statuses) <= {"delayed", "available"} else "none"
        return "hit" if "cancelled" in statuses else "clean"

    def pick(self, origin: str, destination: str, day: str, cabin: str, heads: int, choice: str) -> Itinerary | None:
        """The itinerary with seats for everyone that a preference picks, where it leaves no doubt."""
        one_stop = self._one_stop(origin, destination, day) if choice == "cheapest" else []
        options = itineraries(self._direct(origin, destination, day), one_stop, cabin, heads, day)
        return choose(options, choice) if is_clear(options, choice) else None

    def has_seats(self, reservation: Mapping[str, Any], cabin: str) -> bool:
        """Whether all flights of a reservation have seats for its passengers in another cabin."""
        days = [self.flights[leg["flight_number"]]["dates"][leg["date"]] for leg in reservation["flights"]]
        return all(day["available_seats"][cabin] >= len(reservation["passengers"]) for day in days)

    def _search_direct(self, origin: str, destination: str, day: str) -> list[Record]:
        return search.offers(self._routes.get(origin, {}).get(destination, ()), day)

    def _search_one_stop(self, origin: str, destination: str, day: str) -> list[list[Record]]:
        firsts = sorted(itertools.chain(*self._routes.get(origin, {}).values()), key=itemgetter("flight_number"))
        seconds = {via: routes[destination] for via, routes in self._routes.items() if destination in routes}
        return search.pairs(firsts, seconds, day, strict=True)

    def _split(self) -> dict[str, tuple[str, ...]]:
        names = sorted(self.users)
        random.Random("airline:splits").shuffle(names)
        half = len(names) // 2
        return {"train": tuple(names[:half]), "test": tuple(names[half:])}


def _by_route(flights: Iterable[Record]) -> dict[str, dict[str, list[Record]]]:
    routes: dict[str, dict[str, list[Record]]] = {}
    for flight in flights:
        routes.setdefault(flight["origin"], {}).setdefault(flight["destination"], []).append(flight)
    return routes


class Draw:
    """Draws the parts of one task from one user's records; every reservation is used once."""

    def __init__(self, fleet: Fleet, user: Record, rng: random.Random) -> None:
        self.fleet = fleet
        self.user = user
        self.rng = rng
        self._left = [fleet.reservations[name] for name in user["reservations"]]
        rng.shuffle(self._left)

    def take(self, *kinds: str, cabins: Sequence[str] = (), **wanted: bool) -> Record | None:
        """A reservation of one of the kinds that was not taken yet.

        Args:
            kinds: see :meth:`Fleet.kind`.
            cabins: only these.
            wanted: ``insured`` or ``recent``, to be or not to be.
        """
        for reservation in self._left:
            if self.fleet.kind(reservation) not in kinds or (cabins and reservation["cabin"] not in cabins):
                continue
            facts = {"insured": reservation["insurance"] == "yes", "recent": recent(reservation, NOW)}
            if all(facts[name] == value for name, value in wanted.items()):
                self._left.remove(reservation)
                return reservation
        return None

    def method(self, *, certificate: bool = False) -> Record:
        """A card of the user, or a gift card; with ``certificate`` only a certificate (``{}`` if there is none)."""
        methods = [
            method
            for method in self.user["payment_methods"].values()
            if (method["source"] == "certificate") == certificate
        ]
        return dict(self.rng.choice(methods)) if methods else {}

    def card(self) -> Record:
        """A credit card of the user."""
        cards = [method for method in self.user["payment_methods"].values() if method["source"] == "credit_card"]
        return dict(self.rng.choice(cards))

    def is_unique_route(self, reservation: Record) -> bool:
        """Whether no other reservation of the user has the same origin and destination."""
        routes = [self._route(name) for name in self.user["reservations"]]
        return routes.count((reservation["origin"], reservation["destination"])) == 1

    def _route(self, name: str) -> tuple[str, str]:
        reservation = self.fleet.reservations[name]
        return reservation["origin"], reservation["destination"]
