"""A checkout of ACEBench's layout, written here: two small classes, three tasks of one kind and one of the other.

A real checkout (``ACEBENCH_ROOT``) is compared with upstream's own code by ``benchmarks/acebench_verdicts.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

BASE = """
class BaseApi:
    def __init__(self):
        self.wifi = False
        self.logged_in = True

    def _load_scenario(self, scenario, long_context=False):
        self.wifi = scenario.get("wifi", False)
        self.logged_in = scenario.get("logged_in", True)

    def turn_on_wifi(self):
        self.wifi = True
        return {"status": True}
"""
MESSAGES = """
from datetime import datetime
from model_inference.{kind}.scenariosen.phone_platform.base_api import BaseApi


class MessageApi(BaseApi):
    def __init__(self):
        super().__init__()
        self.inbox = {{1: {{"text": "Milk, please", "time": "2024-06-09"}}}}

    def send_message(self, receiver_name, message):
        print("sending")
        if not self.wifi:
            return {{"status": False, "message": "no Wi-Fi"}}
        self.inbox[max(self.inbox) + 1] = {{"text": message, "time": "2024-06-11"}}
        return {{"status": True, "message": receiver_name}}

    def day_of(self, message_id):
        return datetime.strptime(self.inbox[message_id]["time"], "%Y-%m-%d").strftime("%A")
"""
EMPTY = "class {name}:\n    def __init__(self):\n        self.users = {{}}\n"
FUNCTIONS = [
    {"name": "turn_on_wifi", "description": "Switch it on.", "parameters": {"type": "dict", "properties": {}}},
    {
        "name": "send_message",
        "description": "Send a message.",
        "parameters": {
            "type": "dict",
            "required": ["receiver_name", "message"],
            "properties": {"receiver_name": {"type": "string"}, "message": {"type": "string"}},
        },
    },
    {
        "name": "day_of",
        "description": "The day of a message.",
        "parameters": {"type": "dict", "required": ["message_id"], "properties": {"message_id": {"type": "int"}}},
    },
]
SENT = {"1": {"text": "Milk, please", "time": "2024-06-09"}, "2": {"text": "Domino's it is", "time": "2024-06-11"}}
STONES = ["[turn_on_wifi()]", "[send_message(receiver_name='Ann', message='Domino's it is')]"]


def row(id: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "question": "Tell Ann: Domino's it is.",
        "initial_config": {"BaseApi": {"wifi": False}},
        "path": [],
        "function": FUNCTIONS,
        "involved_classes": ["BaseApi", "MessageApi"],
        **fields,
    }


def answer(id: str, **fields: Any) -> dict[str, Any]:
    truth = [{"BaseApi": {"wifi": True, "logged_in": True}}, {"MessageApi": {"inbox": SENT}}]
    return {"id": id, "ground_truth": truth, "mile_stone": STONES, **fields}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "ACEBench"
    for kind in ("multi_turn", "multi_step"):
        scenarios = root / "model_inference" / kind / "scenariosen"
        (scenarios / "phone_platform").mkdir(parents=True)
        (scenarios / "phone_platform" / "base_api.py").write_text(BASE)
        (scenarios / "phone_platform" / "message.py").write_text(MESSAGES.format(kind=kind))
        for file, name in (("phone_platform/reminder.py", "ReminderApi"), ("phone_platform/food_services.py", "Food")):
            (scenarios / file).write_text(EMPTY.format(name=name))
        (scenarios / "travel.py").write_text(EMPTY.format(name="Travel"))
    misspelt = [{"BaseApi": {"wifi": True, "logged_in": True}}, {"MessageAPI": {"inbox": {}}}]
    several = [["[day_of(message_id=1)]"], STONES]
    answers = [answer("t0"), answer("t1", ground_truth=misspelt), answer("t2", mile_stone=several)]
    write(root, "multi_turn", [row("t0"), row("t1"), row("t2")], answers)
    write(root, "multi_step", [row("s0")], [answer("s0")])
    return root


def write(root: Path, kind: str, rows: list[dict[str, Any]], answers: list[dict[str, Any]]) -> None:
    data = root / "data_all" / "data_en"
    (data / "possible_answer").mkdir(parents=True, exist_ok=True)
    name = f"data_agent_{kind}.json"
    (data / name).write_text("\n".join(map(json.dumps, rows)))
    (data / "possible_answer" / name).write_text("\n".join(map(json.dumps, answers)))
