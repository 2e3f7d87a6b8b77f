"""Meeting rooms: employees book rooms, move and cancel reservations, and ask how many people a room holds."""

from __future__ import annotations

from random import Random
from typing import Annotated, Any

from sqlalchemy import JSON
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import DescribedDomain, DescribedToolkit, Question, Wish, kinds, obeys, rule, tool

Row = dict[str, Any]


class Base(DeclarativeBase): ...


class Employee(Base):
    __tablename__ = "employees"
    employee_id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str]


class Room(Base):
    __tablename__ = "rooms"
    room_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    seats: Mapped[int]
    closed: Mapped[bool]
    taken: Mapped[list[str]] = mapped_column(JSON, info={"set": True})


class Reservation(Base):
    __tablename__ = "reservations"
    reservation_id: Mapped[str] = mapped_column(primary_key=True)
    employee_id: Mapped[str]
    room_name: Mapped[str]
    date: Mapped[str]
    start: Mapped[str]
    status: Mapped[str]


EmployeeId = Annotated[str, kinds.Caller("employee id", of=Employee)]
RoomId = Annotated[str, kinds.Named("room", of=Room, label="name", listed_by="list_rooms")]
NUMBER = kinds.Key("reservation number", "R-####", of=Reservation, owner="employee_id", listed_by="list_reservations",
             contents=lambda reservation: [reservation["room_name"]])  # fmt: skip
Number = Annotated[str, NUMBER]
Day = Annotated[str, kinds.Date("date", "2026-03-02", "2026-03-27")]
Start = Annotated[str, kinds.Time("starting time", "09:00", "17:00")]
People = Annotated[int, kinds.Count("number of people", 2, 16, unit="person", units=("people", "persons"))]


@rule("open-room", "A room that is closed cannot be booked.", r"closed|out of (?:order|use)|repair",
      refusal="the room {room[name]} is closed")  # fmt: skip
def open_room(room: Row) -> bool:
    return not room["closed"]


@rule("enough-seats", "A room must have a seat for everybody.", r"\bseats?\b|capacity|too small|holds? only",
      refusal="the room {room[name]} has {room[seats]} seats only")  # fmt: skip
def enough_seats(room: Row, people: int) -> bool:
    return bool(people <= room["seats"])


@rule("free-then", "A room can be booked for an hour in which it is free.", r"\btaken\b|not free|occupied|in use",
      refusal="the room is taken on that day at {start}")  # fmt: skip
def free_then(room: Row, date: Any, start: str) -> bool:
    return f"{date} {start}" not in room["taken"]


@rule("coming-only", "Only a reservation still to come can be moved or cancelled.", r"\bpast\b|\bover\b|to come",
      refusal="the reservation is {reservation[status]}, and only one still to come can be dealt with")  # fmt: skip
def coming(reservation: Row) -> bool:
    return bool(reservation["status"] == "coming")


class Desk(DescribedToolkit):
    @tool
    def find_employee(self, email: Annotated[str, kinds.Email]) -> str:
        """The id of the employee with an email address."""
        return str(self.only(Employee, email=email)["employee_id"])

    @tool
    def list_rooms(self) -> list[Row]:
        """All rooms, with their seats and the hours that are taken."""
        return self.db.find(Room)

    @tool
    def get_room(self, room_id: RoomId) -> Row:
        """A room."""
        return self.row(Room, room_id)

    @tool
    def list_reservations(self, employee_id: EmployeeId) -> list[Row]:
        """The reservations of an employee."""
        return self.db.find(Reservation, Reservation.employee_id == employee_id)

    @tool
    def get_reservation(self, reservation_id: Number) -> Row:
        """A reservation."""
        return self.row(Reservation, reservation_id)

    @tool(writes=True)
    @obeys(open_room, enough_seats, free_then)
    def book_room(self, employee_id: EmployeeId, room_id: RoomId, date: Day, start: Start, people: People) -> Row:
        """Book a room for an hour."""
        room, hour = self.at["room"], f"{date} {start}"
        self.db.update(Room, room_id, taken=[*room["taken"], hour])
        row = {"reservation_id": f"{room_id} {hour}", "employee_id": employee_id, "date": date, "start": start}
        return self.add(Reservation, {**row, "room_name": room["name"], "status": "coming"})

    @tool(writes=True)
    @obeys(coming)
    def move_reservation(self, reservation_id: Number, start: Start) -> Row:
        """Let a reservation begin at another time of its day."""
        return self.save(Reservation, reservation_id, start=start)

    @tool(writes=True)
    @obeys(coming)
    def cancel_reservation(self, reservation_id: Number) -> Row:
        """Cancel a reservation."""
        return self.save(Reservation, reservation_id, status="cancelled")


class MeetingRooms(DescribedDomain):
    name, version, models, toolkit, users = "meetingrooms", 0, Base, Desk, Employee
    identify = "find_employee"
    wishes = {
        "book_room": Wish("book the room", "booked", also="reserve"),
        "move_reservation": Wish("move the reservation", "moved", phrase="[move|shift] my reservation", also="shift"),
        "cancel_reservation": Wish("cancel the reservation", "cancelled"),
        "ask_seats": Question("know how many people a room holds", "get_room", "seats", "number of seats"),
    }

    def data(self) -> dict[str, list[Row]]:
        rng, names = Random(0), ("Oak", "Maple", "Birch", "Cedar", "Willow", "Juniper", "Hazel", "Rowan", "Aspen")
        hours = [f"2026-03-{day:02d} {hour:02d}:00" for day in range(2, 28) for hour in range(9, 18)]
        rooms = [{"room_id": f"r{n}", "name": name, "seats": 4 + 2 * n, "closed": n % 5 == 4,
                  "taken": rng.sample(hours, 60)} for n, name in enumerate(names)]  # fmt: skip
        people = [{"employee_id": f"e{n}", "email": f"person{n}@example.com"} for n in range(150)]
        held = {NUMBER.new(rng): (who, rng.choice(names)) for who in people for _ in range(rng.randint(2, 5))}
        return {"employees": people, "rooms": rooms, "reservations": [
            {"reservation_id": key, "employee_id": who["employee_id"], "room_name": name, "date": "2026-03-20",
             "start": f"{rng.randint(9, 17):02d}:00", "status": rng.choice(("coming", "coming", "past"))}
            for key, (who, name) in held.items()]}  # fmt: skip


domain = MeetingRooms()
