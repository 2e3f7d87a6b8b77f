"""Tasks that are there twice: the same wish of the same user, or the same effect."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

from mua_env.database import Changes
from mua_env.tasks import Task


def same_wish(tasks: Iterable[Task]) -> dict[str, tuple[str, ...]]:
    """For each task id the other tasks of the same user and scene with the same instruction or the same requests.

    Case and white space of instructions are ignored. Requests that were derived from gold actions do not count. The
    scene is what the initial actions set up: the same complaint may have another cause.
    """
    keys: dict[str, list[Hashable]] = {}
    for task in tasks:
        words = " ".join(task.instruction.lower().split())
        scene = json.dumps([action.model_dump(mode="json") for action in task.initial_actions], sort_keys=True)
        own: list[Hashable] = [("words", task.user_id, words, scene)] if words else []
        if task.goal is not None and task.goal.requests and not task.goal.derived:
            wishes = json.dumps([request.model_dump(mode="json") for request in task.goal.requests], sort_keys=True)
            own.append(("requests", task.user_id, wishes, scene))
        keys[task.id] = own
    return _others(keys)


def same_effect(effects: Mapping[str, Changes]) -> dict[str, tuple[str, ...]]:
    """For each task id the other tasks whose gold actions lead to the same rows; no change at all does not count."""
    keys: dict[str, list[Hashable]] = {
        task_id: [json.dumps(sorted(changes.items()), sort_keys=True)] if changes else []
        for task_id, changes in effects.items()
    }
    return _others(keys)


def _others(keys: Mapping[str, list[Hashable]]) -> dict[str, tuple[str, ...]]:
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for task_id, own in keys.items():
        for key in own:
            groups[key].append(task_id)
    return {
        task_id: tuple(dict.fromkeys(other for key in own for other in groups[key] if other != task_id))
        for task_id, own in keys.items()
    }
