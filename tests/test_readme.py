"""The README's Python runs, and its commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0][:40])
def test_an_example_runs(block: str, tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(block, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_every_command_exists_with_its_options() -> None:
    lines = re.findall(r"^mua-env ([a-z]+)(?: ([a-z]+))?([^#\n]*)", README, flags=re.MULTILINE)
    assert len(lines) >= 6
    for first, second, rest in lines:
        words = [first, second] if first in ("tasks", "users") else [first]
        done = subprocess.run(
            [sys.executable, "-m", "mua_env", *words, "--help"], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, (words, done.stderr)
        for option in re.findall(r"(?<=\s)--?[a-zA-Z][a-z-]*", rest):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", done.stdout), (words, option)


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link
