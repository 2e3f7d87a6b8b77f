"""Intents of the airline domain: how the user wishes for them, and how an agent speaks of them."""

# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mua_env.users.agenda.language import Intent, followed_by

_CHANGED = r"(?:changed|updated|modified|moved|switched|replaced|rebooked|rescheduled|upgraded|downgraded|set)"


def _about(things: str, verbs: str) -> str:
    # From the beginning alone: tried from every place, it would take the square of the text's length.
    return rf"^(?=.*\b(?:{things})).*\b(?:{verbs})\b"


_NOT_OURS = r"(?!.*\bby the airline\b)(?!.*\bairline\b.{0,12}\bcancell?ed\b)(?!.*\breasons?\b)"
_CANCELLED = rf"^{_NOT_OURS}.*\b(?:cancell?ed|cancellation)\b"
"""A flight that the airline cancelled is no reservation that the agent cancelled."""

INTENTS: dict[str, Intent] = {
    intent.name: intent
    for intent in (
        Intent(
            "book_flight",
            (
                "flight_type",
                "origin",
                "destination",
                "date",
                "return_date",
                "cabin",
                "choice",
                "passengers",
                "bags",
                "insurance",
                "payment",
            ),
            r"\bbook\b|\bbooking (?:a|the|this|your|details|summary)|\bnew (?:reservation|booking|trip)\b|\breserve\b",
            rf"\bbooked\b|{_about('booking|reservation', 'made|created|completed|confirmed')}",
        ),
        Intent("cancel_reservation", ("reservation_id", "reason"), r"\bcancel", _CANCELLED),
        Intent(
            "change_flights",
            ("reservation_id", "date", "return_date", "choice", "cabin", "payment"),
            followed_by(r"\b(?:chang|modif|updat|mov|switch|replac|rebook|reschedul)\w*\b", r"\bflights?\b")
            + r"|\bnew (?:flights?|itinerary|dates?)\b|"
            r"\bflight changes?\b",
            _about("flights?|itinerary|reservation|dates?", _CHANGED),
        ),
        Intent(
            "change_cabin",
            ("reservation_id", "cabin", "payment"),
            r"\bcabin\b|\bupgrad|\bdowngrad|\bclass\b",
            rf"{_about('cabin|class|economy|business|reservation', _CHANGED)}|\b(?:upgrade|downgrade) (?:is|was|has)",
        ),
        Intent(
            "add_bags",
            ("reservation_id", "bags", "payment"),
            r"\bbags?\b|\bbaggages?\b|\bluggage\b|\bsuitcases?\b",
            _about("bags?|baggages?|luggage|suitcases?", r"added|updated|increased|included|changed"),
        ),
        Intent(
            "change_passenger",
            ("reservation_id", "passenger", "new_passenger"),
            r"\bpassengers?\b|\btravell?ers?\b|\breplac",
            _about("passengers?|travell?ers?|name|reservation", r"changed|updated|replaced|modified"),
        ),
        Intent(
            "compensation",
            ("reservation_id", "complaint"),
            r"\bcertificate|\bcompensat|\bvoucher|\bgesture",
            _about("certificate|voucher|compensation", r"sent|issued|added|given|credited"),
        ),
        Intent("ask", ("reservation_id",), r"\b(?:free bags?|allowance|paid|total|amount)\b", r"(?!)"),
        Intent(
            "remove_bags",
            ("reservation_id", "bags"),
            r"\bbags?\b|\bbaggage\b|\bluggage\b",
            _about("bags?", "removed"),
        ),
        Intent("add_insurance", ("reservation_id",), r"\binsurance\b", _about("insurance", "added")),
        Intent("add_passenger", ("reservation_id", "new_passenger"), r"\bpassengers?\b", _about("passenger", "added")),
        Intent(
            "change_route",
            ("reservation_id", "destination"),
            r"\bdestination\b|\broute\b",
            _about("destination", "changed|updated"),
        ),
        Intent("human", (), r"\b(?:human|representative|transfer)\b", r"(?!)"),
    )
}

_ONE = (
    "[a reservation|one of my reservations|my reservation|a booking of mine|one of my bookings|a reservation of mine|"
    "a trip of mine|one of my trips|an upcoming trip|my upcoming trip|a reservation that I made|a trip coming up]"
)

