"""Recorded runs of the public benchmark's own airline tools, replayed step by step in ``compat`` mode."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mua_env.core.database import Database, Template, open_template
from mua_env.envs.airline.models import Base, Reservation, User
from mua_env.envs.airline.tools import AirlineTools

KEYS = {"users": "user_id", "reservations": "reservation_id", "flights": "flight_number"}
MODELS = {"users": User, "reservations": Reservation}


@pytest.fixture(scope="module")
def public_template(tau1_dir: Path) -> Template:
    rows: dict[str, list[dict[str, Any]]] = {}
    for table, key in KEYS.items():
        records = json.loads((tau1_dir / "airline" / f"{table}.json").read_text())
        rows[table] = [{**record, key: name} for name, record in records.items()]
    return open_template(Base, rows)


def test_every_step_of_every_trace_holds(tau1_dir: Path, public_template: Template) -> None:
    database = public_template.clone()
    tools = AirlineTools(database, mode="compat")
    steps = 0
    with gzip.open(tau1_dir / "airline" / "traces_test.jsonl.gz", "rt") as file:
        traces = [json.loads(line) for line in file]
    for trace in traces:
        database.reset()
        for step in trace["steps"]:
            before = database.changes() if not step["ok"] else None
            result = tools.call(step["name"], step["arguments"])
            assert result.ok == step["ok"], (trace["task"], step, result)
            if result.ok:
                assert _value(result.content) == _value(step["result"])
            else:
                assert database.changes() == before
            steps += 1
        assert _changed(database) == trace["changed"]
    assert len(traces) == 125
    assert steps == 433


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _changed(database: Database) -> dict[str, Any]:
    out: dict[str, dict[str, Any]] = {}
    for (table, key), row in database.changes().items():
        record = dict(row) if row is not None else None
        if record is not None and table == "users":
            del record["user_id"]
        out.setdefault(table, {})[json.loads(key)[0]] = record
    return out
