"""What bookings and changes share: prices, payments, seats and new ids. All amounts are in dollars."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from mua_env.core.database import Database
from mua_env.errors import ToolError

from .models import Flight, Reservation, User
from .records import BAG_PRICE, INSURANCE_PRICE

Row = dict[str, Any]

_PUBLIC_RESERVATION_IDS = ("HATHAT", "HATHAU", "HATHAV")
_PUBLIC_CERTIFICATES = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def price_legs(db: Database, legs: list[Row], cabin: str, heads: int, *, kept: Sequence[Row] = ()) -> list[Row]:
    """Fill in route and price of each leg.

    Args:
        db: the environment's database.
        legs: ``flight_number`` and ``date`` of each flight.
        cabin: cabin that is booked.
        heads: number of passengers that need a seat.
        kept: legs held already in this cabin; they keep their price and need no seat.

    Raises:
        ToolError: a flight is unknown, not for sale that day, or has too few seats.
    """
    held = {(leg["flight_number"], leg["date"]): leg for leg in kept}
    return [_price(db, leg, cabin, heads, held.get((leg["flight_number"], leg["date"]))) for leg in legs]


def _price(db: Database, leg: Row, cabin: str, heads: int, held: Row | None) -> Row:
    if held is not None:
        return {**leg, "price": held["price"], "origin": held["origin"], "destination": held["destination"]}
    number, day = leg["flight_number"], leg["date"]
    flight = db.get(Flight, number)
    if flight is None:
        raise ToolError(f"no flight has the number {number!r}")
    on_day = flight["dates"].get(day)
    if on_day is None:
        raise ToolError(f"flight {number} has no departure on {day}")
    if on_day["status"] != "available":
        raise ToolError(f"flight {number} on {day} is not for sale (status: {on_day['status']})")
    if on_day["available_seats"][cabin] < heads:
        seats = on_day["available_seats"][cabin]
        raise ToolError(f"flight {number} on {day} has {seats} seats left in {cabin}, {heads} are needed")
    price = on_day["prices"][cabin]
    return {**leg, "price": price, "origin": flight["origin"], "destination": flight["destination"]}


def booking_price(legs: Sequence[Row], heads: int, paid_bags: int, *, insured: bool) -> int | float:
    """Price of a booking with its paid bags and insurance."""
    fare: int | float = sum(leg["price"] for leg in legs) * heads
    return fare + BAG_PRICE * paid_bags + (INSURANCE_PRICE * heads if insured else 0)


def check_payments(user: Row, payments: Sequence[Row], total: int | float, *, strict: bool) -> None:
    """See that the payment methods exist, cover their parts, and that the parts come to the price.

    Raises:
        ToolError: one of these does not hold.
    """
    for paid in payments:
        method = _method(user, paid["payment_id"])
        if strict and paid["amount"] <= 0:
            raise ToolError(f"a payment must be more than 0 dollars, got {paid['amount']}")
        if method["source"] != "credit_card" and method["amount"] < paid["amount"]:
            raise ToolError(f"{paid['payment_id']} holds {method['amount']} dollars, {paid['amount']} are needed")
    given = sum(paid["amount"] for paid in payments)
    if given != total:
        raise ToolError(f"the payments come to {given} dollars, the price is {total}")
    if strict and len({paid["payment_id"] for paid in payments}) < len(payments):
        raise ToolError("a payment method is listed twice")


def charge(user: Row, payments: Sequence[Row]) -> None:
    """Take the payments from the user's gift cards; a certificate is used up whole."""
    for paid in payments:
        method = user["payment_methods"][paid["payment_id"]]
        if method["source"] == "gift_card":
            method["amount"] -= paid["amount"]
        elif method["source"] == "certificate":
            del user["payment_methods"][paid["payment_id"]]


def charge_one(user: Row, payment_id: str, due: int | float) -> None:
    """Charge (or, when negative, refund) the price difference of a change to one gift or credit card.

    Raises:
        ToolError: the method is unknown, is a certificate, or holds too little.
    """
    method = _method(user, payment_id)
    if method["source"] == "certificate":
        raise ToolError(f"{payment_id} is a certificate, which cannot pay for a change")
    if method["source"] == "gift_card":
        if method["amount"] < due:
            raise ToolError(f"{payment_id} holds {method['amount']} dollars, {due} are needed")
        method["amount"] -= due


def _method(user: Row, payment_id: str) -> Row:
    method = user["payment_methods"].get(payment_id)
    if method is None:
        known = ", ".join(sorted(user["payment_methods"])) or "none"
        raise ToolError(f"payment method {payment_id!r} is not in the user's profile (there: {known})")
    assert isinstance(method, dict)
    return method


def move_seats(db: Database, legs: Sequence[Row], cabin: str, heads: int) -> None:
    """Add ``heads`` seats (take them, when negative) on every leg that is still for sale."""
    for leg in legs:
        flight = db.get(Flight, leg["flight_number"])
        on_day = flight["dates"].get(leg["date"]) if flight else None
        if flight is not None and on_day is not None and on_day["status"] == "available":
            on_day["available_seats"][cabin] += heads
            db.update(Flight, leg["flight_number"], dates=flight["dates"])


def new_reservation_id(db: Database, user_id: str, legs: Sequence[Row], *, strict: bool) -> str:
    """An id for a booking: the public benchmark's next fixed one, or one made from user and flights."""
    if not strict:
        free = [name for name in _PUBLIC_RESERVATION_IDS if db.get(Reservation, name) is None]
        return free[0] if free else _PUBLIC_RESERVATION_IDS[-1]
    flights = ",".join(f"{leg['flight_number']}@{leg['date']}" for leg in legs)
    for attempt in range(1000):
        digest = hashlib.sha256(f"{user_id}|{flights}|{attempt}".encode()).digest()
        name = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:6])
        if db.get(Reservation, name) is None:
            return name
    raise ToolError("no free reservation id is left for these flights")


def new_certificate_id(user: Row, amount: int | float, *, strict: bool) -> str | None:
    """An id for a certificate, as for reservations; None when the fixed ones are used up."""
    if not strict:
        return next((name for name in _PUBLIC_CERTIFICATES if name not in user["payment_methods"]), None)
    for attempt in range(1000):
        digest = hashlib.sha256(f"{user['user_id']}|{amount}|{attempt}".encode()).hexdigest()
        name = f"certificate_{int(digest[:8], 16) % 9_000_000 + 1_000_000}"
        if name not in user["payment_methods"]:
            return name
    raise ToolError("no free certificate id is left for this user")


def store(db: Database, row: Row) -> None:
    """Insert a reservation, over the one with the same id if there is one (``compat`` only)."""
    if db.get(Reservation, row["reservation_id"]) is not None:
        db.delete(Reservation, row["reservation_id"])
    db.insert(Reservation, row)


def save_user(db: Database, user: Row) -> None:
    """Write back what bookings and changes touch of a user."""
    db.update(User, user["user_id"], payment_methods=user["payment_methods"], reservations=user["reservations"])
