"""The command line where no extra is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mua_env.installed import install_command

EXTRAS = ("litellm", "tenacity", "torch", "transformers", "trl", "datasets", "yaml", "matplotlib")

CODE = f"""
import sys
sys.modules.update(dict.fromkeys({EXTRAS!r}))  # importing any of them fails, as if it were not installed
from mua_env.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", CODE, *arguments], capture_output=True, text=True, check=False)


def test_watching_rolling_out_and_viewing_need_no_extra(tmp_path):
    watched = run("play", "--watch", "--tasks", "test:level=1")
    assert watched.returncode == 0, watched.stderr
    assert "Reward 1" in watched.stdout
    done = run("rollout", str(tmp_path / "run"), "--tasks", "test:level=1", "--count", "2")
    assert done.returncode == 0, done.stderr
    assert run("view", str(tmp_path / "run")).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        ("play --watch --user llm -U model=m", "llm"),
        ("play --watch --agent llm -A model=m", "llm"),
        ("play --watch --agent local -A model=folder", "train"),
        ("train {config}", "train"),
        ("quickstart --folder {folder}", "train"),
    ],
)
def test_a_missing_extra_is_named_by_its_command(tmp_path, arguments, extra):
    config = tmp_path / "run.yaml"
    config.write_text("name: x\n")
    done = run(*arguments.format(config=config, folder=tmp_path / "runs").split())
    assert done.returncode == 2
    assert f"[{extra}]: {install_command(extra)}" in done.stderr
    assert "Traceback" not in done.stderr
