"""Whether a value fits a JSON schema: as much of it as sampling needs, on plain values and without errors' texts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from mua_env.gym.schema_texts import has_format

_MOST_STEPS = 100
_LOWER, _UPPER = (
    ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"),
    ("maximum", "exclusiveMaximum"),
)


def resolved(schema: Any, root: Any) -> Any:
    """A schema with what its ``$ref`` and ``allOf`` bring in; a mapping, or ``False`` where nothing fits."""
    if schema is True or schema is None:
        return {}
    if not isinstance(schema, Mapping):
        return False
    for _ in range(_MOST_STEPS):
        if schema.get("not") in ({}, True) and "not" in schema:
            return False
        if "$ref" in schema:
            rest = {key: part for key, part in schema.items() if key != "$ref"}
            schema = merged(_target(schema["$ref"], root), rest)
        elif schema is not False and schema.get("allOf"):
            whole: Any = {key: part for key, part in schema.items() if key != "allOf"}
            for part in schema["allOf"]:
                whole = merged(whole, resolved(part, root))
            schema = whole
        else:
            return schema
        if schema is False:
            return False
    return False  # references that lead to each other alone


def _target(reference: Any, root: Any) -> Any:
    """What a local reference points to; anything fits where it points elsewhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return {}
    node: Any = root
    for part in reference[1:].split("/")[1:]:
        key: Any = part.replace("~1", "/").replace("~0", "~").replace("%24", "$")
        if isinstance(node, list):
            node = node[int(key)] if key.isdigit() and int(key) < len(node) else {}
        else:
            node = node.get(key, {}) if isinstance(node, Mapping) else {}
    return node if isinstance(node, Mapping | bool) else {}


def merged(one: Any, other: Any) -> Any:
    """A schema for what fits both."""
    if one is False or other is False:
        return False
    one, other = ({} if part is True else dict(part) for part in (one, other))
    for key, part in other.items():
        one[key] = _both(key, one[key], part) if key in one else part
    return one


def _both(key: str, one: Any, other: Any) -> Any:
    if one == other:
        return one
    if key == "type":
        return _types(one, other)
    if key == "enum":
        return [value for value in one if value in other]
    if key in ("properties", "patternProperties", "$defs", "dependentSchemas"):
        return {
            name: {"allOf": [one[name], other[name]]}
            if name in one and name in other
            else one.get(name, other.get(name))
            for name in {**one, **other}
        }
    if key == "required":
        return [*one, *(name for name in other if name not in one)]
    if key in _LOWER:
        return max(one, other)
    if key.startswith("max") or key in _UPPER:
        return min(one, other)
    if key in ("items", "additionalProperties", "propertyNames", "contains"):
        return False if one is False or other is False else {"allOf": [one, other]}
    if key in ("anyOf", "oneOf"):
        return [{"allOf": [left, right]} for left in one for right in other]
    if key == "allOf":
        return [*one, *other]
    return {"anyOf": [one, other]} if key == "not" else other


def _types(one: Any, other: Any) -> list[str]:
    left, right = ([part] if isinstance(part, str) else list(part) for part in (one, other))
    found = [kind for kind in left if kind in right]
    mixed = "integer" in (*left, *right) and "number" in (*left, *right)
    return [*found, "integer"] if mixed and not {"integer", "number"} & {*found} else found


def property_schemas(name: str, schema: Mapping[str, Any]) -> list[Any]:
    """The schemas that hold for a property of an object."""
    found = [schema["properties"][name]] if name in (schema.get("properties") or {}) else []
    found += [part for pattern, part in (schema.get("patternProperties") or {}).items() if _search(pattern, name)]
    return found or [schema.get("additionalProperties", True)]


