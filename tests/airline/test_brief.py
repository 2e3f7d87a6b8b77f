"""Tool results in few words."""

from __future__ import annotations

import json

import pytest

from mua_env.core.messages import ToolMessage
from mua_env.envs.airline import domain
from mua_env.envs.airline.world_data import tables
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.users.agenda.user import AgendaUser

RESERVATIONS = tables()["reservations"]


def brief(tool: str, record: object) -> str:
    return str(domain.brief(tool, json.dumps(record, ensure_ascii=False)))


def test_a_reservation_keeps_what_rules_and_calls_need() -> None:
    for row in RESERVATIONS[:200]:
        text = brief("get_reservation_details", row)
        words = (
            "reservation_id",
            "user_id",
            "origin",
            "destination",
            "flight_type",
            "cabin",
            "created_at",
            "insurance",
        )
        assert all(row[word] in text for word in words)
        for flight in row["flights"]:
            assert f"{flight['flight_number']} {flight['origin']} {flight['destination']} {flight['date']}" in text
        for person in row["passengers"]:
            assert json.dumps(person) in text
        assert all(f"${line['amount']} by {line['payment_id']}" in text for line in row["payment_history"])
        assert f"bags {row['total_baggages']}, not free {row['nonfree_baggages']}" in text
        assert len(text) < 0.7 * len(json.dumps(row))


def test_a_profile_keeps_how_one_pays_and_what_is_booked() -> None:
    for user in tables()["users"][:200]:
        text = brief("get_user_details", {key: value for key, value in user.items() if key != "user_id"})
        assert user["membership"] in text
        for method in user["payment_methods"].values():
            assert f"pays {method['id']} " in text
            assert str(method.get("amount", method.get("last_four"))) in text
        assert all(f"reservation {name}" in text for name in user["reservations"])
        assert user["email"] not in text


@pytest.mark.parametrize("level", [1, 2, 3])
def test_every_result_in_the_expert_s_dialogues_can_be_told_in_few_words(level: int) -> None:
    setting = load_setting("airline", f"generate:level={level}:seed=3")
    session = Session(setting, AgendaUser())
    tools = set()
    for number in range(40):
        hold(session, domain.expert(), setting.tasks[number], seed=number)
        for entry in session.episode.entries:
            if isinstance(entry.message, ToolMessage):
                tools.add(entry.message.name)
                text = domain.brief(entry.message.name, entry.message.content)
                assert not text.startswith(('{"reservation', '{"name', "["))
                assert len(text) <= len(entry.message.content) or text == "none"
    session.close()
    assert tools >= {"get_user_details", "get_reservation_details", "cancel_reservation"}
    if level == 3:
        assert tools >= {"search_direct_flight", "search_onestop_flight", "update_reservation_flights"}


def test_flights_for_sale_say_when_and_for_how_much() -> None:
    prices = {"basic_economy": 60, "economy": 90, "business": 300}
    offer = {
        "flight_number": "AL100",
        "origin": "MSY",
        "destination": "MCI",
        "scheduled_departure_time_est": "06:00:00",
        "scheduled_arrival_time_est": "08:30:00",
        "status": "available",
        "available_seats": {"basic_economy": 0, "economy": 2, "business": 1},
        "prices": prices,
    }
    told = "AL100 MSY 06:00:00 MCI 08:30:00 economy $90 business $300"
    assert brief("search_direct_flight", [offer]) == told
    full = {**offer, "available_seats": dict.fromkeys(prices, 0)}
    assert brief("search_direct_flight", [full]) == "AL100 MSY 06:00:00 MCI 08:30:00 full"
    assert brief("search_direct_flight", []) == "none"
    dated = [{**offer, "date": "2025-03-30"}] * 2
    assert brief("search_onestop_flight", [dated]).count(" and AL100 MSY 06:00:00 MCI 08:30:00 2025-03-30") == 1


def test_errors_and_plain_answers_go_as_they_are() -> None:
    error = "Error: there is no reservation 'ABC123'"
    assert domain.brief("get_reservation_details", error) == error
    assert domain.brief("calculate", "12.5") == "12.5"


def test_another_world_has_other_customers() -> None:
    other = domain.in_world(1)
    data = other.data()
    assert (len(data["users"]), len(data["reservations"])) == (2000, 6000)
    assert {row["reservation_id"] for row in data["reservations"]}.isdisjoint(
        row["reservation_id"] for row in RESERVATIONS
    )
    assert other.world == "airline:world=1" != domain.world
    setting = load_setting("airline", "generate:level=1:world=1")
    assert setting.tasks[0].user_id in {row["user_id"] for row in data["users"]}
