"""A hotel's front desk, described: tables, kinds of values, rules, tools, wishes, data. Nothing else."""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from random import Random
from typing import Annotated, Any, Literal

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import Choice, DescribedDomain, DescribedToolkit, Email, Key, Wish, obeys, rule, tool


class Base(DeclarativeBase): ...


class Guest(Base):
    __tablename__ = "guests"
    guest_id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str]


class Room(Base):
    __tablename__ = "rooms"
    room_type: Mapped[str] = mapped_column(primary_key=True)
    price: Mapped[int]
    free: Mapped[int]


class Booking(Base):
    __tablename__ = "bookings"
    booking_id: Mapped[str] = mapped_column(primary_key=True)
    guest_id: Mapped[str]
    room_type: Mapped[str]
    status: Mapped[str]


NUMBER = Key("booking number", "H#####", of=Booking, owner="guest_id")
BookingId = Annotated[str, NUMBER]
RoomType = Annotated[Literal["single", "double", "suite"], Choice("room type", of=Room)]


@rule("confirmed-only", "Only a confirmed booking can be changed or cancelled.", r"confirmed|\bpast\b|cancelled",
      refusal="the booking is {booking[status]}, and only a confirmed one can be changed")  # fmt: skip
def confirmed(booking: dict[str, Any]) -> bool:
    return bool(booking["status"] == "confirmed")


@rule("another-type", "The new room must be of another type than before.", r"same type|room already|已经是",
      refusal="the booking is for a {booking[room_type]} room already")  # fmt: skip
def another(booking: dict[str, Any], room: dict[str, Any]) -> bool:
    return bool(booking["room_type"] != room["room_type"])


@rule("free-room", "A room of that type must be free.", r"\bfree|available|booked out|full|空房",
      refusal="no {room[room_type]} room is free")  # fmt: skip
def free(room: dict[str, Any]) -> bool:
    return bool(room["free"])


class Desk(DescribedToolkit):
    @tool
    def find_guest(self, email: Annotated[str, Email]) -> str:
        """The id of the guest with an email address."""
        return str(self.only(Guest, email=email)["guest_id"])

    @tool
    def get_booking(self, booking_id: BookingId) -> dict[str, Any]:
        """A booking."""
        return self.row(Booking, booking_id)

    @tool
    def get_room(self, room_type: RoomType) -> dict[str, Any]:
        """Price and free rooms of a type."""
        return self.row(Room, room_type)

    @tool(writes=True)
    @obeys(confirmed)
    def cancel_booking(self, booking_id: BookingId) -> dict[str, Any]:
        """Cancel a booking that is confirmed."""
        return self.save(Booking, booking_id, status="cancelled")

    @tool(writes=True)
    @obeys(confirmed, another, free)
    def change_room(self, booking_id: BookingId, room_type: RoomType) -> dict[str, Any]:
        """Give a confirmed booking another type of room."""
        for kind, step in ((self.at["booking"]["room_type"], 1), (room_type, -1)):
            self.db.update(Room, kind, free=self.row(Room, kind)["free"] + step)
        return self.save(Booking, booking_id, room_type=room_type)


class Hotel(DescribedDomain):
    name, version, models, toolkit, users = "hotel", 0, Base, Desk, Guest
    identify = "find_guest"
    wishes = {
        "cancel_booking": Wish("cancel the booking", "cancelled"),
        "change_room": Wish("change the room", "changed", phrase="have another room", also="move|switch"),
    }

    translations = {
        "zh": {
            "booking number": "预订号", "email address": "邮箱", "room type": "房型", "single": "单人间", "double": "双人间",
            "suite": "套房", "cancel the booking": "取消 预订", "cancelled": "取消", "change the room": "更换 房型",
            "changed": "更换", "have another room": "[换个房间|换一种房型]",
            "the booking is {booking[status]}, and only a confirmed one can be changed": "预订状态是 {booking[status]} ，无法更改",
            "the booking is for a {booking[room_type]} room already": "已经是这种房型了",
            "no {room[room_type]} room is free": "这种房型没有空房了",
            "the booking number belongs to somebody else": "这个预订属于别人",
        }
    }  # fmt: skip

    def data(self) -> dict[str, list[dict[str, Any]]]:
        rng, types = Random(0), ("single", "double", "suite")
        guests = [{"guest_id": f"g{i}", "email": f"guest{i}@example.com"} for i in range(200)]
        bookings = {
            key: {"booking_id": key, "guest_id": guest["guest_id"], "room_type": rng.choice(types),
                  "status": rng.choice(("confirmed", "confirmed", "past"))}
            for guest in guests for key in (NUMBER.new(rng) for _ in range(rng.randint(2, 5)))
        }  # fmt: skip
        rooms = [{"room_type": kind, "price": 100 * n, "free": 5 * (n < 3)} for n, kind in enumerate(types, 1)]
        return {"guests": guests, "bookings": list(bookings.values()), "rooms": rooms}


domain = Hotel()