def dependencies(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What must hold of an object that has a property: names of others as a list, or a schema; in any draft's words."""
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        yield from (schema.get(keyword) or {}).items()


def fits(value: Any, schema: Any, root: Any) -> bool:
    """Whether a value fits a schema, its formats included.

    Args:
        value: of JSON's kinds.
        schema: what it is held against.
        root: the schema that references are resolved in.
    """
    if isinstance(schema, Mapping) and schema.get("allOf"):
        rest = {key: part for key, part in schema.items() if key != "allOf"}
        return all(fits(value, part, root) for part in (rest, *schema["allOf"]))
    schema = resolved(schema, root)
    if schema is False or not _is_of(value, schema.get("type")):
        return False
    if ("const" in schema and not _same(value, schema["const"])) or (
        "enum" in schema and not any(_same(value, each) for each in schema["enum"])
    ):
        return False
    return _branches_fit(value, schema, root) and _parts_fit(value, schema, root)


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


_NAMES: dict[type, frozenset[str]] = {
    bool: frozenset({"boolean"}),
    str: frozenset({"string"}),
    dict: frozenset({"object"}),
    list: frozenset({"array"}),
    type(None): frozenset({"null"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
}


def _is_of(value: Any, kinds: Any) -> bool:
    if kinds is None:
        return True
    names = _NAMES.get(type(value), frozenset())
    if isinstance(value, float) and value.is_integer():
        names = _NAMES[int]
    return not names.isdisjoint([kinds] if isinstance(kinds, str) else kinds)


def _branches_fit(value: Any, schema: Mapping[str, Any], root: Any) -> bool:
    if schema.get("anyOf") and not any(fits(value, part, root) for part in schema["anyOf"]):
        return False
    if schema.get("oneOf") and sum(fits(value, part, root) for part in schema["oneOf"]) != 1:
        return False
    if "not" in schema and fits(value, schema["not"], root):
        return False
    if "if" in schema:
        return fits(value, schema.get("then" if fits(value, schema["if"], root) else "else", True), root)
    return True


def _parts_fit(value: Any, schema: Mapping[str, Any], root: Any) -> bool:
    if isinstance(value, str):
        return (
            _within(len(value), schema, "Length")
            and ("pattern" not in schema or _search(schema["pattern"], value) is not None)
            and has_format(value, schema.get("format", ""))
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number_fits(value, schema)
    if isinstance(value, list):
        return _array_fits(value, schema, root)
    return _object_fits(value, schema, root) if isinstance(value, dict) else True


def _within(size: int, schema: Mapping[str, Any], what: str) -> bool:
    return bool(schema.get(f"min{what}", 0) <= size <= schema.get(f"max{what}", math.inf))


def _number_fits(value: float, schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)
    if above is True or above is False:  # draft 4
        low, above = low, low if above else -math.inf
    if below is True or below is False:
        high, below = high, high if below else math.inf
    step = schema.get("multipleOf")
    even = not step or float(value / step).is_integer()
    return bool(low <= value <= high and above < value < below and even)


def _array_fits(value: list[Any], schema: Mapping[str, Any], root: Any) -> bool:
    items = schema.get("items", True)
    head = schema.get("prefixItems") or (items if isinstance(items, list) else [])
    rest = schema.get("additionalItems", True) if isinstance(items, list) else items
    if not _within(len(value), schema, "Items") or (schema.get("uniqueItems") and _repeats(value)):
        return False
    if "contains" in schema:
        found = sum(fits(part, schema["contains"], root) for part in value)
        if not schema.get("minContains", 1) <= found <= schema.get("maxContains", math.inf):
            return False
    return all(fits(part, head[at] if at < len(head) else rest, root) for at, part in enumerate(value))


def _repeats(value: list[Any]) -> bool:
    return any(part in value[:at] for at, part in enumerate(value))


def _object_fits(value: dict[str, Any], schema: Mapping[str, Any], root: Any) -> bool:
    required = schema.get("required") or ()
    if not _within(len(value), schema, "Properties") or any(name not in value for name in required):
        return False
    for name, needed in dependencies(schema):
        if name in value and not fits(value, {"required": needed} if isinstance(needed, list) else needed, root):
            return False
    names = schema.get("propertyNames", True)
    return all(
        fits(name, names, root) and all(fits(part, each, root) for each in property_schemas(name, schema))
        for name, part in value.items()
    )


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None  # JavaScript's patterns are not all Python's: such a one says nothing


def _search(pattern: str, text: str) -> bool | None:
    compiled = _compiled(pattern)
    return True if compiled is None or compiled.search(text) else None
