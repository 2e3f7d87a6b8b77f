"""Values of tool calls that are written as plain text, typed by the tool's JSON schema.

Formats that write each argument between tags write strings as they are: ``5`` is a number or a text, and only the
schema can tell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.core.json_reader import read_json

Tools = Sequence[Mapping[str, Any]]
"""OpenAI function schemas."""
Types = frozenset[str]
"""Names of JSON Schema's types."""

ANY: Types = frozenset({"string", "number", "integer", "boolean", "null", "object", "array"})
_PYTHON: dict[str, Any] = {"None": None, "True": True, "False": False}
_DEEPEST = 16
"""Schemas within schemas that are looked through; a schema that refers to itself takes anything."""


def argument_types(tools: Tools, name: str) -> Mapping[str, Types]:
    """The types that each argument of a tool may have; empty for a tool that is not among them."""
    for tool in tools:
        function = tool.get("function", tool)
        if function.get("name") == name:
            schema = function.get("parameters") or {}
            return {key: json_types(part, schema) for key, part in (schema.get("properties") or {}).items()}
    return {}


def json_types(schema: object, root: object, depth: int = 0) -> Types:
    """The types of the values that a schema takes; ``root`` is what its references are looked up in."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return ANY
    found = ANY
    if (named := schema.get("type")) is not None:
        found &= frozenset(part for part in ([named] if isinstance(named, str) else named) if isinstance(part, str))
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        found &= frozenset().union(*map(_types_of, values))
    for key in ("anyOf", "oneOf"):
        if parts := schema.get(key):
            found &= frozenset().union(*(json_types(part, root, depth + 1) for part in parts))
    for part in schema.get("allOf") or ():
        found &= json_types(part, root, depth + 1)
    if isinstance(target := schema.get("$ref"), str):
        found &= json_types(_look_up(target, root), root, depth + 1)
    return found | {"null"} if schema.get("nullable") else found


def read_value(text: str, types: Types) -> Any:
    """The value that a text stands for.

    Where strings alone are taken it is the text itself. Otherwise it is the value in JSON (or one of Python's three
    constants, as some templates write them), if it is of one of the types; else the text, where strings are taken.
    What fits no type is handed on as it is written: the tool says what is wrong with it.
    """
    if types == {"string"}:
        return text
    try:
        value = _PYTHON[text] if text in _PYTHON else read_json(text)
    except ValueError:
        return text
    return text if "string" in types and not types & _types_of(value) else value


def write_value(value: object, types: Types, *, python: bool = False) -> str:
    """The text that `read_value` reads back; ``python`` spells constants as Python does."""
    if not isinstance(value, str):
        return str(value) if python and (value is None or isinstance(value, bool)) else write_json(value)
    if types == {"string"}:
        return value
    # A string that would be read as something else, "5" where numbers are taken too, is quoted.
    back = read_value(value, types)
    return value if isinstance(back, str) and back == value else write_json(value)


def _types_of(value: object) -> Types:
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int):
        return frozenset({"integer", "number"})
    if isinstance(value, float):
        return frozenset({"number", "integer"} if value.is_integer() else {"number"})
    if isinstance(value, str):
        return frozenset({"string"})
    return frozenset({"object" if isinstance(value, Mapping) else "array"})


def _look_up(target: str, root: object) -> object:
    for part in target.removeprefix("#").strip("/").split("/"):
        if not isinstance(root, Mapping):
            return None
        root = root.get(part) if part else root
    return root


def write_json(value: object) -> str:
    """JSON in one line."""
    return json.dumps(value, ensure_ascii=False)
