"""What must hold on real copies: an installed inspect-evals, and a checkout that MUA_TAU2_CHECKOUT names."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rank_bm25", reason="needs the [banking] extra")

from mua_env import Session, load_setting
from mua_env.core.scores import Record
from mua_env.domain.contract import load_domain
from tests.banking.desk import serve

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["inspect-evals 0.28.0", "v1.0.1"])
def copy(request: pytest.FixtureRequest) -> Iterator[Path | None]:
    if request.param == "v1.0.1":
        named = os.environ.get("MUA_TAU2_CHECKOUT")
        if not named:
            pytest.skip("no checkout of tau2-bench v1.0.1; name one by MUA_TAU2_CHECKOUT")
        yield Path(named)
        return
    spec = importlib.util.find_spec("inspect_evals")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no inspect-evals; pip install --no-deps inspect-evals==0.28.0")
    yield Path(next(iter(spec.submodule_search_locations))).parent


@pytest.fixture(scope="module")
def setting(copy: Path) -> Any:
    return load_setting("banking", "tau2:base", path=copy)


def test_release_is_known_and_whole(setting: Any) -> None:
    assert len(setting.tasks) == 97
    assert setting.tasks.source_revision.startswith(("v1.0.1 (", "inspect-evals 0.28.0 ("))
    assert {"KB_search", "grep", "log_verification"} < {tool["function"]["name"] for tool in setting.tools}
    assert len(setting.user_tools) == 6


def test_gold_is_won_everywhere_and_doing_nothing_nowhere(setting: Any) -> None:
    world, won, idle = setting.make_world(), [], []
    for task in setting.tasks:
        world.load(task)
        idle.append(setting.scorer.score(task, world, Record()).reward)
        for action in task.actions:
            world.call(action.name, action.arguments, requestor=action.requestor)
        won.append(setting.scorer.score(task, world, Record(calls=task.actions)).reward)
    assert won == [1.0] * 97
    assert idle == [0.0] * 97


def test_gold_calls_that_fail_are_those_that_are_known(setting: Any) -> None:
    failing = {task.id for task in setting.tasks if setting.scorer.gold(task).failures}
    known = {"task_051", "task_083"}
    assert failing == (known if setting.tasks.source_revision.startswith("v1.0.1") else known | {"task_077"})


def test_scripted_customers_lead_an_agent_that_knows_to_the_goal(copy: Path) -> None:
    scripted = load_setting("banking", "tau2:scripted", path=copy)
    session = Session(scripted, scripted.tasks.user)
    rewards = {task.id: getattr(serve(session, task).score, "reward", None) for task in scripted.tasks}
    assert [name for name, reward in rewards.items() if reward != 1.0] == []
    assert len(rewards) == 85
    session.close()


def test_installed_package_is_found_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("inspect_evals") is None:
        pytest.skip("no inspect-evals; pip install --no-deps inspect-evals==0.28.0")
    monkeypatch.delenv("TAU2_DATA_DIR", raising=False)
    assert load_domain("banking").task_set("base").source_revision.startswith("inspect-evals 0.28.0 (")
    assert "inspect_evals" not in sys.modules


@pytest.mark.slow
def test_results_state_and_scores_are_tau2s_own() -> None:
    root, python = os.environ.get("MUA_TAU2_CHECKOUT"), os.environ.get("MUA_TAU2_PYTHON")
    if not root or not python:
        pytest.skip("no checkout of tau2-bench and a Python for it; name them by MUA_TAU2_CHECKOUT, MUA_TAU2_PYTHON")
    script = [sys.executable, str(ROOT / "benchmarks" / "banking_verdicts.py"), "--kinds", "1", "--tasks", "30"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
