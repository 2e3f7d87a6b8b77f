"""Every kind of value: what is said of it is read back as the same value, and another value is noticed."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from mua_env import DescribedDomain, Scope, kinds
from mua_env.domain.description.draws import Draw, Drawn
from mua_env.domain.description.rows import RowsSource, Tables
from mua_env.errors import DomainError, ToolError
from mua_env.users.agenda.described.language import VoiceSpeech
from mua_env.users.agenda.nlg.grammar import unmark
from mua_env.users.agenda.nlg.personas import PERSONAS, Voice

DRAWS = 60


class Nowhere:
    """A source that knows nothing."""

    def record(self, model: Any, key: Any) -> None:
        return None

    def own(self, kind: Any) -> list[Any]:
        return []

    def every(self, model: Any) -> list[Any]:
        return []

    def labels(self, kind: Any) -> None:
        return None

    def called(self, kind: Any, label: str) -> None:
        return None


NOTHING = Scope(Nowhere())


def draws(domain: DescribedDomain, seed: int = 1) -> list[tuple[Draw, Drawn]]:
    description, rng = domain.description, Random(seed)
    tables = Tables(description.rows)
    users = list(tables.by_key(description.users).values())
    found = []
    for number in range(DRAWS):
        intent = description.changes[number % len(description.changes)]
        draw = Draw(description, RowsSource(tables, rng.choice(users), description.user_key), rng)
        drawn = draw.values(intent)
        if drawn is not None:
            found.append((draw, drawn))
    assert len(found) > DRAWS // 3
    return found


def stated(domain: DescribedDomain, drawn: Drawn, raws: dict[str, Any] | None = None) -> str:
    locale = domain.description.locale()
    values = drawn.raws if raws is None else raws
    return locale.comma.join(
        locale.message("stated").format(
            noun=slot.kind.noun, value=slot.kind.state(values[slot.slot], drawn.scope, locale)
        )
        for slot in domain.description.asked(drawn.intent)
    )


def test_the_users_words_for_a_value_are_read_back(domain: DescribedDomain) -> None:
    description = domain.description
    for number, (_, drawn) in enumerate(draws(domain)):
        voice = VoiceSpeech(Voice(Random(number), PERSONAS["plain"]), description.locale())
        for slot in description.asked(drawn.intent):
            said = unmark(slot.kind.say(slot.kind.wanted(drawn.raws[slot.slot], drawn.scope), voice))
            read = slot.kind.find(said, drawn.scope)
            assert read == drawn.raws[slot.slot] or (
                read is not None
                and slot.kind.wanted(read, drawn.scope) == slot.kind.wanted(drawn.raws[slot.slot], drawn.scope)
            ), (slot.slot, said)


def test_a_right_proposal_fits_and_one_with_another_value_does_not(domain: DescribedDomain) -> None:
    description, noticed, changed = domain.description, 0, 0
    for draw, drawn in draws(domain):
        wanted = draw.wanted(drawn)
        language = domain.language
        right = f"I would do this: {stated(domain, drawn)}."
        assert language.compare(drawn.intent, wanted, right).fits, right
        for slot in description.asked(drawn.intent):
            other = slot.kind.draw(draw.rng, drawn.scope)
            depends = any(slot.record in each.kind.within for each in description.asked(drawn.intent))
            if other is None or depends:
                continue
            locale = description.locale()
            before = slot.kind.state(drawn.raws[slot.slot], drawn.scope, locale)
            after = slot.kind.state(other, drawn.scope, locale)
            if before == after:
                continue
            changed += 1
            text = f"I would do this: {stated(domain, drawn, {**drawn.raws, slot.slot: other})}."
            noticed += not language.compare(drawn.intent, wanted, text).fits
    assert changed > DRAWS // 3
    assert noticed >= 0.97 * changed


def test_what_the_user_knows_can_be_stored(domain: DescribedDomain) -> None:
    for draw, drawn in draws(domain, seed=2):
        wanted = draw.wanted(drawn)
        assert json.loads(json.dumps(wanted, ensure_ascii=False)) == wanted


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kinds.Key("order number", "@-###"), "about a-123, please", "A-123"),
        (kinds.Key("order number", "H#####"), "not H123456, H12345", "H12345"),
        (kinds.Key("order number", "H#####"), "订单H12345吗", "H12345"),
        (kinds.Email(), "it's Ann.Lee+x@example.co.uk.", "Ann.Lee+x@example.co.uk"),
        (kinds.Phone(), "call +49 30 123-4567 now", "+49 30 123-4567"),
        (kinds.Choice("room", ("single", "double")), "from a single to a double room", "double"),
        (kinds.Choice("room", ("desk", "desk lamp")), "the desk lamp", "desk lamp"),
        (kinds.Count("number of guests"), "We are three guests.", 3),
        (kinds.Count("number of guests"), "It's for 4.", 4),
        (kinds.Count("number of guests"), "number of guests: 12", 12),
        (kinds.Money("budget"), "$1,250 would do", 1250),
        (kinds.Money("budget"), "about 99.50 dollars", 99.5),
        (kinds.Money("budget"), "800元", 800),
        (kinds.Date("day"), "on 5 March", "2026-03-05"),
        (kinds.Date("day"), "March 5th, 2027", "2027-03-05"),
        (kinds.Date("day"), "2026/3/5", "2026-03-05"),
        (kinds.Date("day"), "3月5日", "2026-03-05"),
        (kinds.Time("hour"), "at 2:30 pm", "14:30"),
        (kinds.Time("hour"), "at 12 am", "00:00"),
        (kinds.Time("hour"), "14:05", "14:05"),
        (kinds.Time("hour"), "下午2点半", "14:30"),
        (kinds.YesNo("breakfast", "with breakfast", "without breakfast"), "Without breakfast, please.", False),
        (kinds.YesNo("breakfast", "with breakfast", "without breakfast"), "Yes, please.", True),
        (kinds.YesNo("breakfast", "with breakfast", "without breakfast"), "No.", False),
        (kinds.Text("title"), 'call it "Spring plans"', "Spring plans"),
        (kinds.Name(), "That's Ada O'Brien.", "Ada O'Brien"),
        (kinds.Name(), "That's S484870. That would be Eva Moss. Please hurry.", "Eva Moss"),
        (kinds.Name(), "我叫王芳。", "王芳"),
        (
            kinds.Place("address"),
            "That would be 66 Mill Road, Ripon 41653.",
            {"street": "66 Mill Road", "city": "Ripon", "zip": "41653"},
        ),
    ],
)
def test_a_value_is_found_however_it_is_written(kind: kinds.Kind, text: str, value: Any) -> None:
    assert kind.find(text, NOTHING) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kinds.Key("order number", "H#####"), "H1234 and H123456"),
        (kinds.Date("day"), "the 45 March of 2026-13-40"),
        (kinds.Count("number of guests"), "H12345 costs $3 or 4.50"),
        (kinds.Money("budget"), "room 12"),
        (kinds.Time("hour"), "room 25:70"),
        (kinds.Name(), "i don't know"),
        (kinds.Choice("room", ("single",)), "singles"),
    ],
)
def test_what_is_no_value_is_not_taken_for_one(kind: kinds.Kind, text: str) -> None:
    assert kind.find(text, NOTHING) is None


def test_two_dates_side_by_side_are_told_apart_by_their_nouns() -> None:
    text = "arrival date 2026-03-05, departure date 2026-03-09"
    arrival, departure = kinds.Date("arrival date"), kinds.Date("departure date")
    assert (arrival.verdict("2026-03-05", text), departure.verdict("2026-03-09", text)) == (True, True)
    assert (arrival.verdict("2026-03-09", text), departure.verdict("2026-03-05", text)) == (False, False)


def test_nothing_said_of_a_value_is_neither_right_nor_wrong() -> None:
    assert kinds.Date("day").verdict("2026-03-05", "Shall I go on?") is None


def test_a_key_without_a_shape_says_what_to_write() -> None:
    with pytest.raises(DomainError, match="H#####"):
        kinds.Key("order number").find("H12345", NOTHING)


def test_a_record_that_there_is_not_is_refused() -> None:
    with pytest.raises(ToolError, match="no date"):
        kinds.Date("day").record("yesterday", NOTHING)
    with pytest.raises(ToolError, match="no order number 'H1'"):
        kinds.Key("order number", "H#", of=object).record("H1", NOTHING)
