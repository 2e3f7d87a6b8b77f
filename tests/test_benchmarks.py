"""The scripts in benchmarks/ start: what they import is there, and their help says how to use them."""

from __future__ import annotations

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


def test_every_benchmark_is_explained() -> None:
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in SCRIPTS if f"`{name}`" not in listed] == []
