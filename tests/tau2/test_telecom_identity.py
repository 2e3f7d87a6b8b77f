"""The telecom world in ``compat`` mode beside tau2's own: the same calls give the same results, world and scores."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import Any

import pytest

from mua_env.envs.telecom.tau2 import TOOLSET

from .public import tau2_data, tau2_python
from .telecom_both import Case, Here, differences, in_tau2
from .telecom_lists import at_random, mutated

pytestmark = pytest.mark.xdist_group("tau2-telecom")
_FAMILIES = {"service_issue": 47, "mobile_data_issue": 130, "mms_issue": 200}
"""How many tasks of each family are run besides those of the base split."""


@pytest.fixture(scope="module")
def here() -> Here:
    tau2_python()
    return Here(tau2_data())


def _family(task_id: str) -> str:
    return task_id[1 : task_id.index("]")]


def _persona(task_id: str) -> str:
    return task_id[task_id.index("PERSONA:") + len("PERSONA:") : -1]


def _chosen(here: Here) -> list[str]:
    """Ids of the tasks: all of the base split, and a draw of each family."""
    by_family = defaultdict(list)
    for task in here.tasks:
        by_family[_family(task.id)].append(task.id)
    rng = random.Random(5)
    drawn = {name for family, count in _FAMILIES.items() for name in rng.sample(by_family[family], count)}
    return sorted(drawn | here.base)


def test_gold_and_mutated_lists_agree(here: Here) -> None:
    chosen = _chosen(here)
    assert len(chosen) > 400
    assert Counter(map(_family, chosen)).keys() == _FAMILIES.keys()
    assert Counter(map(_persona, chosen)).keys() == {"None", "Easy", "Hard"}
    rng = random.Random(6)
    cases: list[Case] = []
    for number, task_id in enumerate(chosen):
        gold, *others = mutated(here.raw[task_id], rng)
        lists = [calls for _, calls in (gold, *rng.sample(others, 2))]
        cases += [{"task": task_id, "calls": calls} for calls in lists]
        if number % 3 == 0:
            # By an agent that works alone, too.
            cases += [{"task": task_id, "calls": calls, "solo": True} for calls in lists]
    _agree(here, cases)


def test_random_calls_agree(here: Here) -> None:
    tools = {
        "agent": {name: tuple(spec.arguments.model_fields) for name, spec in TOOLSET.toolkit.specs.items()},
        "user": {name: tuple(spec.arguments.model_fields) for name, spec in _phone().items()},
    }
    assert (len(tools["agent"]), len(tools["user"])) == (13, 30)
    rng = random.Random(7)
    ids = sorted(here.raw)
    cases = [
        {"task": rng.choice(ids), "calls": at_random(tools, rng, 30), "solo": rng.random() < 0.2} for _ in range(200)
    ]
    _agree(here, cases)


def _phone() -> dict[str, Any]:
    assert TOOLSET.user_toolkit is not None
    return TOOLSET.user_toolkit.specs


def _agree(here: Here, cases: list[Case]) -> None:
    found = []
    for case, theirs in zip(cases, in_tau2(tau2_python(), cases), strict=True):
        found += [f"{case['task']}: {text}" for text in differences(case, here.answer(case), theirs)]
    assert not found, f"{len(found)} differences in {len(cases)} lists of calls:\n" + "\n".join(found[:5])
