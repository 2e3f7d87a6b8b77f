"""The public benchmark's own recorded dialogues, held again by an evaluation, come out as recorded."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("recorded", BENCHMARKS / "recorded.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "recorded", module)
    spec.loader.exec_module(module)
    return module


def test_all_200_dialogues_come_to_the_recorded_rewards_and_pass_k(recorded: Any, tau1_dir: Path) -> None:
    rows = recorded.read_rows(tau1_dir)
    results, different = recorded.hold_again(rows, tau1_dir)
    (row,) = results.rows
    assert different == []
    assert (row.metrics.ended, row.metrics.scored, row.metrics.tasks) == (200, 200, 50)
    assert {k: round(value, 3) for k, value in row.metrics.pass_k.items()} == {1: 0.42, 2: 0.273, 3: 0.22, 4: 0.2}
    assert row.metrics.k_tasks == {1: 50, 2: 50, 3: 50, 4: 50}


def test_another_reward_of_one_dialogue_is_noticed(recorded: Any, tau1_dir: Path) -> None:
    rows = recorded.read_rows(tau1_dir)
    row = next(row for row in rows if row["task_id"] == 1)
    row["reward"] = 1 - row["reward"]
    _, different = recorded.hold_again(rows, tau1_dir, count=2)
    assert len(different) == 1
