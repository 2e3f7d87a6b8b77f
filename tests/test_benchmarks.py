"""Every script in benchmarks/ runs to its end at its smallest size, on what it really measures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"
ELSEWHERE = {
    "manner_asks.py",
    "manner_words.py",
    "measure.py",
    "refusal_cases.py",
    "smallest.py",
    "tau2_gym.py",
}
"""What the others share, and what runs in an environment with tau2-bench."""
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in ELSEWHERE)
TRAINING = {
    "examples.py",
    "gradient_agreement.py",
    "local_user.py",
    "options.py",
    "quickstart.py",
    "rollout.py",
    "smollm2.py",
}
FURTHER = [("quickstart.py", ["--without", "shuffled"])]
"""Other ways through a script."""


def runs() -> list[object]:
    wanted = [*((name, []) for name in SCRIPTS), *FURTHER]
    return [
        pytest.param(
            name,
            further,
            id=" ".join([name, *further]),
            # One after another: each takes the processor whole.
            marks=[pytest.mark.xdist_group("benchmarks"), *([pytest.mark.train] if name in TRAINING else [])],
        )
        for name, further in wanted
    ]


@pytest.mark.parametrize(("name", "further"), runs())
def test_a_benchmark_runs_to_its_end(name: str, further: list[str], tmp_path: Path) -> None:
    if name in TRAINING:
        pytest.importorskip("trl")
    if name == "tau2_telecom.py":
        python = ROOT / ".venv-tau2" / "bin" / "python"
        if not python.exists():
            pytest.skip("no tau2-bench to measure beside; `make tau2-environment` installs it")
        further = ["--tau2-python", str(python)]
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), "--smoke", *further],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip()
    assert not list(tmp_path.iterdir()), "what a trial leaves lies in a folder of its own"


def test_the_environments_benchmark_runs_beside_tau2(tmp_path: Path) -> None:
    python = ROOT / ".venv-tau2" / "bin" / "python"
    if not python.exists():
        pytest.skip("no tau2-bench to measure beside; `make tau2-environment` installs it")
    file = tmp_path / "figures.json"
    words = ["--smoke", "--tau2-python", str(python), "--json", str(file)]
    done = subprocess.run(
        [sys.executable, str(FOLDER / "env_overhead.py"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert '"reset"' in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_benchmark_is_explained(name: str) -> None:
    assert f"`{name}`" in (FOLDER / "README.md").read_text(encoding="utf-8")
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert f"python benchmarks/{name}" in text
