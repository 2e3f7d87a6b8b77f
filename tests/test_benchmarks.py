"""The scripts in benchmarks/ start: what they import is there, and their help says how to use them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
ELSEWHERE = {"measure.py", "tau2_gym.py"}
"""What the others share, and what runs in an environment with tau2-bench."""
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in ELSEWHERE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_benchmark_starts(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), "--help"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert name in done.stdout


def test_hostile_texts_are_measured_to_the_end(tmp_path: Path) -> None:
    """Every kind of text in every domain and language; no time is asserted."""
    figures = tmp_path / "figures.json"
    command = [sys.executable, "hostile_text.py", "--texts", "14", "--limit-ms", "1e9", "--json", str(figures)]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = json.loads(figures.read_text(encoding="utf-8"))["rows"]
    assert len(rows["texts"]) == 6
    assert set(rows["texts"].values()) == {14}
    assert all(value > 0 for value in rows["dearest, ms"].values())


def test_every_benchmark_is_explained() -> None:
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in SCRIPTS if f"`{name}`" not in listed] == []
