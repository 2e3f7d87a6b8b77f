"""What an expert of another manner names: the parts of a call that it proposes, and of its questions and steps.

The parts come from the call's arguments and the records that tools returned in the dialogue, not from the domain's own
phrases, so that the manners stay as they are when those change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
Fields = list[tuple[str, str]]
"""Labels and values."""
_LISTED = re.compile(r"(?:, | or | and )(?=#W|the one with |\w+ ending in |gift card|PayPal)")
_STEP = re.compile(r"Please ([^.]+)\.")


class Seen:
    """The records that tools have returned in a dialogue, by id: items, variants, payment methods, reservations."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.methods: dict[str, Record] = {}
        self.reservations: dict[str, Record] = {}

    def take(self, result: str) -> None:
        """Note a tool's result; text that is no JSON holds no records."""
        try:
            value = json.loads(result)
        except json.JSONDecodeError:
            return
        for record, name in _records(value, ""):
            if "item_id" in record:
                own = {key: record[key] for key in ("name", "options", "price") if key in record}
                self.items.setdefault(record["item_id"], {"name": name}).update(own)
            if "source" in record and "id" in record:
                self.methods[record["id"]] = record
            if "reservation_id" in record:
                self.reservations[record["reservation_id"]] = record


def _records(value: Any, name: str) -> Iterator[tuple[Record, str]]:
    if isinstance(value, dict):
        yield value, name
        for part in value.values():
            yield from _records(part, str(value.get("name", name)))
    elif isinstance(value, list):
        for part in value:
            yield from _records(part, name)


TITLES: Mapping[str, tuple[str, str, str]] = {
    "cancel_pending_order": ("cancellation", "cancel order {id}", "Order {id} has been cancelled."),
    "modify_pending_order_address": (
        "address change",
        "update the shipping address of order {id}",
        "The shipping address of order {id} has been updated.",
    ),
    "modify_pending_order_payment": (
        "payment method change",
        "change the payment method of order {id}",
        "The payment method of order {id} has been changed.",
    ),
    "modify_pending_order_items": (
        "item modification",
        "modify the items in order {id}",
        "The items in order {id} have been modified.",
    ),
    "return_delivered_order_items": (
        "return",
        "request the return from order {id}",
        "The return for order {id} has been requested.",
    ),
    "exchange_delivered_order_items": (
        "exchange",
        "request the exchange for order {id}",
        "The exchange for order {id} has been requested.",
    ),
    "modify_user_address": (
        "default address change",
        "update your default address",
        "Your default address has been updated.",
    ),
    "cancel_reservation": (
        "cancellation",
        "cancel reservation {id}",
        "Your reservation {id} has been cancelled.",
    ),
    "change_cabin": (
        "cabin change",
        "change the cabin of reservation {id} to {cabin}",
        "The cabin of reservation {id} has been changed to {cabin}.",
    ),
    "update_reservation_flights": (
        "flight change",
        "change the flights of reservation {id}",
        "The flights of reservation {id} have been changed.",
    ),
    "update_reservation_baggages": (
        "baggage change",
        "add the bags to reservation {id}",
        "The bags have been added to reservation {id}.",
    ),
    "update_reservation_passengers": (
        "passenger change",
        "update the passengers of reservation {id}",
        "The passengers of reservation {id} have been updated.",
    ),
    "send_certificate": (
        "compensation",
        "send you a certificate for reservation {id}",
        "The certificate for reservation {id} has been issued.",
    ),
    "book_reservation": ("booking", "book this trip", "Your trip has been booked."),
}
"""Of each call, by intent or tool: what it is, what will be done, what was done."""

_ONCE = "A return or an exchange can be requested only once for an order, so please make sure that it has all items."
_BACK = "You'll receive an email shortly with instructions on how to send the item(s) back."
_REFUND = "The refund takes 5 to 7 business days, or is immediate where a gift card was used."
NOTES: Mapping[str, tuple[str, str]] = {
    "return_delivered_order_items": (_ONCE, _BACK),
    "exchange_delivered_order_items": (_ONCE, _BACK),
    "modify_pending_order_items": (
        "The items of a pending order can be modified only once.",
        "The status of the order is now pending (item modified).",
    ),
    "cancel_pending_order": ("A cancellation can't be undone.", _REFUND),
    "cancel_reservation": ("A cancellation can't be undone.", _REFUND),
}
"""What long messages add to a proposal and to a claim, by tool."""
NO_NOTE = ("I'll apply this right after you've confirmed.", "There's nothing else that you need to do.")


