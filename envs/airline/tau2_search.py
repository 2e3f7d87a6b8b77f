"""tau2-bench's searches: its airports, and flights as its tools give them."""

from __future__ import annotations

from typing import Any

from mua_env.core.database import Database

from . import airports
from .models import Flight

Record = dict[str, Any]

_CODES = "SFO JFK LAX ORD DFW DEN SEA ATL MIA BOS PHX IAH LAS MCO EWR CLT MSP DTW PHL LGA"
_MONTH = "2024-05"


def all_airports() -> list[dict[str, str]]:
    """The twenty airports; New York's third has its own name for a city there."""
    cities = {**airports.PUBLIC_CITIES, "LGA": "LaGuardia"}
    return [{"iata": code, "city": cities[code]} for code in _CODES.split()]


def direct(
    db: Database, origin: str | None, destination: str | None, day: str, *, not_before: str | None = None
) -> list[Record]:
    """Flights for sale on a day, by flight number; ``None`` is any airport, as in tau2."""
    wanted = ((Flight.origin, origin), (Flight.destination, destination))
    if any(value is not None and not isinstance(value, str) for _, value in wanted):
        return []
    where = [column == value for column, value in wanted if value is not None]
    found = []
    for row in db.find(Flight, *where, order_by=Flight.flight_number):
        on_day = row.pop("dates").get(day)
        if on_day is None or on_day["status"] != "available":
            continue
        if not_before is None or row["scheduled_departure_time_est"] >= not_before:
            found.append({**row, "date": None, **on_day})
    return found


def one_stop(db: Database, origin: str | None, destination: str | None, day: str) -> list[list[Record]]:
    """Pairs of flights, as tau2 finds them.

    An arrival on the next day, as "06:00:00+1", is compared as text with the departures there, and the next day is
    made by adding one to the day of May 2024, unpadded.
    """
    pairs = []
    for first in direct(db, origin, None, day):
        arrival = first["scheduled_arrival_time_est"]
        later = f"{_MONTH}-{int(day[-2:]) + 1}" if "+1" in arrival else day
        for second in direct(db, first["destination"], destination, later, not_before=arrival):
            pairs.append([{**first, "date": day}, {**second, "date": later}])
    return pairs
