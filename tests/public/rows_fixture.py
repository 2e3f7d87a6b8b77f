"""A folder of tasks in tau2's shape, laid out as AReaL's training data: one file of rows, databases beside it.

The data are the domains' own, the words ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mua_env.domain.contract import load_domain

KEYS = {
    "retail": {"users": "user_id", "orders": "order_id", "products": "product_id"},
    "airline": {"users": "user_id", "reservations": "reservation_id", "flights": "flight_number"},
}


def database(domain: str) -> dict[str, dict[str, dict[str, Any]]]:
    rows = {table: list(content) for table, content in load_domain(domain).data().items()}
    return {table: {row[key]: dict(row) for row in rows[table]} for table, key in KEYS[domain].items()}


def row(task_id: str, domain: str, database: str | None, actions: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    criteria = {"actions": actions, "communicate_info": [], "reward_basis": ["DB", "COMMUNICATE"], **more}
    told = {"domain": domain, "reason_for_call": "You call.", "known_info": "Your name.", "task_instructions": "Ask."}
    made = {
        "id": task_id,
        "description": {"purpose": "a test"},
        "user_scenario": {"persona": None, "instructions": told},
        "evaluation_criteria": json.dumps(criteria),
    }
    return made if database is None else {**made, "db_path": database}


def write_rows(folder: Path) -> Path:
    """Nine lines: five retail tasks over two databases, one of airline, and three that nobody can use."""
    place = folder / "tau2_rl_database"
    place.mkdir(parents=True)
    shop = database("retail")
    pending = [key for key, order in shop["orders"].items() if order["status"] == "pending"]
    delivered = next(key for key, order in shop["orders"].items() if order["status"] == "delivered")
    # In the second database the first order has another owner and is there under another name.
    other = json.loads(json.dumps(shop))
    moved = other["orders"].pop(pending[0])
    other["orders"]["#W0000001"] = {**moved, "order_id": "#W0000001"}
    owner = other["users"][moved["user_id"]]
    owner["orders"] = ["#W0000001" if name == pending[0] else name for name in owner["orders"]]
    (place / "retail_db_1.json").write_text(json.dumps(shop))
    (place / "retail_db_2.json").write_text(json.dumps(other))
    (place / "airline_db.json").write_text(json.dumps(database("airline")))
    one, two = "tau2_rl_database/retail_db_1.json", "tau2_rl_database/retail_db_2.json"

    def cancel(order: str) -> dict[str, Any]:
        return {"name": "cancel_pending_order", "arguments": {"order_id": order, "reason": "no longer needed"}}

    rows = [
        row("retail_1", "retail", one, [cancel(pending[0])]),
        row("retail_2", "retail", two, [cancel("#W0000001")]),
        row("retail_2", "retail", one, [cancel(delivered)]),  # fails its own gold, and has another's id
        row("retail_3", "retail", one, []),  # won by doing nothing
        row("retail_4", "retail", two, [cancel(pending[0])]),  # an order of the other database
        row("airline_1", "airline", "tau2_rl_database/airline_db.json", []),
        row("retail_5", "retail", "tau2_rl_database/no_such.json", []),
        row("retail_6", "retail", "../../etc/passwd", []),
    ]
    path = folder / "tau2_rl_train.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows) + "{broken\n")
    return path