WISHES: dict[str, str] = {
    "book_flight": "book a [flight|trip|new flight|new trip]",
    "cancel_reservation": f"cancel {_ONE}",
    "change_flights": f"change the [flights|dates] of {_ONE}",
    "change_flights:cabin": f"change the flights and the cabin of {_ONE}",
    "change_cabin": f"change the cabin of {_ONE}",
    "add_bags": f"add [checked |]bags to {_ONE}",
    "change_passenger": f"change a passenger of {_ONE}",
    "compensation": "[be compensated|get compensation|ask for compensation] for [a problem with a flight|trouble "
    "with my flight|what happened to my flight]",
    "ask:free_bags": f"know how many [checked |]bags are free on {_ONE}",
    "ask:total_paid": f"know how much I paid in total for {_ONE}",
    "remove_bags": f"remove a [checked |]bag from {_ONE}",
    "add_insurance": f"add [travel |]insurance to {_ONE}",
    "add_passenger": f"add another passenger to {_ONE}",
    "change_route": f"change the destination of {_ONE}",
    "human": "talk to [a human agent|a human]",
}
"""Templates of the verb phrases by intent, with a topic where there is one."""

_SHORT = "[a reservation|my reservation|a booking|my booking|one booking|my trip|a trip]"

SHORT_WISHES: dict[str, str] = {
    "book_flight": "book [a|one] [flight|trip|new flight|new trip]",
    "cancel_reservation": f"cancel {_SHORT}",
    "change_flights": f"change the [flights|dates] of {_SHORT}",
    "change_flights:cabin": f"change flights and cabin of {_SHORT}",
    "change_cabin": f"change the cabin of {_SHORT}",
    "add_bags": f"add [checked |]bags to {_SHORT}",
    "change_passenger": f"change [a|one] passenger of {_SHORT}",
    "compensation": "[be compensated|get compensation|ask for compensation] for [flight trouble|a flight|"
    "a flight problem]",
    "ask:free_bags": "know how many [checked |]bags [are|come] free",
    "ask:total_paid": f"know the total paid for {_SHORT}",
    "remove_bags": f"remove a [checked |]bag from {_SHORT}",
    "add_insurance": f"add [travel |]insurance to {_SHORT}",
    "add_passenger": f"add another passenger to {_SHORT}",
    "change_route": f"change the destination of {_SHORT}",
    "human": "talk to [a human agent|a human|some human|some human agent]",
}
"""The same for terse personas, of seven words at most."""

_SET = r"\b(?:chang|modif|updat|mov|switch|set|adjust|upgrad|downgrad|rebook|reschedul)\w*"
_GAP = r"[^.?!;\n]{0,60}?"
_DEEDS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "cancel_reservation": r"\bcancel(?!\w* (?:by|polic|a flight)|led flight)",
        "book_flight": rf"\bbook(?:ing|ed)? (?:a|an|this|the|your|these|you|it)\b(?! (?:reservation|id|details))|\bnew "
        rf"(?:reservation|booking)\b|\breserve\b|\b(?:flight|trip|booking)\b{_GAP}\b(?:booked|made|created)\b",
        "add_bags": rf"\b(?:add|includ|increas|bring|set|pay for)\w*\b{_GAP}\b(?:bags?|baggages?|luggage|suitcases?)\b|"
        r"\b(?:bags?|baggages?|luggage|suitcases?)\b[^.?!;\n]{0,20}\badded\b",
        "remove_bags": rf"\b(?:remov|drop|reduc)\w*\b{_GAP}\b(?:bags?|baggages?|luggage)\b",
        "change_cabin": rf"{_SET}{_GAP}\b(?:cabin|class|economy|business)\b|\b(?:up|down)grad\w*",
        "change_passenger": rf"(?:{_SET}|\breplac\w*){_GAP}\b(?:passengers?|travell?ers?|name)\b|\breplac\w*",
        "add_passenger": rf"\badd\w*\b{_GAP}\b(?:passengers?|travell?ers?)\b",
        "add_insurance": rf"\b(?:add|buy|purchas)\w*\b{_GAP}\binsurance\b|\binsurance\b[^.?!;\n]{{0,20}}\badded\b",
        "change_route": rf"{_SET}{_GAP}\b(?:destination|origin|route)\b",
        "change_flights": rf"(?:{_SET}|\breplac\w*){_GAP}\b(?:flights?|itinerary|dates?)\b|\bflight changes?\b|"
        r"\bnew (?:flights?|itinerary|dates?)\b",
        "compensation": rf"\b(?:issu|send|sent|giv|offer|provid|add|receiv)\w*\b{_GAP}\b(?:certificate|voucher|gesture)\b|"
        r"\bcompensat|\b(?:certificate|voucher)\b[^.?!;\n]{0,20}\b(?:issued|sent|added)\b",
    }.items()
}


def named(text: str) -> frozenset[str]:
    """The intents that a text is about, by a verb and its object: a noun alone is only a detail of a trip."""
    return frozenset(name for name, pattern in _DEEDS.items() if pattern.search(text))
