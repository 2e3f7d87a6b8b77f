"""An agent's text held against an airline request."""

# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.users.agenda.language import Comparison

from ..goals import full_name
from .matching import (
    airport_codes,
    bag_counts,
    cabins,
    flight_numbers,
    is_day,
    last_fours,
    method_ids,
    people,
    reservation_ids,
    stated_ids,
    travel_days,
)

Record = Mapping[str, Any]

_REPLACED_BY = re.compile(r"\b(?:to|with|by|passenger|name):?\s+([A-Z][\w'-]+ [A-Z][\w'-]+)")
_REPLACED = re.compile(
    r"\b(?:[Rr]eplac\w*|[Ii]nstead of|[Pp]assenger:)\s+(?:the )?(?:passenger )?[A-Z][\w'-]+ [A-Z][\w'-]+"
)
_BORN = re.compile(r"\b(?:born|birth|dob)\W{0,6}(?:on |is )?(\d{4}-\d\d-\d\d)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def compare(intent: str, slots: Record, text: str) -> Comparison:
    """The slots that a text states wrongly, and those that it states rightly; silence counts as neither."""
    wrong: list[str] = []
    right: list[str] = []
    for slot, check in _CHECKS.items():
        if slots.get(slot) is None:
            continue
        verdict = check(slots[slot], text)
        if verdict is not None:
            (right if verdict else wrong).append(slot)
    return Comparison(tuple(wrong), tuple(right))


def mentions(slot: str, text: str) -> tuple[str, ...]:
    """The values of a slot that a text states."""
    if slot == "payment":
        return tuple(dict.fromkeys([*last_fours(text), *method_ids(text), *_FORMS.findall(text.lower())]))
    finders = {"reservation_id": stated_ids, "choice": flight_numbers, "cabin": cabins}
    return tuple(dict.fromkeys(finders[slot](text))) if slot in finders else ()


_FORMS = re.compile(r"\b(?:credit card|gift card|certificate|visa|mastercard)\b")


def _reservation(wanted: str, text: str) -> bool | None:
    if wanted in reservation_ids(text):
        return True
    return False if stated_ids(text) else None


def _day(wanted: str, text: str) -> bool | None:
    found = travel_days(text)
    return any(is_day(wanted, month, day) for _, month, day in found) if found else None


def _cabin(wanted: str, text: str) -> bool | None:
    found = cabins(text)
    return wanted in found if found else None


def _choice(wanted: Any, text: str) -> bool | None:
    found = flight_numbers(text)
    if isinstance(wanted, str) or not found:
        return None
    return all(leg["flight_number"] in found for leg in wanted)


def _bags(wanted: int, text: str) -> bool | None:
    found = bag_counts(text)
    return wanted in found if found else None


def _new_passenger(wanted: Record, text: str) -> bool | None:
    if full_name(wanted).lower() in text.lower():
        return wanted["dob"] in text or not re.search(r"\b(?:19|20)\d\d-\d\d-\d\d\b", text)
    return False if _REPLACED_BY.search(text) else None


def _passenger(wanted: str, text: str) -> bool | None:
    if wanted.lower() in text.lower():
        return True
    return False if _REPLACED.search(text) else None


def _passengers(wanted: Sequence[Record], text: str) -> bool | None:
    stated = [full_name(person).lower() in text.lower() for person in wanted]
    if any(stated):
        if not set(_BORN.findall(text)) <= {str(person["dob"]) for person in wanted}:
            return False
        return all(stated)
    return False if people(text) else None


def _place(wanted: str, text: str) -> bool | None:
    found = airport_codes(text)
    return wanted in found if len(found) > 1 or wanted in found else None


def _insurance(wanted: str, text: str) -> bool | None:
    low = text.lower()
    if "insurance" not in low:
        return None
    without = re.search(
        r"\b(?:no|without|decline\w*|not)\b[^.\n]{0,25}\binsurance|insurance\W{0,6}(?:no|none|not|declined)\b", low
    )
    return (without is not None) == (wanted == "no")


def _payment(wanted: Sequence[Record], text: str) -> bool | None:
    digits, ids = last_fours(text), method_ids(text)
    brands = {name for name in ("visa", "mastercard") if name in text.lower()}
    if brands and not brands & {method.get("brand") for method in wanted}:
        return False
    if not digits and not ids:
        forms = {form for form, pattern in _FORM_OF.items() if pattern.search(text)}
        return False if forms and not forms & {method.get("source") for method in wanted} else None
    known = {str(method["id"]) for method in wanted} | {str(method.get("last_four")) for method in wanted}
    if any(name not in known for name in (*digits, *ids)):
        return False
    # Of several, the later ones are only there for what the first leaves to pay.
    return bool({str(wanted[0]["id"]), str(wanted[0].get("last_four"))} & {*digits, *ids})


_FORM_OF = {
    form: re.compile(
        rf"\b(?:pay|paid|payment|charg|us(?:e|ing)|cover|deduct|take)\w*\b[^.?!;\n]{{0,60}}?\b{words}\b", re.IGNORECASE
    )
    for form, words in {"credit_card": "credit card", "gift_card": "gift card", "certificate": "certificate"}.items()
}
"""How a text says with what kind of method something is paid."""


def _reason(wanted: str, text: str) -> bool | None:
    found = {name for name, pattern in _REASONS.items() if pattern.search(text)}
    return wanted in found if found else None


_REASONS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "change_of_plans": r"\bchanges? (?:of|in) (?:your |travel )?plans?\b|\bplans? (?:have |has )?changed?\b",
        "airline_cancelled": r"\bairline[- ]cancel|\bcancell?(?:ed|ation) by the airline|\bairline (?:has |have )?cancell?ed\b|"
        r"\b(?:the|your) flight (?:was|is|has been) cancell?ed",
        "health": r"\bhealth\b|\bill(?:ness)?\b|\bsick|\bmedical\b|\bunwell\b",
        "weather": r"\bweather\b|\bstorms?\b",
    }.items()
}


