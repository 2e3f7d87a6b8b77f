from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from bfcl_verdicts import compare, variants  # benchmarks/bfcl_verdicts.py

from mua_env import Task, load_setting
from mua_env.envs.bfcl import release
from mua_env.envs.bfcl.scoring import verdict_of
from mua_env.envs.bfcl.stage import BFCLStage


def test_gold_passes_and_no_gold_call_fails(category: str) -> None:
    setting = load_setting("bfclmultiturn", category)
    assert len(setting.tasks) == 200
    for task in setting.tasks:
        assert verdict_of(BFCLStage(), task, [turn.actions for turn in task.script]).valid, task.id
        assert setting.scorer.gold(task).failures == (), task.id


def test_verdicts_are_those_of_the_packages_own_checker(category: str) -> None:
    # 13 tasks of each category, each in eight forms: 416 pairs. The benchmark script runs all 6,400.
    seen, apart = compare(category, 13, seed=1)
    assert apart == []
    assert sum(seen.values()) == 104
    assert {name.rpartition(" ")[2] for name in seen} == {"valid", "invalid"}


def test_verdicts_in_64_threads_are_those_of_one(category: str) -> None:
    tasks = list(load_setting("bfclmultiturn", category).tasks)[:64]
    jobs = [(task, turns) for task in tasks for turns in list(variants(task, random.Random(task.id)).values())[:3]]

    def verdict(job: tuple[Task, list[list[object]]]) -> object:
        return verdict_of(BFCLStage(), *job)  # type: ignore[arg-type]

    alone = [verdict(job) for job in jobs]  # type: ignore[arg-type]
    with ThreadPoolExecutor(64) as pool:
        assert list(pool.map(verdict, jobs)) == alone  # type: ignore[arg-type]


def test_release_is_told_by_its_content(monkeypatch: pytest.MonkeyPatch) -> None:
    assert release.source_revision() == "bfcl-eval 2026.3.23"
    release.source_revision.cache_clear()
    monkeypatch.setattr(release, "_KNOWN", {})
    try:
        assert "unknown content" in release.source_revision()
    finally:
        release.source_revision.cache_clear()


def test_task_is_not_changed_by_what_methods_do_with_their_arguments() -> None:
    task = load_setting("bfclmultiturn", "base").tasks.by_id("multi_turn_base_90")
    before = task.model_dump_json()
    for _ in range(2):
        verdict_of(BFCLStage(), task, [turn.actions for turn in task.script])
    assert task.model_dump_json() == before
