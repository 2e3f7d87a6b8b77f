"""Intents of the retail domain: how the user wishes for them, and how an agent speaks of them."""

from __future__ import annotations

import re

from mua_env.users.agenda.language import Intent, followed_by

_PASSIVE = r"(?:has|have|is|are|was|were|'s|been|i|we|i've|successfully|now|and|request|all set)\b"


def _claim(verbs: str, objects: str = "") -> str:
    near = rf".{{0,60}}\b(?:{verbs})\b"
    about = rf"\A(?=.*(?:{objects})).*?" if objects else ""
    finished = "successfully|done|complete|submitted|processed|requested|placed|initiated|set up|created|confirmed"
    return rf"{about}(?:\b{_PASSIVE}{near}|\b(?:{verbs})\b.{{0,80}}\b(?:{finished})\b)"


INTENTS: dict[str, Intent] = {
    intent.name: intent
    for intent in (
        Intent("cancel_order", ("order_id", "reason"), r"\bcancel", _claim(r"cancell?ed|cancellation")),
        Intent(
            "return_items",
            ("order_id", "items", "payment_method"),
            r"\breturn(?!ed to)|\bsend(?:ing)? back\b|\brefund",
            _claim(r"return(?:ed)?"),
            details=("item_options",),
        ),
        Intent(
            "exchange_items",
            ("order_id", "items", "new_options", "payment_method"),
            r"\bexchang|\bswap|\breplac",
            _claim(r"exchanged?|swapped|replaced"),
            details=("item_options",),
        ),
        Intent(
            "modify_items",
            ("order_id", "items", "new_options", "payment_method"),
            r"\b(?:modif|chang|updat|swap|switch|replac|adjust)\w*",
            _claim(
                r"modified|changed|updated|swapped|switched|replaced|adjusted|modification|update|change",
                r"items?\b|options?\b|product|variant|order",
            ),
            details=("item_options",),
        ),
        Intent(
            "modify_order_address",
            ("order_id", "address"),
            followed_by(r"\b(?:modif|chang|updat|ship|deliver|set)\w*\b", r"\baddress") + r"|\baddress\b",
            _claim(r"modified|changed|updated|set|shipped|modification|update|change", r"address|ship|deliver"),
        ),
        Intent(
            "modify_order_payment",
            ("order_id", "payment_method"),
            followed_by(r"\b(?:modif|chang|updat|switch|mov|set|charg)\w*\b", r"\b(?:payment|paypal|card)")
            + r"|\bpayment method\b",
            _claim(r"modified|changed|updated|switched|moved|set|modification|update|change", r"payment|paypal|card"),
        ),
        Intent(
            "modify_user_address",
            ("address",),
            followed_by(r"\b(?:modif|chang|updat|set)\w*\b", r"\baddress") + r"|\baddress\b",
            _claim(r"modified|changed|updated|set|modification|update|change", r"address|profile"),
        ),
        Intent(
            "ask", ("order_id", "product"), r"\b(?:check|look|tell|inform|status|total|tracking|options)\b", r"(?!)"
        ),
        Intent("human", (), r"\b(?:human|representative|transfer)\b", r"(?!)", acts=False),
    )
}

_ORDER = "[an order|one of my orders|my order|an order of mine]"

WISHES: dict[str, str] = {
    "cancel_order": f"cancel {_ORDER}",
    "return_items": f"return {{things}} from {_ORDER}",
    "exchange_items": f"exchange {{things}} [from|in] {_ORDER}",
    "modify_items": "[modify|change] {things} in [a pending order|an order that has not shipped yet|my pending order]",
    "modify_order_address": f"change the [shipping |delivery |]address of {_ORDER}",
    "modify_order_payment": f"change the payment method of {_ORDER}",
    "modify_user_address": "change [the default address in my profile|my default address|the address in my profile|"
    "my profile address]",
    "human": "talk to [a human agent|a human|a human representative]",
    "ask:order_status": f"[know|check|ask about] the status of {_ORDER}",
    "ask:order_total": f"[know|check|ask about] the total [price |]of {_ORDER}",
    "ask:tracking_number": f"[get|have|know] the tracking number of {_ORDER}",
    "ask:product_options_count": "know how many options [of a product are available|are available for a product]",
    "ask:delivery_address": f"[know|check|ask about] the delivery address of {_ORDER}",
}
"""Templates of the verb phrases by intent, questions by topic."""

SHORT_WISHES: dict[str, str] = {
    "cancel_order": "cancel [an|my|one] order[| from you| with you| here]",
    "return_items": "return {things} from [an order|my order|one order]",
    "exchange_items": "exchange {things} [in|from] [an order|my order|one order]",
    "modify_items": "modify {things} [in|of] [a|my|one] pending order",
    "modify_order_address": "change [the|one] address of [an order|my order|one order]",
    "modify_order_payment": "change the payment method of [an order|my order|one order]",
    "modify_user_address": "[change|update|modify] [my default address|my profile address|the address in my profile|"
    "the default address in my profile]",
    "human": "talk to [a human agent|some human agent|a human|some human|a human representative]",
    "ask:order_status": "[know|check|learn] the status of [an order|my order|one order]",
    "ask:order_total": "[know|check|learn] the total of [an order|my order|one order]",
    "ask:tracking_number": "[know|have|get] the tracking number of [an order|my order|one order]",
    "ask:product_options_count": "[know|learn|check] how many options [a|one|some] product has",
    "ask:delivery_address": "[know|check|learn] the delivery address of [an order|my order|one order]",
}
"""The same for terse personas, of seven words at most."""

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
