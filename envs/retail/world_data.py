"""The own retail data: 500 customers, 1,000 orders, 50 product types, made from one seed.

Shapes of ids and records are those of the public retail benchmark; names, places, products and prices are our own.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, Final

Record = dict[str, Any]

SEED: Final = 20260
USERS: Final = 500
_ORDERS_PER_TEN_USERS: Final = (0, 1, 1, 1, 2, 2, 2, 3, 3, 5)
_STATUSES: Final = ("pending",) * 42 + ("delivered",) * 40 + ("processed",) * 10 + ("cancelled",) * 8
_BRANDS: Final = ("visa", "mastercard", "amex")


@cache
def word_lists(name: str) -> Any:
    """A JSON file of the package's ``data`` folder (shared: do not change it)."""
    text = resources.files(__package__).joinpath("data", f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


def generate_data(seed: int = SEED, users: int = USERS) -> dict[str, list[Record]]:
    """Rows of the tables ``users``, ``orders`` and ``products``.

    Args:
        seed: equal seeds give equal data.
        users: number of customers, a multiple of 10; there are twice as many orders.
    """
    maker = _Maker(random.Random(seed))
    products = maker.products()
    people = maker.users(users)
    orders = maker.orders(people, products)
    return {"users": people, "orders": orders, "products": products}


def world_data(world: int | None) -> dict[str, list[Record]]:
    """The own data for None; else those of another world, with four times as many customers."""
    return generate_data() if world is None else generate_data(SEED + 1 + world, 4 * USERS)


def make_address(rng: random.Random) -> Record:
    """A made-up address in a real city."""
    lists = word_lists("people")
    city, state, prefix = rng.choice(lists["cities"])
    street = f"{rng.randrange(100, 1000)} {rng.choice(lists['streets'])} {rng.choice(lists['street_kinds'])}"
    return {
        "address1": street,
        "address2": f"{rng.choice(lists['unit_kinds'])} {rng.randrange(1, 1000)}",
        "city": city,
        "country": "USA",
        "state": state,
        "zip": f"{prefix}{rng.randrange(100):02d}",
    }


class _Maker:
    """Makes records from one generator; ids never repeat."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()

    def _unique(self, make: Callable[[], str]) -> str:
        while (value := make()) in self._taken:
            pass
        self._taken.add(value)
        return value

    def _digits(self, count: int, prefix: str = "") -> str:
        return self._unique(lambda: f"{prefix}{self._rng.randrange(10 ** (count - 1), 10**count)}")

    def products(self) -> list[Record]:
        return [self._product(name, entry) for name, entry in word_lists("catalogue").items()]

    def _product(self, name: str, entry: Record) -> Record:
        axes: dict[str, list[str]] = entry["options"]
        low, high = entry["price"]
        combinations = list(itertools.product(*axes.values()))
        chosen = self._rng.sample(combinations, min(len(combinations), self._rng.randint(7, 16)))
        variants: Record = {}
        for values in chosen:
            item_id = self._digits(10)
            variants[item_id] = {
                "item_id": item_id,
                "options": dict(zip(axes, values, strict=True)),
                "available": self._rng.random() < 0.75,
                "price": round(self._rng.uniform(low, high), 2),
            }
        return {"product_id": self._digits(10), "name": name, "variants": variants}

    def users(self, count: int) -> list[Record]:
        return [self._user() for _ in range(count)]

    def _user(self) -> Record:
        lists, rng = word_lists("people"), self._rng
        first, last, address = rng.choice(lists["first_names"]), rng.choice(lists["last_names"]), make_address(rng)
        # Together with the postal code a name must point to one customer.
        while f"{first} {last} {address['zip']}" in self._taken:
            address = make_address(rng)
        self._taken.add(f"{first} {last} {address['zip']}")
        handle = f"{first}.{last}".lower()
        methods = self._payment_methods()
        return {
            "user_id": self._digits(4, f"{first}_{last}_".lower()),
            "name": {"first_name": first, "last_name": last},
            "address": address,
            "email": self._unique(lambda: f"{handle}{rng.randrange(1000, 10000)}@example.com"),
            "payment_methods": {method["id"]: method for method in methods},
            "orders": [],
        }

    def _payment_methods(self) -> list[Record]:
        kinds = self._rng.sample(("credit_card", "gift_card", "paypal", "credit_card"), self._rng.choice((1, 2, 2, 3)))
        return [self._payment_method(kind) for kind in kinds]

    def _payment_method(self, kind: str) -> Record:
        method: Record = {"source": kind, "id": self._digits(7, f"{kind}_")}
        if kind == "credit_card":
            return method | {"brand": self._rng.choice(_BRANDS), "last_four": f"{self._rng.randrange(1000, 10000)}"}
        if kind == "gift_card":
            return method | {"balance": self._rng.choice((self._rng.randint(0, 120), self._rng.randint(200, 1500)))}
        return method

    def orders(self, users: list[Record], products: list[Record]) -> list[Record]:
        counts = list(_ORDERS_PER_TEN_USERS) * (len(users) // len(_ORDERS_PER_TEN_USERS))
        self._rng.shuffle(counts)
        orders = []
        for user, count in zip(users, counts, strict=True):
            for _ in range(count):
                order = self._order(user, products)
                user["orders"].append(order["order_id"])
                orders.append(order)
        return orders

    def _order(self, user: Record, products: list[Record]) -> Record:
        rng = self._rng
        # One variant of a product in an order, so that a customer can name an item by its product.
        items = [self._item(product) for product in rng.sample(products, rng.choice((1, 2, 2, 3, 3, 4, 5)))]
        status = rng.choice(_STATUSES)
        amount = round(sum(item["price"] for item in items), 2)
        method = rng.choice([m for m in user["payment_methods"].values() if m["source"] != "gift_card"] or [None])
        method_id = method["id"] if method else next(iter(user["payment_methods"]))
        history = [{"transaction_type": "payment", "amount": amount, "payment_method_id": method_id}]
        if status == "cancelled":
            history.append({"transaction_type": "refund", "amount": amount, "payment_method_id": method_id})
        shipped = status in ("processed", "delivered")
        shipment = {"tracking_id": [self._digits(12)], "item_ids": [item["item_id"] for item in items]}
        order = {
            "order_id": self._digits(7, "#W"),
            "user_id": user["user_id"],
            "address": dict(user["address"]) if rng.random() < 0.8 else make_address(rng),
            "items": items,
            "fulfillments": [shipment] if shipped else [],
            "status": status,
            "payment_history": history,
        }
        if status == "cancelled":
            order["cancel_reason"] = rng.choice(("no longer needed", "ordered by mistake"))
        return order

    def _item(self, product: Record) -> Record:
        variant = self._rng.choice(list(product["variants"].values()))
        return {
            "name": product["name"],
            "product_id": product["product_id"],
            "item_id": variant["item_id"],
            "price": variant["price"],
            "options": dict(variant["options"]),
        }
