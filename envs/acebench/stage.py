"""The scenario classes as the objects of a world, with the benchmark's function documents as schemas."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mua_env.core.object_world import Stage
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode
from mua_env.errors import ToolError

from .checkout import scenario_class

SAVED = {
    "BaseApi": ("wifi", "logged_in"),
    "MessageApi": ("inbox",),
    "ReminderApi": ("reminder_list",),
    "FoodPlatform": ("users", "logged_in_users", "orders"),
    "Travel": ("users", "reservations"),
}
"""The attributes that the benchmark compares (source: ``SAVED_CLASS`` in ``apimodel_inference.py``)."""

_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "bool": "boolean", "int": "integer"}


class ACEStage(Stage):
    """Instances of the classes that a task involves; what they all have (the phone's Wi-Fi) is switched on all.

    Args:
        root: the checkout.
        mode: in ``compat`` mode an error of a multi-turn task reads as there, where it says nothing of its cause.
    """

    everywhere = True

    def __init__(self, root: Path, *, mode: Mode) -> None:
        self._root = root
        self._mode: Mode = mode

    def objects(self, task: Task) -> Mapping[str, object]:
        """Fresh instances in the task's initial configuration; the phone's own is loaded into every one of them."""
        scene = task.scene
        made: dict[str, Any] = {}
        for name in scene["classes"]:
            made[name] = scenario_class(self._root, scene["kind"], name)()
            for config in (scene["config"].get(name, {}), scene["config"].get("BaseApi", {})):
                made[name]._load_scenario(copy.deepcopy(config), long_context=False)
        return made

    def schemas(self, task: Task) -> Sequence[dict[str, Any]]:
        """The documents of the task's functions, as function schemas."""
        return [
            {"type": "function", "function": {**document, "parameters": _typed(document.get("parameters", {}))}}
            for document in task.scene["functions"]
        ]

    def refusal(self, error: Exception) -> str:
        """An exception in words; upstream's multi-turn tasks hand out a template without the cause instead."""
        if self._mode == "compat" and not isinstance(error, ToolError):
            return "Error during execution"
        return f"Error during execution: {error}"

    def state(self, value: object) -> dict[str, Any]:
        """The attributes that are compared, as they are after a round trip through JSON."""
        saved = {name: vars(value)[name] for name in SAVED[type(value).__name__] if name in vars(value)}
        plain: dict[str, Any] = json.loads(json.dumps(saved, default=str))
        return plain


def _typed(schema: Mapping[str, Any]) -> dict[str, Any]:
    typed = dict(schema)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    typed["type"] = _TYPES.get(kind, kind)
    if "properties" in schema:
        typed["properties"] = {name: _typed(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        typed["items"] = _typed(schema["items"])
    return typed
