"""Random values that fit a JSON schema, in any form that tools' schemas have (drafts 4 to 2020-12).

Values are built to fit, then held against the schema, because some keywords (``oneOf``, ``not``, ``if``) can only be
checked. A schema that contains itself comes to an end: the deeper, the fewer optional parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mua_env.gym.schema_check import dependencies, fits, property_schemas, resolved
from mua_env.gym.schema_texts import of_format, of_pattern, word

TRIES = 40
"""Values that are built until one fits."""
_DEEP, _DEEPEST = 4, 24
_KINDS = {
    "object": ("properties", "patternProperties", "additionalProperties", "required", "minProperties", "propertyNames"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "contains", "uniqueItems"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("pattern", "minLength", "maxLength", "format"),
}


class NoValue(ValueError):
    """Nothing fits, as far as can be seen."""


def sample_schema(schema: Any, rng: np.random.Generator, *, also: Any = True) -> Any:
    """A random value that fits a schema.

    Args:
        schema: the schema.
        rng: draws.
        also: another schema that it must fit as well, without references.

    Raises:
        NoValue: none was found in `TRIES` tries, as of a schema that nothing fits.
    """
    for attempt in range(TRIES):
        try:
            value = _Sampler(schema, rng, attempt).value(schema if also is True else {"allOf": [schema, also]}, 0)
            if fits(value, schema, schema) and fits(value, also, also):
                return value
        except NoValue:
            continue
        except RecursionError:  # it holds itself in full, so that nothing can be held against it
            break
    raise NoValue(f"nothing that fits the schema was found in {TRIES} tries")


class _Sampler:
    """Builds one value. ``effort`` grows with the attempts: later ones make longer texts."""

    def __init__(self, root: Any, rng: np.random.Generator, effort: int) -> None:
        self._root, self._rng, self._effort = root, rng, effort

    def value(self, schema: Any, depth: int) -> Any:
        schema = resolved(schema, self._root)
        if schema is False or depth > _DEEPEST:
            raise NoValue
        if "unevaluatedProperties" in schema:  # what a schema and its branches name stands in it by now
            schema.setdefault("additionalProperties", schema["unevaluatedProperties"])
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self._branch(schema, key, depth)
        if "const" in schema:
            return schema["const"]
        for key in ("enum", "examples"):
            if chosen := [value for value in schema.get(key) or () if fits(value, schema, self._root)]:
                return self._one_of(chosen)
        return self._typed(schema, depth)

    def _branch(self, schema: Mapping[str, Any], key: str, depth: int) -> Any:
        rest = {name: part for name, part in schema.items() if name != key}
        branches = list(schema[key])
        order = [int(at) for at in self._rng.permutation(len(branches))]
        if depth >= _DEEP:  # what ends comes first
            order.sort(key=lambda at: _goes_on(branches[at]))
        for at in order:
            try:
                value = self.value({"allOf": [rest, branches[at]]}, depth + (depth >= _DEEP))
            except NoValue:
                continue
            if fits(value, branches[at], self._root) and (key == "anyOf" or fits(value, schema, self._root)):
                return value
        raise NoValue

    def _typed(self, schema: Mapping[str, Any], depth: int) -> Any:
        kinds = schema.get("type")
        if kinds is None:
            told = [kind for kind, words in _KINDS.items() if any(word in schema for word in words)]
            kinds = told[:1] or (
                ["string"] if self._effort == 0 else ["string", "integer", "boolean", "null", "object"]
            )
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        if not kinds:
            raise NoValue
        if depth >= _DEEP and "null" in kinds:
            return None
        kind = self._one_of(kinds)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind in ("integer", "number"):
            return self._number(schema, whole=kind == "integer")
        if kind == "boolean":
            return bool(self._rng.integers(2))
        return None if kind == "null" else self._text(schema)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties") or {}
        required = list(schema.get("required") or ()) if isinstance(schema.get("required"), Sequence) else []
        most = schema.get("maxProperties", math.inf)
        out: dict[str, Any] = {}
        for name in required:
            out[name] = self.value(self._schema_of(name, schema), depth + 1)
        share = 0.5 if depth < _DEEP else 0.0
        for name, part in properties.items():
            if name not in out and len(out) < most and self._rng.random() < share:
                try:
                    out[name] = self.value(part, depth + 1)
                except NoValue:  # a property that nothing fits is left out
                    continue
        for name, needed in dependencies(schema):
            if name in out and isinstance(needed, list):
                for other in needed:
                    out.setdefault(other, self.value(self._schema_of(other, schema), depth + 1))
            elif name in out and not fits(out, needed, self._root):
                rest = {key: part for key, part in schema.items() if not key.startswith("depend")}
                return self._object(resolved({"allOf": [rest, needed]}, self._root) or {}, depth + 1)
        self._fill(out, schema, depth, share, most)
        return {name: out[name] for name in (*(name for name in properties if name in out), *out)}

    def _fill(self, out: dict[str, Any], schema: Mapping[str, Any], depth: int, share: float, most: float) -> None:
        """Further properties: as many as must be, and now and then one where names are free."""
        free = schema.get("additionalProperties", True)
        open_names = isinstance(free, Mapping) or bool(schema.get("patternProperties"))
        wanted = max(int(schema.get("minProperties", 0)), len(out) + (open_names and self._rng.random() < share))
        for _ in range(TRIES):
            if len(out) >= min(wanted, most):
                return
            name = self._name(schema)
            if name not in out:
                out[name] = self.value(self._schema_of(name, schema), depth + 1)

    def _name(self, schema: Mapping[str, Any]) -> str:
        patterns = list(schema.get("patternProperties") or ())
        known = list(schema.get("properties") or ())
        if known and not patterns and schema.get("additionalProperties") is False:
            return str(self._one_of(known))
        if patterns and (schema.get("additionalProperties") is False or self._rng.random() < 0.5):
            pattern = self._one_of(patterns)
            name = of_pattern(pattern, self._rng, self._effort)
            return name if pattern.endswith("$") else name + word(self._rng, 3, 8, "abcdefgh")
        if isinstance(schema.get("propertyNames"), Mapping):
            return str(self.value({"type": "string", **schema["propertyNames"]}, 0))
        return f"key_{int(self._rng.integers(1000))}"

    def _schema_of(self, name: str, schema: Mapping[str, Any]) -> Any:
        found = property_schemas(name, schema)
        return found[0] if len(found) == 1 else {"allOf": found}

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        items = schema.get("items", True)
        head = schema.get("prefixItems") or (items if isinstance(items, list) else [])
        rest = schema.get("additionalItems", True) if isinstance(items, list) else items
        low = int(schema.get("minItems", 0))
        high = int(schema.get("maxItems", max(low, 3)))
        if rest is False:
            high = min(high, len(head))
        size = low if depth >= _DEEP else int(self._rng.integers(low, max(low, high) + 1))
        out: list[Any] = []
        if "contains" in schema and high > 0:
            head = [*head, *[schema["contains"]] * max(1, int(schema.get("minContains", 1)))]
            size = max(size, len(head))
        for _ in range(max(size, 0) * TRIES):
            if len(out) >= size:
                break
            value = self.value(head[len(out)] if len(out) < len(head) else rest, depth + 1)
            if not (schema.get("uniqueItems") and value in out):
                out.append(value)
        return out

    def _number(self, schema: Mapping[str, Any], *, whole: bool) -> int | float:
        low, high = _bounds(schema, whole)
        step = schema.get("multipleOf")
        if step:
            return self._multiple(step, low, high, whole)
        if whole:
            return self._whole(math.ceil(low), math.floor(high))
        if low > high:
            raise NoValue
        share = float(self._rng.random())
        value = min(max(low * (1 - share) + high * share, low), high)
        rounded = round(value, 2)
        return float(rounded if low <= rounded <= high else value)

    def _multiple(self, step: int | float, low: float, high: float, whole: bool) -> int | float:
        """A multiple of a step; of whole numbers, of the step's own multiples that are whole."""
        exact = Fraction(str(step))
        if whole:
            exact = Fraction(exact.numerator)
        number = exact * self._whole(math.ceil(Fraction(low) / exact), math.floor(Fraction(high) / exact))
        return int(number) if whole else float(number)

    def _whole(self, low: int, high: int) -> int:
        if low > high:
            raise NoValue
        return low + int(self._rng.integers(0, min(high - low, 2**31) + 1))

    def _text(self, schema: Mapping[str, Any]) -> str:
        text = of_format(schema.get("format"), self._rng)
        if "pattern" in schema and (text is None or self._effort % 2 == 0):
            return self._padded(of_pattern(schema["pattern"], self._rng, self._effort), schema)
        if text is not None:
            return text
        high = int(schema.get("maxLength", 12))
        low = int(schema.get("minLength", min(1, high)))
        return word(self._rng, low, max(low, high))

    def _padded(self, text: str, schema: Mapping[str, Any]) -> str:
        """A text that a pattern matches, made as long as it must be where the pattern leaves an end open."""
        more = word(self._rng, lacking, lacking) if (lacking := int(schema.get("minLength", 0)) - len(text)) > 0 else ""
        return text + more if not schema["pattern"].endswith("$") else more + text

    def _one_of(self, values: Sequence[Any]) -> Any:
        return values[int(self._rng.integers(len(values)))]


def _bounds(schema: Mapping[str, Any], whole: bool) -> tuple[float, float]:
    """The range of a number, its ends included; a thousand wide where one side is open."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(above, bool):  # draft 4
        low, above = (None, low) if above else (low, None)
    if isinstance(below, bool):
        high, below = (None, high) if below else (high, None)
    if above is not None:
        low = max(_numbers([low, math.floor(above) + 1 if whole else math.nextafter(above, math.inf)]))
    if below is not None:
        high = min(_numbers([high, math.ceil(below) - 1 if whole else math.nextafter(below, -math.inf)]))
    if low is None:
        low = 0 if high is None or high >= 0 else high - max(1000, abs(high))
    return low, low + max(1000, abs(low)) if high is None else high


def _numbers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _goes_on(branch: Any) -> int:
    """How much further a branch leads: nothing, a scalar, or objects and references."""
    if not isinstance(branch, Mapping):
        return 2
    kinds = branch.get("type")
    if kinds == "null" or "const" in branch or "enum" in branch:
        return 0
    return 1 if kinds in ("string", "integer", "number", "boolean") else 2
