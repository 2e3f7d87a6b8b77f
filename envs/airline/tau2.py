"""tau2-bench's airline world: its tools over the same tables, and its task sets.

In ``compat`` mode the tools behave as tau2's, faults included; ``strict`` mode mends what ``docs/tau2.md`` lists.
Unlike tau-bench's, bookings take seats, flight updates set the cabin, amounts are whole dollars, there is a tool for
the status of a flight but none to think, and a transfer does not end the dialogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mua_env.core.task_sets import TaskSet
from mua_env.core.tools import ToolSpec, tool
from mua_env.core.toolsets import Toolset
from mua_env.domain.arithmetic import calculate
from mua_env.domain.derived_goals import DerivedGoals
from mua_env.domain.public import tau2
from mua_env.domain.public.tau2_tools import MergeStage, Tau2Toolkit
from mua_env.errors import ToolError, first_fault

from . import search, tau2_search, wording
from .derive import Deriver, find_user
from .models import Base, Flight, Reservation, User
from .tools import AirlineTools, Airport, Date, Passengers, ReservationId, UserId

TABLES = {"users": "user_id", "reservations": "reservation_id", "flights": "flight_number"}
_PUBLIC_IDS = ("HATHAT", "HATHAU", "HATHAV")


# Named as tau2's, since pydantic's errors begin with the name.


class FlightInfo(BaseModel):
    """A flight of a call."""

    flight_number: str
    date: str


class Passenger(BaseModel):
    """A traveller of a call."""

    first_name: str
    last_name: str
    dob: str


class Payment(BaseModel):
    """A part of the price of a call."""

    payment_id: str
    amount: int


class _Booking(BaseModel):
    """What tau2 checks of a booking when it is made."""

    model_config = ConfigDict(title="Reservation")

    flight_type: Literal["round_trip", "one_way"]
    cabin: Literal["business", "economy", "basic_economy"]
    total_baggages: int
    nonfree_baggages: int
    insurance: Literal["yes", "no"]


_NESTED: Mapping[str, type[BaseModel]] = {"flights": FlightInfo, "passengers": Passenger, "payment_methods": Payment}
_ROUTE = frozenset({"origin", "destination", "date"})


def _records(kind: type[BaseModel], value: Any) -> list[BaseModel]:
    """Nested arguments as tau2 reads them, one after the other: what is empty holds nothing, whatever it is."""
    items = [] if value in ("", {}) else value
    if not isinstance(items, list):
        raise ToolError(f"a list is expected, not {value!r}")
    return [kind.model_validate(item) for item in items]


class AirlineTau2Tools(Tau2Toolkit, AirlineTools):
    """The fourteen airline tools of tau2."""

    left_out = frozenset({"think"})
    any_choice = False
    untyped: ClassVar = {
        "transfer_to_human_agents": frozenset({"summary"}),
        "search_direct_flight": _ROUTE,
        "search_onestop_flight": _ROUTE,
        "update_reservation_flights": frozenset({"cabin"}),
        "book_reservation": frozenset({"flight_type", "cabin", "insurance"}),
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
        try:
            nested = {name: _records(kind, values[name]) for name, kind in _NESTED.items() if name in values}
            if spec.name != "book_reservation":
                return values | nested
            if isinstance(values["nonfree_baggages"], str):
                raise ToolError(f"{spec.name}: argument 'nonfree_baggages' is a text")
            return values | nested | _Booking.model_validate(values).model_dump()
        except ValidationError as error:
            raise ToolError(f"{spec.name}: {first_fault(error)}", kind="python", text=str(error)) from None

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
            problem = f"there is no flight {flight_number!r} on {date}"
            kind = "flight" if flight is None else "date"
            raise ToolError(problem, kind=kind, flight_number=flight_number, date=date)
        return str(flight["dates"][date]["status"])

    @tool(writes=True)
    def update_reservation_passengers(self, reservation_id: ReservationId, passengers: Passengers) -> dict[str, Any]:
        """Replace the passengers of a reservation; their number stays the same."""
        if self._strict or all(isinstance(passenger, BaseModel) for passenger in passengers):
            return super().update_reservation_passengers(reservation_id, passengers)
        # In compat mode anything of the right length, as in tau2.
        row = self._reservation(reservation_id)
        if len(passengers) != len(row["passengers"]):
            problem = f"reservation {reservation_id!r} has {len(row['passengers'])} passengers"
            raise ToolError(problem, kind="heads")
        row["passengers"] = passengers
        self._save_reservation(row, "passengers")
        return row

    @tool
    def calculate(
        self, expression: Annotated[str, Field(description="Arithmetic with numbers, + - * / and parentheses.")]
    ) -> str:
        """Work out an arithmetic expression."""
        return calculate(expression, remainder=False)

    @tool(writes=True)
    def send_certificate(  # type: ignore[override]
        self, user_id: UserId, amount: Annotated[int, Field(description="Worth in whole dollars.")]
    ) -> str:
        """Give a user a travel certificate, which is added to the profile's payment methods."""
        text = super().send_certificate(user_id, float(amount))
        if text == "null":
            problem = f"user {user_id!r} has been given three certificates; no more can be sent"
            raise ToolError(problem, kind="certificates")
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

    def _check_further_bookings(self) -> None:
        # tau2 has three ids to give away, and looks for one before it looks at what is to be paid.
        if not self._strict and all(self.db.get(Reservation, name) is not None for name in _PUBLIC_IDS):
            raise ToolError("three reservations have been made; no more can be booked", kind="reservations")


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
        toolset=Toolset(AirlineTau2Tools, models=Base, stage=AirlineStage),
        path=path,
        find_user=find_user,
        derive=derive_goal,
        wording=wording.TAU2,
    )
