"""Each block of Python in docs/ runs alone, beside the files that it names; those of a tutorial run together."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from loopback import Loopback

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def programs(page: Path) -> list[str]:
    """Each block of a page; all together where the page says that they are one file, as a tutorial's are."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return ["\n\n".join(blocks)] if "Its blocks are one file." in text else blocks


BLOCKS = [
    pytest.param(page.name, block, id=f"{page.stem}-{number}")
    for page in sorted(DOCS.glob("*.md"))
    for number, block in enumerate(programs(page))
]

SMALL_RUN = """
name: small
model: {scratch: {hidden: 32, layers: 1, heads: 2, kv_heads: 1, vocabulary: 600}}
environment: {tasks: "train:level=1", held_out: "test:level=1", policy: none, tools: none, max_turns: 12}
lengths: {total: 1500, turn: 8}
cold_start: {trajectories: 4, expert_style: compact, batch: 4, micro_batch: 4, epochs: 1}
grpo: {queries: 2, rollouts: 2, steps: 1, micro_batch: 2}
evaluation: {tasks: 2, repeats: 1}
"""


def a_checkout_of_tau2(folder: Path) -> None:
    made = ROOT / ".venv-tau2"
    site = next(made.glob("lib/python*/site-packages"), None)
    if site is None:
        pytest.skip(f"no data of tau2-bench in {made}; `make tau2-environment` puts it there")
    (folder / "tau2-bench").symlink_to(site)


def a_bank(folder: Path) -> None:
    pytest.importorskip("rank_bm25", reason="needs the [banking] extra")
    if find_spec("inspect_evals") is None:
        pytest.skip("no copy of tau2-bench's banking; pip install --no-deps inspect-evals==0.28.0")


def a_trained_user(folder: Path) -> None:
    pytest.importorskip("transformers")
    from mua_env.inference.models import save
    from mua_env.training.config.train import ScratchConfig
    from mua_env.training.tiny_model.from_nothing import build_model, build_tokenizer

    tokenizer = build_tokenizer(["yes, please", "user assistant system"], vocabulary=300)
    shape = ScratchConfig(hidden=16, layers=1, heads=2, kv_heads=1, vocabulary=300)
    save(build_model(tokenizer, shape, seed=0), tokenizer, folder / "runs" / "user-smollm2" / "model")


def a_small_run(folder: Path) -> None:
    pytest.importorskip("trl")
    (folder / "examples").mkdir()
    (folder / "examples" / "quickstart.yaml").write_text(SMALL_RUN, encoding="utf-8")


def a_model(folder: Path) -> None:
    pytest.importorskip("litellm")


NEEDS: dict[str, tuple[Callable[[Path], None], ...]] = {
    "banking.md": (a_bank,),
    "llm.md": (a_model, a_checkout_of_tau2),
    "tau2.md": (a_model, a_checkout_of_tau2),
    "local-users.md": (a_model, a_trained_user),
    "training.md": (a_small_run,),
}


def test_the_pages_have_blocks() -> None:
    assert len(BLOCKS) >= 10


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_a_block_runs_alone(page: str, block: str, tmp_path: Path) -> None:
    for need in NEEDS.get(page, ()):
        need(tmp_path)
    script = tmp_path / "block.py"
    script.write_text(block, encoding="utf-8")
    with Loopback([]) as server:
        where = {"OPENAI_API_BASE": server.base_url, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        data = {"TAU2_DATA_DIR": str(tmp_path / "tau2-bench")} if page == "llm.md" else {}
        done = subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **where, **data},
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_a_block_that_makes_an_environment_registers_it(page: str, block: str) -> None:
    assert "gym.make(" not in block or "import mua_env" in block
