"""The tutorial's blocks are one file that runs, and its commands do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mua_env.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "domains.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_blocks_make_a_working_domain(tmp_path: Path) -> None:
    module = tmp_path / "dentist.py"
    module.write_text("\n\n".join(blocks("python")), encoding="utf-8")
    ended = subprocess.run([sys.executable, str(module)], capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "There are no visits on weekends." in ended.stdout


def test_the_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (console,) = blocks("console")
    commands = re.findall(r"mua-env (.+?)(?:\s+#|$)", console, re.MULTILINE)
    assert commands == ["domains new hotel", "domains check hotel_domain.py"]
    monkeypatch.chdir(tmp_path)
    assert main(commands[0].split()) == 0
    monkeypatch.chdir(tmp_path / "hotel")
    assert main(commands[1].split()) == 0


def test_every_name_that_the_page_imports_is_public() -> None:
    import mua_env

    imported = re.findall(r"^from mua_env import (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert imported
    for line in imported:
        assert set(line.split(", ")) <= set(mua_env.__all__)
