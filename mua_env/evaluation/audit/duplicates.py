"""Tasks that are there twice: in the same scene the same wish of the same user, or the same effect.

The scene is the database and what a task's initial actions set up in it. The same complaint may have another cause, and
phones that are broken in different ways are all alike once they are repaired.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

from mua_env.core.database import Changes
from mua_env.core.tasks import Task


def same_wish(tasks: Iterable[Task]) -> dict[str, tuple[str, ...]]:
    """For each task id the other tasks of the same user and scene with the same instruction or the same requests.

    Case and white space of instructions are ignored. Requests that were derived from gold actions do not count.
    """
    keys: dict[str, list[Hashable]] = {}
    for task in tasks:
        words = " ".join(task.instruction.lower().split())
        scene = _scene(task)
        own: list[Hashable] = [("words", task.user_id, words, scene)] if words else []
        if task.goal is not None and task.goal.requests and not task.goal.derived:
            wishes = json.dumps([request.model_dump(mode="json") for request in task.goal.requests], sort_keys=True)
            own.append(("requests", task.user_id, wishes, scene))
        keys[task.id] = own
    return _others(keys)


def same_effect(tasks: Iterable[Task], effects: Mapping[str, Changes]) -> dict[str, tuple[str, ...]]:
    """For each task id the other tasks of its scene whose gold actions lead to the same rows.

    Args:
        tasks: the tasks.
        effects: by task id the rows that differ from the data after the gold actions; none at all do not count.
    """
    keys: dict[str, list[Hashable]] = {}
    for task in tasks:
        changes = effects[task.id]
        rows = json.dumps(sorted(changes.items()), sort_keys=True)
        keys[task.id] = [(_scene(task), rows)] if changes else []
    return _others(keys)


def _scene(task: Task) -> str:
    actions = [action.model_dump(mode="json") for action in task.initial_actions]
    return json.dumps([task.scene.get("database"), actions], sort_keys=True)


def _others(keys: Mapping[str, list[Hashable]]) -> dict[str, tuple[str, ...]]:
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for task_id, own in keys.items():
        for key in own:
            groups[key].append(task_id)
    return {
        task_id: tuple(dict.fromkeys(other for key in own for other in groups[key] if other != task_id))
        for task_id, own in keys.items()
    }
