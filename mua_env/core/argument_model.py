"""A typed method as a pydantic model of its arguments, and that model as a JSON schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo

from mua_env.errors import DomainError


def _config(extra: Literal["allow", "forbid"]) -> ConfigDict:
    return ConfigDict(extra=extra, strict=True, allow_inf_nan=False, protected_namespaces=())


_SCHEMAS = frozenset(
    {
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MAPS = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})


class ArgumentModel:
    """Validates the arguments of a method by name: unknown ones are refused, nothing is coerced between types.

    Args:
        tool: name of the tool, for errors.
        method: a typed method; a ``**`` parameter takes all further arguments.

    Attributes:
        model: the pydantic model. A name that a model cannot have (``_id``, ``model_config``) is an alias in it.
        fields: the fields by the arguments' names.
        open: whether further arguments are taken.

    Raises:
        DomainError: an argument has no annotation, or cannot be given by name.
    """

    def __init__(self, tool: str, method: Callable[..., Any]) -> None:
        hints = get_type_hints(method, include_extras=True)
        owner, *parameters = inspect.signature(method).parameters.values()
        self.open = False
        self._owner = owner.name
        self._places: dict[str, str] = {}
        fields: dict[str, Any] = {}
        base: type[BaseModel] = type("Arguments", (BaseModel,), {"model_config": _config("forbid")})
        for place, parameter in enumerate(parameters):
            name = parameter.name
            if name not in hints:
                raise DomainError(f"tool {tool!r}: argument {name!r} has no type annotation")
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
                raise DomainError(f"tool {tool!r}: argument {name!r} cannot be given by name")
            if parameter.kind is parameter.VAR_KEYWORD:
                base, self.open = _open_base(hints[name]), True
                continue
            self._places[name] = f"argument_{place}" if name.startswith("_") or hasattr(BaseModel, name) else name
            fields[self._places[name]] = _field(hints[name], parameter, alias=self._places[name] != name)
        self.model: type[BaseModel] = create_model(tool, __base__=base, **fields)
        self.fields: dict[str, FieldInfo] = {
            name: self.model.model_fields[place] for name, place in self._places.items()
        }

    def unknown(self, values: Mapping[str, Any]) -> list[str]:
        """The names among ``values`` that the method does not take."""
        known = self._places.keys()
        return [name for name in values if name not in known and (not self.open or name == self._owner)]

    def read(self, text: str) -> dict[str, Any]:
        """Arguments by name from a JSON object.

        Raises:
            ValidationError: one is missing, unknown or of the wrong type.
        """
        read = self.model.model_validate_json(text)
        return {name: getattr(read, place) for name, place in self._places.items()} | (read.model_extra or {})

    def schema(self) -> dict[str, Any]:
        """The JSON schema, with nested schemas in full; only what contains itself stays a ``$ref``."""
        schema = inlined(self.model.model_json_schema())
        schema.setdefault("properties", {})
        return schema


def _open_base(hint: Any) -> type[BaseModel]:
    space = {
        "model_config": _config("allow"),
        "__annotations__": {"__pydantic_extra__": dict[str, hint]},
        "__module__": __name__,
    }
    return type("OpenArguments", (BaseModel,), space)


def _field(hint: Any, parameter: inspect.Parameter, *, alias: bool) -> tuple[Any, Any]:
    default = ... if parameter.default is parameter.empty else parameter.default
    return (Annotated[hint, Field(alias=parameter.name)] if alias else hint), default


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without titles, each ``$ref`` into its ``$defs`` replaced by what it stands for.

    A definition that contains itself cannot stand in full: it stays in ``$defs``.
    """
    definitions: dict[str, Any] = dict(schema.get("$defs", {}))
    recursive = {name for name in definitions if name in _reached(name, definitions)}

    def resolve(node: Any) -> Any:
        if not isinstance(node, Mapping):
            return node
        target = _target(node, definitions)
        if target is not None and target not in recursive:
            return resolve({**definitions[target], **{key: value for key, value in node.items() if key != "$ref"}})
        return {key: part(key, value) for key, value in node.items() if not (key == "title" and isinstance(value, str))}

    def part(key: str, value: Any) -> Any:
        # What stands under other keywords, as a default, is a value and no schema.
        if key in _MAPS and isinstance(value, Mapping):
            return {name: resolve(each) for name, each in value.items()}
        if key in _LISTS and isinstance(value, list):
            return [resolve(each) for each in value]
        return resolve(value) if key in _SCHEMAS else value

    whole: dict[str, Any] = resolve({key: value for key, value in schema.items() if key != "$defs"})
    needed = set().union(*(_reached(name, definitions) for name in _references(whole))) & recursive
    if needed:
        whole["$defs"] = {name: resolve(definitions[name]) for name in sorted(needed)}
    return whole


def _target(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> str | None:
    reference = node.get("$ref")
    name = reference.removeprefix("#/$defs/") if isinstance(reference, str) else None
    return name if name in definitions else None


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix("#/$defs/")
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _reached(start: str, definitions: Mapping[str, Any]) -> set[str]:
    """The definitions that one refers to, directly or through others; itself only if it contains itself."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        for name in _references(definitions.get(ahead.pop())):
            if name not in found and name in definitions:
                found.add(name)
                ahead.append(name)
    return found
