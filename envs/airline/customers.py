"""Own seeded customers: profiles, payment methods and saved passengers."""

from __future__ import annotations

from random import Random
from typing import Any

from .airports import CITIES
from .names import FIRST_NAMES, LAST_NAMES, STATES, STREET_KINDS, STREETS

Row = dict[str, Any]


def make_users(rng: Random, count: int, *, home_airports: list[str]) -> list[Row]:
    """Users with distinct ids, without reservations yet."""
    users: dict[str, Row] = {}
    while len(users) < count:
        first, last = pick(rng, FIRST_NAMES), pick(rng, LAST_NAMES)
        user_id = f"{first.lower()}_{last.lower()}_{number(rng, 4)}"
        if user_id not in users:
            users[user_id] = _user(rng, user_id, first, last, pick(rng, home_airports))
    return list(users.values())


def pick(rng: Random, items: Any) -> Any:
    """One of a sequence (one draw, much faster than ``choice``)."""
    return items[int(rng.random() * len(items))]


def number(rng: Random, digits: int) -> int:
    """A whole number of so many digits."""
    low: int = 10 ** (digits - 1)
    return low + int(rng.random() * 9 * low)


def birthday(rng: Random) -> str:
    """A date of birth between 1950 and 2004."""
    return f"{1950 + int(rng.random() * 55)}-{1 + int(rng.random() * 12):02d}-{1 + int(rng.random() * 28):02d}"


def make_passenger(rng: Random, last: str | None = None) -> Row:
    """A traveller; of the given family or of any."""
    return {
        "first_name": pick(rng, FIRST_NAMES),
        "last_name": last or pick(rng, LAST_NAMES),
        "dob": birthday(rng),
    }


def _user(rng: Random, user_id: str, first: str, last: str, home: str) -> Row:
    state, postal = STATES[home]
    return {
        "user_id": user_id,
        "name": {"first_name": first, "last_name": last},
        "address": {
            "address1": f"{number(rng, 3)} {pick(rng, STREETS)} {pick(rng, STREET_KINDS)}",
            "address2": f"Apt {number(rng, 2)}" if rng.random() < 0.5 else "",
            "city": CITIES[home],
            "state": state,
            "country": "USA",
            "zip": postal,
        },
        "email": f"{first.lower()}.{last.lower()}{number(rng, 3)}@example.net",
        "dob": birthday(rng),
        "payment_methods": {method["id"]: method for method in _payment_methods(rng)},
        "saved_passengers": [
            make_passenger(rng, last if rng.random() < 0.5 else None) for _ in range(int(rng.random() * 4))
        ],
        "membership": pick(rng, ("regular", "regular", "silver", "gold")),
        "reservations": [],
    }


def _payment_methods(rng: Random) -> list[Row]:
    """One or two credit cards with different last digits, up to two gift cards and two certificates."""
    methods: list[Row] = []
    endings: set[str] = set()
    for _ in range(1 + int(rng.random() * 1.5)):
        ending = str(number(rng, 4))
        if ending not in endings:
            endings.add(ending)
            brand = pick(rng, ("visa", "mastercard"))
            methods.append(
                {"source": "credit_card", "brand": brand, "last_four": ending, "id": _id(rng, "credit_card")}
            )
    for _ in range(int(rng.random() * 2.4)):
        amount = 20 + int(rng.random() * 780)
        methods.append({"source": "gift_card", "amount": amount, "id": _id(rng, "gift_card")})
    for _ in range(int(rng.random() * 2.2)):
        amount = 50 * (1 + int(rng.random() * 10))
        methods.append({"source": "certificate", "amount": amount, "id": _id(rng, "certificate")})
    return methods


def _id(rng: Random, source: str) -> str:
    return f"{source}_{number(rng, 7)}"
