"""What tau-bench's airline tools take and show, and ``strict`` mode mends: connections, nested arguments, ids."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from mua_env.core.database import Database, Template, open_template
from mua_env.core.tools import Mode
from mua_env.envs.airline.airports import PUBLIC_CITIES
from mua_env.envs.airline.models import Base, Reservation, User
from mua_env.envs.airline.tau2 import AirlineTau2Tools
from mua_env.envs.airline.tools import AirlineTools

Row = dict[str, Any]
CABINS = ("basic_economy", "economy", "business")


def day(price: int) -> Row:
    """A day on which a flight is for sale."""
    return {
        "status": "available",
        "available_seats": dict.fromkeys(CABINS, price),
        "prices": dict.fromkeys(CABINS, price),
    }


def flight(number: str, route: str, times: str, dates: dict[str, Row]) -> Row:
    origin, destination = route.split()
    departure, arrival = times.split()
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": departure,
        "scheduled_arrival_time_est": arrival,
        "dates": dates,
    }


DATES = {f"2024-05-{number}": day(number) for number in range(15, 31)}
FLIGHTS = [
    flight("HAT001", "JFK ATL", "20:00:00 01:00:00+1", DATES),
    flight("HAT002", "ATL SEA", "06:00:00 10:00:00", DATES),
    flight("HAT003", "ATL SEA", "04:00:00 09:00:00", {"2024-05-21": day(7)}),
    flight("HAT004", "JFK LGA", "08:00:00 09:00:00", DATES),
    flight("HAT005", "LGA SEA", "10:00:00 15:00:00", DATES),
]
USER = {
    "user_id": "ada_1",
    "name": {"first_name": "Ada", "last_name": "Li"},
    "address": {},
    "email": "ada@example.com",
    "dob": "1990-01-01",
    "payment_methods": {
        "credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
        "gift_card_2": {"source": "gift_card", "id": "gift_card_2", "amount": 500},
    },
    "saved_passengers": [],
    "membership": "gold",
    "reservations": [],
}


@pytest.fixture(scope="module")
def template() -> Template:
    return open_template(Base, {"users": [USER], "reservations": [], "flights": FLIGHTS})


@pytest.fixture
def db(template: Template) -> Iterator[Database]:
    database = template.clone()
    yield database
    database.close()


def booking(**changes: Any) -> Row:
    arguments = {
        "user_id": "ada_1",
        "origin": "JFK",
        "destination": "LGA",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "HAT004", "date": "2024-05-20"}],
        "passengers": [{"first_name": "Ada", "last_name": "Li", "dob": "1990-01-01"}],
        "payment_methods": [{"payment_id": "credit_card_1", "amount": 20}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return {**copy.deepcopy(arguments), **changes}


def search(db: Database, mode: Mode, day: str, *, tools: type[AirlineTools] = AirlineTools) -> Any:
    arguments = {"origin": "JFK", "destination": "SEA", "date": day}
    return tools(db, mode=mode).call("search_onestop_flight", arguments)


def shown(found: list[list[Row]]) -> list[tuple[str, str, int]]:
    return [(leg["flight_number"], leg["date"], leg["prices"]["economy"]) for pair in found for leg in pair]


def test_an_overnight_connection_shows_the_first_days_seats_and_prices_in_compat(db: Database) -> None:
    compat, strict = (json.loads(search(db, mode, "2024-05-21").content) for mode in ("compat", "strict"))
    day_one, day_two = "2024-05-21", "2024-05-22"
    same_day = [("HAT004", day_one, 21), ("HAT005", day_one, 21)]
    assert shown(compat) == [("HAT001", day_one, 21), ("HAT002", day_two, 21), *same_day]
    assert shown(strict) == [("HAT001", day_one, 21), ("HAT002", day_two, 22), *same_day]
    assert [leg["available_seats"]["business"] for pair in compat for leg in pair] == [21] * 4


def test_a_second_flight_that_does_not_fly_on_the_first_day_is_an_error_in_compat(db: Database) -> None:
    failed = search(db, "compat", "2024-05-20")
    assert (failed.ok, failed.error is not None and failed.error.kind) == (False, "python")
    found = json.loads(search(db, "strict", "2024-05-20").content)
    assert ("HAT003", "2024-05-21", 7) in shown(found)


def test_the_airports_are_the_benchmarks_list_in_its_order_in_compat(db: Database) -> None:
    listed = json.loads(AirlineTools(db, mode="compat").call("list_all_airports", {}).content)
    assert list(listed)[:3] == ["SFO", "JFK", "LAX"]
    assert list(listed)[-1] == "LGA"
    assert listed == PUBLIC_CITIES | {"LGA": "LaGuardia"}
    assert json.loads(AirlineTools(db).call("list_all_airports", {}).content)["LGA"] == "New York"


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("book_reservation", "flights"),
        ("book_reservation", "passengers"),
        ("book_reservation", "payment_methods"),
        ("update_reservation_flights", "flights"),
        ("update_reservation_passengers", "passengers"),
    ],
)
def test_keys_that_nobody_asked_for_are_taken_in_compat_and_stored(db: Database, tool: str, name: str) -> None:
    tools = AirlineTools(db, mode="compat")
    arguments = booking()
    if tool != "book_reservation":
        made = json.loads(tools.call("book_reservation", booking()).content)
        arguments = {"reservation_id": made["reservation_id"], "cabin": "economy", "payment_id": "credit_card_1"}
        arguments |= {"flights": booking()["flights"], "passengers": booking()["passengers"]}
        wanted = tools.specs[tool].arguments.model_fields
        arguments = {key: value for key, value in arguments.items() if key in wanted}
    more = {"origin": "nowhere", "note": ["kept"]}
    arguments[name] = [{**item, **more} for item in arguments[name]]
    result = tools.call(tool, json.dumps(arguments))
    assert result.ok, result.content
    row = db.get(Reservation, json.loads(result.content)["reservation_id"])
    assert row is not None
    stored = row["payment_history" if name == "payment_methods" else name]
    assert [item["note"] for item in stored] == [["kept"]]
    # What the tool fills in itself it fills in over what was given.
    assert stored[0]["origin"] == ("JFK" if name == "flights" else "nowhere")


@pytest.mark.parametrize("name", ["flights", "passengers", "payment_methods"])
def test_strict_refuses_keys_that_nobody_asked_for(db: Database, name: str) -> None:
    arguments = booking()
    arguments[name][0]["note"] = "extra"
    result = AirlineTools(db).call("book_reservation", arguments)
    assert not result.ok
    assert "note' is not known" in result.content


@pytest.mark.parametrize("missing", [("flights", "date"), ("passengers", "dob"), ("payment_methods", "amount")])
def test_what_a_tool_needs_of_a_nested_argument_is_an_error_where_it_is_missing(
    db: Database, missing: tuple[str, str]
) -> None:
    name, key = missing
    arguments = booking()
    del arguments[name][0][key]
    result = AirlineTools(db, mode="compat").call("book_reservation", arguments)
    # tau-bench never looks at a passenger's fields.
    assert result.ok is (name == "passengers")
    assert bool(db.changes()) is result.ok


# ids in strict mode


def state(template: Template, calls: list[tuple[str, Row]], tools: type[AirlineTools]) -> tuple[Any, Any]:
    """The ids after some calls."""
    database = template.clone()
    for name, arguments in calls:
        result = tools(database).call(name, json.dumps(arguments))
        assert result.ok, result.content
    user = database.get(User, "ada_1")
    assert user is not None
    rows = {row["reservation_id"]: (row["cabin"], row["total_baggages"]) for row in database.find(Reservation)}
    methods = {name: method.get("amount") for name, method in user["payment_methods"].items()}
    database.close()
    return rows, methods


@pytest.mark.parametrize("tools", [AirlineTools, AirlineTau2Tools])
def test_ids_do_not_depend_on_the_order_of_calls(template: Template, tools: type[AirlineTools]) -> None:
    calls = [
        ("book_reservation", booking()),
        ("book_reservation", booking(cabin="business")),
        ("book_reservation", booking(total_baggages=1)),
        ("send_certificate", {"user_id": "ada_1", "amount": 100}),
        ("send_certificate", {"user_id": "ada_1", "amount": 50}),
    ]
    states = [state(template, list(order), tools) for order in itertools.permutations(calls)]
    assert all(found == states[0] for found in states)
    assert len(states[0][0]) == 3


@pytest.mark.parametrize("spelling", [150, 150.0])
def test_ids_do_not_depend_on_how_a_number_is_written(template: Template, spelling: float) -> None:
    plain = state(template, [("send_certificate", {"user_id": "ada_1", "amount": 150})], AirlineTools)
    assert state(template, [("send_certificate", {"user_id": "ada_1", "amount": spelling})], AirlineTools) == plain
    paid = {"payment_methods": [{"payment_id": "credit_card_1", "amount": spelling - 130}]}
    assert state(template, [("book_reservation", booking(**paid))], AirlineTools) == state(
        template, [("book_reservation", booking())], AirlineTools
    )


def test_two_equal_bookings_have_ids_of_their_own(template: Template) -> None:
    rows, methods = state(template, [("book_reservation", booking())] * 2, AirlineTools)
    assert len(rows) == 2
    twice = [("send_certificate", {"user_id": "ada_1", "amount": 5})] * 2
    assert len(state(template, twice, AirlineTools)[1]) == len(methods) + 2
