"""Nested arguments of the airline tools, and the closed sets of values that they use."""

from __future__ import annotations

import copy
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Cabin = Literal["basic_economy", "economy", "business"]
TripType = Literal["one_way", "round_trip"]
YesNo = Literal["yes", "no"]

CABINS: tuple[Cabin, ...] = ("basic_economy", "economy", "business")
"""Cabins, cheapest first."""

BAG_PRICE = 50
"""Price of a checked bag beyond the free allowance, in dollars."""

INSURANCE_PRICE = 30
"""Price of travel insurance for each passenger, in dollars."""

FREE_BAGS: dict[str, dict[str, int]] = {
    "regular": {"basic_economy": 0, "economy": 1, "business": 2},
    "silver": {"basic_economy": 1, "economy": 2, "business": 3},
    "gold": {"basic_economy": 2, "economy": 3, "business": 3},
}
"""Free checked bags for each passenger, by membership and cabin (a rule of the policy document)."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class FlightLeg(_Record):
    """One flight of an itinerary."""

    flight_number: Annotated[str, Field(description="Flight number.")]
    date: Annotated[str, Field(description="Date of departure, as YYYY-MM-DD.")]


class Passenger(_Record):
    """One traveller."""

    first_name: Annotated[str, Field(description="First name.")]
    last_name: Annotated[str, Field(description="Last name.")]
    dob: Annotated[str, Field(description="Date of birth, as YYYY-MM-DD.")]


class Payment(_Record):
    """A part of the price, and the payment method that carries it."""

    payment_id: Annotated[str, Field(description="Id of a payment method in the user's profile.")]
    amount: Annotated[int | float, Field(description="Amount charged to it, in dollars.")]


def plain(records: list[Any]) -> list[dict[str, Any]]:
    """The records as dictionaries of their own, sharing nothing with the arguments of the call.

    In ``compat`` mode tau-bench's tools take objects as they come, with whatever else is in them.
    """
    return [record.model_dump() if isinstance(record, BaseModel) else copy.deepcopy(record) for record in records]
