"""Looking flights up: direct, with one stop, and the airports there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date as calendar
from datetime import timedelta
from typing import Any

from mua_env.core.database import Database

from .models import Flight

Record = dict[str, Any]

NOW = "2025-03-24T14:00:00"
"""The moment at which every episode on the own data takes place."""

PUBLIC_NOW = "2024-05-15T15:00:00"
"""The same for the public benchmark's data."""


def now(db: Database) -> str:
    """The moment at which the episode takes place, told from the dates of the flights on file."""
    (first,) = db.find(Flight, order_by=Flight.flight_number, limit=1)
    return PUBLIC_NOW if PUBLIC_NOW[:10] in first["dates"] else NOW


def next_day(day: str) -> str:
    """The day after an ISO date."""
    return (calendar.fromisoformat(day) + timedelta(days=1)).isoformat()


def airport_codes(db: Database) -> list[str]:
    """Codes of all airports that a flight leaves from or goes to, sorted."""
    rows = db.find(Flight)
    return sorted({row["origin"] for row in rows} | {row["destination"] for row in rows})


def direct(db: Database, origin: str, destination: str, day: str) -> list[Record]:
    """Flights of a route that are for sale on one day, by flight number."""
    rows = db.find(Flight, Flight.origin == origin, Flight.destination == destination, order_by=Flight.flight_number)
    return offers(rows, day)


def offers(rows: Iterable[Record], day: str) -> list[Record]:
    """What of the flights is for sale on one day."""
    return [offer for row in rows if (offer := _offer(row, day)) is not None]


def one_stop(db: Database, origin: str, destination: str, day: str, *, strict: bool) -> list[list[Record]]:
    """Pairs of flights for sale, the second leaving no earlier than the first arrives."""
    firsts = db.find(Flight, Flight.origin == origin, order_by=Flight.flight_number)
    seconds: dict[str, list[Record]] = {}
    for row in db.find(Flight, Flight.destination == destination, order_by=Flight.flight_number):
        seconds.setdefault(row["origin"], []).append(row)
    return pairs(firsts, seconds, day, strict=strict)


def pairs(
    firsts: Iterable[Record], seconds: Mapping[str, Sequence[Record]], day: str, *, strict: bool
) -> list[list[Record]]:
    """The same over flights at hand: ``seconds`` are those that end where the trip does, by their origin."""
    found = []
    for first in firsts:
        head = _offer(first, day)
        if head is None:
            continue
        arrival = first["scheduled_arrival_time_est"]
        later = _day_after(day, strict=strict) if "+1" in arrival else day
        for second in seconds.get(first["destination"], ()):
            tail = _offer(second, later)
            if tail is not None and not _arrives_after(arrival, second["scheduled_departure_time_est"], strict):
                found.append([{**head, "date": day}, {**tail, "date": later}])
    return found


def _offer(row: Record, day: str) -> Record | None:
    on_day = row["dates"].get(day)
    if on_day is None or on_day["status"] != "available":
        return None
    return {**{key: value for key, value in row.items() if key != "dates"}, **on_day}


def _arrives_after(arrival: str, departure: str, strict: bool) -> bool:
    return (arrival.removesuffix("+1") if strict else arrival) > departure


def _day_after(day: str, *, strict: bool) -> str:
    if strict:
        return next_day(day)
    return f"{day[:-2]}{int(day[-2:]) + 1}"
