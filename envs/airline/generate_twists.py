"""Twists: what makes a request harder than asking for what is needed and doing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mua_env.tasks import MindChange, Request

from . import generate_requests as plain
from .customers import make_passenger
from .fleet import Draw, Record
from .generate_requests import about
from .goals import full_name, method_slot
from .records import CABINS
from .rules import cancellation, compensable
from .search import NOW

Twist = Callable[[Draw], tuple[Request, ...] | None]
_WITH_RESERVATION: Final = (
    "add_bags",
    "ask",
    "cancel_reservation",
    "change_cabin",
    "change_flights",
    "change_passenger",
)


def unknown(draw: Draw) -> tuple[Request, ...] | None:
    """The customer does not know the reservation id, only the trip."""
    request = plain.BUILDERS[draw.rng.choice(_WITH_RESERVATION)](draw)
    if request is None:
        return None
    reservation = draw.fleet.reservations[request.slots["reservation_id"]]
    if not draw.is_unique_route(reservation):
        return None
    route = [reservation["origin"], reservation["destination"]]
    return (request.model_copy(update={"unknown": ("reservation_id",), "slots": request.slots | {"route": route}}),)


def change(draw: Draw) -> tuple[Request, ...] | None:
    """A change of mind once the agent asks for confirmation."""
    request = plain.BUILDERS[draw.rng.choice(("add_bags", "change_cabin", "change_passenger", "change_flights"))](draw)
    if request is None:
        return None
    other = _other_slots(draw, request)
    return None if other is None else (request.model_copy(update={"change": MindChange(slots=other)}),)


def _other_slots(draw: Draw, request: Request) -> Record | None:
    slots = request.slots
    reservation = draw.fleet.reservations[slots["reservation_id"]]
    if request.intent == "add_bags":
        return {"bags": draw.rng.choice([number for number in (1, 2, 3, 4) if number != slots["bags"]])}
    if request.intent == "change_cabin":
        taken = (slots["cabin"], reservation["cabin"])
        return {"cabin": next(cabin for cabin in CABINS if cabin not in taken)}
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


def refused(draw: Draw) -> tuple[Request, ...] | None:
    """Something that the policy document forbids."""
    request = draw.rng.choice(_REFUSED)(draw)
    return None if request is None else (request,)


def _no_cancel(draw: Draw) -> Request | None:
    reservation = draw.take("clean", cabins=("basic_economy", "economy"), recent=False)
    if reservation is None:
        return None
    # The airline is said to have cancelled a flight that is still for sale.
    reason = draw.rng.choice(("change_of_plans", "other", "health", "weather", "airline_cancelled"))
    if cancellation(reservation, reason, NOW, flight_cancelled=False) != "refused":
        return None
    return Request(intent="cancel_reservation", slots=about(reservation) | {"reason": reason}, outcome="refused")


def _no_flights(draw: Draw) -> Request | None:
    reservation = draw.take("clean", cabins=("basic_economy",))
    request = None if reservation is None else plain.other_flights(draw, reservation)
    return None if request is None else request.model_copy(update={"outcome": "refused"})


def _no_compensation(draw: Draw) -> Request | None:
    reservation = draw.take("hit")
    if reservation is None or compensable(draw.user, reservation):
        return None
    slots = about(reservation) | {"complaint": "cancelled_flight"}
    return Request(intent="compensation", slots=slots, outcome="refused")


def _false_complaint(draw: Draw) -> Request | None:
    reservation = draw.take("clean")
    if reservation is None:
        return None
    slots = about(reservation) | {"complaint": "cancelled_flight"}
    return Request(intent="compensation", slots=slots, outcome="refused")


def _never(draw: Draw) -> Request | None:
    reservation = draw.take("clean")
    if reservation is None:
        return None
    slots = about(reservation)
    intent = draw.rng.choice(("remove_bags", "add_insurance", "add_passenger", "change_route"))
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
    return Request(intent=intent, slots=slots, outcome="refused")


_REFUSED: Final = (_no_cancel, _no_flights, _no_compensation, _false_complaint, _never, _never)


def instead(draw: Draw) -> tuple[Request, ...] | None:
    """Something forbidden, with something allowed that will do instead."""
    request = draw.rng.choice((_no_cancel, _no_flights, _no_passenger))(draw)
    if request is None:
        return None
    reservation = draw.fleet.reservations[request.slots["reservation_id"]]
    fallback = _allowed(draw, request, reservation)
    return None if fallback is None else (request.model_copy(update={"fallback": fallback}),)


def _no_passenger(draw: Draw) -> Request | None:
    reservation = draw.take("clean")
    if reservation is None:
        return None
    slots = about(reservation) | {"new_passenger": make_passenger(draw.rng)}
    return Request(intent="add_passenger", slots=slots, outcome="refused")


def _allowed(draw: Draw, request: Request, reservation: Record) -> Request | None:
    if request.intent == "add_passenger":
        name = full_name(draw.rng.choice(reservation["passengers"]))
        slots = about(reservation) | {"passenger": name, "new_passenger": request.slots["new_passenger"]}
        return Request(intent="change_passenger", slots=slots)
    if request.intent == "cancel_reservation" and reservation["cabin"] == "economy":
        return plain.other_flights(draw, reservation)
    cabin = draw.rng.choice([cabin for cabin in CABINS if cabin != reservation["cabin"]])
    slots = about(reservation) | {"cabin": cabin, "payment": [method_slot(draw.method())]}
    return Request(intent="change_cabin", slots=slots)


def compensation(draw: Draw) -> tuple[Request, ...] | None:
    """A certificate for a cancelled flight, or for a delayed one after cancelling for it."""
    reservation = draw.take("hit", "late")
    if reservation is None or not compensable(draw.user, reservation):
        return None
    if draw.fleet.kind(reservation) == "hit":
        slots = about(reservation) | {"complaint": "cancelled_flight"}
        return (Request(intent="compensation", slots=slots),)
    if cancellation(reservation, "other", NOW, flight_cancelled=False) != "allowed":
        return None
    return (
        Request(intent="cancel_reservation", slots=about(reservation) | {"reason": "other"}),
        Request(intent="compensation", slots=about(reservation) | {"complaint": "delayed_flight"}),
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


TWISTS: Final[Mapping[str, Twist]] = {
    "change": change,
    "compensation": compensation,
    "instead": instead,
    "refused": refused,
    "transfer": transfer,
    "unknown": unknown,
}
