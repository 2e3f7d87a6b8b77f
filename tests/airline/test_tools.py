"""The airline tools on the own data: schemas, rules they enforce, and the public faults that strict mends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mua_env.core.database import Database, Template, open_template
from mua_env.envs.airline import world_data as data
from mua_env.envs.airline.models import Base, Flight, Reservation, User
from mua_env.envs.airline.search import next_day
from mua_env.envs.airline.tools import AirlineTools

Row = dict[str, Any]

FOURTEEN = [
    "book_reservation",
    "calculate",
    "cancel_reservation",
    "get_reservation_details",
    "get_user_details",
    "list_all_airports",
    "search_direct_flight",
    "search_onestop_flight",
    "send_certificate",
    "think",
    "transfer_to_human_agents",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
]


@pytest.fixture(scope="module")
def template() -> Template:
    return open_template(Base, data.tables())


@pytest.fixture
def db(template: Template) -> Iterator[Database]:
    database = template.clone()
    yield database
    database.close()


def future(cabin: str, *, seats: int = 5, spare: str = "business") -> Row:
    """A reservation whose flights are all for sale, with seats in its cabin and a spare one; paid by card."""
    flights = {row["flight_number"]: row for row in data.tables()["flights"]}
    for row in data.tables()["reservations"]:
        days = [flights[leg["flight_number"]]["dates"][leg["date"]] for leg in row["flights"]]
        if row["cabin"] != cabin or not row["payment_history"][0]["payment_id"].startswith("credit"):
            continue
        if all(
            day["status"] == "available" and min(day["available_seats"][c] for c in (cabin, spare)) >= seats
            for day in days
        ):
            return row
    raise AssertionError("the data holds no such reservation")


def legs_of(row: Row) -> list[Row]:
    return [{"flight_number": leg["flight_number"], "date": leg["date"]} for leg in row["flights"]]


def seats(db: Database, leg: Row, cabin: str) -> int:
    flight = db.get(Flight, leg["flight_number"])
    assert flight is not None
    return int(flight["dates"][leg["date"]]["available_seats"][cabin])


def ok(tools: AirlineTools, name: str, **arguments: Any) -> Any:
    result = tools.call(name, arguments)
    assert result.ok, result.content
    return json.loads(result.content) if result.content.startswith(("{", "[")) else result.content


def refused(tools: AirlineTools, name: str, **arguments: Any) -> str:
    before = tools.db.changes()
    result = tools.call(name, arguments)
    assert not result.ok, result.content
    assert tools.db.changes() == before
    return result.content


def booking(row: Row, **changes: Any) -> Row:
    """Arguments that book the flights of a reservation again, for one passenger."""
    price = sum(leg["price"] for leg in row["flights"])
    arguments = {
        "user_id": row["user_id"],
        "origin": row["origin"],
        "destination": row["destination"],
        "flight_type": row["flight_type"],
        "cabin": row["cabin"],
        "flights": legs_of(row),
        "passengers": row["passengers"][:1],
        "payment_methods": [{"payment_id": row["payment_history"][0]["payment_id"], "amount": price}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return {**arguments, **changes}


def test_the_fourteen_tools_show_nested_schemas_whole() -> None:
    schemas = {schema["function"]["name"]: schema["function"] for schema in AirlineTools.schemas()}
    assert sorted(schemas) == FOURTEEN
    assert "$ref" not in json.dumps(list(schemas.values()))
    fields = schemas["book_reservation"]["parameters"]["properties"]
    assert set(fields["flights"]["items"]["properties"]) == {"flight_number", "date"}
    assert set(fields["passengers"]["items"]["properties"]) == {"first_name", "last_name", "dob"}
    assert set(fields["payment_methods"]["items"]["properties"]) == {"payment_id", "amount"}
    assert fields["cabin"]["enum"] == ["basic_economy", "economy", "business"]
    assert all(schema["description"] for schema in schemas.values())


def test_flights_index_is_used_for_routes(db: Database) -> None:
    from sqlalchemy import text

    plan = db.execute(text("EXPLAIN QUERY PLAN SELECT * FROM flights WHERE origin='AUS' AND destination='BNA'"))
    assert "flights_by_route" in str(plan.all())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cabin", "first"),
        ("passengers", [{"first_name": "A", "last_name": "B"}]),
        ("flights", [{"flight_number": "AL100", "date": "2025-03-30", "seat": "1A"}]),
        ("payment_methods", [{"payment_id": "credit_card_1", "amount": "100"}]),
        ("total_baggages", "2"),
    ],
)
def test_nested_arguments_are_validated_and_the_field_is_named(db: Database, field: str, value: Any) -> None:
    assert field in refused(AirlineTools(db), "book_reservation", **booking(future("economy"), **{field: value}))


def test_booking_charges_takes_seats_and_gives_an_id_of_its_own(db: Database) -> None:
    row = future("economy")
    tools = AirlineTools(db)
    before = seats(db, row["flights"][0], "economy")
    made = ok(tools, "book_reservation", **booking(row))
    assert db.get(Reservation, made["reservation_id"]) == made
    assert seats(db, row["flights"][0], "economy") == before - 1
    user = db.get(User, row["user_id"])
    assert user is not None
    assert user["reservations"][-1] == made["reservation_id"]
    again = ok(tools, "book_reservation", **booking(row))
    assert again["reservation_id"] != made["reservation_id"]


def test_compat_bookings_take_no_seats_and_the_fourth_overwrites_the_third(db: Database) -> None:
    row = future("economy")
    tools = AirlineTools(db, mode="compat")
    before = seats(db, row["flights"][0], "economy")
    ids = [ok(tools, "book_reservation", **booking(row))["reservation_id"] for _ in range(4)]
    assert ids == ["HATHAT", "HATHAU", "HATHAV", "HATHAV"]
    assert seats(db, row["flights"][0], "economy") == before


def test_booking_ids_do_not_depend_on_the_order_of_calls(template: Template) -> None:
    one, other = future("economy"), future("business")
    results = []
    for order in ((one, other), (other, one)):
        db = template.clone()
        for row in order:
            ok(AirlineTools(db), "book_reservation", **booking(row))
        results.append({key: value for key, value in db.changes().items() if key[0] == "reservations"})
        db.close()
    assert results[0] == results[1]


def test_a_booking_shares_nothing_with_its_arguments(db: Database) -> None:
    arguments = booking(future("economy"))
    copy = json.loads(json.dumps(arguments))
    tools = AirlineTools(db, mode="compat")
    made = ok(tools, "book_reservation", **arguments)
    ok(tools, "cancel_reservation", reservation_id=made["reservation_id"])
    assert arguments == copy


def test_payments_must_exist_suffice_and_come_to_the_price(db: Database) -> None:
    row, tools = future("economy"), AirlineTools(db)
    card = row["payment_history"][0]["payment_id"]
    price = sum(leg["price"] for leg in row["flights"])
    assert f"the price is {price}" in refused(
        tools, "book_reservation", **booking(row, payment_methods=[{"payment_id": card, "amount": price - 1}])
    )
    assert "not in the user's profile" in refused(
        tools,
        "book_reservation",
        **booking(row, payment_methods=[{"payment_id": "gift_card_1", "amount": price}]),
    )
    assert "more than 0" in refused(
        tools,
        "book_reservation",
        **booking(
            row,
            payment_methods=[{"payment_id": card, "amount": price + 9}, {"payment_id": card, "amount": -9}],
        ),
    )


@pytest.mark.parametrize("mode", ["strict", "compat"])
def test_a_cabin_change_sets_the_cabin_only_in_strict(db: Database, mode: Any) -> None:
    row = future("economy")
    tools = AirlineTools(db, mode=mode)
    leg = row["flights"][0]
    economy, business = seats(db, leg, "economy"), seats(db, leg, "business")
    result = ok(
        tools,
        "update_reservation_flights",
        reservation_id=row["reservation_id"],
        cabin="business",
        flights=legs_of(row),
        payment_id=row["payment_history"][0]["payment_id"],
    )
    heads = len(row["passengers"])
    flight = db.get(Flight, leg["flight_number"])
    assert flight is not None
    assert result["flights"][0]["price"] == flight["dates"][leg["date"]]["prices"]["business"]
    assert result["cabin"] == ("business" if mode == "strict" else "economy")
    moved = heads if mode == "strict" else 0
    assert (seats(db, leg, "economy"), seats(db, leg, "business")) == (economy + moved, business - moved)
    due = sum(new["price"] - old["price"] for new, old in zip(result["flights"], row["flights"], strict=True)) * heads
    assert result["payment_history"][-1]["amount"] == due


@pytest.mark.parametrize("mode", ["strict", "compat"])
def test_a_cancelled_reservation_is_closed_in_strict(db: Database, mode: Any) -> None:
    row = future("business")
    tools = AirlineTools(db, mode=mode)
    leg = row["flights"][0]
    before = seats(db, leg, "business")
    result = ok(tools, "cancel_reservation", reservation_id=row["reservation_id"])
    assert result["status"] == "cancelled"
    assert sum(paid["amount"] for paid in result["payment_history"]) == 0
    assert seats(db, leg, "business") == before + (len(row["passengers"]) if mode == "strict" else 0)
    if mode == "strict":
        assert "is cancelled" in refused(tools, "cancel_reservation", reservation_id=row["reservation_id"])
    else:
        ok(tools, "cancel_reservation", reservation_id=row["reservation_id"])


@pytest.mark.parametrize("mode", ["strict", "compat"])
def test_certificates_get_ids_of_their_own_in_strict(db: Database, mode: Any) -> None:
    tools = AirlineTools(db, mode=mode)
    user_id = data.tables()["users"][0]["user_id"]
    before = len(data.tables()["users"][0]["payment_methods"])
    for _ in range(4):
        tools.call("send_certificate", {"user_id": user_id, "amount": 100})
    user = db.get(User, user_id)
    assert user is not None
    assert len(user["payment_methods"]) == before + (4 if mode == "strict" else 3)
    if mode == "strict":
        assert "more than 0" in refused(tools, "send_certificate", user_id=user_id, amount=-5)


def test_bags_are_charged_only_when_newly_paid_for(db: Database) -> None:
    row, tools = future("economy"), AirlineTools(db)
    card = row["payment_history"][0]["payment_id"]
    common = {"reservation_id": row["reservation_id"], "payment_id": card}
    result = ok(tools, "update_reservation_baggages", total_baggages=9, nonfree_baggages=2, **common)
    assert result["payment_history"][-1] == {"payment_id": card, "amount": 100}
    again = ok(tools, "update_reservation_baggages", total_baggages=9, nonfree_baggages=2, **common)
    assert again["payment_history"] == result["payment_history"]
    assert "between 0 and the total" in refused(
        tools, "update_reservation_baggages", total_baggages=1, nonfree_baggages=2, **common
    )


def test_certificates_cannot_pay_for_changes(db: Database) -> None:
    row, tools = future("economy"), AirlineTools(db)
    ok(tools, "send_certificate", user_id=row["user_id"], amount=5000)
    user = db.get(User, row["user_id"])
    assert user is not None
    (certificate,) = [key for key, method in user["payment_methods"].items() if method.get("amount") == 5000]
    assert "cannot pay for a change" in refused(
        tools,
        "update_reservation_flights",
        reservation_id=row["reservation_id"],
        cabin="business",
        flights=legs_of(row),
        payment_id=certificate,
    )


def test_the_number_of_passengers_cannot_change(db: Database) -> None:
    row, tools = future("economy"), AirlineTools(db)
    more = [*row["passengers"], {"first_name": "Zoe", "last_name": "Quist", "dob": "1990-01-02"}]
    assert "the number cannot change" in refused(
        tools, "update_reservation_passengers", reservation_id=row["reservation_id"], passengers=more
    )
    fewer_error = refused(tools, "update_reservation_passengers", reservation_id="NOPE00", passengers=more)
    assert "no reservation has the id 'NOPE00'" in fewer_error


def test_connections_past_midnight_cross_the_end_of_a_month_in_strict(template: Template) -> None:
    strict, compat = AirlineTools(template.clone()), AirlineTools(template.clone(), mode="compat")
    last = "2025-03-31"
    found = []
    for origin in ok(strict, "list_all_airports"):
        for destination in ok(strict, "list_all_airports"):
            query = {"origin": origin, "destination": destination, "date": last}
            pairs = ok(strict, "search_onestop_flight", **query)
            found += [pair for pair in pairs if pair[1]["date"] != last]
            assert all(pair[1]["date"] == last for pair in ok(compat, "search_onestop_flight", **query))
            for first, second in pairs:
                arrival = first["scheduled_arrival_time_est"]
                assert second["date"] == (next_day(last) if arrival.endswith("+1") else last)
                assert arrival.removesuffix("+1") <= second["scheduled_departure_time_est"]
    assert found
    strict.db.close()
    compat.db.close()


def test_searches_list_only_what_is_for_sale(db: Database) -> None:
    tools = AirlineTools(db)
    assert ok(tools, "search_direct_flight", origin="AUS", destination="BNA", date=data.TODAY) == []
    flight = next(row for row in data.tables()["flights"] if row["dates"]["2025-03-30"]["status"] == "available")
    offers = ok(
        tools,
        "search_direct_flight",
        origin=flight["origin"],
        destination=flight["destination"],
        date="2025-03-30",
    )
    assert flight["flight_number"] in [offer["flight_number"] for offer in offers]
    assert "dates" not in offers[0]


def test_a_sold_out_flight_changes_nothing(db: Database) -> None:
    for flight in data.tables()["flights"]:
        day = flight["dates"]["2025-03-30"]
        if day["status"] == "available" and day["available_seats"]["economy"] == 0:
            break
    row = future("economy")
    arguments = booking(row, flights=[*legs_of(row), {"flight_number": flight["flight_number"], "date": "2025-03-30"}])
    assert "0 seats left in economy" in refused(AirlineTools(db), "book_reservation", **arguments)


def test_calculate_think_and_transfer(db: Database) -> None:
    tools = AirlineTools(db)
    assert ok(tools, "calculate", expression="2 * (30 + 50)") == "160.0"
    assert "Error" in refused(tools, "calculate", expression="9**9**9")
    assert ok(tools, "think", thought="hm") == ""
    assert ok(tools, "transfer_to_human_agents", summary="x") == "Transfer successful"
    assert AirlineTools.specs["transfer_to_human_agents"].terminal
    assert tools.db.changes() == {}


def test_data_is_the_same_every_time() -> None:
    first = json.dumps(data.tables())
    data.tables.cache_clear()
    assert json.dumps(data.tables()) == first
    assert [len(rows) for rows in data.tables().values()] == [500, 1500, len(data.tables()["flights"])]
    assert 270 <= len(data.tables()["flights"]) <= 330
