"""Hypothesis strategies: JSON schemas of any form, and tools whose parameters have such parts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["id", "name", "_id", "title", "type", "model_config", "a b", "$x", "items", "名"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([0.5, -1.25, 1e-9, 1e12]),
    st.sampled_from(["", "a", "é"]),
)
NUMBERS = st.one_of(st.integers(-10, 10), st.sampled_from([0.1, -0.5, 1e-9, 1e-320, 1e300, -1e300, 5000, 2**53, 2.5]))
KINDS = ["string", "integer", "number", "boolean", "null", "array", "object"]


def _some(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of these keywords."""
    return st.fixed_dictionaries({}, optional=parts)


_COUNTS = st.integers(0, 4)
_NUMBER = st.builds(
    lambda kind, parts: {"type": kind, **parts},
    st.sampled_from(["number", "integer"]),
    _some(
        minimum=NUMBERS,
        maximum=NUMBERS,
        exclusiveMinimum=NUMBERS,
        exclusiveMaximum=NUMBERS,
        multipleOf=st.sampled_from([1, 2, 5, 0.5, 0.25, 3]),
    ),
)
_STRING = st.builds(
    lambda parts: {"type": "string", **parts},
    _some(
        minLength=_COUNTS,
        maxLength=st.integers(0, 8),
        pattern=st.sampled_from(["^[a-z]+$", "^#W\\d{7}$", "x", "^(a|b)c?$", "^\\S*$"]),
        format=st.sampled_from(["date", "date-time", "email", "uuid", "uri", "ipv4", "unknown"]),
    ),
)
_LEAVES = st.one_of(
    _NUMBER,
    _STRING,
    st.sampled_from([{}, True, False, {"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]}]),
    st.builds(lambda values: {"enum": values}, st.lists(SCALARS, min_size=1, max_size=3)),
    st.builds(lambda value: {"const": value}, SCALARS),
    st.sampled_from([{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/pair"}, {"$ref": "#"}, {"$ref": "#/$defs/never"}]),
)


def _whole(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(parts, min_size=1, max_size=3)
    by_name = st.dictionaries(NAMES, parts, max_size=3)
    return st.one_of(
        st.builds(
            lambda more: {"type": "object", **more},
            _some(
                properties=by_name,
                required=st.lists(NAMES, max_size=2, unique=True),
                additionalProperties=parts,
                patternProperties=st.dictionaries(st.sampled_from(["^x", "d$", "^k_"]), parts, max_size=1),
                minProperties=st.integers(0, 2),
                maxProperties=st.integers(0, 4),
                propertyNames=st.sampled_from([{"pattern": "^[a-z_]+$"}, {"maxLength": 5}, True]),
                dependentRequired=st.dictionaries(NAMES, st.lists(NAMES, max_size=1), max_size=1),
                dependentSchemas=st.dictionaries(NAMES, parts, max_size=1),
            ),
        ),
        st.builds(
            lambda more: {"type": "array", **more},
            _some(
                items=parts,
                prefixItems=few,
                minItems=_COUNTS,
                maxItems=_COUNTS,
                contains=parts,
                minContains=st.integers(0, 2),
                maxContains=st.integers(0, 3),
                uniqueItems=st.booleans(),
            ),
        ),
        st.builds(lambda key, branches: {key: branches}, st.sampled_from(["anyOf", "oneOf", "allOf"]), few),
        st.builds(lambda one, other: {**one, "not": other}, _NUMBER | _STRING, parts),
        _some(**{"if": parts, "then": parts, "else": parts}),
    )


_PARTS = st.recursive(_LEAVES, _whole, max_leaves=8)
_DEFINITIONS = {
    "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"type": "integer"}}},
    "pair": {
        "type": "object",
        "properties": {"of": {"anyOf": [{"$ref": "#/$defs/pair"}, {"type": "null"}]}},
        "required": ["of"],
    },
    "never": {"type": "object", "properties": {"of": {"$ref": "#/$defs/never"}}, "required": ["of"]},
}


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A schema of an object, with definitions, of which one contains itself and one can have no end."""
    properties = draw(st.dictionaries(NAMES, _PARTS, min_size=1, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(properties)), unique=True))
    of_object = _PARTS.map(lambda part: {"properties": {"name": part}})
    more = draw(_some(additionalProperties=st.booleans(), allOf=st.lists(of_object, min_size=1, max_size=2)))
    return {"type": "object", "properties": properties, "required": required, "$defs": _DEFINITIONS, **more}
