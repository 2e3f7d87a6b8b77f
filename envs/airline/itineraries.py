"""Choosing flights from what the searches list, by what the customer prefers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

Record = dict[str, Any]
Itinerary = list[Record]
"""Flights with ``flight_number``, ``date``, ``price`` and ``departure`` in their order."""

CHOICES: Final = ("cheapest", "cheapest_direct", "earliest_direct", "latest_direct")
"""Preferences: the least price with or without a stop, or the first or last direct flight of the day."""


def itineraries(
    direct: Iterable[Record], one_stop: Iterable[Sequence[Record]], cabin: str, heads: int, day: str
) -> list[Itinerary]:
    """The itineraries of both searches that have seats for everyone.

    Args:
        direct: result of ``search_direct_flight``.
        one_stop: result of ``search_onestop_flight``.
        cabin: cabin wanted.
        heads: number of passengers.
        day: the day searched for.
    """
    pairs: list[Sequence[Record]] = [[flight] for flight in direct]
    pairs += list(one_stop)
    return [
        [_leg(flight, cabin, day) for flight in flights]
        for flights in pairs
        if all(flight["available_seats"][cabin] >= heads for flight in flights)
    ]


def choose(options: Sequence[Itinerary], choice: str) -> Itinerary | None:
    """The itinerary that a preference picks; ``None`` where there is none."""
    ranked = _ranked(options, choice)
    return ranked[0] if ranked else None


def is_clear(options: Sequence[Itinerary], choice: str) -> bool:
    """Whether the preference leaves no doubt: the best is better than the second best."""
    ranked = _ranked(options, choice)
    return len(ranked) == 1 or (len(ranked) > 1 and _rank(ranked[0], choice) < _rank(ranked[1], choice))


def price(itinerary: Itinerary) -> int:
    """Price for one passenger."""
    return sum(leg["price"] for leg in itinerary)


def plain_legs(itinerary: Iterable[Record]) -> list[Record]:
    """The flights as tools take them."""
    return [{"flight_number": leg["flight_number"], "date": leg["date"]} for leg in itinerary]


def _leg(flight: Record, cabin: str, day: str) -> Record:
    return {
        "flight_number": flight["flight_number"],
        "date": flight.get("date") or day,
        "price": flight["prices"][cabin],
        "departure": flight["scheduled_departure_time_est"],
    }


def _ranked(options: Sequence[Itinerary], choice: str) -> list[Itinerary]:
    fitting = [option for option in options if choice == "cheapest" or len(option) == 1]
    return sorted(fitting, key=lambda option: (_rank(option, choice), option[0]["flight_number"]))


def _rank(option: Itinerary, choice: str) -> tuple[int, str]:
    """Lower is better. Times of day are compared as text; the latest first by inverted digits."""
    departure = option[0]["departure"]
    if choice.startswith("cheapest"):
        return (price(option), "")
    if choice == "earliest_direct":
        return (0, departure)
    return (-int(departure[:2]) * 60 - int(departure[3:5]), "")
