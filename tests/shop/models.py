from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customers"

    customer_id: Mapped[str] = mapped_column(Text, primary_key=True)
    email: Mapped[str] = mapped_column(Text)
    email_lower: Mapped[str] = mapped_column(Text, info={"hidden": True})
    address: Mapped[dict[str, Any]] = mapped_column(JSON)
    tags: Mapped[list[str]] = mapped_column(JSON, info={"set": True})
    note: Mapped[str | None] = mapped_column(Text)


class Order(Base):
    __tablename__ = "orders"

    order_id: Mapped[str] = mapped_column(Text, primary_key=True)
    customer_id: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    total: Mapped[Any] = mapped_column(JSON)


class Line(Base):
    """One line of an order: the key has two columns, one of them a number."""

    __tablename__ = "lines"

    order_id: Mapped[str] = mapped_column(Text, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    tea: Mapped[str] = mapped_column(Text)
    count: Mapped[int]
