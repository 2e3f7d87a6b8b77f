"""What the acts of the domains' experts ask for, slot by slot, so that another manner can ask for the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_TRIP = ("flight_type", "route", "trip_dates", "cabin")
_EXTRAS = ("trip_bags", "insurance", "payment")
ASKS: Mapping[str, Sequence[str]] = {
    "identify:retail": ("identity",),
    "identify:airline": ("user_id",),
    "identify:telecom": ("phone", "full_name", "dob"),
    "ask_reason:airline": ("cancel_reason",),
    "ask_email": ("email",),
    "ask_name": ("name",),
    "help": ("wish",),
    "ask_order": ("order",),
    "ask_order_reason": ("order", "reason"),
    "ask_order_items": ("order", "items"),
    "ask_order_items_payment": ("order", "items", "payment"),
    "ask_everything": ("order", "items", "options", "payment"),
    "ask_order_address": ("order", "address"),
    "ask_order_payment": ("order", "payment"),
    "ask_options_payment": ("options", "payment"),
    "ask_reason": ("reason",),
    "ask_items": ("items",),
    "ask_options": ("options",),
    "ask_payment": ("payment",),
    "ask_address": ("address",),
    "ask_product": ("product",),
    "ask_reservation": ("reservation",),
    "ask_reservation_reason": ("reservation", "cancel_reason"),
    "ask_reservation_complaint": ("reservation", "complaint"),
    "ask_complaint": ("complaint",),
    "ask_reservation_cabin": ("reservation", "cabin", "payment"),
    "ask_reservation_flights": ("reservation", "dates", "choice", "payment"),
    "ask_reservation_bags": ("reservation", "bags", "payment"),
    "ask_reservation_passengers": ("reservation", "old_passenger", "new_passenger"),
    "ask_booking": (*_TRIP, "choice", "passengers", *_EXTRAS),
    "ask_cabin_payment": ("cabin", "payment"),
    "ask_bags_payment": ("bags", "payment"),
    "ask_passengers_change": ("old_passenger", "new_passenger"),
    "ask_new_passenger": ("new_passenger",),
    "ask_flights_one": ("date", "choice", "payment"),
    "ask_flights_round": ("dates", "choice", "payment"),
    "ask_trip": _TRIP,
    "ask_travellers": ("choice", "passengers"),
    "ask_extras": _EXTRAS,
    "ask_cabin": ("cabin",),
    "ask_return": ("return_date",),
    "ask_gb": ("gb",),
    "ask_plan": ("plan",),
}
"""What an act of the experts asks for; by domain where that differs."""
WITH_IDENTITY: Mapping[str | None, Sequence[str]] = {
    "cancel_order": ASKS["ask_order_reason"],
    "return_items": ASKS["ask_order_items_payment"],
    "exchange_items": ASKS["ask_everything"],
    "modify_items": ASKS["ask_everything"],
    "modify_order_address": ASKS["ask_order_address"],
    "modify_order_payment": ASKS["ask_order_payment"],
    "cancel_reservation": ASKS["ask_reservation_reason"],
    "compensation": ASKS["ask_reservation_complaint"],
    "change_cabin": ASKS["ask_reservation_cabin"],
    "change_flights": ASKS["ask_reservation_flights"],
    "add_bags": ASKS["ask_reservation_bags"],
    "change_passenger": ASKS["ask_reservation_passengers"],
    None: ("wish",),
}
"""What else is asked for together with who the user is, by the intent that the opening states."""
