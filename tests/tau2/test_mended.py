"""Each fault of tau2's retail and airline tools, in compat as tau2 has it and in strict mended (docs/tau2.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mua_env.core.database import open_template
from mua_env.core.toolsets import Toolset
from mua_env.core.world import SQLWorld
from mua_env.domain.contract import load_domain
from mua_env.envs.airline import models as airline_models
from mua_env.envs.airline.tau2 import AirlineStage, AirlineTau2Tools
from mua_env.envs.retail import models as retail_models
from mua_env.envs.retail.tau2 import RetailStage, RetailTau2ReleaseTools, RetailTau2Tools

MODES = ("compat", "strict")


@pytest.fixture(scope="module")
def retail():
    template = open_template(retail_models.Base, load_domain("retail").data())
    yield {mode: SQLWorld(template, Toolset(RetailTau2Tools, stage=RetailStage), mode=mode) for mode in MODES}
    template.close()


@pytest.fixture(scope="module")
def airline():
    template = open_template(airline_models.Base, load_domain("airline").data())
    yield {mode: SQLWorld(template, Toolset(AirlineTau2Tools, stage=AirlineStage), mode=mode) for mode in MODES}
    template.close()


def call(world: SQLWorld, name: str, **arguments: Any) -> Any:
    result = world.call(name, arguments)
    assert result.ok, result.content
    try:
        return json.loads(result.content)
    except json.JSONDecodeError:
        return result.content


def fails(world: SQLWorld, name: str, **arguments: Any) -> bool:
    return not world.call(name, arguments).ok


def rows(world: SQLWorld, model: Any) -> list[dict[str, Any]]:
    world.load()
    return world.database.find(model)


def order(world: SQLWorld, status: str, *, items: int = 1, source: str | None = None) -> dict[str, Any]:
    """An order whose items are of different products that have other variants to choose."""
    users = {user["user_id"]: user for user in rows(world, retail_models.User)}
    for row in rows(world, retail_models.Order):
        products = {item["product_id"] for item in row["items"]}
        paid = row["payment_history"][0]["payment_method_id"]
        method = users[row["user_id"]]["payment_methods"][paid]["source"]
        if row["status"] == status and len(products) == len(row["items"]) >= items and source in (None, method):
            return row
    raise AssertionError(f"no order is {status}")


def other_variants(world: SQLWorld, row: dict[str, Any], count: int) -> tuple[list[str], list[str]]:
    old, new = [], []
    for item in row["items"][:count]:
        variants = world.database.get(retail_models.Product, item["product_id"])["variants"]
        old.append(item["item_id"])
        new.append(next(k for k, v in variants.items() if v["available"] and k != item["item_id"]))
    return old, new


def card_of(world: SQLWorld, row: dict[str, Any]) -> str:
    methods = world.database.get(retail_models.User, row["user_id"])["payment_methods"]
    return next((k for k, v in methods.items() if v["source"] != "gift_card"), next(iter(methods)))


@pytest.mark.parametrize("mode", MODES)
def test_each_changed_item_gets_its_own_price_and_options(retail, mode):
    world = retail[mode]
    row = order(world, "pending", items=2, source="credit_card")
    old, new = other_variants(world, row, 2)
    products = [world.database.get(retail_models.Product, item["product_id"])["variants"] for item in row["items"][:2]]
    wanted = [variants[item_id] for variants, item_id in zip(products, new, strict=True)]
    changed = call(
        world,
        "modify_pending_order_items",
        order_id=row["order_id"],
        item_ids=old,
        new_item_ids=new,
        payment_method_id=row["payment_history"][0]["payment_method_id"],
    )
    got = [(item["item_id"], item["price"], item["options"]) for item in changed["items"][:2]]
    own = [(item["item_id"], item["price"], item["options"]) for item in wanted]
    last = [(item["item_id"], wanted[-1]["price"], wanted[-1]["options"]) for item in wanted]
    assert got == (own if mode == "strict" else last)
    assert changed["status"] == "pending (item modified)"


@pytest.mark.parametrize("mode", MODES)
def test_the_difference_in_price_is_rounded_to_cents(retail, mode):
    world = retail[mode]
    found = set()
    for row in rows(world, retail_models.Order):
        if row["status"] != "pending" or len(row["items"]) < 2:
            continue
        world.load()
        old, new = other_variants(world, row, 2)
        result = world.call(
            "modify_pending_order_items",
            {
                "order_id": row["order_id"],
                "item_ids": old,
                "new_item_ids": new,
                "payment_method_id": card_of(world, row),
            },
        )
        if result.ok:
            amount = json.loads(result.content)["payment_history"][-1]["amount"]
            found.add(amount == round(amount, 2))
    assert found == ({True} if mode == "strict" else {True, False})


@pytest.mark.parametrize("mode", MODES)
def test_a_cancellation_pays_back_what_was_paid_in_sum(retail, mode):
    world = retail[mode]
    for row in rows(world, retail_models.Order):
        methods = world.database.get(retail_models.User, row["user_id"])["payment_methods"]
        paid = row["payment_history"][0]["payment_method_id"]
        new = next((k for k, v in methods.items() if k != paid and v["source"] != "gift_card"), None)
        if row["status"] == "pending" and new is not None:
            break
    call(world, "modify_pending_order_payment", order_id=row["order_id"], payment_method_id=new)
    cancelled = call(world, "cancel_pending_order", order_id=row["order_id"], reason="no longer needed")
    history = cancelled["payment_history"]
    assert len(history) == (4 if mode == "strict" else 6)
    if mode == "strict":
        assert (history[-1]["payment_method_id"], history[-1]["transaction_type"]) == (new, "refund")


def test_address_and_payment_of_an_order_with_changed_items_can_be_changed_but_not_its_items_again(retail):
    for world in retail.values():
        row = order(world, "pending", items=1)
        old, new = other_variants(world, row, 1)
        arguments = {"order_id": row["order_id"], "payment_method_id": card_of(world, row)}
        assert fails(world, "modify_pending_order_items", **arguments, item_ids=old, new_item_ids=old)
        call(world, "modify_pending_order_items", **arguments, item_ids=old, new_item_ids=new)
        address = {"address1": "1 A St", "address2": "", "city": "B", "state": "CA", "country": "USA", "zip": "94016"}
        assert call(world, "modify_pending_order_address", order_id=row["order_id"], **address)["address"] == address
        assert fails(world, "modify_pending_order_items", **arguments, item_ids=new, new_item_ids=old)
        assert fails(world, "cancel_pending_order", order_id=row["order_id"], reason="no longer needed")


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_list_of_items_and_a_blank_address_are_refused(retail, mode):
    world = retail[mode]
    row = order(world, "delivered")
    paid = row["payment_history"][0]["payment_method_id"]
    blank = {"address1": "", "address2": "", "city": " ", "state": "", "country": "", "zip": ""}
    arguments = {"order_id": row["order_id"], "item_ids": [], "payment_method_id": paid}
    assert fails(world, "return_delivered_order_items", **arguments) is (mode == "strict")
    assert fails(world, "modify_user_address", user_id=row["user_id"], **blank) is (mode == "strict")


@pytest.mark.parametrize("mode", MODES)
def test_the_types_of_arguments_are_checked(retail, mode):
    world = retail[mode]
    world.load()
    assert fails(world, "transfer_to_human_agents", summary=5) is (mode == "strict")
    # Neither takes what does not fit, and neither breaks.
    for arguments in ({}, {"order_id": 5}, {"order_id": ["x"]}, {"order_id": "#W1", "more": 1}):
        assert fails(world, "get_order_details", **arguments)
    assert fails(world, "cancel_pending_order", order_id=order(world, "pending")["order_id"], reason="bored")
    assert fails(world, "calculate", expression="5 % 3")
    assert not world.call("get_order_details", "{").ok
    assert not world.call("get_order_details", "[]").ok


def test_the_later_release_has_a_tool_for_an_item_and_neither_has_one_to_think(retail):
    assert RetailTau2Tools.specs.keys() - RetailTau2ReleaseTools.specs.keys() == {"get_item_details"}
    assert "think" not in RetailTau2ReleaseTools.specs
    assert not any(spec.terminal for spec in RetailTau2Tools.specs.values())
    world = retail["compat"]
    product = rows(world, retail_models.Product)[3]
    item_id, variant = next(iter(product["variants"].items()))
    assert call(world, "get_item_details", item_id=item_id) == variant
    assert fails(world, "get_item_details", item_id=product["product_id"])


def test_initial_data_is_merged_into_the_records(retail):
    world = retail["compat"]
    user = rows(world, retail_models.User)[0]
    data = {"users": {user["user_id"]: {"address": {"city": "Elsewhere"}}, "new_1": {**user, "user_id": "new_1"}}}
    assert world.call("merge_data", {"agent_data": data}, requestor="world").ok
    found = call(world, "get_user_details", user_id=user["user_id"])
    assert found["address"] == {**user["address"], "city": "Elsewhere"}
    assert call(world, "get_user_details", user_id="new_1")["email"] == user["email"]
    assert not world.call("merge_data", {"agent_data": {"nothing": {}}}, requestor="world").ok


# Airline


def reservation(world: SQLWorld) -> dict[str, Any]:
    """One whose flights are all still for sale, paid with a credit card of a user who has one."""
    flights = {row["flight_number"]: row for row in rows(world, airline_models.Flight)}
    for row in world.database.find(airline_models.Reservation):
        days = [flights[leg["flight_number"]]["dates"].get(leg["date"], {}) for leg in row["flights"]]
        if row.get("status") is None and all(day.get("status") == "available" for day in days) and card(world, row):
            return row
    raise AssertionError("no reservation can be changed")


def card(world: SQLWorld, row: dict[str, Any]) -> str | None:
    methods = world.database.get(airline_models.User, row["user_id"])["payment_methods"]
    return next((key for key, method in methods.items() if method["source"] == "credit_card"), None)


def seats(world: SQLWorld, leg: dict[str, Any], cabin: str) -> int:
    flight = world.database.get(airline_models.Flight, leg["flight_number"])
    return int(flight["dates"][leg["date"]]["available_seats"][cabin])


def book(world: SQLWorld, row: dict[str, Any], *, amount: Any = None, **changes: Any) -> Any:
    """A booking of the same flights in economy by the same user, alone."""
    flights = [{"flight_number": leg["flight_number"], "date": leg["date"]} for leg in row["flights"]]
    price = sum(
        world.database.get(airline_models.Flight, leg["flight_number"])["dates"][leg["date"]]["prices"]["economy"]
        for leg in flights
    )
    arguments = {
        "user_id": row["user_id"],
        "origin": row["origin"],
        "destination": row["destination"],
        "flight_type": row["flight_type"],
        "cabin": "economy",
        "flights": flights,
        "passengers": row["passengers"][:1],
        "payment_methods": [{"payment_id": card(world, row), "amount": price if amount is None else amount}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return world.call("book_reservation", {**arguments, **changes})


@pytest.mark.parametrize("mode", MODES)
def test_seats_are_taken_by_bookings_and_released_by_cancellations(airline, mode):
    world = airline[mode]
    row = reservation(world)
    leg = row["flights"][0]
    before = seats(world, leg, "economy")
    booked = json.loads(book(world, row).content)
    assert seats(world, leg, "economy") == before - 1
    assert booked["status"] is None
    call(world, "cancel_reservation", reservation_id=booked["reservation_id"])
    assert seats(world, leg, "economy") == (before if mode == "strict" else before - 1)


@pytest.mark.parametrize("mode", MODES)
def test_a_cancelled_reservation_stays_as_it_is(airline, mode):
    world = airline[mode]
    row = reservation(world)
    call(world, "cancel_reservation", reservation_id=row["reservation_id"])
    assert fails(world, "cancel_reservation", reservation_id=row["reservation_id"]) is (mode == "strict")


@pytest.mark.parametrize("mode", MODES)
def test_numbers_below_nothing_are_refused(airline, mode):
    world = airline[mode]
    row = reservation(world)
    assert fails(world, "send_certificate", user_id=row["user_id"], amount=-5) is (mode == "strict")
    bags = {"total_baggages": -1, "nonfree_baggages": -2, "payment_id": card(world, row)}
    refused = fails(world, "update_reservation_baggages", reservation_id=row["reservation_id"], **bags)
    assert refused is (mode == "strict")


@pytest.mark.parametrize("mode", MODES)
def test_new_ids_do_not_run_out(airline, mode):
    world = airline[mode]
    row = reservation(world)
    found = [call(world, "send_certificate", user_id=row["user_id"], amount=10) for _ in range(3)]
    assert all(text.endswith("with amount 10.") for text in found)
    assert fails(world, "send_certificate", user_id=row["user_id"], amount=10) is (mode == "compat")
    for _ in range(3):
        assert book(world, row).ok
    assert book(world, row).ok is (mode == "strict")


@pytest.mark.parametrize("mode", MODES)
def test_the_day_after_the_last_of_a_month_is_the_first_of_the_next(airline, mode):
    world = airline[mode]
    overnight = [row for row in rows(world, airline_models.Flight) if "+1" in row["scheduled_arrival_time_est"]]
    days = {
        pair[1]["date"]
        for first in overnight
        for second in world.database.find(airline_models.Flight, airline_models.Flight.origin == first["destination"])
        for day in ("2025-03-31",)
        if first["dates"].get(day, {}).get("status") == "available"
        for pair in call(
            world, "search_onestop_flight", origin=first["origin"], destination=second["destination"], date=day
        )
        if pair[0]["flight_number"] == first["flight_number"]
    }
    assert days == ({"2025-04-01"} if mode == "strict" else set())


@pytest.mark.parametrize("mode", MODES)
def test_an_airport_must_be_named(airline, mode):
    world = airline[mode]
    row = reservation(world)
    leg = row["flights"][0]
    arguments = {"origin": None, "destination": leg["destination"], "date": leg["date"]}
    assert fails(world, "search_direct_flight", **arguments) is (mode == "strict")


def test_what_both_modes_share_with_tau2(airline):
    for world in airline.values():
        row = reservation(world)
        leg = row["flights"][0]
        assert call(world, "get_user_details", user_id=row["user_id"])["user_id"] == row["user_id"]
        assert call(world, "get_reservation_details", reservation_id=row["reservation_id"])["status"] is None
        status = call(world, "get_flight_status", flight_number=leg["flight_number"], date=leg["date"])
        assert status == "available"
        assert fails(world, "get_flight_status", flight_number=leg["flight_number"], date="1999-01-01")
        airports = call(world, "list_all_airports")
        assert (len(airports), set(airports[0])) == (20, {"iata", "city"})
        legs = [{"flight_number": part["flight_number"], "date": part["date"]} for part in row["flights"]]
        changed = call(
            world,
            "update_reservation_flights",
            reservation_id=row["reservation_id"],
            cabin="business" if row["cabin"] != "business" else "economy",
            flights=legs,
            payment_id=card(world, row),
        )
        assert changed["cabin"] != row["cabin"]
    assert "think" not in AirlineTau2Tools.specs
    assert not any(spec.terminal for spec in AirlineTau2Tools.specs.values())


def test_compat_reads_nested_arguments_as_loosely_as_tau2(airline):
    world = airline["compat"]
    row = reservation(world)
    people = [{**person, "seat": "1A"} for person in row["passengers"]]
    reached = call(world, "update_reservation_passengers", reservation_id=row["reservation_id"], passengers=people)
    assert reached["passengers"] == [dict(person) for person in row["passengers"]]
    assert fails(world, "update_reservation_passengers", reservation_id=row["reservation_id"], passengers=[{}])
    assert book(world, row, nonfree_baggages="1").ok is False
    assert book(world, row, cabin="first").ok is False
    strict = airline["strict"]
    assert fails(
        strict, "update_reservation_passengers", reservation_id=reservation(strict)["reservation_id"], passengers=people
    )
