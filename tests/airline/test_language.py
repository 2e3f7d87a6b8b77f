"""What the agenda user understands of an agent's text in the airline domain, and how it speaks."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from mua_env.envs.airline import domain
from mua_env.envs.airline.language import matching
from mua_env.envs.airline.language.intents import INTENTS, WISHES
from mua_env.users.agenda.nlg.grammar import unmark
from mua_env.users.agenda.nlg.personas import Voice, persona
from mua_env.users.agenda.nlu.dialogue_acts import understand

LANGUAGE = domain.language
TWO = [{"id": "certificate_7654321"}, {"id": "credit_card_1234567", "last_four": "4603"}]


def utterances() -> list[tuple[str, str, str]]:
    lines = Path(__file__).with_name("utterances.txt").read_text().splitlines()
    rows = [line.split(" | ", 2) for line in lines if line and not line.startswith("#")]
    return [(intent, acts, text.replace("\\n", "\n")) for intent, acts, text in rows]


@pytest.mark.parametrize(("intent", "expected", "text"), utterances())
def test_an_utterance_is_understood(intent: str, expected: str, text: str) -> None:
    given = {} if "user_id" in expected else {"user_id": 1}
    acts = understand(text, LANGUAGE, given=given, intent=intent)
    if expected.startswith("asked:"):
        assert set(acts.asked) == set(expected.removeprefix("asked:").split(","))
        assert not acts.confirm
    elif expected == "confirm":
        assert acts.confirm
        assert not acts.refused
        assert INTENTS[intent].named_pattern.search(acts.text)
    elif expected == "done":
        assert any(INTENTS[intent].done_pattern.search(claim) for claim in acts.done)
    else:
        assert acts.refused or acts.unavailable
        assert acts.reason
        assert not acts.done


@pytest.mark.parametrize(
    ("slots", "text", "wrong"),
    [
        ({"reservation_id": "KV7XP3"}, "I will cancel reservation KV7XP3.", ()),
        ({"reservation_id": "KV7XP3"}, "I will cancel reservation 4D5YJW.", ("reservation_id",)),
        ({"cabin": "economy"}, "change the cabin to basic economy", ("cabin",)),
        ({"cabin": "economy"}, "change from basic economy to economy", ()),
        ({"date": "2025-04-02"}, "the flight on April 2nd", ()),
        ({"date": "2025-04-02"}, "the flight on 3 April", ("date",)),
        ({"bags": 2}, "add two checked bags", ()),
        ({"bags": 2}, "add 3 bags", ("bags",)),
        ({"insurance": "no"}, "with travel insurance", ("insurance",)),
        ({"insurance": "no"}, "without travel insurance", ()),
        ({"payment": [{"id": "credit_card_1234567", "last_four": "4603"}]}, "your card ending in 4603", ()),
        ({"payment": [{"id": "credit_card_1234567", "last_four": "4603"}]}, "the card ending in 1111", ("payment",)),
        ({"payment": TWO}, "$400 with certificate_7654321", ()),
        ({"payment": TWO}, "$400 with your card ending in 4603", ("payment",)),
        ({"payment": [{"id": "credit_card_1234567", "brand": "visa"}]}, "your Mastercard", ("payment",)),
        ({"passenger": "Anouk Kruger"}, "replace the passenger Iris Blom with", ("passenger",)),
        ({"passenger": "Anouk Kruger"}, "replace Anouk Kruger with Iris Blom", ()),
        ({"destination": "TPA"}, "a flight from Austin to Tampa", ()),
        ({"destination": "TPA"}, "a flight from Austin to Tucson", ("destination",)),
        (
            {"new_passenger": {"first_name": "Kaja", "last_name": "Banerjee", "dob": "1997-11-08"}},
            "replace Leila Novak with Elsa Weber",
            ("new_passenger",),
        ),
    ],
)
def test_wrong_values_are_noticed(slots: dict[str, object], text: str, wrong: tuple[str, ...]) -> None:
    assert LANGUAGE.compare("book_flight", slots, text).wrong == wrong


def test_a_flight_cancelled_by_the_airline_is_no_claim_to_have_cancelled() -> None:
    done = INTENTS["cancel_reservation"].done_pattern
    assert done.search("Your reservation KV7XP3 has been cancelled.")
    assert done.search("Your flight was successfully canceled.")
    assert not done.search("reason: a flight was cancelled by the airline")
    assert not done.search("I see that the airline has cancelled one of your flights.")


def test_values_are_found_in_text() -> None:
    assert matching.reservation_ids("Reservation KV7XP3, flight HAT123, NOT PLEASE") == ["KV7XP3"]
    assert matching.cabins("from basic economy to business") == ["basic_economy", "business"]
    assert matching.airport_codes("from Portland to TPA") == ["PDX", "TPA"]
    assert [found[1:] for found in matching.travel_days("on May 3rd, 2025-04-02 (born 1990-01-02), 5 June")] == [
        (5, 3),
        (4, 2),
        (6, 5),
    ]
    assert matching.bag_counts("two bags and 1 extra checked bag, no suitcases") == [2, 1, 0]
    assert matching.method_ids("gift card 1234567 and credit_card_7654321") == [
        "gift_card_1234567",
        "credit_card_7654321",
    ]


@pytest.mark.parametrize("key", sorted(WISHES))
def test_the_expert_reads_every_wish_through_noise(key: str) -> None:
    from mua_env.envs.airline.expert_reading import intent
    from mua_env.users.agenda.nlg.phrases import phrase

    name, _, topic = key.partition(":")
    slots = {"topic": topic, **({"cabin": "economy"} if topic == "cabin" else {})}
    heard = 0
    for seed in range(60):
        voice = Voice(Random(seed), persona("plain"), 0.2)
        text = voice.speak([phrase("next", voice, wish=LANGUAGE.wish(name, slots, voice))])
        heard += intent(text) == key
        # A misread wish is asked for again; a wrong one would be acted on.
        assert intent(text) in (key, None), text
    assert heard >= 54


def test_the_user_names_what_it_knows() -> None:
    voice = Voice(Random(1), persona("terse"))
    slots = {
        "passengers": [{"first_name": "Ada", "last_name": "Blom", "dob": "1990-01-02"}],
        "route": ["PDX", "TPA"],
        "bags": 1,
    }
    assert unmark(LANGUAGE.value("passengers", slots, voice) or "") == "Ada Blom, born 1990-01-02"
    assert unmark(LANGUAGE.value("bags", slots, voice) or "") == "1 checked bag"
    assert LANGUAGE.value("cabin", slots, voice) is None
    assert "Portland to Tampa" in unmark(LANGUAGE.hint("reservation_id", slots, voice) or "")
