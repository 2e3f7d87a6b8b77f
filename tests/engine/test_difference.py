from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mua_env.core.database.difference import MISSING, canonical, compare

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
)
KEY = ("orders", '["#1"]')


def nothing(_: object) -> None:
    return None


def test_numbers_by_value() -> None:
    assert canonical(3) == canonical(3.0)
    assert canonical(0.1 + 0.2) == canonical(0.3)
    assert canonical(-0.0) == canonical(0)
    assert canonical(3) != canonical(4)
    assert canonical(2**53) != canonical(2**53 + 1)
    assert canonical(10**400) == canonical(10**400)
    assert canonical(math.nan) == canonical(math.nan)
    assert canonical(math.inf) != canonical(-math.inf)


def test_types_are_kept_apart() -> None:
    distinct = [3, "3", True, None, [3], {"3": 3}, "", [], {}, False, 0.5]
    forms = [canonical(value) for value in distinct]
    assert all(a != b for i, a in enumerate(forms) for b in forms[i + 1 :])


def test_compat_tells_what_the_public_hash_tells() -> None:
    assert canonical(100, mode="compat") != canonical(100.0, mode="compat")
    assert canonical(["a", "b"], mode="compat", unordered=True) != canonical(["b", "a"], mode="compat", unordered=True)


@given(DOCUMENTS)
def test_equal_documents_are_equal(value: Any) -> None:
    assert canonical(value) == canonical(json.loads(json.dumps(value)))


@given(st.lists(DOCUMENTS, max_size=5), st.randoms(use_true_random=False))
def test_order_of_sets_does_not_matter(items: list[Any], rng: Any) -> None:
    shuffled = list(items)
    rng.shuffle(shuffled)
    assert canonical(items, unordered=True) == canonical(shuffled, unordered=True)


@given(st.lists(st.integers(0, 3) | st.sampled_from([0.0, 1.0, 2.0]), max_size=6), st.randoms(use_true_random=False))
def test_sets_of_numbers_by_value(items: list[Any], rng: Any) -> None:
    as_floats = [float(item) for item in items]
    rng.shuffle(as_floats)
    assert canonical(items, unordered=True) == canonical(as_floats, unordered=True)


@given(st.lists(st.integers(), min_size=2, max_size=5, unique=True))
def test_order_of_lists_matters(items: list[int]) -> None:
    assert canonical(items) != canonical(items[::-1])


@given(st.lists(st.integers(), min_size=1, max_size=4))
def test_sets_are_counted(items: list[int]) -> None:
    assert canonical(items, unordered=True) != canonical([*items, items[0]], unordered=True)


@given(st.dictionaries(st.text(max_size=3), DOCUMENTS, max_size=4))
def test_nothing_differs_from_itself(row: dict[str, Any]) -> None:
    assert compare({KEY: row}, {KEY: json.loads(json.dumps(row))}, initial=nothing) == []


@given(st.dictionaries(st.text(max_size=3), DOCUMENTS, max_size=4), st.text(max_size=3), DOCUMENTS)
def test_difference_is_empty_exactly_for_equal_rows(row: dict[str, Any], column: str, value: Any) -> None:
    other = {**row, column: value}
    same = canonical(row) == canonical(other)
    assert (compare({KEY: row}, {KEY: other}, initial=nothing) == []) is same


def test_explanation_names_the_place() -> None:
    want = {"status": "sent", "items": [{"price": 1, "id": "a"}, {"price": 2, "id": "b"}], "address": {"zip": "1"}}
    have = {"status": "sent", "items": [{"price": 1, "id": "a"}, {"price": 3, "id": "b"}], "address": {"zip": "2"}}
    found = compare({KEY: want}, {KEY: have}, initial=nothing)
    assert [(d.table, d.key, d.column, d.expected, d.got) for d in found] == [
        ("orders", "#1", "address.zip", "1", "2"),
        ("orders", "#1", "items[1].price", 2, 3),
    ]


def test_rows_and_values_that_one_side_lacks() -> None:
    row = {"a": 1}
    (found,) = compare({KEY: None}, {}, initial=lambda _: row)
    assert (found.column, found.expected, found.got) == ("*", MISSING, row)
    (found,) = compare({KEY: row}, {}, initial=nothing)
    assert (found.expected, found.got) == (row, MISSING)
    (found,) = compare({KEY: {"a": 1, "b": 2}}, {KEY: row}, initial=nothing)
    assert (found.column, found.expected, found.got) == ("b", 2, MISSING)


def test_row_changed_on_one_side_only_is_held_against_the_initial_one() -> None:
    assert compare({KEY: {"a": 1.0}}, {}, initial=lambda _: {"a": 1}) == []
    assert compare({}, {KEY: {"a": 2}}, initial=lambda _: {"a": 1})[0].expected == 1


def test_set_columns_are_those_that_are_named() -> None:
    want, have = {"tags": ["a", "b"], "steps": ["a", "b"]}, {"tags": ["b", "a"], "steps": ["b", "a"]}
    found = compare({KEY: want}, {KEY: have}, initial=nothing, sets={"orders": frozenset({"tags"})})
    assert {d.column for d in found} == {"steps[0]", "steps[1]"}


def test_key_of_several_columns_is_shown_in_full() -> None:
    (found,) = compare({("lines", '["#1",2]'): None}, {}, initial=lambda _: {"n": 1})
    assert found.key == "#1, 2"
