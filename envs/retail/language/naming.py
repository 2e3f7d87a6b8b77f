"""Which retail requests an agent's proposal or claim is about.

A return mentions a payment method and a cancellation a refund: what is named plainly counts before what could be a
detail of it.
"""

from __future__ import annotations

import re

_CHANGE = r"(?:chang|modif|updat|switch|mov|set|ship|deliver|send|redirect|adjust)\w*"
_PLAIN: dict[str, re.Pattern[str]] = {
    "cancel_order": re.compile(r"(?<!noise[ -])\bcancel", re.IGNORECASE),
    "exchange_items": re.compile(r"\bexchang|\bswap", re.IGNORECASE),
    "return_items": re.compile(r"\breturn(?!ed to)|\bsend(?:ing)? back\b", re.IGNORECASE),
}
_ADDRESS = re.compile(rf"\b{_CHANGE}\b[^.?!\n]{{0,80}}\baddress|\baddress\b|\b(?:ship|deliver)", re.IGNORECASE)
_PROFILE = re.compile(r"\b(?:default|profile)\b", re.IGNORECASE)
_PAYMENT = re.compile(
    rf"\b{_CHANGE}\b[^.?!:;\n]{{0,50}}\bpayment|\bpayment method\b[^.?!\n]{{0,40}}\b{_CHANGE}", re.IGNORECASE
)
_ANY_CHANGE = re.compile(rf"\b{_CHANGE}|\breplac", re.IGNORECASE)
_ITEMS = re.compile(r"\b(?:items?|products?|options?|variants?)\b", re.IGNORECASE)


def named(text: str) -> frozenset[str]:
    """The intents that a text is about; empty where none is named."""
    plain = frozenset(name for name, pattern in _PLAIN.items() if pattern.search(text))
    if plain:
        return plain
    found: set[str] = set()
    if _PAYMENT.search(text) and not _ITEMS.search(text):
        found.add("modify_order_payment")
    elif _ADDRESS.search(text) and not _ITEMS.search(text):
        found.add("modify_user_address" if _PROFILE.search(text) else "modify_order_address")
    elif _ANY_CHANGE.search(text):
        found.add("modify_items")
        if _ADDRESS.search(text):
            found.add("modify_order_address")
        if _PAYMENT.search(text):
            found.add("modify_order_payment")
    elif re.search(r"\brefund", text, re.IGNORECASE):
        found.add("return_items")
    return frozenset(found)
