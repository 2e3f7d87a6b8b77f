"""Agendas for public tasks, which come with an instruction text and gold actions only.

The gold calls that succeed when they are run become requests in their order; their values and the user's own record
become what the user knows and wants. Flights are named outright, since what they were preferred for is lost, as is
everything else that only the text says: results with such a goal say ``agenda (derived)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mua_env.core.database import Rows
from mua_env.core.tasks import Action, Request, Task
from mua_env.core.tools import Mode, Toolkit
from mua_env.domain import derived_goals as deriving
from mua_env.domain.derived_goals import DerivedGoals, user_of

from .goals import full_name, method_slot, with_bags
from .models import Base, Flight, Reservation
from .rules import compensable, departed, recent
from .search import now
from .tools import AirlineTools

Record = dict[str, Any]
_MISHAPS: Final = {"cancelled": "cancelled_flight", "delayed": "delayed_flight"}


class Deriver(deriving.Deriver):
    """Derives the goals of public tasks over one set of rows."""

    models = Base
    toolkit = AirlineTools

    def __init__(self, rows: Rows, *, mode: Mode = "compat", toolkit: type[Toolkit] | None = None) -> None:
        super().__init__(rows, mode=mode, toolkit=toolkit)
        self._now = now(self.world.database)

    def facts(self, user: Record) -> Record:
        """User id and name."""
        return {"user_id": user["user_id"], **user["name"]}

    def requests(self, action: Action, user: Record) -> Iterator[Request]:
        """The requests that a call fulfils, described from the records as they are before it."""
        arguments = action.arguments
        if action.name == "book_reservation":
            yield Request(intent="book_flight", slots=self._booking(arguments, user))
        elif action.name == "send_certificate":
            yield from self._compensation(arguments["amount"], user)
        row = self.world.database.get(Reservation, arguments.get("reservation_id", ""))
        if row is None:
            return
        about = {"reservation_id": row["reservation_id"]}
        if action.name == "cancel_reservation":
            yield Request(intent="cancel_reservation", slots=about | {"reason": self._reason(row)})
        elif action.name == "update_reservation_flights":
            yield self._change(about, arguments, row, user)
        elif action.name == "update_reservation_baggages":
            more = arguments["total_baggages"] - row["total_baggages"]
            slots = about | {"bags": more, "payment": _payment([arguments["payment_id"]], user)}
            if arguments["nonfree_baggages"] != with_bags(user, row, more)[1]:
                slots["paid_bags"] = arguments["nonfree_baggages"]
            yield Request(intent="add_bags", slots=slots)
        elif action.name == "update_reservation_passengers":
            for old, new in zip(row["passengers"], arguments["passengers"], strict=False):
                if old != new:
                    slots = about | {"passenger": full_name(old), "new_passenger": dict(new)}
                    yield Request(intent="change_passenger", slots=slots)

    def _booking(self, arguments: Record, user: Record) -> Record:
        names = ("flight_type", "origin", "destination", "cabin", "passengers", "insurance")
        slots = {name: arguments[name] for name in names} | _dates(arguments["flights"], arguments["flight_type"])
        paying = [part["payment_id"] for part in arguments["payment_methods"]]
        return slots | {"bags": arguments["total_baggages"], "payment": _payment(paying, user)}

    def _change(self, about: Record, arguments: Record, row: Record, user: Record) -> Request:
        payment = {"payment": _payment([arguments["payment_id"]], user)}
        if _numbers(arguments["flights"]) == _numbers(row["flights"]):
            return Request(intent="change_cabin", slots=about | {"cabin": arguments["cabin"]} | payment)
        slots = about | _dates(arguments["flights"], row["flight_type"]) | payment
        if arguments["cabin"] != row["cabin"]:
            slots["cabin"] = arguments["cabin"]
        return Request(intent="change_flights", slots=slots)

    def _reason(self, row: Record) -> str:
        """A reason that the policy document accepts, where there is one."""
        if row["cabin"] == "business" or recent(row, self._now):
            return "change_of_plans"
        return "health" if row["insurance"] == "yes" else "airline_cancelled"

    def _compensation(self, amount: float, user: Record) -> Iterator[Request]:
        """The reservation that a certificate is for: its mishap, or else only its passengers, come to the amount."""
        guess = None
        for name in user["reservations"]:
            row = self.world.database.get(Reservation, name)
            if row is None or not compensable(user, row):
                continue
            for status, complaint in _MISHAPS.items():
                worth = (100 if status == "cancelled" else 50) * len(row["passengers"])
                slots = {"reservation_id": name, "complaint": complaint}
                if worth == amount and status in self._statuses(row):
                    yield Request(intent="compensation", slots=slots)
                    return
                guess = slots if worth == amount else guess
        if guess is not None:
            yield Request(intent="compensation", slots=guess)

    def _statuses(self, row: Record) -> list[str]:
        found = []
        for leg in row["flights"]:
            flight = self.world.database.get(Flight, leg["flight_number"])
            found.append((flight or {}).get("dates", {}).get(leg["date"], {}).get("status", ""))
        return found if not departed(row, self._now[:10]) else [status for status in found if status != "cancelled"]


def _dates(flights: list[Record], flight_type: str) -> Record:
    """Days of travel, and the flights that were chosen."""
    slots: Record = {"date": flights[0]["date"]}
    if flight_type == "round_trip":
        slots["return_date"] = flights[-1]["date"]
    return slots | {"choice": [dict(leg) for leg in flights]}


def _numbers(flights: list[Record]) -> list[tuple[str, str]]:
    return [(leg["flight_number"], leg["date"]) for leg in flights]


def _payment(names: list[str], user: Record) -> list[Record]:
    methods: Mapping[str, Any] = user["payment_methods"]
    return [method_slot(methods[name]) for name in names if name in methods]


derive_goal = DerivedGoals(Deriver)
"""The derived agenda of a public task over its rows."""


def find_user(task: Task, rows: Rows) -> str | None:
    """The id of the user that a task is about; see :func:`mua_env.domain.derived_goals.user_of`."""
    users = {row["user_id"] for row in rows["users"]}
    return user_of(task, users, {row["reservation_id"]: row["user_id"] for row in rows["reservations"]})
