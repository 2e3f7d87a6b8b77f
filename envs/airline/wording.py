"""Which refusal is which in the benchmarks' airline tools, in the order of their lines (see ``public.wording``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TAU1: Final[Mapping[str, str]] = {
    "book_reservation": "user flight date sold seats method funds sum",
    "calculate": "characters -",
    "cancel_reservation": "reservation",
    "get_reservation_details": "reservation",
    "get_user_details": "user",
    "send_certificate": "user",
    "update_reservation_baggages": "reservation method certificate funds",
    "update_reservation_flights": "reservation flight date sold seats method certificate funds",
    "update_reservation_passengers": "reservation heads",
}
"""tau-bench's."""

TAU2: Final[Mapping[str, str]] = {
    "_get_user": "user",
    "_get_reservation": "reservation",
    "_get_flight": "flight",
    "_get_flight_instance": "date",
    "_get_new_reservation_id": "reservations",
    "_payment_for_update": "method certificate funds",
    "book_reservation": "sold seats method funds sum",
    "calculate": "characters",
    "send_certificate": "certificates",
    "update_reservation_flights": "sold seats",
    "update_reservation_passengers": "heads",
}
"""tau2-bench's; names with an underscore are functions that its tools share."""
