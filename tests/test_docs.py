"""What the documents name is there: modules, their names, and files."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from mua_env._moved import MODULES

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "benchmarks" / "README.md", *(ROOT / "docs").glob("*.md")])
WINGS = ("core", "domain", "llm", "inference", "users", "scoring", "episode", "gym", "agents", "evaluation", "training")


def is_there(dotted: str) -> bool:
    """Whether a dotted name leads to a module at its present place, or to a name in one."""
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return False
    return not any(dotted == f"mua_env.{old}" or dotted.startswith(f"mua_env.{old}.") for old in MODULES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"\bmua_env(?:\.[A-Za-z_]\w*)+", text)) - {"mua_env.domains", "mua_env.rewards"}
    if page.name == "architecture.md":
        text, _, _ = text.partition("## Old import paths")
        named = {f"mua_env.{name}" for name in re.findall(rf"`((?:{'|'.join(WINGS)})(?:\.\w+)+)`", text)}
        assert len(named) > 10
    assert sorted(name for name in named if not is_there(name)) == []
    paths = re.findall(r"`((?:mua_env|envs|docs|examples|tests|benchmarks|scripts)/[\w./-]+)`", text)
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []
