"""Tables of the retail world: users, orders, products.

Key columns are typed; nested parts of a record are JSON documents with the structure of the public retail
benchmark, so that its records can be loaded as they are. A column that is None stands for an absent key.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Index, String, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# none_as_null: an absent key is SQL NULL, not the JSON document "null".
_Document = JSON(none_as_null=True)


class Base(DeclarativeBase):
    """Declarative base of the retail tables."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads a plain class attribute
        str: String(),
        list[str]: _Document,
        list[dict[str, Any]]: _Document,
        dict[str, Any]: _Document,
    }


class User(Base):
    """A customer: how to find them, where they live, how they pay, what they ordered."""

    __tablename__ = "users"

    user_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[dict[str, Any]]
    """``first_name`` and ``last_name``."""
    address: Mapped[dict[str, Any]]
    """``address1``, ``address2``, ``city``, ``state``, ``country``, ``zip``."""
    email: Mapped[str]
    payment_methods: Mapped[dict[str, Any]]
    """By payment method id: ``source``, ``id``, and ``brand``, ``last_four`` or ``balance``."""
    orders: Mapped[list[str]]
    """Ids of the orders, oldest first."""


# Look-ups disregard case.
Index("ix_users_lower_email", func.lower(User.email))


class Order(Base):
    """An order with its items and payments. The columns from ``cancel_reason`` on are filled by tools."""

    __tablename__ = "orders"

    order_id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(index=True)
    address: Mapped[dict[str, Any]]
    items: Mapped[list[dict[str, Any]]]
    """Each ``name``, ``product_id``, ``item_id``, ``price``, ``options``."""
    fulfillments: Mapped[list[dict[str, Any]]]
    """Each ``tracking_id`` and ``item_ids``; empty while the order is pending."""
    status: Mapped[str]
    payment_history: Mapped[list[dict[str, Any]]]
    """Each ``transaction_type``, ``amount``, ``payment_method_id``, oldest first."""
    cancel_reason: Mapped[str | None]
    return_items: Mapped[list[str] | None]
    return_payment_method_id: Mapped[str | None]
    exchange_items: Mapped[list[str] | None]
    exchange_new_items: Mapped[list[str] | None]
    exchange_payment_method_id: Mapped[str | None]
    exchange_price_difference: Mapped[float | None]
    """US dollars. Not a JSON column: SQLite would store a bare 0.0 there as the integer 0."""


class Product(Base):
    """A product type and its variants."""

    __tablename__ = "products"

    product_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    variants: Mapped[dict[str, Any]]
    """By item id: ``item_id``, ``options``, ``available``, ``price``."""
