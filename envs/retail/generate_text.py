"""The user's side of a task in words, for users that are language models: composed from the goal alone."""

from __future__ import annotations

import random
from collections.abc import Sequence

from mua_env.core.tasks import Goal, Request
from mua_env.users.llm.prompts import PERSONA_PROMPTS

from .shop import Record

_BRANDS = {"visa": "Visa card", "mastercard": "Mastercard", "amex": "Amex card"}
_ORDER = ("order {order_id}", "your order {order_id}", "the order {order_id}")
_UNKNOWN = (
    "You do not know the order id; all you remember is that it held {items}.",
    "You have no order id at hand, only the memory that it held {items}.",
    "You cannot find the order id. It is the order with {items}.",
)
_THEN = ("", "After that, ", "Besides, ", "Then, ", "You have another request: ", "Once that is settled, ")


_DISCRETION = (
    "Tell a detail only when you are asked for it.",
    "Do not give everything at once; answer what you are asked.",
    "You bring up one thing at a time and answer questions as they come.",
)


def instruction(goal: Goal, rng: random.Random) -> str:
    """Second-person instruction for an LLM user; equal generators give equal text."""
    parts = [_who(goal, rng)]
    for number, request in enumerate(goal.requests):
        lead = rng.choice(_THEN) if number else ""
        parts.append(_capital(lead + _wish(request, rng)))
        parts += _conditions(request, rng)
    parts.append(rng.choice(PERSONA_PROMPTS[goal.persona]))
    parts.append(rng.choice(_DISCRETION))
    return " ".join(parts)


def _who(goal: Goal, rng: random.Random) -> str:
    facts = goal.facts
    name = f"{facts['first_name']} {facts['last_name']}"
    email = (
        rng.choice((f"your e-mail address is {facts['email']}", f"you use the e-mail address {facts['email']}"))
        if "email" in facts
        else rng.choice(("you do not remember your e-mail address", "you no longer know which e-mail address you used"))
    )
    opening = rng.choice(
        (
            "You are {name}; your zip code is {zip} and {email}.",
            "Your name is {name}, you live at zip code {zip}, and {email}.",
        )
    )
    return opening.format(name=name, zip=facts["zip"], email=email)


def _wish(request: Request, rng: random.Random) -> str:
    """What the user wants, as a sentence that begins in lower case."""
    if request.intent == "ask":
        return _question(request, rng)
    want = rng.choice(("you want to", "you would like to", "you wish to", "you need to"))
    text = f"{want} {_deed(request.intent, request.slots, rng, known='order_id' not in request.unknown)}."
    if "order_id" in request.unknown:
        items = _join([f"the {name}" for name in request.slots["order_hint"]])
        text += " " + rng.choice(_UNKNOWN).format(items=items)
    return text


def _deed(intent: str, slots: Record, rng: random.Random, *, known: bool = True) -> str:
    order = rng.choice(_ORDER).format(**slots) if known and "order_id" in slots else "an order of yours"
    if intent == "cancel_order":
        return f"cancel {order}; {_reason(slots['reason'], rng)}"
    if intent == "return_items":
        return (
            f"return {_items(slots['items'])} from {order}, with the refund going to {method(slots['payment_method'])}"
        )
    if intent == "exchange_items":
        return f"exchange in {order} {_swaps(slots['items'])}; {_settle(slots, rng)}"
    if intent == "modify_items":
        return f"change in {order}, which has not been shipped, {_swaps(slots['items'])}; {_settle(slots, rng)}"
    if intent == "modify_order_address":
        return f"have {order} delivered to {address(slots['address'])}"
    if intent == "modify_order_payment":
        return f"pay {order} with {method(slots['payment_method'])} instead"
    return f"change the default address in your profile to {address(slots['address'])}"


def _question(request: Request, rng: random.Random) -> str:
    slots = request.slots
    if "product" in slots:
        return rng.choice(
            (
                "you want to know how many variants of the product {product} are available at the moment.",
                "you are curious how many different options of the {product} can be bought right now.",
            )
        ).format(**slots)
    subject = {
        "order_status": "what the status of {order} is",
        "order_total": "what was paid for {order} in total",
        "tracking_number": "what the tracking number of {order} is",
        "delivery_address": "to which street address {order} goes",
    }[slots["topic"]]
    lead = rng.choice(("you want to know", "you would like to hear", "you need to find out"))
    return f"{lead} {subject.format(order=rng.choice(_ORDER).format(**slots))}."


def _conditions(request: Request, rng: random.Random) -> list[str]:
    parts = []
    if request.fallback is not None:
        lead = rng.choice(("If that is not possible, ", "Should that not work out, ", "If you are told no, "))
        parts.append(lead + _wish(request.fallback, rng))
    elif request.outcome in ("refused", "transferred"):
        parts.append(rng.choice(("If you are told no, you accept it.", "You want nothing else in place of it.")))
    if request.change is not None:
        slots = request.slots | request.change.slots
        late = (
            "When the agent tells you that this is done, you change your mind once more: you now want to",
            "After it has been carried out you think again, and want instead to",
        )
        lead = rng.choice(
            late
            if request.change.after == "confirmation"
            else (
                "When the agent asks you to confirm, you change your mind: you now want to",
                "Once asked for confirmation you think again, and want instead to",
            )
        )
        parts.append(f"{lead} {_deed(request.intent, slots, rng)}.")
    return parts


def _reason(reason: str, rng: random.Random) -> str:
    said = {
        "no longer needed": (
            "the reason is that you no longer need it",
            "you have no use for it any more (no longer needed)",
        ),
        "ordered by mistake": ("the reason is that you ordered it by mistake", "it was ordered by mistake"),
    }
    return rng.choice(said.get(reason, (f"the reason is: {reason}", f"your only reason is: {reason}")))


def method(slot: Record) -> str:
    """A payment method as its owner calls it, as ``your Visa card ending in 1234``."""
    if slot["source"] == "credit_card":
        return f"your {_BRANDS.get(slot['brand'], 'credit card')} ending in {slot['last_four']}"
    return "your PayPal account" if slot["source"] == "paypal" else "your gift card"


def address(slot: Record) -> str:
    """An address in one line."""
    parts = [slot["address1"], slot["address2"], slot["city"], f"{slot['state']} {slot['zip']}", slot["country"]]
    return ", ".join(part for part in parts if part)


def options(values: Record) -> str:
    """Options of a variant in words, as ``color red, size M``."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _items(items: Sequence[Record]) -> str:
    return _join([f"the {item['name']} ({options(item['options'])})" for item in items])


def _swaps(items: Sequence[Record]) -> str:
    return _join([f"the {item['name']} ({options(item['options'])}) for {_wanted(item)}" for item in items])


def _wanted(item: Record) -> str:
    """The wanted variant by what differs from the present one."""
    new = {name: value for name, value in item["new_options"].items() if item["options"].get(name) != value}
    same = len(new) < len(item["new_options"])
    return f"one with {options(new)}" + (" and otherwise the same" if same else "")


def _settle(slots: Record, rng: random.Random) -> str:
    templates = (
        "any difference in price goes over {m}",
        "you settle the difference with {m}",
        "use {m} for the difference",
    )
    return rng.choice(templates).format(m=method(slots["payment_method"]))


def _join(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
