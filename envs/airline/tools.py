"""The fourteen tools of the airline domain, with the names and arguments of the public benchmark's.

``compat`` mode keeps the public faults that replay or scoring depends on; ``strict`` mode mends them:

- a flight update leaves the reservation's cabin as it was (strict: it is set);
- bookings and updates take no seats and cancellations release none (strict: they do);
- only three bookings, and three certificates a user, get an id of their own: a fourth booking overwrites the
  third and a fourth certificate is silently lost (strict: ids follow from what is booked, so that the order
  of calls does not matter);
- a cancelled reservation can be cancelled or changed again, and negative amounts and bag counts go through
  up to 100,000 (strict: refused);
- a connection past midnight on the last day of a month has an impossible date (strict: the next day).

No mode checks what the policy document leaves to the agent (who may cancel, free bags, mixes of payments).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from mua_env.core.tools import tool
from mua_env.domain.arithmetic import calculate as evaluate
from mua_env.domain.bounds import check_within
from mua_env.domain.public.tau2_tools import LooseToolkit
from mua_env.errors import ToolError

from .airports import PUBLIC_CITIES, city, public_listing
from .booking import (
    booking_price,
    charge,
    charge_one,
    check_payments,
    move_seats,
    new_certificate_id,
    new_reservation_id,
    price_legs,
    save_user,
    store,
)
from .models import Reservation, User
from .records import (
    BAG_PRICE,
    Cabin,
    FlightLeg,
    Passenger,
    Payment,
    TripType,
    YesNo,
    plain,
)
from .search import airport_codes, direct, now, one_stop

UserId = Annotated[str, Field(description="User id, as 'first_last_1234'.")]
ReservationId = Annotated[str, Field(description="Reservation id, six letters and digits.")]
Airport = Annotated[str, Field(description="Airport, by its three-letter code.")]
Date = Annotated[str, Field(description="Date of departure, as YYYY-MM-DD.")]
Legs = Annotated[list[FlightLeg], Field(description="All flights of the itinerary in order, kept ones too.")]
Passengers = Annotated[list[Passenger], Field(description="All passengers of the reservation.")]
PaymentId = Annotated[str, Field(description="Payment method in the user's profile that pays or gets the refund.")]
TotalBags = Annotated[int, Field(description="Checked bags in all, free ones included.")]
PaidBags = Annotated[int, Field(description="Checked bags that are paid for.")]
MOST_BAGS = 100
"""Checked bags of a reservation, in ``strict`` mode."""
MOST_LOOSELY = 100_000
"""Dollars of a certificate or a payment, and bags in ``compat`` mode, whose benchmark has no bound at all."""


class AirlineTools(LooseToolkit):
    """Tools of an airline's customer service.

    Attributes:
        bookings_take_seats: whether they do in ``compat`` mode too.
        updates_set_cabin: whether flight updates do in ``compat`` mode too.
    """

    any_choice = True
    bookings_take_seats: ClassVar[bool] = False
    updates_set_cabin: ClassVar[bool] = False

    # Reading

    @tool
    def get_user_details(self, user_id: UserId) -> dict[str, Any]:
        """Get a user's profile: address, payment methods, saved passengers, membership, reservation ids."""
        user = self._user(user_id)
        del user["user_id"]
        return user

    @tool
    def get_reservation_details(self, reservation_id: ReservationId) -> dict[str, Any]:
        """Get a reservation: its flights, passengers, payments, bags and insurance."""
        return self._reservation(reservation_id)

    @tool
    def list_all_airports(self) -> dict[str, str]:
        """List all airports by their three-letter codes, with the cities they serve."""
        codes = airport_codes(self.db)
        if not self._strict and PUBLIC_CITIES.keys() >= set(codes):
            return public_listing()
        return {code: city(code) for code in codes}

    @tool
    def search_direct_flight(self, origin: Airport, destination: Airport, date: Date) -> list[dict[str, Any]]:
        """Find direct flights between two airports on one day, with seats and prices."""
        return direct(self.db, origin, destination, date)

    @tool
    def search_onestop_flight(self, origin: Airport, destination: Airport, date: Date) -> list[list[dict[str, Any]]]:
        """Find connections with one stop between two airports, by the day of the first departure."""
        return one_stop(self.db, origin, destination, date, strict=self.mode == "strict")

    @tool
    def calculate(
        self,
        expression: Annotated[str, Field(description="Arithmetic with numbers, + - * / and parentheses.")],
    ) -> str:
        """Work out an arithmetic expression."""
        return evaluate(expression, remainder=self._strict)

    @tool
    def think(self, thought: Annotated[str, Field(description="The thought.")]) -> str:
        """Note a thought. It changes nothing and the user does not see it."""
        return ""

    # Writing

    @tool(writes=True)
    def book_reservation(
        self,
        user_id: UserId,
        origin: Airport,
        destination: Airport,
        flight_type: Annotated[TripType, Field(description="One way or round trip.")],
        cabin: Annotated[Cabin, Field(description="Cabin, the same for all flights.")],
        flights: Legs,
        passengers: Passengers,
        payment_methods: Annotated[list[Payment], Field(description="The price, split over payment methods.")],
        total_baggages: TotalBags,
        nonfree_baggages: PaidBags,
        insurance: Annotated[YesNo, Field(description="Whether travel insurance is bought.")],
    ) -> dict[str, Any]:
        """Book a new reservation and charge it to payment methods in the user's profile."""
        user = self._user(user_id)
        self._check_further_bookings()
        self._check_bags(total_baggages, nonfree_baggages)
        legs = price_legs(self.db, plain(flights), cabin, len(passengers))
        paid = plain(payment_methods)
        total = booking_price(legs, len(passengers), nonfree_baggages, insured=insurance == "yes")
        check_payments(user, paid, total, strict=self._strict)
        for part in paid:
            check_within("a payment", part["amount"], self._least, MOST_LOOSELY)
        booked = {
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": legs,
            "passengers": plain(passengers),
            "payment_history": paid,
            "created_at": now(self.db),
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        }
        row = {"reservation_id": self._new_reservation_id(booked), **booked}
        store(self.db, row)
        charge(user, paid)
        if row["reservation_id"] not in user["reservations"] or not self._strict:
            user["reservations"].append(row["reservation_id"])
        self._save_user(user)
        if self._strict or self.bookings_take_seats:
            move_seats(self.db, legs, cabin, -len(passengers))
        return self._booked(row)

    @tool(writes=True)
    def cancel_reservation(self, reservation_id: ReservationId) -> dict[str, Any]:
        """Cancel a whole reservation and refund every payment to the method it came from."""
        row = self._open(reservation_id)
        row["payment_history"] += [{**paid, "amount": -paid["amount"]} for paid in row["payment_history"]]
        row["status"] = "cancelled"
        self.db.update(Reservation, reservation_id, payment_history=row["payment_history"], status="cancelled")
        if self._strict:
            move_seats(self.db, row["flights"], row["cabin"], len(row["passengers"]))
        return row

    @tool(writes=True)
    def update_reservation_flights(
        self,
        reservation_id: ReservationId,
        cabin: Annotated[Cabin, Field(description="Cabin after the change, the same for all flights.")],
        flights: Legs,
        payment_id: PaymentId,
    ) -> dict[str, Any]:
        """Change flights or cabin of a reservation; the difference in price is charged or refunded."""
        row = self._open(reservation_id)
        user = self._user(row["user_id"])
        heads = len(row["passengers"])
        if self._strict:
            move_seats(self.db, row["flights"], row["cabin"], heads)
        kept = row["flights"] if cabin == row["cabin"] else []
        legs = price_legs(self.db, plain(flights), cabin, heads, kept=kept)
        due = (sum(leg["price"] for leg in legs) - sum(leg["price"] for leg in row["flights"])) * heads
        charge_one(user, payment_id, due)
        row["flights"] = legs
        if self._strict or self.updates_set_cabin:
            row["cabin"] = cabin
        if self._strict:
            move_seats(self.db, legs, cabin, -heads)
        if due:
            row["payment_history"].append({"payment_id": payment_id, "amount": due})
        self._save_reservation(row, "flights", "cabin", "payment_history")
        self._save_user(user)
        return row

    @tool(writes=True)
    def update_reservation_baggages(
        self,
        reservation_id: ReservationId,
        total_baggages: TotalBags,
        nonfree_baggages: PaidBags,
        payment_id: PaymentId,
    ) -> dict[str, Any]:
        """Set the number of checked bags of a reservation; bags newly paid for are charged."""
        row = self._open(reservation_id)
        self._check_bags(total_baggages, nonfree_baggages)
        user = self._user(row["user_id"])
        due = BAG_PRICE * max(0, nonfree_baggages - row["nonfree_baggages"])
        charge_one(user, payment_id, due)
        row["total_baggages"], row["nonfree_baggages"] = total_baggages, nonfree_baggages
        if due:
            row["payment_history"].append({"payment_id": payment_id, "amount": due})
        self._save_reservation(row, "total_baggages", "nonfree_baggages", "payment_history")
        self._save_user(user)
        return row

    @tool(writes=True)
    def update_reservation_passengers(self, reservation_id: ReservationId, passengers: Passengers) -> dict[str, Any]:
        """Replace the passengers of a reservation; their number stays the same."""
        row = self._open(reservation_id)
        if len(passengers) != len(row["passengers"]):
            raise ToolError(
                f"reservation {reservation_id!r} has {len(row['passengers'])} passengers, "
                f"got {len(passengers)}; the number cannot change",
                kind="heads",
            )
        row["passengers"] = plain(passengers)
        self._save_reservation(row, "passengers")
        return row

    @tool(writes=True)
    def send_certificate(
        self, user_id: UserId, amount: Annotated[int | float, Field(description="Worth in dollars.")]
    ) -> str:
        """Give a user a travel certificate, which is added to the profile's payment methods."""
        user = self._user(user_id)
        if self._strict and amount <= 0:
            raise ToolError(f"a certificate is worth more than 0 dollars, got {amount}")
        check_within("the worth of a certificate", amount, self._least, MOST_LOOSELY)
        payment_id = new_certificate_id(user, amount, strict=self._strict)
        if payment_id is None:
            return "null"
        user["payment_methods"][payment_id] = {"source": "certificate", "amount": amount, "id": payment_id}
        self._save_user(user)
        return f"Certificate {payment_id} added to user {user_id} with amount {amount}."

    @tool(terminal=True)
    def transfer_to_human_agents(
        self,
        summary: Annotated[str, Field(description="What the user wants, and why it cannot be done here.")],
    ) -> str:
        """Hand the user over to a human agent. Only for what the tools and the policy do not cover."""
        return "Transfer successful"

    # Shared

    @property
    def _strict(self) -> bool:
        return self.mode == "strict"

    @property
    def _least(self) -> float:
        return 0.01 if self._strict else -MOST_LOOSELY

    def _user(self, user_id: str) -> dict[str, Any]:
        user = self.db.get(User, user_id)
        if user is None:
            raise ToolError(f"no user has the id {user_id!r}", kind="user", user_id=user_id)
        return user

    def _reservation(self, reservation_id: str) -> dict[str, Any]:
        row = self.db.get(Reservation, reservation_id)
        if row is None:
            problem = f"no reservation has the id {reservation_id!r}"
            raise ToolError(problem, kind="reservation", reservation_id=reservation_id)
        return row

    def _booked(self, row: dict[str, Any]) -> dict[str, Any]:
        """A new reservation as the caller is shown it."""
        return row

    def _check_further_bookings(self) -> None:
        """Whether a further reservation can be made at all (it can)."""

    def _new_reservation_id(self, booked: dict[str, Any]) -> str:
        return new_reservation_id(self.db, booked, strict=self._strict)

    def _open(self, reservation_id: str) -> dict[str, Any]:
        row = self._reservation(reservation_id)
        if self._strict and row.get("status") == "cancelled":
            raise ToolError(f"reservation {reservation_id!r} is cancelled and can no longer be changed")
        return row

    def _check_bags(self, total: int, paid: int) -> None:
        for what, count in (("the number of bags", total), ("the number of paid bags", paid)):
            check_within(what, count, -MOST_LOOSELY, MOST_BAGS if self._strict else MOST_LOOSELY)
        if self._strict and not 0 <= paid <= total:
            raise ToolError(f"paid bags must lie between 0 and the total, got {paid} of {total}")

    def _save_user(self, user: dict[str, Any]) -> None:
        save_user(self.db, user)

    def _save_reservation(self, row: dict[str, Any], *columns: str) -> None:
        self.db.update(Reservation, row["reservation_id"], **{name: row[name] for name in columns})
