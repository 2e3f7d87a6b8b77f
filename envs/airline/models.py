"""Tables of the airline domain: users, reservations and flights.

Key columns are typed; nested documents are JSON columns, which keep 100, 100.0 and "100" apart as they came.
Lists whose order means nothing are marked as sets.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Base of the domain's tables."""


class User(Base):
    """A customer: profile, payment methods by id, saved passengers, membership and reservation ids."""

    __tablename__ = "users"

    user_id: Mapped[str] = mapped_column(String, primary_key=True)
    name: Mapped[dict[str, Any]] = mapped_column(JSON)
    address: Mapped[dict[str, Any]] = mapped_column(JSON)
    email: Mapped[str] = mapped_column(String)
    dob: Mapped[str] = mapped_column(String)
    payment_methods: Mapped[dict[str, Any]] = mapped_column(JSON)
    saved_passengers: Mapped[list[Any]] = mapped_column(JSON, info={"set": True})
    membership: Mapped[str] = mapped_column(String)
    reservations: Mapped[list[Any]] = mapped_column(JSON, info={"set": True})


class Reservation(Base):
    """A booking of one or more flights for one to five passengers; ``status`` is set only once cancelled."""

    __tablename__ = "reservations"

    reservation_id: Mapped[str] = mapped_column(String, primary_key=True)
    user_id: Mapped[str] = mapped_column(String, index=True)
    origin: Mapped[str] = mapped_column(String)
    destination: Mapped[str] = mapped_column(String)
    flight_type: Mapped[str] = mapped_column(String)
    cabin: Mapped[str] = mapped_column(String)
    flights: Mapped[list[Any]] = mapped_column(JSON)
    passengers: Mapped[list[Any]] = mapped_column(JSON, info={"set": True})
    payment_history: Mapped[list[Any]] = mapped_column(JSON, info={"set": True})
    created_at: Mapped[str] = mapped_column(String)
    total_baggages: Mapped[Any] = mapped_column(JSON)
    nonfree_baggages: Mapped[Any] = mapped_column(JSON)
    insurance: Mapped[str] = mapped_column(String)
    status: Mapped[str | None] = mapped_column(String)


class Flight(Base):
    """A daily flight; ``dates`` holds the status on each date and, while it is for sale, seats and prices."""

    __tablename__ = "flights"
    __table_args__ = (Index("flights_by_route", "origin", "destination"),)

    flight_number: Mapped[str] = mapped_column(String, primary_key=True)
    origin: Mapped[str] = mapped_column(String)
    destination: Mapped[str] = mapped_column(String)
    scheduled_departure_time_est: Mapped[str] = mapped_column(String)
    scheduled_arrival_time_est: Mapped[str] = mapped_column(String)
    dates: Mapped[dict[str, Any]] = mapped_column(JSON)
