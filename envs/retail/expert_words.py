"""How the retail expert names records: items, payment methods, addresses, orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]

_BRANDS = {"visa": "Visa", "mastercard": "Mastercard", "amex": "Amex"}


def listing(parts: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def options(values: Record, keys: Sequence[str] | None = None) -> str:
    """``color blue, size M``."""
    return ", ".join(f"{key} {values[key]}" for key in (keys or values))


def method(payment: Record, *, full: bool = False) -> str:
    """A payment method; ``full`` with the balance that tells gift cards apart."""
    source = payment["source"]
    if source == "credit_card":
        return f"{_BRANDS.get(payment.get('brand', ''), 'credit card')} ending in {payment.get('last_four', '')}"
    if source == "gift_card":
        return f"gift card with ${payment['balance']}" if full and "balance" in payment else "gift card"
    return "PayPal"


def address(place: Record) -> str:
    """An address in one line."""
    parts = [place["address1"], place["address2"], place["city"], f"{place['state']} {place['zip']}", place["country"]]
    return ", ".join(part for part in parts if part)


def order(record: Record) -> str:
    """``#W0000000 (pending; Teapot and Toaster)``."""
    return f"{record['order_id']} ({record['status']}; {listing([item['name'] for item in record['items']])})"


def participle(verb: str) -> str:
    """``cancelled`` for ``cancel``."""
    return {"cancel": "cancelled", "return": "returned", "exchange": "exchanged"}.get(verb, "modified")
