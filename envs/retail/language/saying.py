"""How a person says the values of the retail domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.users.agenda.nlg.personas import Voice

from .intents import SHORT_WISHES, WISHES
from .matching import names_in

Record = Mapping[str, Any]


def wish(intent: str, slots: Record, voice: Voice) -> str:
    """The request as a verb phrase without its values."""
    key = f"ask:{slots.get('topic')}" if intent == "ask" else intent
    templates = SHORT_WISHES if voice.short else WISHES
    template = templates.get(key, "ask a question about [an order|a product]")
    return voice.say(template, things=_things(slots, voice))


def _things(slots: Record, voice: Voice) -> str:
    several = len(slots.get("items") or ()) > 1
    if voice.short:
        return "items" if several else "an item"
    return voice.say(
        "[some items|a few things|several items|some things]" if several else "[an item|something|one item]"
    )


def value(slot: str, source: Record, voice: Voice, about: str = "") -> str | None:
    """How a person says the value of a slot; None where the source has none.

    Asked about some of several items, the person speaks of those.
    """
    match slot:
        case "name":
            first, last = source.get("first_name"), source.get("last_name")
            return voice.keep(f"{first} {last}") if first and last else None
        case "items":
            return _items(source.get("items"), voice)
        case "item_options":
            return _all_options(_asked_about(source.get("items"), about), voice)
        case "new_options":
            return _new_options(_asked_about(source.get("items"), about), voice)
        case "payment_method":
            return method(source[slot], voice) if source.get(slot) else None
        case "address":
            return address(source[slot], voice) if source.get(slot) else None
        case "product":
            name = source.get("product") or source.get("product_name") or source.get("name")
            return voice.keep(str(name)) if name else None
        case _:
            found = source.get(slot)
            return None if found is None or isinstance(found, Mapping | list | tuple) else voice.keep(str(found))


def _asked_about(items: Sequence[Record] | None, about: str) -> Sequence[Record]:
    named = names_in(about, [item["name"] for item in items or ()]) if about else []
    return [item for item in items or () if item["name"] in named] or list(items or ())


def joined(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def options(values: Record, voice: Voice, keys: Sequence[str] | None = None) -> str:
    """``color blue, size M``, for all options or the given ones."""
    return voice.keep(", ".join(f"{key} {values[key]}" for key in (keys or values)))


def _items(items: Sequence[Record] | None, voice: Voice) -> str | None:
    if not items:
        return None
    names = [item["name"] for item in items]
    parts = []
    for item in items:
        detail = names.count(item["name"]) > 1 and item.get("options")
        # Twins in one order can only be told apart by their options.
        text = voice.keep(item["name"])
        parts.append(f"the {text} with {options(item['options'], voice)}" if detail else f"the {text}")
    return joined(parts)


def _all_options(items: Sequence[Record] | None, voice: Voice) -> str | None:
    parts = [
        f"the {voice.keep(item['name'])} with {options(item['options'], voice)}"
        for item in items or ()
        if item.get("options")
    ]
    return joined(parts) if parts else None


def _new_options(items: Sequence[Record] | None, voice: Voice) -> str | None:
    parts = []
    for item in items or ():
        new, old = item.get("new_options"), item.get("options") or {}
        if not new:
            continue
        keys = [key for key in new if new[key] != old.get(key)] or list(new)
        said = options(new, voice, keys)
        parts.append(said if len(items or ()) == 1 else f"{voice.keep(item['name'])} with {said}")
    return "; ".join(parts) if parts else None


def method(payment: Record, voice: Voice) -> str:
    """A payment method as a person names it: never by its id."""
    source = payment.get("source")
    if source == "paypal":
        return voice.keep("PayPal") if voice.short else voice.say("[my |my |]{v}", v=voice.keep("PayPal"))
    if source == "gift_card":
        known = payment.get("balance")
        card = "gift card" if known is None else f"gift card with ${known} on it"
        return voice.say("[my|the] {v}", v=voice.keep(card))
    brand = {"visa": "Visa", "mastercard": "Mastercard", "amex": "Amex"}.get(
        str(payment.get("brand", "")), "credit card"
    )
    digits = payment.get("last_four")
    if not digits:
        return voice.say("[my|the] {v}", v=voice.keep("credit card"))
    return voice.say("[my|the] {v}", v=voice.keep(f"{brand} ending in {digits}"))


def address(place: Record, voice: Voice) -> str:
    """An address in one line."""
    parts = [place.get("address1"), place.get("address2"), place.get("city")]
    last = f"{place.get('state', '')} {place.get('zip', '')}".strip()
    country = place.get("country")
    return voice.keep(", ".join(str(part) for part in [*parts, last, country] if part))


def order_hint(slots: Record, voice: Voice) -> str | None:
    """``It is the order with the Teapot.``"""
    hint = slots.get("order_hint")
    if isinstance(hint, list | tuple):
        hint = [item["name"] if isinstance(item, Mapping) else str(item) for item in hint]
    elif isinstance(hint, str) and hint:
        hint = [hint]
    else:
        hint = [item["name"] for item in slots.get("items") or ()]
    if not hint:
        return None
    names = joined([f"the {voice.keep(name)}" for name in hint])
    return voice.say("[It is the order with|It's the one with|The order with|It has] {names}.", names=names)
