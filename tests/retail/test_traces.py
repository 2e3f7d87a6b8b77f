"""Recorded traces of the public retail benchmark hold step by step."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tau1_hash import StateHasher

from mua_env.core.database import open_template
from mua_env.core.world import SQLWorld
from mua_env.domain.public.tau1 import Layout, read_tables
from mua_env.envs.retail.models import Base
from mua_env.envs.retail.tools import RetailTools

TABLES = {"users": "user_id", "orders": "order_id", "products": "product_id"}


@pytest.fixture(scope="module")
def folder(tau1_dir: Path) -> Path:
    return tau1_dir / "retail"


@pytest.fixture(scope="module")
def traces(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "traces_test.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def world(folder: Path, database_url: str | None) -> Iterator[SQLWorld]:
    template = open_template(Base, read_tables(Layout.find("retail", folder), TABLES), url=database_url)
    world = SQLWorld(template, RetailTools, mode="compat")
    yield world
    world.close()
    template.close()


@pytest.fixture(scope="module")
def hasher(folder: Path) -> StateHasher:
    return StateHasher({name: json.loads((folder / f"{name}.json").read_text()) for name in TABLES})


def public_changes(world: SQLWorld) -> dict[str, dict[str, Any]]:
    """The changed rows as the benchmark writes them: table -> key -> record without an added key column."""
    changed: dict[str, dict[str, Any]] = {}
    for (table, key_text), row in world.snapshot().items():
        key = json.loads(key_text)[0]
        if row is not None and table == "users":
            row = {name: value for name, value in row.items() if name != "user_id"}
        changed.setdefault(table, {})[key] = row
    return changed


def as_value(text: str) -> Any:
    """Results that are JSON objects or lists are compared as such, all others as text."""
    return json.loads(text) if text[:1] in ("{", "[") else text


def exactly(value: Any) -> str:
    """JSON text that tells 100 from 100.0."""
    return json.dumps(value, sort_keys=True)


def test_every_step_of_every_trace(world: SQLWorld, traces: list[dict[str, Any]], hasher: StateHasher) -> None:
    assert len(traces) > 200
    steps = 0
    for trace in traces:
        world.load()
        for step in trace["steps"]:
            before = None if step["ok"] else exactly(public_changes(world))
            result = world.call(step["name"], step["arguments"])
            where = f"task {trace['task']} ({trace['kind']}), {step['name']}({step['arguments']}): {result.content}"
            assert result.ok == step["ok"], where
            if step["ok"]:
                assert exactly(as_value(result.content)) == exactly(as_value(step["result"])), where
            else:
                assert exactly(public_changes(world)) == before, where
            steps += 1
        changed = public_changes(world)
        assert exactly(changed) == exactly(trace["changed"]), f"task {trace['task']} ({trace['kind']})"
        assert hasher.digest(changed) == trace["state_sha256"], f"task {trace['task']} ({trace['kind']})"
    assert steps > 1000


def test_the_traces_tell_faults_apart(world: SQLWorld, traces: list[dict[str, Any]]) -> None:
    """The comparison can fail: skipping a trace's last write gives other changes."""
    trace = next(trace for trace in traces if trace["kind"] == "gold" and trace["changed"])
    writes = [step for step in trace["steps"] if step["ok"] and RetailTools.specs[step["name"]].writes]
    world.load()
    for step in writes[:-1]:
        world.call(step["name"], step["arguments"])
    assert exactly(public_changes(world)) != exactly(trace["changed"])
