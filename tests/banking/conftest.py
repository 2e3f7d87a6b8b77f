"""A small bank of the same layout stands in where no copy of tau2-bench is to be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.banking import bank


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return bank.write(tmp_path / "tau2-bench")
