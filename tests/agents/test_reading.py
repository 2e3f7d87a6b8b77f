from __future__ import annotations

import re

import pytest

from mua_env.agents.scripted.reading import Mender, Told, last, last_text, one_slip, says

WORDS = ("change", "flights", "bags", "don't")


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("Chnage my flighs", "change my flights"),
        ("CHANGGE it", "change it"),
        ("a charge", "a charge"),
        ("I don\u2019t", "i don't"),
        ("my basg", "my basg"),  # four letters are too few to be alike
    ],
)
def test_misspelt_keywords_are_put_right(text: str, mended: str) -> None:
    assert Mender(WORDS)(text) == mended


def test_swapped_letters_and_another_likeness_can_be_asked_for() -> None:
    assert Mender(WORDS, swaps=True)("my basg") == "my bags"
    assert Mender(["passenger"])("passsengers") == "passsengers"
    assert Mender(["passenger"], misspells=lambda keyword, word: True)("passsengers") == "passenger"


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [("change", "chnage", True), ("change", "chage", True), ("change", "charge", False), ("plan", "plants", False)],
)
def test_one_slip(a: str, b: str, alike: bool) -> None:
    assert one_slip(a, b) is alike
    assert one_slip(b, a) is alike


def test_the_first_pattern_that_fits_tells() -> None:
    told = Told({"next_bill": r"\bnext bill\b", "bill": r"\bbill\b"})
    assert [told("my next bill"), told("my bill"), told("a pill")] == ["next_bill", "bill", None]


def test_a_yes_with_a_but_is_none() -> None:
    yes, no = re.compile(r"\byes\b"), re.compile(r"\bwait\b")
    assert [says(text, yes, no) for text in ("yes", "yes, but wait", "wait", "hm")] == [True, False, False, False]


def test_what_is_said_last_counts() -> None:
    number = re.compile(r"(\d+) GB")
    match = last(number, "not 1 GB, 22 GB")
    assert match is not None
    assert match[1] == "22"
    assert last_text(number, "not 1 GB, 22 GB") == "22 GB"
    assert last_text(number, "none") is None
