"""From goals to gold: the vocabulary of intents and slots, and the tool calls that fulfil a request.

The agenda user and the scripted expert share this vocabulary.

Facts: ``user_id``, ``first_name``, ``last_name``.

- ``book_flight``: flight_type, origin, destination, date, return_date (round trips), cabin, choice, passengers, bags,
  insurance, payment
- ``cancel_reservation``: reservation_id, reason
- ``change_flights``: reservation_id, date, return_date (round trips), choice, payment; cabin where that changes too
- ``change_cabin``: reservation_id, cabin, payment
- ``add_bags``: reservation_id, bags (how many more), payment
- ``change_passenger``: reservation_id, passenger (full name as booked), new_passenger
- ``compensation``: reservation_id, complaint
- ``ask``: topic (``free_bags``, ``total_paid``), reservation_id, answer
- never allowed: ``remove_bags`` (reservation_id, bags), ``add_insurance`` (reservation_id), ``add_passenger``
  (reservation_id, new_passenger), ``change_route`` (reservation_id, destination)
- ``human``: none

Values: origin and destination are airport codes; dates are ISO; ``choice`` is one of ``itineraries.CHOICES`` or a
list of flights; passengers are records; ``payment`` is a list of payment methods in the order of their use, each
with what the user can say of it. ``route`` (both airport codes) stands beside an unknown reservation_id, ``flights``
is truth for gold and checking only and is never said; ``paid_bags`` stands in derived goals whose gold charges for
other bags than the rule does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mua_env.core.outcomes import chain, required
from mua_env.core.tasks import Action, Goal, Request, Requirement

from .records import BAG_PRICE, INSURANCE_PRICE
from .rules import compensation, free_bags, paid_bags

Record = dict[str, Any]

FORBIDDEN: Final = ("remove_bags", "add_insurance", "add_passenger", "change_route")
"""Intents that the policy document never allows."""
_DEPARTED: Final = ("depart", "flown", "flew", "used", "taken off", "begun", "started", "completed", "in the past")
"""Beginnings of the words by which a transfer tells its reason: a flight has departed."""


def method_slot(method: Mapping[str, Any]) -> Record:
    """A payment method as a slot: its id, and what the user can say of it."""
    return {name: method[name] for name in ("id", "source", "brand", "last_four") if name in method}


class GoldWriter:
    """Writes the calls that fulfil requests, from the records as they are at the start.

    Args:
        users: users by id.
        reservations: reservations by id.
    """

    def __init__(self, users: Mapping[str, Record], reservations: Mapping[str, Record]) -> None:
        self._users = users
        self._reservations = reservations

    def actions(self, user_id: str, requests: Sequence[Request]) -> tuple[Action, ...]:
        """The calls of an agent that makes no detour: read the profile, then read and write for each request.

        Several requests about one reservation build on each other, as bags on the new cabin.
        """
        state = {name: dict(self._reservations[name]) for name in self._users[user_id]["reservations"]}
        balance = {key: dict(method) for key, method in self._users[user_id]["payment_methods"].items()}
        actions = [Action(name="get_user_details", arguments={"user_id": user_id})]
        for request in requests:
            read = self._read(request)
            actions += [action for action in read if action not in actions]
            if request.outcome == "done":
                actions.append(self._write(request, user_id, state, balance))
            elif request.outcome == "transferred":
                summary = f"The user wants this, but a flight has already departed: {request.intent.replace('_', ' ')}."
                actions.append(Action(name="transfer_to_human_agents", arguments={"summary": summary}))
        return tuple(actions)

    def _read(self, request: Request) -> list[Action]:
        if "reservation_id" not in request.slots:
            return []
        arguments = {"reservation_id": request.slots["reservation_id"]}
        return [Action(name="get_reservation_details", arguments=arguments)]

    def _write(self, request: Request, user_id: str, state: dict[str, Record], balance: dict[str, Record]) -> Action:
        slots = request.slots
        user = self._users[user_id]
        if request.intent == "book_flight":
            return Action(name="book_reservation", arguments=booking(user, slots, balance))
        reservation = state[slots["reservation_id"]]
        arguments: Record = {"reservation_id": slots["reservation_id"]}
        if request.intent == "cancel_reservation":
            return Action(name="cancel_reservation", arguments=arguments)
        if request.intent == "compensation":
            amount = compensation(reservation, slots["complaint"])
            return Action(name="send_certificate", arguments={"user_id": user_id, "amount": amount})
        if request.intent == "change_passenger":
            passengers = replaced(reservation["passengers"], slots["passenger"], slots["new_passenger"])
            return Action(name="update_reservation_passengers", arguments=arguments | {"passengers": passengers})
        arguments["payment_id"] = slots["payment"][0]["id"]
        if request.intent == "add_bags":
            total, paid = with_bags(user, reservation, slots["bags"])
            arguments |= {"total_baggages": total, "nonfree_baggages": paid}
            reservation |= {"total_baggages": total, "nonfree_baggages": paid}
            return Action(name="update_reservation_baggages", arguments=arguments)
        reservation["cabin"] = slots.get("cabin", reservation["cabin"])
        flights = slots.get("flights") or reservation["flights"]
        legs = [{"flight_number": leg["flight_number"], "date": leg["date"]} for leg in flights]
        arguments |= {"cabin": reservation["cabin"], "flights": legs}
        return Action(name="update_reservation_flights", arguments=arguments)


def with_bags(user: Record, reservation: Record, more: int) -> tuple[int, int]:
    """Total and paid bags of a reservation after more are added; what was paid for stays paid for."""
    total = reservation["total_baggages"] + more
    heads = len(reservation["passengers"])
    paid = paid_bags(total, user["membership"], reservation["cabin"], heads)
    return total, max(paid, reservation["nonfree_baggages"])


def replaced(passengers: Sequence[Record], old: str, new: Record) -> list[Record]:
    """The passengers with one of them, by full name, replaced."""
    return [dict(new) if full_name(one).lower() == old.lower() else dict(one) for one in passengers]


def full_name(person: Mapping[str, Any]) -> str:
    """First and last name."""
    return f"{person['first_name']} {person['last_name']}"


def booking_total(slots: Record, membership: str) -> int:
    """Price of a booking whose ``flights`` carry prices."""
    heads = len(slots["passengers"])
    fare = int(sum(leg["price"] for leg in slots["flights"])) * heads
    extra = paid_bags(slots["bags"], membership, slots["cabin"], heads) * BAG_PRICE
    return fare + extra + (INSURANCE_PRICE * heads if slots["insurance"] == "yes" else 0)


def split_payment(total: int, methods: Iterable[Mapping[str, Any]]) -> list[Record] | None:
    """The total over payment methods in their order, each as far as it goes; ``None`` if they do not suffice."""
    parts = []
    for method in methods:
        amount = total if method["source"] == "credit_card" else min(total, method["amount"])
        if amount > 0:
            parts.append({"payment_id": method["id"], "amount": amount})
        total -= amount
    return parts if total == 0 else None


def booking(user: Record, slots: Record, methods: Mapping[str, Record]) -> Record:
    """Arguments that book what the slots ask for."""
    total = booking_total(slots, user["membership"])
    payments = split_payment(total, [methods[method["id"]] for method in slots["payment"]])
    heads = len(slots["passengers"])
    return {
        "user_id": user["user_id"],
        "origin": slots["origin"],
        "destination": slots["destination"],
        "flight_type": slots["flight_type"],
        "cabin": slots["cabin"],
        "flights": [{"flight_number": leg["flight_number"], "date": leg["date"]} for leg in slots["flights"]],
        "passengers": [dict(passenger) for passenger in slots["passengers"]],
        "payment_methods": payments or [],
        "total_baggages": slots["bags"],
        "nonfree_baggages": paid_bags(slots["bags"], user["membership"], slots["cabin"], heads),
        "insurance": slots["insurance"],
    }


def answer_to(topic: str, user: Record, reservation: Record) -> str:
    """The answer to a question about a reservation."""
    if topic == "free_bags":
        return str(free_bags(user["membership"], reservation["cabin"], len(reservation["passengers"])))
    return str(sum(part["amount"] for part in reservation["payment_history"]))


def requirements(goal: Goal) -> tuple[Requirement, ...]:
    """What must hold besides the database: refusals, those before a fallback too, transfers, answers."""
    return required((link for request in goal.requests for link in chain(request)), handed_over=_DEPARTED)
