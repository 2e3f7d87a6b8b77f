"""The example of docs/telecom.md runs, and the caller's phone shows in what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "telecom.md"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(block, {})
    opening, answer = capsys.readouterr().out.strip().split("\n")[-2:]
    assert "Airplane Mode" not in opening
    assert "Airplane Mode: O" in answer
