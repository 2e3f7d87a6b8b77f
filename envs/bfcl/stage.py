"""The benchmark's own classes as the objects of a world, with its tool documents as function schemas."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from mua_env.core.object_world import Stage
from mua_env.core.tasks import Task
from mua_env.errors import DataError

from .release import CLASSES, SOURCES, documents

_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "bool": "boolean", "any": "string"}
"""The documents' names of types that JSON schemas call otherwise (source: ``constants/type_mappings.py``)."""

_STATELESS = frozenset({"MathAPI"})


class BFCLStage(Stage):
    """Instances of the classes that a task involves.

    The package's own executor keeps instances in module globals by the model's name, and evaluates strings; here every
    world has instances of its own, and calls go by name to documented methods.
    """

    def objects(self, task: Task) -> Mapping[str, object]:
        """Fresh instances with the task's initial configuration."""
        scene = task.scene
        made: dict[str, object] = {}
        for name in scene["classes"]:
            instance = class_named(name)()
            if name not in _STATELESS:
                config = copy.deepcopy(scene["config"].get(name, {}))
                instance._load_scenario(config, long_context=scene["long_context"])
            made[name] = instance
        return made

    def schemas(self, task: Task) -> Sequence[dict[str, Any]]:
        """The documents of the task's classes, as function schemas."""
        return [schema for name in task.scene["classes"] for schema in schemas_of(name)]

    def refusal(self, error: Exception) -> str:
        """As the benchmark writes exceptions."""
        return f"Error during execution: {error}"


@cache
def schemas_of(class_name: str) -> tuple[dict[str, Any], ...]:
    """The tools of a class in OpenAI form; what a tool responds with is told in its description."""
    return tuple(_schema(document) for document in documents(class_name))


def all_schemas() -> Iterator[dict[str, Any]]:
    """The tools of all classes; a name that two classes have comes once."""
    seen: set[str] = set()
    for name in SOURCES:
        for schema in schemas_of(name):
            if schema["function"]["name"] not in seen:
                seen.add(schema["function"]["name"])
                yield schema


def _schema(document: Mapping[str, Any]) -> dict[str, Any]:
    description = document["description"]
    if "response" in document:
        description += f" Returns: {json.dumps(document['response'].get('properties', document['response']))}"
    parameters = _typed(document["parameters"])
    return {
        "type": "function",
        "function": {"name": document["name"], "description": description, "parameters": parameters},
    }


def _typed(schema: Mapping[str, Any]) -> dict[str, Any]:
    typed = dict(schema)
    kind = schema.get("type", "string")
    typed["type"] = _TYPES.get(kind, kind)
    if "properties" in schema:
        typed["properties"] = {name: _typed(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        typed["items"] = _typed(schema["items"])
    return typed


@cache
def class_named(name: str) -> Any:
    """A class of the package.

    Raises:
        DataError: there is none of that name, or it cannot be loaded.
    """
    if name not in SOURCES:
        raise DataError(f"BFCL's class {name!r} is not known; known are {', '.join(SOURCES)}")
    try:
        return getattr(import_module(f"{CLASSES}.{SOURCES[name]}"), name)
    except (ImportError, AttributeError) as error:
        raise DataError(f"bfcl-eval's class {name} cannot be loaded ({error}); is it installed whole?") from None
