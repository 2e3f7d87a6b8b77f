"""Values found in free text: dates, reservation ids, flights, airports, cabins, payment methods, people, counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..airports import CITIES, PUBLIC_CITIES

Record = Mapping[str, Any]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MONTHS: Final = _words(
    """
    january february march april may june july august september october november december
    """
)
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "september" else "sept?(?:ember)?" for name in _MONTHS)
_DATE = re.compile(
    rf"(?P<iso>\b\d{{4}}-(?P<m1>\d\d)-(?P<d1>\d\d)\b)|\b(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m3>{_MONTH})\b",
    re.IGNORECASE,
)
_BORN = re.compile(r"\b(?:19\d\d|200\d|201\d)-\d\d-\d\d\b")
_RESERVATION = re.compile(r"\b(?=[A-Z0-9]{6}\b)(?!HAT\d{3}\b)(?!\d{6}\b)[A-Z0-9]{6}\b")
_SHOUTED = frozenset(
    _words(
        """
    PLEASE CABIN CANCEL CHANGE FLIGHT RETURN REFUND POLICY UPDATE SILVER NUMBER AMOUNT PAYING
    """
    )
)
FLIGHT = re.compile(r"\b(?:AL|HAT)\d{3}\b")
_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT = rf"\d{{1,2}}|no|{'|'.join(_NUMBERS)}"
_BAGS = re.compile(
    rf"\b({_COUNT})\s+(?:(?:more|extra|additional|further|new|free|paid|checked|check-in|total|non-free|"
    rf"nonfree)\s+){{0,3}}"
    r"(?:bags?|baggages?|suitcases?|pieces? of (?:luggage|baggage))\b|\bbags?(?: to (?:add|be added))?:\s*(\d{1,2})\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"([A-Z][\w'\u2019-]+) ([A-Z][\w'\u2019-]+)(?: \(|,? )\s*(?:born|dob|date of birth|DOB|born on)?[: ]*((?:19|"
    r"20)\d\d-\d\d-\d\d)"
)


def travel_days(text: str) -> list[tuple[int, int, int]]:
    """Dates of travel as (position, month, day); dates of birth are none."""
    found = []
    for match in _DATE.finditer(text):
        if match["iso"] and _BORN.fullmatch(match["iso"]):
            continue
        month = match["m1"] or match["m2"] or match["m3"]
        number = (
            int(month)
            if month.isdigit()
            else next(at for at, name in enumerate(_MONTHS, start=1) if name.startswith(month[:3].lower()))
        )
        found.append((match.start(), number, int(match["d1"] or match["d2"] or match["d3"])))
    return found


def is_day(day: str, month: int, number: int) -> bool:
    """Whether an ISO date falls on a day of a month."""
    return (int(day[5:7]), int(day[8:10])) == (month, number)


def reservation_ids(text: str) -> list[str]:
    """Reservation ids, in the order of their mention."""
    found = [match[0] for match in _RESERVATION.finditer(text) if match[0] not in _SHOUTED]
    return list(dict.fromkeys(found))


_NAMED = re.compile(
    r"\b(?:reservation|booking|trip|id|ids|code|number|confirmation|pnr)\b[ #:*\"'(]{0,4}"
    r"(?:(?:id|code|number|is|are|no|of|for|the|your|to|from|was|reads|and)\b[ #:*\"'(]{0,4}){0,3}$",
    re.IGNORECASE,
)


def stated_ids(text: str) -> list[str]:
    """Reservation ids as a proposal states them: a word of six capital letters is one only where it is called so."""
    found = [
        match[0]
        for match in _RESERVATION.finditer(text)
        if match[0] not in _SHOUTED
        and (not match[0].isalpha() or _NAMED.search(text, max(0, match.start() - 60), match.start()))
    ]
    return list(dict.fromkeys(found))


def flight_numbers(text: str) -> list[str]:
    """Flight numbers, in the order of their mention."""
    return list(dict.fromkeys(FLIGHT.findall(text)))


def cabins(text: str) -> list[str]:
    """Cabins named in a text."""
    low = text.lower().replace("_", " ").replace("-", " ")
    found = ["basic_economy"] if "basic economy" in low else []
    rest = low.replace("basic economy", " ")
    found += ["economy"] if re.search(r"\beconomy\b", rest) else []
    return found + (["business"] if re.search(r"\bbusiness\b", rest) else [])


def _finder(cities: Record) -> tuple[re.Pattern[str], re.Pattern[str], dict[str, list[str]]]:
    """Codes in a text, cities in a text in lower case, and the codes of each city."""
    codes: dict[str, list[str]] = {}
    for code, name in cities.items():
        if name not in ("New York",):
            codes.setdefault(name.lower(), []).append(code)
    names = "|".join(re.escape(name) for name in sorted(codes, key=len, reverse=True))
    return re.compile(rf"\b(?:{'|'.join(cities)})\b"), re.compile(rf"\b(?:{names})(?!\w)"), codes


_OWN, _PUBLIC = _finder(CITIES | PUBLIC_CITIES), _finder(PUBLIC_CITIES)


def airport_codes(text: str, *, own: bool = True) -> list[str]:
    """Airports named by code or city, in the order of their mention."""
    by_code, by_city, codes = _OWN if own else _PUBLIC
    found: dict[str, int] = {}
    for match in by_code.finditer(text):
        found.setdefault(match[0], match.start())
    for match in by_city.finditer(text.lower()):
        for code in codes[match[0]]:
            found[code] = min(match.start(), found.get(code, match.start()))
    return sorted(found, key=lambda code: found[code])


def bag_counts(text: str) -> list[int]:
    """Numbers of bags in a text."""
    return [_number(match[1] or match[2]) for match in _BAGS.finditer(text)]


def _number(text: str) -> int:
    low = text.lower()
    return int(low) if low.isdigit() else 0 if low == "no" else _NUMBERS.index(low)


def people(text: str) -> list[dict[str, str]]:
    """People named with their dates of birth."""
    return [{"first_name": first, "last_name": last, "dob": dob} for first, last, dob in _PERSON.findall(text)]


_LAST_FOUR = re.compile(r"\b(?:ending|ends|end)\s+(?:in|with)\s*:?\s*(\d{4})\b|[x*\u2022]{2,}\s?-?(\d{4})\b")


def last_fours(text: str) -> list[str]:
    """Last digits of cards."""
    return [one or two for one, two in _LAST_FOUR.findall(text)]


def method_ids(text: str) -> list[str]:
    """Ids of payment methods, in the order of their mention."""
    spoken = re.sub(r"\b(credit|gift) card (?=\d{7}\b)", r"\1_card_", text, flags=re.IGNORECASE)
    spoken = re.sub(r"\bcertificate (?=\d{7}\b)", "certificate_", spoken, flags=re.IGNORECASE)
    return re.findall(r"\b(?:credit_card|gift_card|certificate)_\d{7}\b", spoken)


def methods_named(text: str, methods: Iterable[Record]) -> list[dict[str, Any]]:
    """The payment methods of a profile that a text names, in the order of their mention."""
    low = text.lower()
    found: list[tuple[int, dict[str, Any]]] = []
    known = list(methods)
    for method in known:
        spots = [low.find(str(method["id"]).lower()), low.find(str(method["id"]).rsplit("_", 1)[-1])]
        if method.get("last_four"):
            spots.append(low.find(str(method["last_four"])))
        spots = [spot for spot in spots if spot >= 0]
        if spots:
            found.append((min(spots), dict(method)))
    if not found:
        for kind, words in (("gift_card", "gift card"), ("credit_card", "credit card"), ("certificate", "certificate")):
            of_kind = [method for method in known if method["source"] == kind]
            if words in low and len(of_kind) == 1:
                found.append((low.find(words), dict(of_kind[0])))
    return [method for _, method in sorted(found, key=lambda pair: pair[0])]
