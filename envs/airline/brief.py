"""Tool results in few words, for models too small to read whole records.

What is left out is written here and nowhere else: the tools, the database and the scoring know nothing of it. Of a
profile: address and e-mail; of a reservation: what single flights cost; of what a change returns: all but what it
changed; of flights for sale: how many seats there are. Passengers stay as calls take them: who replaces one of them
has to write all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .generate_text import method_words
from .goals import full_name
from .records import CABINS

Record = Mapping[str, Any]


def brief(tool: str, result: str) -> str:
    """The result of a tool as a small model reads it; what is no record (a number, an error) goes as it is."""
    if tool not in _BRIEF or not result.startswith(("{", "[")):
        return result
    return _BRIEF[tool](json.loads(result))


def _user(user: Record) -> str:
    methods = user["payment_methods"].values()
    return "\n".join(
        [
            f"name {full_name(user['name'])} {user['dob']} {user['membership']}",
            *(f"pays {method['id']} {_worth(method)}" for method in methods),
            *(f"knows {_person(person)}" for person in user["saved_passengers"]),
            *(f"reservation {name}" for name in user["reservations"]),
        ]
    )


def _worth(method: Record) -> str:
    return f"${method['amount']}" if "amount" in method else method_words(method)


def _reservation(row: Record) -> str:
    return "\n".join(
        [
            f"{row['reservation_id']} of {row['user_id']} {row.get('status', '')}".rstrip(),
            f"{row['flight_type']} {row['origin']} {row['destination']} {row['cabin']}",
            *(_flight(flight) for flight in row["flights"]),
            _passengers(row),
            *(_payment(payment) for payment in row["payment_history"]),
            f"booked {row['created_at']} insurance {row['insurance']}",
            _bags(row),
        ]
    )


def _flight(flight: Record) -> str:
    return f"flight {flight['flight_number']} {flight['origin']} {flight['destination']} {flight['date']}"


def _passengers(row: Record) -> str:
    return "passengers " + json.dumps(row["passengers"], ensure_ascii=False)


def _person(person: Record) -> str:
    return f"{full_name(person)} {person['dob']}"


def _payment(payment: Record) -> str:
    return f"paid ${payment['amount']} by {payment['payment_id']}"


def _bags(row: Record) -> str:
    return f"bags {row['total_baggages']}, not free {row['nonfree_baggages']}"


def _cancelled(row: Record) -> str:
    return f"{row['reservation_id']} {row['status']}"


def _rebooked(row: Record) -> str:
    return "\n".join([f"{row['reservation_id']} {row['cabin']}", *(_flight(flight) for flight in row["flights"])])


def _airports(cities: Record) -> str:
    return "\n".join(f"{code} {city}" for code, city in cities.items())


def _offers(offers: Sequence[Record]) -> str:
    return "\n".join(map(_offer, offers)) or "none"


def _pairs(pairs: Sequence[Sequence[Record]]) -> str:
    return "\n".join(" and ".join(map(_offer, pair)) for pair in pairs) or "none"


def _offer(offer: Record) -> str:
    seats, prices = offer["available_seats"], offer["prices"]
    cabins = [f"{cabin} ${prices[cabin]}" for cabin in CABINS if seats[cabin]]
    departure, arrival = offer["scheduled_departure_time_est"], offer["scheduled_arrival_time_est"]
    return " ".join(
        [
            offer["flight_number"],
            f"{offer['origin']} {departure} {offer['destination']} {arrival}",
            *([offer["date"]] if "date" in offer else []),
            *(cabins or ["full"]),
        ]
    )


_BRIEF: Final[Mapping[str, Callable[[Any], str]]] = {
    "get_user_details": _user,
    "get_reservation_details": _reservation,
    "book_reservation": _reservation,
    "cancel_reservation": _cancelled,
    "update_reservation_flights": _rebooked,
    "update_reservation_baggages": _bags,
    "update_reservation_passengers": _passengers,
    "list_all_airports": _airports,
    "search_direct_flight": _offers,
    "search_onestop_flight": _pairs,
}
