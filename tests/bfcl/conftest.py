"""BFCL's tests need its package, installed without its dependencies, and mpmath."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

collect_ignore_glob: list[str] = []
if importlib.util.find_spec("bfcl_eval") is None:
    collect_ignore_glob = ["test_*.py"]


def pytest_report_header() -> str | None:
    return "bfcl-eval is not installed: tests/bfcl is left out" if collect_ignore_glob else None


@pytest.fixture(params=["base", "miss_func", "miss_param", "long_context"])
def category(request: pytest.FixtureRequest) -> str:
    return str(request.param)
