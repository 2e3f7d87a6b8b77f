"""The user's side of a task in words, for users that are language models, and the ticket of a solo agent."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from mua_env.core.outcomes import settled
from mua_env.core.tasks import Goal, Request
from mua_env.users.llm.prompts import PERSONA_PROMPTS

_PERSONA_PROMPTS = {
    **PERSONA_PROMPTS,
    "careless": (
        "You look at screens in passing and sometimes read off something else than what stands there; asked to look "
        "again, you look properly.",
    ),
    "wary": (
        "You do not trust advice about your phone at once: before you change something for the first time, you ask "
        "whether that is really necessary; once you got an answer, you do it.",
    ),
}
_SYMPTOMS = {
    "service": (
        "Your phone has no service: you can neither call nor text.",
        "Your phone shows no signal and you cannot make calls.",
    ),
    "data": (
        "Mobile internet on your phone does not work as it should, if it works at all.",
        "Mobile data on your phone are very slow or do not work at all.",
    ),
    "mms": (
        "You cannot send picture messages with the messaging app of your phone.",
        "Picture messages do not go out of your phone any more.",
    ),
}
_SOLVED = {
    "service": "It is solved for you when the status bar shows a signal.",
    "data": "It is solved for you when a speed test calls the connection excellent, and not before.",
    "mms": "It is solved for you when the messaging app can send a picture message.",
}
_GROUNDS = (
    "Look at your phone with your tools whenever you are asked about it, do on it only what the agent asks you to, and "
    "tell what you really see. If the agent sends you a request to pay a bill that is yours, you pay it when you are "
    "asked to."
)
_DISCRETION = ("Tell a detail only when you are asked for it.", "Answer what you are asked, and not more.")


def instruction(goal: Goal, rng: random.Random) -> str:
    """Second-person instruction for an LLM user; equal generators give equal text."""
    parts = [_who(goal.facts)]
    for number, request in enumerate(goal.requests):
        parts.append(("When that is settled: " if number else "") + _wish(request, rng))
        parts += _conditions(request)
    return " ".join([*parts, _GROUNDS, rng.choice(_PERSONA_PROMPTS[goal.persona]), rng.choice(_DISCRETION)])


def _who(facts: Mapping[str, Any]) -> str:
    place = "at home" if facts["location"] == "home" else f"abroad, in {facts['location']}"
    known = f" Your customer id is {facts['customer_id']}." if "customer_id" in facts else ""
    article = "an" if facts["device"][0] in "AEIOU" else "a"
    return (
        f"You are {facts['full_name']}, born on {facts['dob']}. The number of the line in your phone, {article} "
        f"{facts['device']}, is {facts['phone']}.{known} You are {place}. It began {facts['since']}."
    )


def _wish(request: Request, rng: random.Random) -> str:
    slots = request.slots
    if request.intent in _SYMPTOMS:
        return f"{rng.choice(_SYMPTOMS[request.intent])} {_SOLVED[request.intent]}{_takes(slots)}"
    if request.intent == "pay_bill":
        if slots.get("next"):
            return "You want to pay your next bill already now, before it is issued."
        return rng.choice(("You want to pay the bill that you forgot to pay.", "You want to pay your overdue bill."))
    if request.intent == "refuel_data":
        return f"You want to add {slots['gb']:g} GB of data to your line."
    return f"You want to change the plan of your line to {slots['plan']}."


def _takes(slots: Mapping[str, Any]) -> str:
    if slots.get("gb"):
        return f" If your data turn out to be used up, you add {slots['gb']:g} GB; you do not change your plan."
    if slots.get("plan"):
        return f" If your data turn out to be used up, you change to the plan {slots['plan']}; you do not add data."
    return ""


def _conditions(request: Request) -> list[str]:
    parts = []
    if request.fallback is not None:
        parts.append(
            f"If you are told that this is not possible, you take {request.fallback.slots['gb']:g} GB instead."
        )
    elif request.outcome in ("refused", "transferred"):
        parts.append("If you are told that this is not possible, you accept it.")
    if request.change is not None:
        parts.append(f"When the agent asks you to confirm, you change your mind.{_takes(request.change.slots)}")
    return parts


def ticket(goal: Goal) -> str:
    """What an agent that works alone is told: who called, what about, and what they agreed to."""
    facts = goal.facts
    place = "at home" if facts["location"] == "home" else f"abroad, in {facts['location']}"
    lines = [
        f"Caller: {facts['full_name']}, born on {facts['dob']}; number {facts['phone']}; {place}.",
        *(f"{number}. {_item(settled(request))}" for number, request in enumerate(goal.requests, 1)),
        "The caller pays an overdue bill if one is found.",
    ]
    return "\n".join(lines)


def _item(request: Request) -> str:
    slots = request.slots
    if request.intent in _SYMPTOMS:
        return (
            f"{_of_caller(_SYMPTOMS[request.intent][0])} {_SOLVED[request.intent].replace(' for you', '')}"
            + (f" Agreed if the data are used up: add {slots['gb']:g} GB." if slots.get("gb") else "")
            + (f" Agreed if the data are used up: change to the plan {slots['plan']}." if slots.get("plan") else "")
        )
    if request.intent == "pay_bill":
        return (
            "Wants to pay the next bill before it is issued." if slots.get("next") else "Wants to pay the overdue bill."
        )
    if request.intent == "refuel_data":
        return f"Wants {slots['gb']:g} GB of data added to the line."
    return f"Wants the line changed to the plan {slots['plan']}."


def _of_caller(text: str) -> str:
    text = text.replace("Your phone", "The phone").replace("your phone", "the phone")
    return text.replace("You cannot", "The caller cannot").replace("you can neither", "one can neither")
