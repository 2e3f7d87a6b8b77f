"""Own seeded data of the airline domain: about 300 flights, 500 users and 1,500 reservations.

Everything follows from :data:`SEED`: flights run daily, from a week before the present moment to 15 days
after it; whatever leaves later than today is for sale, unless the airline has cancelled it.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import Any

from . import customers, reservations
from .airports import CITIES
from .search import NOW

Row = dict[str, Any]

SEED = 20250324
PAIRS = 64
"""Pairs of airports with flights in both directions."""
USERS = 500
RESERVATIONS = 1500
PAST_DAYS, FUTURE_DAYS = 7, 15

TODAY = NOW[:10]
_MINUTES_NOW = int(NOW[11:13]) * 60 + int(NOW[14:16])


@lru_cache(maxsize=2)
def tables(world: int | None = None) -> dict[str, list[Row]]:
    """The rows of every table (shared; do not change them).

    Args:
        world: None for the own data; else another world's, with four times as many customers and reservations.
    """
    rng, times = (Random(SEED), 1) if world is None else (Random(SEED + 1 + world), 4)
    flights = make_flights(rng)
    users = customers.make_users(rng, times * USERS, home_airports=sorted(CITIES))
    booked = reservations.make_reservations(rng, times * RESERVATIONS, users, flights, TODAY)
    return {"users": users, "reservations": booked, "flights": flights}


def days() -> list[str]:
    """All dates on which flights run, oldest first."""
    today = date.fromisoformat(TODAY)
    return [(today + timedelta(days=offset)).isoformat() for offset in range(-PAST_DAYS, FUTURE_DAYS + 1)]


def make_flights(rng: Random) -> list[Row]:
    """The flights of the network, numbered from AL100 on, with what happens to them on each day."""
    calendar = days()
    flights: list[Row] = []
    for origin, destination, minutes in _routes(rng):
        for _ in range(2 + int(rng.random() * 1.35)):
            departure = 300 + 30 * int(rng.random() * 36)
            base = 45 + minutes * 0.35 + rng.random() * 40
            flights.append(
                {
                    "flight_number": f"AL{100 + len(flights)}",
                    "origin": origin,
                    "destination": destination,
                    "scheduled_departure_time_est": clock(departure),
                    "scheduled_arrival_time_est": clock(departure + minutes),
                    "dates": {day: _on_day(rng, day, departure, minutes, base) for day in calendar},
                }
            )
    return flights


def clock(minutes: int) -> str:
    """Minutes after midnight as a time of day, ``+1`` behind it for the day after."""
    text = f"{minutes // 60 % 24:02d}:{minutes % 60:02d}:00"
    return text + "+1" if minutes >= 1440 else text


def _routes(rng: Random) -> list[tuple[str, str, int]]:
    """Both directions of each pair, with the flight time in minutes; an airport has three pairs or more."""
    codes = sorted(CITIES)
    pairs: set[tuple[str, str]] = set()
    for position, code in enumerate(codes):
        for step in (1, 4, 9):
            other = codes[(position + step) % len(codes)]
            pairs.add((min(code, other), max(code, other)))
    while len(pairs) < PAIRS:
        first, second = rng.sample(codes, 2)
        pairs.add((min(first, second), max(first, second)))
    routes = []
    for first, second in sorted(pairs):
        minutes = 60 + 15 * int(rng.random() * 17)
        routes += [(first, second, minutes), (second, first, minutes)]
    return routes


def _on_day(rng: Random, day: str, departure: int, minutes: int, base: float) -> Row:
    chance = rng.random()
    if day < TODAY:
        return {"status": "cancelled"} if chance < 0.06 else _landed(rng, day, departure, minutes)
    if day == TODAY:
        return _today(rng, chance, day, departure, minutes)
    if chance < 0.03:
        return {"status": "cancelled"}
    basic = int(base * (0.8 + 0.5 * rng.random()))
    economy = basic + 25 + int(rng.random() * 80)
    business = economy + 120 + int(rng.random() * 260)
    return {
        "status": "available",
        "available_seats": {cabin: int(rng.random() * 21) for cabin in ("basic_economy", "economy", "business")},
        "prices": {"basic_economy": basic, "economy": economy, "business": business},
    }


def _today(rng: Random, chance: float, day: str, departure: int, minutes: int) -> Row:
    if chance < 0.08:
        return {"status": "cancelled"}
    late = int(rng.random() * 20)
    if departure + minutes + late < _MINUTES_NOW:
        return _landed(rng, day, departure, minutes)
    if departure + late < _MINUTES_NOW:
        return {
            "status": "flying",
            "actual_departure_time_est": _stamp(day, departure + late),
            "estimated_arrival_time_est": _stamp(day, departure + minutes + late),
        }
    delayed = chance < 0.4
    late += 60 + int(rng.random() * 180) if delayed else 0
    return {
        "status": "delayed" if delayed else "on time",
        "estimated_departure_time_est": _stamp(day, departure + late),
        "estimated_arrival_time_est": _stamp(day, departure + minutes + late),
    }


def _landed(rng: Random, day: str, departure: int, minutes: int) -> Row:
    late = int(rng.random() * 40) - 8
    return {
        "status": "landed",
        "actual_departure_time_est": _stamp(day, departure + late),
        "actual_arrival_time_est": _stamp(day, departure + minutes + late),
    }


def _stamp(day: str, minutes: int) -> str:
    after = (date.fromisoformat(day) + timedelta(days=1)).isoformat() if minutes >= 1440 else day
    return f"{after}T{clock(minutes).removesuffix('+1')}"
