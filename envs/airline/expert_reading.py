"""What the airline expert reads in a user's message: the intent, agreement, and values of slots."""

from __future__ import annotations

import re
from typing import Any

from mua_env.agents.scripted.reading import Mender, Told, says

from .language import matching

Record = dict[str, Any]


def _misspells(keyword: str, word: str) -> bool:
    """Whether the same letters make up both, or the same but one: "passsengers" is read as "passenger"."""
    return sorted(set(keyword)) == sorted(set(word)) or abs(len(keyword) - len(word)) == 1


_KEYWORDS = """
book flight trip cancel cancelled change changed cabin bags bagged flights dates passenger another insurance
travel destination compensated compensation problem trouble free paid much many total human agent know
remove added want need like trying looking have hoping help reservation booking plans weather personal sick
health fallen delayed airline return coming back leaving earliest latest cheapest direct stop option round
basic economy business wrong actually mind wait hold sorry yes right correct confirm mistake different
second thought don't know remember can't find checked with without rather good this what happened
"""
mend = Mender(_KEYWORDS.split(), misspells=_misspells)

_LEAD = re.compile(
    r"\b(?:(?:want|need|like|trying|looking|have|help|hoping)\s+to|rather|help\s+me(?:\s+to)?)\s+([^.!?\n]*)"
)
_INTENTS = Told(
    {
        "human": r"\btalk to\b|\bhuman\b",
        "add_insurance": r"\badd\b.*\binsurance\b",
        "compensation": r"\bcompensat",
        "ask:free_bags": r"\bhow many\b.*\bbags?\b|\bbags are free\b",
        "ask:total_paid": r"\bhow much\b|\bpaid\b",
        "remove_bags": r"\bremove\b",
        "add_bags": r"\bbags\b",
        "add_passenger": r"\banother passenger\b",
        "change_passenger": r"\bpassenger\b",
        "change_route": r"\bdestination\b",
        "change_flights:cabin": r"\bflights? and the cabin\b",
        "change_cabin": r"\bcabin\b",
        "change_flights": r"\bchange the (?:flights|dates)\b|\b(?:flights|dates) of\b",
        "cancel_reservation": r"\bcancel\b",
        "book_flight": r"\bbook a\b|\bbook\b",
    }
)


def intent(text: str) -> str | None:
    """The intent that a wish states (questions and variants as ``"ask:<topic>"``), or None."""
    return next(filter(None, map(_INTENTS, _LEAD.findall(mend(text)))), None)


_YES = re.compile(r"\b(?:yes|yeah|yep|sure|confirm|go ahead|please do|proceed)\b")
_GOES_ON = re.compile(r"\b(?:okay|ok|alright|all right|fine|sounds good|go on|continue)\b")
_NO = re.compile(
    r"\b(?:no|not|nope|don't|wait|hold on|actually|wrong|mind|second thought|different|mistake)\b|\ba change\b"
)
_ASIDE = re.compile(r"\bdon't have (?:all day|much time)\b|\bi'm not \w+ \w+ this\b")
"""Negations that have nothing to do with what was asked."""


def agrees(text: str) -> bool:
    """Whether the user says yes without any but."""
    return says(_ASIDE.sub("", mend(text)), _YES, _NO)


def goes_on(text: str) -> bool:
    """Whether the user wants the agent to go on, without a plain yes."""
    return says(_ASIDE.sub("", mend(text)), _GOES_ON, _NO)


_USER_ID = re.compile(r"\b[a-z]+(?:_[a-z]+)+_\d{3,5}\b")


def user_id(text: str) -> str | None:
    """A user id."""
    match = _USER_ID.search(text)
    return match[0] if match else None


_REASONS = Told(
    {
        "airline_cancelled": r"\bairline\b|\bcancelled\b",
        "health": r"\bfallen ill\b|\bhealth\b|\bill\b|\bsick\b",
        "weather": r"\bweather\b",
        "change_of_plans": r"\bplans?\b",
        "other": r"\bpersonal\b",
    }
)


def reason(text: str) -> str | None:
    """The reason for a cancellation."""
    return _REASONS(mend(text))


def complaint(text: str) -> str | None:
    """What the user complains of."""
    low = mend(text)
    if re.search(r"\bcancell?ed\b", low):
        return "cancelled_flight"
    return "delayed_flight" if re.search(r"\bdelayed\b", low) else None


def travel_dates(text: str, year: str) -> Record:
    """``date`` and ``return_date`` as far as they are said, as ISO dates."""
    found: Record = {}
    end = 0
    for position, month, day in matching.travel_days(text):
        before = mend(text[end:position])
        # "leaving on" after a date of return belongs to the next one.
        back = re.search(r"\breturn\b|\bcom(?:e|ing) back\b|\bback\b", before) is not None
        found.setdefault("return_date" if back else "date", f"{year}-{month:02d}-{day:02d}")
        end = position
    return found


def choice(text: str) -> Any:
    """A preference, or the flights that the user names."""
    named = re.findall(r"flight ((?:AL|HAT)\d{3}) on (\d{4}-\d\d-\d\d)", text)
    if named:
        return [{"flight_number": number, "date": day} for number, day in named]
    low = mend(text)
    if "earliest" in low:
        return "earliest_direct"
    if "latest" in low:
        return "latest_direct"
    if "cheapest direct" in low:
        return "cheapest_direct"
    return "cheapest" if "cheapest" in low else None


def cabin(text: str) -> str | None:
    """A cabin."""
    found = matching.cabins(text)
    return found[0] if found else None


def bags(text: str) -> int | None:
    """A number of bags."""
    found = matching.bag_counts(text)
    return found[0] if found else None


def paid_bags(text: str) -> int | None:
    """A number of paid bags, where the customer names it."""
    match = re.search(r"\b(\d{1,2}) of all paid\b", text)
    return int(match[1]) if match else None


def insurance(text: str) -> str | None:
    """Whether travel insurance is wanted."""
    if "insurance" not in text.lower():
        return None
    return "no" if re.search(r"\b(?:no|without)\b[^.]{0,12}insurance", text.lower()) else "yes"


def flight_type(text: str) -> str | None:
    """One way or round trip."""
    low = text.lower()
    if re.search(r"\bround[ -]?trip\b", low):
        return "round_trip"
    return "one_way" if re.search(r"\bone[ -]way\b", low) else None


def replaced_name(text: str, passengers: list[Record]) -> str | None:
    """The name of one of the passengers."""
    low = text.lower()
    for person in passengers:
        name = f"{person['first_name']} {person['last_name']}"
        if name.lower() in low:
            return name
    return None