def fields(tool: str, arguments: Record, seen: Seen, subject: str) -> Fields:
    """The parts of a call in words."""
    found: Fields = []
    if subject:
        found.append(("Order ID" if "order" in tool else "Reservation ID", subject))
    if "origin" in arguments:
        found.append(("Route", f"{arguments['origin']} to {arguments['destination']}"))
    for name in ("flight_type", "cabin", "reason"):
        if name in arguments:
            label = {"flight_type": "Trip type", "cabin": "Cabin", "reason": "Reason"}[name]
            found.append((label, str(arguments[name]).replace("_", " ")))
    found += _items(tool, arguments, seen)
    booked = seen.reservations.get(arguments.get("reservation_id", ""), {})
    found += _flights(arguments, booked) + _people(arguments, booked) + _bags(arguments, booked)
    if "insurance" in arguments:
        found.append(("Travel insurance", arguments["insurance"]))
    if "address1" in arguments:
        names = ("address1", "address2", "city", "state", "zip", "country")
        found.append(("New address", ", ".join(arguments[name] for name in names if arguments.get(name))))
    if "amount" in arguments:
        found.append(("Certificate amount", f"${arguments['amount']}"))
    if "cancel" in tool:
        found.append(("Refund", "to the original payment method"))
    return found + _paid(tool, arguments, seen)


def _items(tool: str, arguments: Record, seen: Seen) -> Fields:
    old, new = arguments.get("item_ids", ()), arguments.get("new_item_ids")
    if new is None:
        return [("Item", f"{seen.items[each]['name']} ({_options(seen.items[each])})") for each in old]
    pairs = [(seen.items[before], seen.items[after]) for before, after in zip(old, new, strict=True)]
    found = [(f"{before['name']}", f"{_options(before)} → {_options(after)}") for before, after in pairs]
    difference = sum(after["price"] - before["price"] for before, after in pairs)
    what = "to be paid" if difference >= 0 else "to be refunded"
    return [*found, ("Price difference", f"${abs(difference):.2f} {what}")]


def _options(item: Record) -> str:
    return ", ".join(f"{name} {value}" for name, value in item["options"].items())


def _flights(arguments: Record, booked: Record) -> Fields:
    kept = {(leg["flight_number"], leg["date"]) for leg in booked.get("flights", ())}
    found = [(leg["flight_number"], leg["date"]) for leg in arguments.get("flights", ())]
    return [("Flight (unchanged)" if leg in kept else "Flight", f"{leg[0]} on {leg[1]}") for leg in found]


def _people(arguments: Record, booked: Record) -> Fields:
    after, before = arguments.get("passengers", []), booked.get("passengers", [])
    gone = [("Passenger to be replaced", _person(each)) for each in before if after and each not in after]
    kept = [("Passenger (unchanged)" if gone else "Passenger", _person(each)) for each in after if each in before]
    label = "New passenger" if gone else "Passenger"
    return [*gone, *((label, _person(each)) for each in after if each not in before), *kept]


def _person(record: Record) -> str:
    return f"{record['first_name']} {record['last_name']} (born {record['dob']})"


def _bags(arguments: Record, booked: Record) -> Fields:
    if "total_baggages" not in arguments:
        return []
    total, paid = arguments["total_baggages"], arguments["nonfree_baggages"]
    if not booked:
        return [("Checked bags", f"{total} ({total - paid} free)")]
    cost = 50 * max(0, paid - booked["nonfree_baggages"])
    return [("Bags to add", str(total - booked["total_baggages"])), ("Cost", f"${cost}")]


def _paid(tool: str, arguments: Record, seen: Seen) -> Fields:
    name = arguments.get("payment_method_id") or arguments.get("payment_id")
    label = "Refund to" if tool.startswith("return") else "Payment method"
    single = [(label, method(seen.methods[name]))] if name in seen.methods else []
    parts = arguments.get("payment_methods", ())
    return single + [
        ("Payment", f"${part['amount']} with your {method(seen.methods[part['payment_id']])}") for part in parts
    ]


def method(record: Record) -> str:
    """A payment method."""
    if record["source"] == "credit_card":
        brand = str(record.get("brand", "credit")).capitalize()
        return f"{brand} card ending in {record.get('last_four', '')}"
    if record["source"] == "paypal":
        return "PayPal account"
    # A customer may have several gift cards or certificates.
    return f"{str(record['source']).replace('_', ' ')} ({record['id']})"


def listing(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def bullets(parts: Fields) -> str:
    """A list in markdown."""
    return "\n".join(f"- **{label}:** {value}" for label, value in parts)


def choices(text: str) -> str:
    """What there is to choose from, as a numbered list."""
    return "\n".join(f"{number}. {part}" for number, part in enumerate(_LISTED.split(text), start=1))


def steps(text: str, form: str) -> str:
    """The instructions of a text that has one in each sentence: ``numbered``, ``sentences`` or a ``chain``."""
    found = _STEP.findall(text)
    if form == "chain":
        return listing(found)
    capital = [step[0].upper() + step[1:] for step in found]
    if form == "numbered":
        return "\n".join(f"{number}. {step}" for number, step in enumerate(capital, start=1))
    return " ".join(f"{step}." for step in capital)
