"""Twists: what makes a request harder than asking for what is needed and doing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mua_env.core.tasks import MindChange, Request

from . import generate_requests as plain
from .customers import make_passenger
from .fleet import Draw, Record
from .generate_requests import about
from .goals import FORBIDDEN, full_name, method_slot
from .records import CABINS
from .rules import cancellation, compensable
from .search import NOW

Twist = Callable[[Draw], tuple[Request, ...] | None]
Forbidden = Callable[[Draw], Request | None]
_RULES: Final = {
    "remove_bags": "bags-added-only",
    "add_insurance": "insurance-at-booking",
    "add_passenger": "passenger-count",
    "change_route": "same-route",
}
_WITH_RESERVATION: Final = (
    "add_bags",
    "ask",
    "cancel_reservation",
    "change_cabin",
    "change_flights",
    "change_passenger",
)


def unknown(draw: Draw, intent: str) -> tuple[Request, ...] | None:
    """The customer does not know the reservation id, only the trip."""
    request = plain.BUILDERS[intent](draw)
    if request is None:
        return None
    reservation = draw.fleet.reservations[request.slots["reservation_id"]]
    if not draw.is_unique_route(reservation):
        return None
    route = [reservation["origin"], reservation["destination"]]
    return (request.model_copy(update={"unknown": ("reservation_id",), "slots": request.slots | {"route": route}}),)


def change(draw: Draw, intent: str) -> tuple[Request, ...] | None:
    """A change of mind once the agent asks for confirmation."""
    request = plain.BUILDERS[intent](draw)
    if request is None:
        return None
    other = _other_booking(draw, request.slots) if intent == "book_flight" else _other_slots(draw, request)
    return None if other is None else (request.model_copy(update={"change": MindChange(slots=other)}),)


def _other_booking(draw: Draw, slots: Record) -> Record | None:
    topic = draw.rng.choice(("bags", "insurance", "cabin"))
    if topic == "bags":
        return {"bags": draw.rng.choice([number for number in (0, 1, 2, 3) if number != slots["bags"]])}
    if topic == "insurance":
        return {"insurance": "no" if slots["insurance"] == "yes" else "yes"}
    cabin = draw.rng.choice([cabin for cabin in CABINS if cabin != slots["cabin"]])
    flights = plain.flights_for(draw, slots | {"cabin": cabin})
    return None if flights is None else {"cabin": cabin, "flights": flights}


def _other_slots(draw: Draw, request: Request) -> Record | None:
    slots = request.slots
    reservation = draw.fleet.reservations[slots["reservation_id"]]
    if request.intent == "add_bags":
        return {"bags": draw.rng.choice([number for number in (1, 2, 3, 4) if number != slots["bags"]])}
    if request.intent == "change_cabin":
        taken = (slots["cabin"], reservation["cabin"])
        cabin = next(cabin for cabin in CABINS if cabin not in taken)
        return {"cabin": cabin} if draw.fleet.has_seats(reservation, cabin) else None
    if request.intent == "change_passenger":
        return {"new_passenger": make_passenger(draw.rng)}
    again = plain.other_flights(draw, reservation)
    if again is None:
        return None
    # Only the days change; what was preferred stays.
    dates = {name: again.slots[name] for name in ("date", "return_date") if name in again.slots}
    if again.slots["choice"] != slots["choice"] or all(slots[name] == day for name, day in dates.items()):
        return None
    return dates | {"flights": again.slots["flights"]}


def _no_cancel(draw: Draw) -> Request | None:
    reservation = draw.take("clean", cabins=("basic_economy", "economy"), recent=False)
    if reservation is None:
        return None
    # The airline is said to have cancelled a flight that is still for sale.
    reason = draw.rng.choice(("change_of_plans", "other", "health", "weather", "airline_cancelled"))
    if cancellation(reservation, reason, NOW, flight_cancelled=False) != "refused":
        return None
    return _refusal("cancel_reservation", about(reservation) | {"reason": reason}, "cancel-conditions")


def _no_flights(draw: Draw) -> Request | None:
    reservation = draw.take("clean", cabins=("basic_economy",))
    request = None if reservation is None else plain.other_flights(draw, reservation)
    return None if request is None else _refusal(request.intent, request.slots, "basic-economy-flights")


def _no_compensation(draw: Draw) -> Request | None:
    reservation = draw.take("hit")
    if reservation is None or compensable(draw.user, reservation):
        return None
    return _refused_complaint(reservation, "compensation-conditions")


def _false_complaint(draw: Draw) -> Request | None:
    reservation = draw.take("clean")
    if reservation is None:
        return None
    # Either is true of a customer who could not be compensated anyway.
    barred = () if compensable(draw.user, reservation) else ("compensation-conditions",)
    return _refused_complaint(reservation, "compensation-cancelled", *barred)


def _complaint(reservation: Record, complaint: str) -> Request:
    return Request(intent="compensation", slots=about(reservation) | {"complaint": complaint})


def _refused_complaint(reservation: Record, *rules: str) -> Request:
    return _refusal("compensation", _complaint(reservation, "cancelled_flight").slots, *rules)


def _refusal(intent: str, slots: Record, *rules: str) -> Request:
    return Request(intent=intent, slots=dict(slots), outcome="refused", rules=rules)


def _never(draw: Draw, intent: str) -> Request | None:
    reservation = draw.take("clean")
    if reservation is None:
        return None
    slots = about(reservation)
    if intent == "remove_bags":
        if not reservation["total_baggages"]:
            return None
        slots["bags"] = 1
    elif intent == "add_insurance":
        if reservation["insurance"] == "yes":
            return None
    elif intent == "add_passenger":
        slots["new_passenger"] = make_passenger(draw.rng)
    else:
        taken = (reservation["origin"], reservation["destination"])
        slots["destination"] = draw.rng.choice([code for code in draw.fleet.airports if code not in taken])
    return _refusal(intent, slots, _RULES[intent])


def refused(draw: Draw, forbidden: Forbidden) -> tuple[Request, ...] | None:
    """Something that the policy document forbids."""
    request = forbidden(draw)
    return None if request is None else (request,)


def instead(draw: Draw, forbidden: Forbidden) -> tuple[Request, ...] | None:
    """Something forbidden, with something allowed that will do instead."""
    request = forbidden(draw)
    if request is None:
        return None
    reservation = draw.fleet.reservations[request.slots["reservation_id"]]
    fallback = _allowed(draw, request, reservation)
    return None if fallback is None else (request.model_copy(update={"fallback": fallback}),)


def _allowed(draw: Draw, request: Request, reservation: Record) -> Request | None:
    if request.intent == "add_passenger":
        name = full_name(draw.rng.choice(reservation["passengers"]))
        slots = about(reservation) | {"passenger": name, "new_passenger": request.slots["new_passenger"]}
        return Request(intent="change_passenger", slots=slots)
    if request.intent == "cancel_reservation" and reservation["cabin"] == "economy":
        return plain.other_flights(draw, reservation)
    cabin = draw.rng.choice([cabin for cabin in CABINS if cabin != reservation["cabin"]])
    return plain.to_cabin(draw, reservation, cabin)


def cancelled_flight(draw: Draw) -> tuple[Request, ...] | None:
    """A certificate for a cancelled flight."""
    reservation = draw.take("hit")
    if reservation is None or not compensable(draw.user, reservation):
        return None
    return (_complaint(reservation, "cancelled_flight"),)


def delayed_flight(draw: Draw) -> tuple[Request, ...] | None:
    """A certificate for a delayed flight, after cancelling for it."""
    reservation = draw.take("late")
    if reservation is None or not compensable(draw.user, reservation):
        return None
    if cancellation(reservation, "other", NOW, flight_cancelled=False) != "allowed":
        return None
    return (
        Request(intent="cancel_reservation", slots=about(reservation) | {"reason": "other"}),
        _complaint(reservation, "delayed_flight"),
    )


def transfer(draw: Draw) -> tuple[Request, ...] | None:
    """A change of a trip that has begun, which only a human agent can make."""
    reservation = draw.take("flown")
    if reservation is None:
        return None
    if draw.rng.random() < 0.6:
        slots = about(reservation) | {"reason": draw.rng.choice(("change_of_plans", "health", "other"))}
        return (Request(intent="cancel_reservation", slots=slots, outcome="transferred"),)
    cabin = draw.rng.choice([cabin for cabin in CABINS if cabin != reservation["cabin"]])
    slots = about(reservation) | {"cabin": cabin, "payment": [method_slot(draw.method())]}
    return (Request(intent="change_cabin", slots=slots, outcome="transferred"),)


_FORBIDDEN: Final[Mapping[str, Forbidden]] = {
    "cancel": _no_cancel,
    "flights": _no_flights,
    "compensation": _no_compensation,
    "complaint": _false_complaint,
    **{intent: partial(_never, intent=intent) for intent in FORBIDDEN},
}
_CHANGEABLE: Final = ("add_bags", "book_flight", "change_cabin", "change_flights", "change_passenger")

TWISTS: Final[Mapping[str, Mapping[str, Twist]]] = {
    "change": {intent: partial(change, intent=intent) for intent in _CHANGEABLE},
    "compensation": {"cancelled": cancelled_flight, "delayed": delayed_flight},
    "instead": {name: partial(instead, forbidden=_FORBIDDEN[name]) for name in ("cancel", "flights", "add_passenger")},
    "refused": {name: partial(refused, forbidden=forbidden) for name, forbidden in _FORBIDDEN.items()},
    "transfer": {"departed": transfer},
    "unknown": {intent: partial(unknown, intent=intent) for intent in _WITH_RESERVATION},
}
"""Twists by kind and variant; the variant is drawn before the user, so that each comes up equally often."""
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "transfer/departed": ("flown",),
    "compensation/cancelled": ("hit",),
    "compensation/delayed": ("late",),
    "refused/compensation": ("hit",),
}
"""The kind of reservation that a user must have for a variant."""


def variant(name: str) -> Twist:
    """The twist behind ``"kind/variant"``."""
    kind, _, which = name.partition("/")
    return TWISTS[kind][which]
