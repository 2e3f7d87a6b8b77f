"""How an airline user says values and wishes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from mua_env.users.agenda.nlg.personas import Voice

from ..airports import CITIES, city
from ..generate_text import CABIN_WORDS, CHOICE_WORDS, bags_words, method_words
from ..goals import full_name
from .intents import SHORT_WISHES, WISHES

Record = Mapping[str, Any]

_REASONS = {
    "change_of_plans": "[my plans have changed|I had a change of plans|my plans are different now]",
    "airline_cancelled": "[the airline cancelled a flight|the airline has cancelled one of the flights|"
    "a flight was cancelled by the airline]",
    "health": "[I have fallen ill|I am ill|I got sick|my health does not allow it]",
    "weather": "[the weather is bad|the weather is too bad|the weather is terrible there]",
    "other": "[it is personal|it is a personal matter|I have personal reasons]",
}
_COMPLAINTS = {
    "cancelled_flight": "[the airline cancelled one of my flights|one of my flights was cancelled|a flight was "
    "cancelled]",
    "delayed_flight": "[one of my flights is delayed|my flight today is delayed|a flight of mine is delayed]",
}


def wish(intent: str, slots: Record, voice: Voice) -> str:
    """The request as a verb phrase."""
    key = intent
    if intent == "ask":
        key = f"ask:{slots['topic']}"
    elif intent == "change_flights" and "cabin" in slots:
        key = "change_flights:cabin"
    return voice.say((SHORT_WISHES if voice.short else WISHES)[key])


def value(slot: str, source: Record, voice: Voice, about: str) -> str | None:
    """How a person says the value of a slot, or None."""
    if slot in ("origin", "destination") and slot not in source and "route" in source:
        return voice.keep(_place(source["route"][slot == "destination"]))
    if source.get(slot) is None:
        return None
    given = source[slot]
    if slot in ("reason", "complaint"):
        return voice.keep(voice.say((_REASONS | _COMPLAINTS)[given]))
    if slot == "date" and "return_date" in source and re.search(r"\bdates\b|\bdays\b", about.lower()):
        return f"{_day(given, voice)}, coming back on {_day(source['return_date'], voice)}"
    if slot in ("date", "return_date"):
        return _day(given, voice)
    text = _plain(slot, given)
    if slot == "bags" and "paid_bags" in source:
        text += f", {source['paid_bags']} of all paid"
    return voice.keep(text)


def _plain(slot: str, given: Any) -> str:
    if slot in ("origin", "destination"):
        return _place(given)
    if slot == "cabin":
        return CABIN_WORDS[given]
    if slot == "choice":
        return CHOICE_WORDS[given] if isinstance(given, str) else _flights(given)
    if slot == "passengers":
        return " and ".join(_person(person) for person in given)
    if slot == "new_passenger":
        return _person(given)
    if slot == "bags":
        return bags_words(given)
    if slot == "insurance":
        return "travel insurance" if given == "yes" else "no insurance"
    if slot == "payment":
        return " first, then ".join(f"my {method_words(method)}" for method in given)
    return str(given).replace("_", " ") if slot == "flight_type" else str(given)


def _place(code: str) -> str:
    return city(code) if code in CITIES else code


def _day(day: str, voice: Voice) -> str:
    if voice.short or voice.draw(f"day {day}").random() < 0.5:
        return voice.keep(day)
    moment = date.fromisoformat(day)
    return voice.keep(f"{moment:%B} {moment.day}")


def _person(person: Record) -> str:
    return f"{full_name(person)}, born {person['dob']}"


def _flights(flights: list[Record]) -> str:
    return " and ".join(f"flight {leg['flight_number']} on {leg['date']}" for leg in flights)


def trip_hint(slots: Record, voice: Voice) -> str | None:
    """A reservation of unknown id is named by its trip."""
    if "route" not in slots:
        return None
    origin, destination = map(_place, slots["route"])
    return voice.say(
        "[It's|It is|That is] my trip from {origin} to {destination}.",
        origin=voice.keep(origin),
        destination=voice.keep(destination),
    )
