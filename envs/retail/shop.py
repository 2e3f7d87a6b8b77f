"""The retail data as a task generator reads it: indexes, and the draws that are made from one user's records."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from mua_env.core.database import Rows
from mua_env.errors import TaskError

Record = dict[str, Any]
SPLITS: Final = ("train", "test")


class Shop:
    """Indexes over the rows of a retail database. The records are shared: do not change them.

    Args:
        rows: the tables ``users``, ``orders``, ``products``.
    """

    def __init__(self, rows: Rows) -> None:
        self.users: dict[str, Record] = {row["user_id"]: dict(row) for row in rows["users"]}
        self.orders: dict[str, Record] = {row["order_id"]: dict(row) for row in rows["orders"]}
        self.products: dict[str, Record] = {row["product_id"]: dict(row) for row in rows["products"]}
        self._customers: dict[tuple[str, int], list[str]] = {}

    def customers(self, split: str, *, least_orders: int = 0) -> Sequence[str]:
        """User ids of a split: the splits halve the users, so that none is in both.

        Args:
            split: ``"train"`` or ``"test"``.
            least_orders: only users with as many orders or more.

        Raises:
            TaskError: there is no such split.
        """
        if split not in SPLITS:
            raise TaskError(f"tasks are generated for the splits {' and '.join(SPLITS)}, not {split!r}")
        key = (split, least_orders)
        if key not in self._customers:
            half = sorted(self.users)[SPLITS.index(split) :: len(SPLITS)]
            self._customers[key] = [name for name in half if len(self.users[name]["orders"]) >= least_orders]
        return self._customers[key]

    def orders_of(self, user: Record) -> list[Record]:
        """The user's orders, oldest first."""
        return [self.orders[order_id] for order_id in user["orders"]]

    def variants(self, item: Record) -> Mapping[str, Record]:
        """All variants of an order item's product, by item id."""
        variants: Mapping[str, Record] = self.products[item["product_id"]]["variants"]
        return variants


class Draw:
    """Random choices for one task: one user, whose orders are each taken at most once.

    Args:
        shop: the data.
        user: the user's record.
        rng: where the choices come from.
    """

    def __init__(self, shop: Shop, user: Record, rng: random.Random) -> None:
        self.shop = shop
        self.user = user
        self.rng = rng
        self.orders = shop.orders_of(user)
        self._free = list(self.orders)

    def take(self, *statuses: str, least_items: int = 1) -> Record | None:
        """An order with one of these statuses that no other request of the task uses, or ``None``."""
        fitting = [o for o in self._free if o["status"] in statuses and len(o["items"]) >= least_items]
        if not fitting:
            return None
        order = self.rng.choice(fitting)
        self._free.remove(order)
        return order

    def foreign_order(self, status: str) -> Record | None:
        """An order of somebody else with this status."""
        for _ in range(20):
            order = self.rng.choice(self._all_orders)
            if order["status"] == status and order["user_id"] != self.user["user_id"]:
                return order
        return None

    @cached_property
    def _all_orders(self) -> list[Record]:
        return list(self.shop.orders.values())

    def items(self, order: Record, most: int = 3) -> list[Record]:
        """Some of an order's items, in their order there."""
        items: list[Record] = order["items"]
        count = self.rng.randint(1, min(most, len(items)))
        chosen = sorted(self.rng.sample(range(len(items)), count))
        return [items[position] for position in chosen]

    def variant(self, item: Record, *, available: bool = True, but: Sequence[str] = ()) -> Record | None:
        """Another variant of an item's product, or ``None`` where there is none."""
        fitting = [
            variant
            for item_id, variant in self.shop.variants(item).items()
            if variant["available"] is available and item_id != item["item_id"] and item_id not in but
        ]
        return self.rng.choice(fitting) if fitting else None

    def method(
        self, *, covers: float | None = None, but: Sequence[str] = (), source: str | None = None
    ) -> Record | None:
        """One of the user's payment methods, or ``None``.

        Args:
            covers: an amount in US dollars that a gift card must hold; ``None`` asks for nothing.
            but: ids that are out of the question.
            source: only methods of this source.
        """
        fitting = [
            method
            for method_id, method in self.user["payment_methods"].items()
            if method_id not in but
            and source in (None, method["source"])
            and (covers is None or method["source"] != "gift_card" or method["balance"] >= covers)
        ]
        return self.rng.choice(fitting) if fitting else None

    def refund_method(self, order: Record, *, but: Sequence[str] = ()) -> Record | None:
        """A method that a return of this order may be refunded to: the original one, or a gift card."""
        original = paid_with(order)
        fitting = [
            method
            for method_id, method in self.user["payment_methods"].items()
            if method_id not in but and (method_id == original or method["source"] == "gift_card")
        ]
        return self.rng.choice(fitting) if fitting else None

    def short_gift_card(self, amount: float) -> Record | None:
        """A gift card of the user that does not cover ``amount``, or ``None``."""
        for method in self.user["payment_methods"].values():
            if method["source"] == "gift_card" and method["balance"] < amount:
                found: Record = method
                return found
        return None


def paid_with(order: Record) -> str:
    """Id of the payment method that an order was first paid with."""
    return str(order["payment_history"][0]["payment_method_id"])


def paid_amount(order: Record) -> float:
    """What an order was first paid with, in US dollars."""
    return float(order["payment_history"][0]["amount"])
