"""Agendas for the public telecom tasks: from the scene, the gold calls and the persona that a task's id names."""

from __future__ import annotations

import re
from typing import Any, Final

from mua_env.core.database import Rows
from mua_env.core.tasks import Goal, Request, Task

_ID = re.compile(r"^\[(?P<symptom>\w+)_issue\].*?(?:\[PERSONA:(?P<persona>\w+)\])?$")
_SYMPTOMS: Final = {"service": "service", "mobile_data": "data", "mms": "mms"}
_PERSONAS: Final = {"None": "plain", "Easy": "polite", "Hard": "confused"}
_REFUEL = re.compile(r"refuel (\d+(?:\.\d+)?) ?GB", re.IGNORECASE)
_USER: Final = "set_user_info"
_COUNTRY = re.compile(r"\babroad in ([A-Z]\w+)")


def derive_goal(task: Task, rows: Rows) -> Goal | None:
    """The agenda of a public task, or ``None`` where its scene names no user.

    Args:
        task: as read from the benchmark.
        rows: the data that it belongs to (a task names all that is needed of them).
    """
    found = _ID.match(task.id)
    scene = {action.name: action.arguments for action in task.initial_actions}
    if found is None or found["symptom"] not in _SYMPTOMS or _USER not in scene:
        return None
    intent = _SYMPTOMS[found["symptom"]]
    handed = any(action.name == "transfer_to_human_agents" for action in task.actions)
    amount = _REFUEL.search(task.instruction)
    slots: dict[str, Any] = {"gb": float(amount[1])} if amount and intent != "service" else {}
    request = Request(intent=intent, slots=slots, outcome="transferred" if handed else "done")
    facts = _facts(task, scene)
    persona = _PERSONAS.get(found["persona"] or "None", "plain")
    return Goal(facts=facts, requests=(request,), persona=persona, derived=True)


def find_user(task: Task, rows: Rows) -> str | None:
    """The id of the customer whose line is in the phone of a public task's scene, if there is one."""
    number = next((action.arguments["phone_number"] for action in task.initial_actions if action.name == _USER), None)
    lines = {row["line_id"] for row in rows["lines"] if row["phone_number"] == number}
    return next((row["customer_id"] for row in rows["customers"] if lines & set(row["line_ids"])), None)


def _facts(task: Task, scene: dict[str, dict[str, Any]]) -> dict[str, Any]:
    user = scene[_USER]
    country = _COUNTRY.search(task.instruction)
    place = (
        (country[1] if country else "another country") if scene.get("set_user_location", {}).get("abroad") else "home"
    )
    return {"full_name": user["name"], "phone": user["phone_number"], "location": place}
