"""tau2-bench's airline world: its tools over the same tables, and its task sets.

In ``compat`` mode the tools behave as tau2's, faults included; ``strict`` mode mends what ``docs/tau2.md`` lists.
Unlike tau-bench's, bookings take seats, flight updates set the cabin, amounts are whole dollars, there is a tool for
the status of a flight but none to think, and a transfer does not end the dialogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from mua_env.core.task_sets import TaskSet
from mua_env.core.tools import ToolSpec, tool
from mua_env.core.toolsets import Kit
from mua_env.domain.derived_goals import DerivedGoals
from mua_env.domain.public import tau2
from mua_env.domain.public.tau2_tools import MergeStage, Tau2Toolkit
from mua_env.errors import ToolError, first_fault

from . import search, tau2_search
from .derive import Deriver, find_user
from .models import Base, Flight, Reservation, User
from .tools import AirlineTools, Airport, Date, Passengers, ReservationId, UserId

TABLES = {"users": "user_id", "reservations": "reservation_id", "flights": "flight_number"}
_PUBLIC_IDS = ("HATHAT", "HATHAU", "HATHAV")


class _Leg(BaseModel):
    flight_number: str
    date: str


class _Passenger(BaseModel):
    first_name: str
    last_name: str
    dob: str


class _Payment(BaseModel):
    payment_id: str
    amount: int


_NESTED: Mapping[str, TypeAdapter[Any]] = {
    "flights": TypeAdapter(list[_Leg]),
    "passengers": TypeAdapter(list[_Passenger]),
    "payment_methods": TypeAdapter(list[_Payment]),
}
_NUMBERS: Mapping[str, TypeAdapter[Any]] = {
    "total_baggages": TypeAdapter(int),
    "nonfree_baggages": TypeAdapter(int),
}
_ROUTE = frozenset({"origin", "destination", "date"})


def _loosely(adapter: TypeAdapter[Any] | None, value: Any) -> Any:
    """A nested argument as tau2 reads it: what is empty holds nothing, whatever it is."""
    if adapter is None:
        return value
    return adapter.validate_python([] if value in ("", {}) else value)


class AirlineTau2Tools(Tau2Toolkit, AirlineTools):
    """The fourteen airline tools of tau2."""

    left_out = frozenset({"think"})
    untyped: ClassVar = {
        "transfer_to_human_agents": frozenset({"summary"}),
        "search_direct_flight": _ROUTE,
        "search_onestop_flight": _ROUTE,
        "update_reservation_flights": frozenset({"cabin"}),
    }
    bookings_take_seats = True
    updates_set_cabin = True

    def parse(self, spec: ToolSpec, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call; in ``compat`` mode nested ones are read as loosely as tau2 reads them."""
        values = super().parse(spec, arguments)
        if self.mode == "strict":
            return values
        if spec.name == "update_reservation_passengers" and not all(isinstance(p, dict) for p in values["passengers"]):
            return values
        loose = _NESTED
        if spec.name == "book_reservation":
            loose = {**_NESTED, **_NUMBERS}
            if isinstance(values["nonfree_baggages"], str):
                raise ToolError(f"{spec.name}: argument 'nonfree_baggages' is a text")
        try:
            return {name: _loosely(loose.get(name), value) for name, value in values.items()}
        except ValidationError as error:
            raise ToolError(f"{spec.name}: {first_fault(error)}") from None

    @tool
    def get_user_details(self, user_id: UserId) -> dict[str, Any]:
        """Get a user's profile: address, payment methods, saved passengers, membership, reservation ids."""
        return self._user(user_id)

    @tool
    def list_all_airports(self) -> list[dict[str, str]]:  # type: ignore[override]
        """List all airports by their three-letter codes, with the cities they serve."""
        return tau2_search.all_airports()

    @tool
    def search_direct_flight(self, origin: Airport, destination: Airport, date: Date) -> list[dict[str, Any]]:
        """Find direct flights between two airports on one day, with seats and prices."""
        return tau2_search.direct(self.db, origin, destination, date)

    @tool
    def search_onestop_flight(self, origin: Airport, destination: Airport, date: Date) -> list[list[dict[str, Any]]]:
        """Find connections with one stop between two airports, by the day of the first departure."""
        if self._strict:
            return search.one_stop(self.db, origin, destination, date, strict=True)
        return tau2_search.one_stop(self.db, origin, destination, date)

    @tool
    def get_flight_status(self, flight_number: Annotated[str, Field(description="Flight number.")], date: Date) -> str:
        """Get the status of a flight on one day, as 'available', 'delayed' or 'cancelled'."""
        flight = self.db.get(Flight, flight_number)
        if flight is None or date not in flight["dates"]:
            raise ToolError(f"there is no flight {flight_number!r} on {date}")
        return str(flight["dates"][date]["status"])

    @tool(writes=True)
    def update_reservation_passengers(self, reservation_id: ReservationId, passengers: Passengers) -> dict[str, Any]:
        """Replace the passengers of a reservation; their number stays the same."""
        if self._strict or all(isinstance(passenger, BaseModel) for passenger in passengers):
            return super().update_reservation_passengers(reservation_id, passengers)
        # In compat mode anything of the right length, as in tau2.
        row = self._reservation(reservation_id)
        if len(passengers) != len(row["passengers"]):
            raise ToolError(f"reservation {reservation_id!r} has {len(row['passengers'])} passengers")
        row["passengers"] = passengers
        self._save_reservation(row, "passengers")
        return row

    @tool
    def calculate(
        self, expression: Annotated[str, Field(description="Arithmetic with numbers, + - * / and parentheses.")]
    ) -> str:
        """Work out an arithmetic expression."""
        if "%" in expression:
            raise ToolError("the expression may hold only digits and + - * / ( ) . and spaces, not '%'")
        return super().calculate(expression)

    @tool(writes=True)
    def send_certificate(  # type: ignore[override]
        self, user_id: UserId, amount: Annotated[int, Field(description="Worth in whole dollars.")]
    ) -> str:
        """Give a user a travel certificate, which is added to the profile's payment methods."""
        text = super().send_certificate(user_id, float(amount))
        if text == "null":
            raise ToolError(f"user {user_id!r} has been given three certificates; no more can be sent")
        return text.removesuffix(f"{float(amount)}.") + f"{amount}."

    @tool
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the user wants, and why it cannot be done here.")]
    ) -> str:
        """Hand the user over to a human agent. Only for what the tools and the policy do not cover."""
        return "Transfer successful"

    def _reservation(self, reservation_id: str) -> dict[str, Any]:
        return {"status": None, **super()._reservation(reservation_id)}

    def _booked(self, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "status": None}

    def _new_reservation_id(self, user_id: str, legs: list[dict[str, Any]]) -> str:
        if not self._strict and all(self.db.get(Reservation, name) is not None for name in _PUBLIC_IDS):
            raise ToolError("three reservations have been made; no more can be booked")
        return super()._new_reservation_id(user_id, legs)


class AirlineStage(MergeStage):
    """Sets the airline scene up."""

    tables: ClassVar = {"users": User, "reservations": Reservation, "flights": Flight}


derive_goal = DerivedGoals(lambda rows: Deriver(rows, toolkit=AirlineTau2Tools))
"""The derived agenda of a tau2 task over its rows."""


def task_set(split: str, path: str | Path | None) -> TaskSet:
    """tau2's tasks of a split (see :func:`mua_env.domain.public.tau2.task_set`)."""
    return tau2.task_set(
        "airline",
        split,
        rows=lambda layout: tau2.read_tables(layout, TABLES),
        kit=Kit(AirlineTau2Tools, models=Base, stage=AirlineStage),
        path=path,
        find_user=find_user,
        derive=derive_goal,
    )