def _flight_type(wanted: str, text: str) -> bool | None:
    found = {name for name, pattern in _TYPES.items() if pattern.search(text)}
    return wanted in found if found else None


_TYPES = {
    "one_way": re.compile(r"\bone[ _-]?way\b", re.IGNORECASE),
    "round_trip": re.compile(r"\bround[ _-]?trip\b|\breturn trip\b", re.IGNORECASE),
}
_CHECKS: dict[str, Callable[[Any, str], bool | None]] = {
    "reservation_id": _reservation,
    "reason": _reason,
    "date": _day,
    "return_date": _day,
    "cabin": _cabin,
    "choice": _choice,
    "bags": _bags,
    "new_passenger": _new_passenger,
    "passenger": _passenger,
    "passengers": _passengers,
    "origin": _place,
    "destination": _place,
    "insurance": _insurance,
    "flight_type": _flight_type,
    "payment": _payment,
}


def answered(slots: Record, text: str) -> bool:
    """Whether the text holds the expected number; digits of ids, cards and dates are none."""
    answer = slots.get("answer")
    if not answer:
        return False
    plain = re.sub(r"\d{4}-\d\d-\d\d|\b[A-Z0-9]{6}\b|\bending in \d{4}|\b\w+_\d{7}\b", " ", text).replace(",", "")
    return any(float(number) == float(answer) for number in _NUMBER.findall(plain))


_ABOUT_FLIGHTS = re.compile(
    r"\bflights?\b|\bdirect\b|\bstops?\b|\bcheapest\b|\boptions?\b|\bitinerar|\bnon-?stop\b|\bstop-?over"
)
_ABOUT_DEPARTURE = re.compile(
    r"\bdepart|\bleav|\boutbound\b|\bdates\b|\bdays\b|\btravel(?:ling)?\b|\bgo(?:ing)? out\b|\bfly out\b"
)
_PERSON_SLOTS = ("first_name", "last_name", "passengers", "passenger", "new_passenger")


def refine(asked: Sequence[str], text: str, given: Mapping[str, int], intent: str) -> tuple[str, ...]:
    """Mend what patterns alone get wrong: whose name is asked for, and what belongs to the intent."""
    slots = list(asked)
    if "one" in slots:
        at = slots.index("one")
        slots[at : at + 1] = [] if len(slots) > 1 else [_which(text)]
    if given.get("user_id") and intent in _PEOPLE and any(slot in _PERSON_SLOTS for slot in slots):
        wanted = [slot for slot in _PEOPLE[intent] if slot in slots] or [_PEOPLE[intent][-1]]
        slots = [*wanted, *(slot for slot in slots if slot not in _PERSON_SLOTS)]
    elif intent not in _PEOPLE:
        slots = [slot for slot in slots if slot not in _PERSON_SLOTS[2:]]
    if intent == "compensation" and "reason" in slots:
        slots[slots.index("reason")] = "complaint"
    if intent != "compensation":
        slots = [slot for slot in slots if slot != "complaint"]
    if intent == "cancel_reservation" or intent == "compensation":
        slots = [slot for slot in slots if slot not in ("date", "choice", "payment", "insurance", "cabin")]
    if intent == "add_bags":
        slots = [slot for slot in slots if slot not in ("cabin", "choice")]
    if intent != "book_flight":
        slots = [slot for slot in slots if slot not in ("flight_type", "insurance")]
    low = text.lower()
    if len(slots) > 1 and "choice" in slots and not _ABOUT_FLIGHTS.search(low):
        # "Which cabin do you prefer?" asks for no flight.
        slots.remove("choice")
    if "return_date" in slots and "date" in slots and not _ABOUT_DEPARTURE.search(low):
        slots.remove("date")
    if intent == "change_flights" and "return_date" in slots and "date" not in slots and re.search(r"\bdepart", text):
        slots.insert(slots.index("return_date"), "date")
    return tuple(dict.fromkeys(slots))


def _which(text: str) -> str:
    """What "which one?" asks for: the kind of thing that the text lists."""
    if len(flight_numbers(text)) > 1:
        return "choice"
    if len(reservation_ids(text)) > 1 or re.search(r"\b(?:reservations|bookings|trips)\b", text, re.IGNORECASE):
        return "reservation_id"
    if re.search(r"\b(?:passengers|travell?ers)\b", text, re.IGNORECASE):
        return "passenger"
    return "payment" if re.search(r"\b(?:cards?|certificates?|pay)\b", text, re.IGNORECASE) else "choice"


_PEOPLE: Mapping[str, tuple[str, ...]] = {
    "book_flight": ("passengers",),
    "change_passenger": ("passenger", "new_passenger"),
    "add_passenger": ("new_passenger",),
}


def difference(old: Record, new: Record) -> tuple[str, ...]:
    """The slots whose values differ, of those that a user can say."""
    hidden = ("flights", "route", "answer", "topic", "paid_bags")
    return tuple(name for name in new if name not in hidden and old.get(name) != new[name])
