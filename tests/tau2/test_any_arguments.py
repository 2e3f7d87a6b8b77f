"""Calls with arguments of any kind: in compat mode the same ones fail as in tau2, with the same effects and results."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from mua_env.episode.setting import Setting, load_setting
from tests.tau2 import compare, public

ODD: list[Any] = [None, True, 0, 5, -3, 2.5, 3.0, "", "x", "7", [], ["x"], [5], {}, {"a": 1}, [{}], [{"a": 1}]]
"""Values that hardly any argument takes."""
CASES, CALLS = 40, 15


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_odd_arguments_come_to_what_tau2_makes_of_them(domain: str) -> None:
    setting = load_setting(domain, "tau2:base", path=public.tau2_data())
    pool = _values(setting)
    rng = Random(f"odd {domain}")
    tools = setting.sql.toolset.toolkit.specs
    cases = []
    for _ in range(CASES):
        task = rng.choice(list(setting.tasks))
        calls = [_call(rng.choice(sorted(tools)), setting, pool, rng) for _ in range(CALLS)]
        cases.append({"domain": domain, "task": task.id, "calls": calls})
    answers = public.ask(cases)
    wrong = {}
    for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        found = compare.differences(setting, case, answer)
        if found:
            wrong[number] = [
                *found[:3],
                *(case["calls"][int(item.split()[1])] for item in found[:3] if item[:4] == "call"),
            ]
    assert not wrong
    results = [result["ok"] for answer in answers for result in answer["results"]]
    assert 50 < sum(results) < len(results) - 50


def _values(setting: Setting) -> dict[str, list[Any]]:
    """What gold calls give for each argument, by its name."""
    pool: dict[str, list[Any]] = {}
    for task in setting.tasks:
        for action in task.actions:
            for name, value in action.arguments.items():
                pool.setdefault(name, []).append(value)
    return pool


def _call(name: str, setting: Setting, pool: dict[str, list[Any]], rng: Random) -> dict[str, Any]:
    """A call with arguments of gold calls, some of them from anywhere; a writing one often as gold has it."""
    gold = [a.arguments for task in setting.tasks for a in task.actions if a.name == name]
    if gold and rng.random() < 0.6:
        arguments = dict(rng.choice(gold))
    else:
        names = setting.sql.toolset.toolkit.specs[name].arguments.model_fields
        arguments = {key: rng.choice(pool.get(key, ODD)) for key in names}
    if arguments and rng.random() < 0.4:
        arguments[rng.choice(sorted(arguments))] = rng.choice(ODD)
    if rng.random() < 0.05:
        arguments["more"] = 1
    return {"name": name, "arguments": arguments, "requestor": "agent"}
