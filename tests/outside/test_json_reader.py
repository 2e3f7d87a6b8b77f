"""JSON that a model wrote: one reader, everywhere, for every kind of text that is none."""

from __future__ import annotations

import itertools
import json
import math

import pytest

from mua_env.core.json_reader import MalformedJSON, UnfitNumber, check_value, read_first_json, read_json, read_object
from mua_env.core.limits import DEEPEST_JSON, LARGEST_NUMBER, MOST_VALUES

from .hostile import DEEP, NO_TEXT, NUMBERS


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_malformed(text: str) -> None:
    for read in (read_json, read_first_json):
        with pytest.raises(MalformedJSON):
            read(text)
    assert read_object(text) is None


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"b":', '{"[":['])
def test_depth_is_bounded_at_one_place_whatever_is_nested(opening: str) -> None:
    def nested(depth: int) -> str:
        parts = list(itertools.islice(itertools.cycle([c for c in opening if c in "[{"]), depth))
        text = ""
        for kind in parts:
            text += "[" if kind == "[" else '{"a":'
        return text + "1" + "".join("]" if kind == "[" else "}" for kind in reversed(parts))

    value = read_json(nested(DEEPEST_JSON))
    assert read_first_json(nested(DEEPEST_JSON)) == (value, len(nested(DEEPEST_JSON)))
    json.dumps(value)
    for read in (read_json, read_first_json):
        with pytest.raises(MalformedJSON, match="deep"):
            read(nested(DEEPEST_JSON + 1))


@pytest.mark.parametrize("brackets", ["[" * 5000, "{" * 5000, "[{" * 3000, "]" * 5000, '\\"[' * 100])
def test_brackets_in_strings_and_keys_nest_nothing(brackets: str) -> None:
    text = json.dumps({brackets: [brackets]})
    assert read_json(text) == {brackets: [brackets]}
    assert read_first_json(text + " [") == ({brackets: [brackets]}, len(text))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("form", ["{}", "[{}]", '{{"a": {{"b": [1, {}]}}}}'])
def test_no_number_is_infinite_none_or_too_large(number: str, form: str) -> None:
    with pytest.raises(MalformedJSON):
        read_json(form.format(number))


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**400, LARGEST_NUMBER, -float(LARGEST_NUMBER)])
def test_no_value_is_infinite_none_or_too_large(value: float) -> None:
    for form in (value, [value], {"a": (value,)}):
        with pytest.raises(UnfitNumber):
            check_value(form)


@pytest.mark.parametrize("number", ["0", "-0.0", "1e-400", "150.0", str(LARGEST_NUMBER - 1), "4111111111111111", "1E2"])
def test_other_numbers_are_read_as_they_are(number: str) -> None:
    assert read_json(number) == json.loads(number)


@pytest.mark.parametrize("text", NO_TEXT)
def test_half_of_a_surrogate_pair_is_malformed(text: str) -> None:
    for form in (f'"{text}"', f'{{"a": ["{text}"]}}', f'{{"{text}": 1}}'):
        with pytest.raises(MalformedJSON):
            read_json(form)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert read_json('"\\ud83d\\ude00"') == "\U0001f600"


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    assert read_json('{"a": 1, "b": {"c": 2, "c": 3}, "a": 4}') == {"a": 4, "b": {"c": 3}}


def test_length_and_number_of_values_are_bounded() -> None:
    with pytest.raises(MalformedJSON, match="longer than 10"):
        read_json('"' + "a" * 10 + '"', longest=10)
    with pytest.raises(MalformedJSON, match="values"):
        read_json(json.dumps(dict.fromkeys(map(str, range(MOST_VALUES + 1)))))


@pytest.mark.parametrize(
    "text", ["", " ", "{", '{"a": 1} x', "{'a': 1}", "{a: 1}", '{"a": 1,}', "01", "nul", '"a\nb"', "\ufeff{}", b"\xff"]
)
def test_what_is_no_json_is_malformed(text: str) -> None:
    with pytest.raises(MalformedJSON):
        read_json(text)


@pytest.mark.parametrize("text", ["", "x", "1 2", '"a', '{"a": "', '{"a": 1', "]"])
def test_no_first_value_in_what_begins_with_none(text: str) -> None:
    with pytest.raises(MalformedJSON):
        read_first_json(text)
