"""The user's side of a task in words, for users that are language models: composed from the goal alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from mua_env.core.tasks import Goal, Request

from .airports import city
from .goals import full_name

Slots = Mapping[str, Any]

_PERSONAS: Final = {
    "plain": ("You use ordinary words.", "You keep to the matter."),
    "terse": ("You write very short messages.", "You never use two words where one will do."),
    "polite": ("You are courteous.", "You are friendly and thank the agent."),
    "chatty": ("You wander off into small talk.", "You like to tell stories around the matter."),
    "confused": ("You are not sure how all this works.", "You get things mixed up and ask back."),
    "impatient": ("You want this done fast.", "You are short of time and let it show."),
}
_DISCRETION: Final = (
    "Mention a detail only when the agent asks for it.",
    "Do not volunteer anything; answer what is asked.",
    "Bring up one matter at a time.",
)
_THEN: Final = ("After that, ", "Next, ", "When that is settled, ", "You have one more wish: ", "Also, ")
CABIN_WORDS: Final = {"basic_economy": "basic economy", "economy": "economy", "business": "business"}
REASON_WORDS: Final = {
    "change_of_plans": "your plans have changed",
    "airline_cancelled": "the airline cancelled a flight, as you say",
    "health": "you have fallen ill",
    "weather": "the weather is too bad",
    "other": "of something private that you would rather not explain",
}
CHOICE_WORDS: Final = {
    "cheapest": "the cheapest option, with or without a stop",
    "cheapest_direct": "the cheapest direct flight",
    "earliest_direct": "the earliest direct flight of the day",
    "latest_direct": "the latest direct flight of the day",
}


def instruction(goal: Goal, rng: random.Random) -> str:
    """Second-person instruction for an LLM user; equal generators give equal text."""
    facts = goal.facts
    name = f"{facts['first_name']} {facts['last_name']}"
    parts = [
        rng.choice((f"You are {name}, user id {facts['user_id']}.", f"Your user id is {facts['user_id']} ({name})."))
    ]
    for number, request in enumerate(goal.requests):
        lead = rng.choice(_THEN) if number else ""
        text = lead + describe(request)
        parts.append(text[0].upper() + text[1:])
    parts += [rng.choice(_PERSONAS[goal.persona]), rng.choice(_DISCRETION)]
    return " ".join(parts)


def describe(request: Request) -> str:
    """A request with its conditions as sentences."""
    slots = request.slots
    text = f"you want to {_WISHES[request.intent](slots)}."
    if request.unknown:
        origin, destination = map(city, slots["route"])
        text += f" You do not know the reservation id; it is your trip from {origin} to {destination}."
    if request.change is not None:
        text += f" When the agent asks you to confirm, you change your mind: {_changed(request.change.slots)}."
    if request.outcome == "refused" and request.fallback is None:
        text += " If the agent says that it cannot be done and why, you accept that."
    if request.fallback is not None:
        text += f" If that is refused, {describe(request.fallback)}"
    return text


def _reservation(slots: Slots) -> str:
    return "one of your reservations" if "route" in slots else f"reservation {slots['reservation_id']}"


def _payment(slots: Slots) -> str:
    return " and then ".join(f"your {method_words(method)}" for method in slots["payment"])


def method_words(method: Slots) -> str:
    """A payment method as a person names it."""
    if method["source"] == "credit_card":
        brand = {"visa": "Visa", "mastercard": "Mastercard"}.get(method.get("brand", ""), "credit")
        return f"{brand} card ending in {method['last_four']}"
    return f"{method['source'].replace('_', ' ')} {method['id']}"


def bags_words(count: int) -> str:
    """A number of checked bags."""
    return f"{count or 'no'} checked bag{'' if count == 1 else 's'}"


def _person(person: Slots) -> str:
    return f"{full_name(person)} (born {person['dob']})"


def _days(slots: Slots) -> str:
    text = f"leaving on {slots['date']}"
    return text + (f" and coming back on {slots['return_date']}" if "return_date" in slots else "")


def _book(slots: Slots) -> str:
    trip = "round trip" if slots["flight_type"] == "round_trip" else "one-way trip"
    who = " and ".join(_person(person) for person in slots["passengers"])
    insured = "with" if slots["insurance"] == "yes" else "without"
    return (
        f"book a {trip} from {city(slots['origin'])} to {city(slots['destination'])}, {_days(slots)}, in "
        f"{CABIN_WORDS[slots['cabin']]}, for {who}. You prefer {CHOICE_WORDS[slots['choice']]} each way, take "
        f"{bags_words(slots['bags'])}, travel {insured} insurance, and pay with {_payment(slots)}"
    )


def _ask(slots: Slots) -> str:
    if slots["topic"] == "free_bags":
        return f"know how many checked bags are free in all on {_reservation(slots)}, as a number"
    return f"know how much you paid for {_reservation(slots)} in total"


def _changed(slots: Slots) -> str:
    parts = []
    if "cabin" in slots:
        parts.append(f"the new cabin shall be {CABIN_WORDS[slots['cabin']]}")
    if "bags" in slots:
        parts.append(f"it shall be {bags_words(slots['bags'])} instead")
    if "insurance" in slots:
        parts.append("you want travel insurance after all" if slots["insurance"] == "yes" else "you want no insurance")
    if "new_passenger" in slots:
        parts.append(f"the new passenger shall be {_person(slots['new_passenger'])}")
    if "date" in slots:
        parts.append(f"you would rather travel {_days(slots)}")
    return ", ".join(parts)


_WISHES: Final[Mapping[str, Callable[[Slots], str]]] = {
    "book_flight": _book,
    "cancel_reservation": lambda s: f"cancel {_reservation(s)}, because {REASON_WORDS[s['reason']]}",
    "change_flights": lambda s: (
        f"change the flights of {_reservation(s)}: {_days(s)}. You prefer {CHOICE_WORDS[s['choice']]} where the day "
        f"changes; a day that stays keeps its flights. The difference goes on {_payment(s)}"
    ),
    "change_cabin": lambda s: (
        f"change the cabin of {_reservation(s)} to {CABIN_WORDS[s['cabin']]}; the difference goes on {_payment(s)}"
    ),
    "add_bags": lambda s: f"add {bags_words(s['bags'])} to {_reservation(s)}, paid with {_payment(s)} if need be",
    "change_passenger": lambda s: (
        f"put {_person(s['new_passenger'])} in the place of {s['passenger']} on {_reservation(s)}"
    ),
    "compensation": lambda s: (
        f"be compensated for a {s['complaint'].replace('_', ' ')} in {_reservation(s)}; you ask for it in so many words"
    ),
    "ask": _ask,
    "remove_bags": lambda s: f"take a checked bag off {_reservation(s)} and have it refunded",
    "add_insurance": lambda s: f"add travel insurance to {_reservation(s)}",
    "add_passenger": lambda s: f"add {_person(s['new_passenger'])} as a further passenger to {_reservation(s)}",
    "change_route": lambda s: f"change the destination of {_reservation(s)} to {city(s['destination'])}",
    "human": lambda s: "talk to a human agent",
}
