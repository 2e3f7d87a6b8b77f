"""Schemas of tools in the forms that MCP servers have them, drawn by a seed: no two alike, none by hand."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Schema = dict[str, Any]
_NAMES = (
    *("path", "query", "id", "_id", "user-id", "model_config", "title", "limit", "cursor", "repo", "filter", "options"),
    *(
        "$select",
        "from",
        "class",
        "items",
        "type",
        "properties",
        "startDate",
        "x.y",
        "schema",
        "json",
        "copy",
        "\u540d",
    ),
)
_FORMATS = (
    *("date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "uri-reference", "duration"),
    *("int32", "password", "json-pointer", "regex", "unknown-format"),
)
_PATTERNS = (
    r"^[a-z][a-z0-9-]{2,30}$",
    r"^\d{4}-\d{2}-\d{2}$",
    r"^(?:asc|desc)$",
    r"^#[0-9a-fA-F]{6}$",
    r"^[A-Z]{2,5}-\d+$",
    r"^https?://",
    r"^\S+@\S+\.\S+$",
    r"^[^/\s]+/[^/\s]+$",
    r"\.json$",
    r"^(\w+)=\1$",
    r"^.{3,8}$",
)


def tool_schemas(count: int, seed: int = 0) -> list[Schema]:
    """Tools in OpenAI form, with what MCP servers give as their input schemas."""
    rng = Random(seed)
    return [{"type": "function", "function": _function(rng, number)} for number in range(count)]


def _function(rng: Random, number: int) -> Schema:
    function: Schema = {"name": f"tool_{number}", "description": "Does something."}
    form = rng.random()
    if form < 0.04:
        return function
    if form < 0.08:
        return {
            **function,
            "parameters": rng.choice(({}, None, {"type": "object"}, {"type": "object", "properties": {}})),
        }
    parameters = _object(rng, 0)
    if form < 0.2:
        parameters["$schema"] = rng.choice(
            ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema")
        )
    if form > 0.85:
        parameters = _recursive(rng, parameters)
    return {**function, "parameters": parameters}


def _recursive(rng: Random, parameters: Schema) -> Schema:
    """A filter or tree that holds itself, as search servers have them."""
    node = {
        "type": "object",
        "properties": {
            "value": _scalar(rng),
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            "parent": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
        },
        "required": ["value", *(["parent"] if rng.random() < 0.3 else [])],
    }
    properties = {**parameters["properties"], "root": {"$ref": "#/$defs/Node"}}
    return {**parameters, "properties": properties, "required": ["root"], "$defs": {"Node": node}}


def _schema(rng: Random, depth: int) -> Schema:
    kinds: tuple[Callable[[Random, int], Schema], ...] = (
        _plain,
        _plain,
        _plain,
        _union,
        _array,
        _object,
        _all_of,
        _other,
    )
    made = rng.choice(kinds[: 8 if depth < 3 else 3])(rng, depth)
    if rng.random() < 0.4:
        made["description"] = "What it is."
    if rng.random() < 0.2:
        made["title"] = "Title"
    return made


def _plain(rng: Random, depth: int) -> Schema:
    return _scalar(rng)


def _scalar(rng: Random) -> Schema:
    low = rng.choice((-5, 0, 1, 5000, 10**6))
    return dict(
        rng.choice(
            (
                {"type": "string"},
                {"type": "string", "minLength": rng.randint(1, 20)},
                {"type": "string", "maxLength": rng.randint(0, 3)},
                {"type": "string", "format": rng.choice(_FORMATS)},
                {"type": "string", "pattern": rng.choice(_PATTERNS)},
                {"type": "string", "enum": ["asc", "desc"]},
                {"type": ["string", "null"], "default": None},
                {"type": ["integer", "string", "null"]},
                {"enum": [1, "a", None, True]},
                {"const": {"kind": "fixed"}},
                {"type": "string", "const": "v1"},
                {"type": "integer", "minimum": low},
                {"type": "integer", "maximum": low},
                {"type": "integer", "minimum": low, "exclusiveMaximum": low + 3},
                {"type": "number", "exclusiveMinimum": low},
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "integer", "multipleOf": 5, "minimum": 7},
                {"type": "boolean", "default": False},
                {"type": "null"},
                {"type": "string", "examples": ["main", "dev"]},
                {},
            )
        )
    )


def _union(rng: Random, depth: int) -> Schema:
    branches = [_schema(rng, depth + 1) for _ in range(rng.randint(1, 3))]
    return rng.choice(
        (
            {"anyOf": [*branches, {"type": "null"}], "default": None},
            {"anyOf": [{"not": {}}, *branches]},
            {
                "oneOf": [
                    {"type": "object", "properties": {"kind": {"const": kind}, "v": branches[0]}, "required": ["kind"]}
                    for kind in ("a", "b")
                ]
            },
            {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": r"^\d+$"}]},
            {"type": "string", "anyOf": [{"format": "date"}, {"enum": ["today", "now"]}]},
            {"type": "string", "not": {"enum": ["", "x"]}},
        )
    )


def _array(rng: Random, depth: int) -> Schema:
    items = _schema(rng, depth + 1)
    return rng.choice(
        (
            {"type": "array", "items": items},
            {"type": "array", "items": {"type": "string"}, "minItems": rng.randint(1, 5), "uniqueItems": True},
            {"type": ["array", "null"], "items": items},
            {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "items": False, "minItems": 2},
            {"type": "array", "items": items, "maxItems": 2},
            {"type": "array"},
        )
    )


def _object(rng: Random, depth: int) -> Schema:
    names = rng.sample(_NAMES, rng.randint(0 if depth else 1, 5))
    made: Schema = {"type": "object", "properties": {name: _schema(rng, depth + 1) for name in names}}
    made["required"] = rng.sample(names, rng.randint(0, len(names)))
    closed = rng.random()
    if closed < 0.4:
        made["additionalProperties"] = False
    elif closed < 0.5:
        made["additionalProperties"] = _scalar(rng)
    if len(names) > 1 and rng.random() < 0.2:
        made["dependentRequired"] = {names[0]: [names[1]]}
    return made


def _all_of(rng: Random, depth: int) -> Schema:
    one = {"type": "object", "properties": {"a": _scalar(rng)}, "required": ["a"]}
    other = {"type": "object", "properties": {"b": _scalar(rng)}}
    return {"allOf": [one, other], "description": "Both."}


def _other(rng: Random, depth: int) -> Schema:
    return rng.choice(
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "additionalProperties": True, "minProperties": 1},
            {"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "string"}}, "additionalProperties": False},
            {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": {"type": "integer"}},
            {"type": "object"},
            {
                "type": "object",
                "properties": {"mode": {"enum": ["a", "b"]}, "x": {"type": "integer"}},
                "required": ["mode"],
                "if": {"properties": {"mode": {"const": "a"}}},
                "then": {"required": ["x"]},
            },
            {"type": "array", "items": {"type": "integer"}, "contains": {"const": 5}, "minItems": 1},
        )
    )
