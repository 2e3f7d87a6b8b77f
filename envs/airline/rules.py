"""The rules of the policy document that decide cases, as functions over the records that tools return.

Generator and scripted expert share them; :data:`RULES` names those that audits list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from mua_env.core.database import Database
from mua_env.core.tasks import Request, Task

from .models import Reservation, User
from .records import FREE_BAGS

Record = Mapping[str, Any]
Verdict = Literal["allowed", "refused", "transfer"]

REASONS: Final = ("change_of_plans", "airline_cancelled", "health", "weather", "other")
"""Reasons for a cancellation."""
COMPLAINTS: Final = ("cancelled_flight", "delayed_flight")
"""What customers complain of."""

RULES: Final[Mapping[str, str]] = {
    "cancel-conditions": "A reservation is cancelled within 24 hours of booking, if the airline cancelled a flight, "
    "in business class, or with insurance for reasons of health or weather.",
    "departed-transfer": "Where a flight has departed, cancelling and changes of flights or cabin are handed over.",
    "basic-economy-flights": "The flights of a basic economy reservation cannot be changed.",
    "same-route": "Origin, destination and trip type stay as they are.",
    "one-cabin": "The cabin changes for all flights and passengers at once.",
    "card-pays-changes": "One credit or gift card pays for a change, never a certificate.",
    "gift-card-balance": "A gift card that is charged must cover the amount.",
    "payment-mix": "A booking takes at most one certificate, one credit card and three gift cards.",
    "free-bags": "Free bags follow from membership and cabin; each further one costs $50.",
    "bags-added-only": "Bags can be added, never removed.",
    "insurance-at-booking": "Insurance is bought at booking and cannot be added or removed afterwards.",
    "passenger-count": "The number of passengers cannot change.",
    "compensation-conditions": "Only silver or gold members, insured or business customers are compensated.",
    "compensation-cancelled": "A cancelled flight is worth $100 a passenger.",
    "compensation-delayed": "A delayed flight is worth $50 a passenger, after a change or cancellation for it.",
}
"""The rules by id, in the order of the policy document."""


def free_bags(membership: str, cabin: str, heads: int) -> int:
    """Checked bags that are free on a reservation."""
    return FREE_BAGS[membership][cabin] * heads


def paid_bags(total: int, membership: str, cabin: str, heads: int) -> int:
    """Checked bags beyond the free ones."""
    return max(0, total - free_bags(membership, cabin, heads))


def departed(reservation: Record, today: str) -> bool:
    """Whether a flight of the reservation left before today."""
    return any(leg["date"] < today for leg in reservation["flights"])


def recent(reservation: Record, now: str) -> bool:
    """Whether it was booked within the last 24 hours."""
    age = datetime.fromisoformat(now) - datetime.fromisoformat(reservation["created_at"])
    return age <= timedelta(hours=24)


def cancellation(reservation: Record, reason: str, now: str, *, flight_cancelled: bool) -> Verdict:
    """Whether a reservation may be cancelled; ``flight_cancelled`` is what a search of its flights showed."""
    if departed(reservation, now[:10]):
        return "transfer"
    insured = reservation["insurance"] == "yes" and reason in ("health", "weather")
    if reservation["cabin"] == "business" or insured or flight_cancelled or recent(reservation, now):
        return "allowed"
    return "refused"


def compensable(user: Record, reservation: Record) -> bool:
    """Whether the customer may be compensated for trouble with a reservation."""
    return (
        user["membership"] in ("silver", "gold")
        or reservation["insurance"] == "yes"
        or reservation["cabin"] == "business"
    )


def compensation(reservation: Record, complaint: str) -> int:
    """What a certificate is worth, in dollars."""
    return (100 if complaint == "cancelled_flight" else 50) * len(reservation["passengers"])


_OF_TOOL: Final[Mapping[str, tuple[str, ...]]] = {
    "cancel_reservation": ("cancel-conditions",),
    "update_reservation_baggages": ("free-bags",),
    "book_reservation": ("payment-mix", "free-bags"),
    "send_certificate": ("compensation-conditions",),
    "update_reservation_passengers": ("passenger-count",),
}
_OF_REFUSED: Final[Mapping[str, str]] = {
    "cancel_reservation": "cancel-conditions",
    "change_flights": "basic-economy-flights",
    "change_route": "same-route",
    "change_cabin": "one-cabin",
    "remove_bags": "bags-added-only",
    "add_insurance": "insurance-at-booking",
    "add_passenger": "passenger-count",
    "compensation": "compensation-conditions",
}


def binding_rules(task: Task, database: Database) -> list[str]:
    """The ids of the rules that a task's gold writes and refused requests fall under, in order."""
    found = set(_of_actions(task, database))
    for request in task.goal.requests if task.goal else ():
        found.update(_of_requests(request))
    return [name for name in RULES if name in found]


def _of_actions(task: Task, database: Database) -> Iterator[str]:
    for action in task.actions:
        yield from _OF_TOOL.get(action.name, ())
        arguments = action.arguments
        if action.name == "update_reservation_flights":
            yield from _of_change(arguments, database.get(Reservation, arguments["reservation_id"]) or {})
        if action.name == "send_certificate" and task.goal:
            complaints = {request.slots.get("complaint") for request in task.goal.requests}
            yield from ("compensation-delayed",) if "delayed_flight" in complaints else ("compensation-cancelled",)
        paying = [arguments.get("payment_id")] if "payment_id" in arguments else []
        paying += [part["payment_id"] for part in arguments.get("payment_methods", ())]
        user = database.get(User, task.user_id) if task.user_id else None
        methods = (user or {}).get("payment_methods", {})
        if any(methods.get(name, {}).get("source") == "gift_card" for name in paying):
            yield "gift-card-balance"


def _of_change(arguments: Record, reservation: Record) -> Iterator[str]:
    yield "card-pays-changes"
    if not reservation:
        return
    if arguments["cabin"] != reservation["cabin"]:
        yield "one-cabin"
    if _numbers(arguments["flights"]) != _numbers(reservation["flights"]):
        yield from ("basic-economy-flights", "same-route")


def _numbers(flights: Sequence[Record]) -> list[tuple[str, str]]:
    return [(leg["flight_number"], leg["date"]) for leg in flights]


def _of_requests(request: Request | None) -> Iterator[str]:
    if request is None:
        return
    if request.outcome == "transferred":
        yield "departed-transfer"
    if request.outcome == "refused" and request.intent in _OF_REFUSED:
        yield _OF_REFUSED[request.intent]
    yield from _of_requests(request.fallback)
