"""Values that are written as plain text, typed by the tool's schema."""

from typing import Any

import pytest

from mua_env.inference.chat_formats.argument_types import ANY, argument_types, json_types, read_value, write_value

STRING, NUMBERS = frozenset({"string"}), frozenset({"integer", "number"})


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({}, ANY),
        (True, ANY),
        ({"type": "string"}, {"string"}),
        ({"type": ["integer", "null"]}, {"integer", "null"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"string", "null"}),
        ({"oneOf": [{"type": "array"}, {"type": "object"}]}, {"array", "object"}),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, {"integer"}),
        ({"enum": ["a", "b"]}, {"string"}),
        ({"enum": [1, "b"], "type": "string"}, {"string"}),
        ({"const": None}, {"null"}),
        ({"type": "string", "nullable": True}, {"string", "null"}),
        ({"$ref": "#/$defs/Id"}, {"string"}),
        ({"$ref": "#/$defs/Loop"}, ANY),
        ({"$ref": "#/$defs/Nothing"}, ANY),
        ({"allOf": [{"$ref": "#/$defs/Id"}]}, {"string"}),
    ],
)
def test_types_of_a_schema(schema: Any, types: Any) -> None:
    root = {"$defs": {"Id": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}}}
    assert json_types(schema, root) == types


@pytest.mark.parametrize(
    ("text", "types", "value"),
    [
        ("5", STRING, "5"),
        ('{"a": 1}', STRING, '{"a": 1}'),
        ("", STRING, ""),
        ("5", NUMBERS, 5),
        ("1.5", NUMBERS, 1.5),
        ("true", frozenset({"boolean"}), True),
        ("True", frozenset({"boolean"}), True),
        ("None", frozenset({"string", "null"}), None),
        ("5", frozenset({"string", "null"}), "5"),
        ("00123", ANY, "00123"),
        ("#W1", ANY, "#W1"),
        ('["a"]', frozenset({"array"}), ["a"]),
        # What does not fit is handed on: the tool says what is wrong.
        ("many", NUMBERS, "many"),
        ('{"a": 1', frozenset({"object"}), '{"a": 1'),
        ('"5"', NUMBERS, "5"),
        ("[" * 100_000, frozenset({"array"}), "[" * 100_000),
    ],
)
def test_a_value_is_read_by_its_types(text: str, types: Any, value: object) -> None:
    read = read_value(text, types)
    assert read == value
    assert type(read) is type(value)


_ANYTHING: list[object] = ["5", "true", "True", "None", '"quoted"', "", " 5 ", "plain", '{"a": 1}', None, True, 5]
_WRITTEN = [
    (types, value)
    for types in (ANY, frozenset({"string", "null"}), frozenset({"string", "integer", "boolean"}))
    for value in _ANYTHING
    if isinstance(value, str) or {None: "null", True: "boolean", 5: "integer"}[value] in types  # type: ignore[index]
]


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize(("types", "value"), _WRITTEN)
def test_what_is_written_is_read_back(value: object, types: Any, python: bool) -> None:
    read = read_value(write_value(value, types, python=python), types)
    assert (read, type(read)) == (value, type(value))


def test_arguments_of_a_tool_that_does_not_exist_have_no_types() -> None:
    tools = [{"type": "function", "function": {"name": "a", "parameters": {"properties": {"x": {"type": "string"}}}}}]
    assert argument_types(tools, "a") == {"x": {"string"}}
    assert argument_types(tools, "b") == {}
    assert argument_types([{"type": "function", "function": {"name": "a"}}], "a") == {}
