"""An agent's text in segments: sentences and items with their place, on whatever markdown a model writes."""

from __future__ import annotations

import pytest

from mua_env.users.agenda.nlu.segments import MOST_SEGMENTS, Segment, segments


def texts(text: str) -> list[str]:
    return [segment.text for segment in segments(text)]


def only(text: str, words: str) -> Segment:
    (found,) = [segment for segment in segments(text) if words in segment.text]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 3.50. Is that fine?", ["It costs 3.50.", "Is that fine?"]),
        (
            "Dr. No lives at St. Paul Ave. 3, i.e. here. Right?",
            ["Dr. No lives at St. Paul Ave. 3, i.e. here.", "Right?"],
        ),
        ("Shall I do it? (yes/no) Thanks.", ["Shall I do it? (yes/no) Thanks."]),
        ('He said "done." Then he left.', ['He said "done.', "Then he left."]),
        ("好的。订单号是什么？谢谢！", ["好的。", "订单号是什么？", "谢谢！"]),  # noqa: RUF001
        ("**Order:** `#W1` is _pending_", ["Order: #W1 is pending"]),
        ("", []),
        ("***\n\n---\n", []),
    ],
)
def test_text_is_cut_at_the_ends_of_sentences(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize("bullet", ["- ", "* ", "\u2022 ", "+ ", "1. ", "1) ", "(1) ", "a) ", "**1.** ", "2.", "1、"])
def test_an_item_knows_what_introduces_its_list(bullet: str) -> None:
    found = only(f"Hello. Please send me:\n\n{bullet}email address\n\nThank you.", "email")
    assert (found.text, found.lead, found.depth, found.last) == ("email address", "Please send me:", 1, False)


def test_a_nested_item_knows_the_item_that_it_is_nested_in() -> None:
    text = "My plan:\n1. Exchange in #W1:\n   - lamp\n     - to black\n   - desk\n2. Cancel #W2\n"
    assert [(s.text, s.lead, s.item, s.depth) for s in segments(text)] == [
        ("My plan:", "", -1, 0),
        ("Exchange in #W1:", "My plan:", 0, 1),
        ("lamp", "Exchange in #W1:", 0, 2),
        ("to black", "lamp", 0, 2),
        ("desk", "Exchange in #W1:", 0, 2),
        ("Cancel #W2", "My plan:", 1, 1),
    ]


def test_what_goes_on_with_an_item_belongs_to_it_and_what_follows_a_gap_does_not() -> None:
    text = "I found:\n- a desk\n  made of oak\n- a lamp\nin black\n\nWhich one?"
    assert [(s.text, s.item) for s in segments(text)[1:]] == [
        ("a desk", 0), ("made of oak", 0), ("a lamp", 1), ("in black", 1), ("Which one?", -1)
    ]  # fmt: skip


@pytest.mark.parametrize("title", ["## Refund", "**Refund**", "**Refund:**", "__Refund__:"])
def test_a_heading_is_the_scope_of_what_stands_under_it(title: str) -> None:
    found = only(f"{title}\n- to your card\n", "card")
    assert found.heading.rstrip(":") == found.lead.rstrip(":") == "Refund"
    assert only(f"{title}\n- to your card\n", "Refund").title


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("| Field | Value |\n| --- | --- |\n| Order | #W1 |\n", ["Order: #W1"]),
        ("| No | Flight | Price |\n|--|--|--|\n| 1 | HAT1 | $5 |", ["No: 1, Flight: HAT1, Price: $5"]),
    ],
)
def test_a_row_of_a_table_is_an_item_with_the_names_of_its_columns(table: str, expected: list[str]) -> None:
    found = segments(f"Here it is:\n\n{table}")[1:]
    assert [s.text for s in found] == expected
    assert all(s.depth == 1 and s.lead == "Here it is:" for s in found)


def test_the_last_block_is_marked() -> None:
    assert [s.last for s in segments("One.\n\nTwo. Three?")] == [False, True, True]


@pytest.mark.parametrize(
    "text",
    ["- a\n" * 5000, "word. " * 5000, "|" * 9000, "#" * 9000, "**" * 4000, " " * 9000 + "x", "a\n\n" * 4000,
     "1." * 4000, "(" * 9000, "\u3002" * 9000, "(yes/" * 3000, "? " * 4000],
)  # fmt: skip
def test_a_hostile_text_gives_a_bounded_number_of_segments(text: str) -> None:
    assert len(segments(text)) <= MOST_SEGMENTS
