"""``presentation="benchmark"`` beside tau2 itself: its schemas to the letter, and the text of every call."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mua_env.episode.setting import Setting, load_setting
from tests.tau2 import public

DOMAINS = ("retail", "airline", "telecom")
ODD = [
    ("no_such_tool", {}),
    ("calculate", {"expression": "1 / 0"}),
    ("calculate", {"expression": "5 % 3"}),
    ("calculate", {"expression": "2 +"}),
    ("transfer_to_human_agents", {"summary": "x", "more": 1}),
    ("transfer_to_human_agents", {}),
    ("toggle_data", {}),
    ("get_details_by_id", {"id": "X1"}),
    ("get_customer_by_id", {"customer_id": "C9"}),
    ("refuel_data", {"customer_id": "C1001", "line_id": "L1002", "gb_amount": -1}),
]
"""Calls beside those of the tasks, some of them of another domain."""


def setting_of(domain: str, **options: Any) -> Setting:
    return load_setting(domain, "tau2:base", path=public.tau2_data(), **options)


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [str(public.tau2_python()), str(Path(__file__).with_name("schemas_driver.py"))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_schemas_are_tau2s_to_the_letter(theirs: dict[str, Any], domain: str) -> None:
    setting = setting_of(domain)
    assert setting.presented == "benchmark"
    assert json.dumps(setting.tools) == json.dumps(theirs[domain])
    assert json.dumps(setting.user_tools) == json.dumps(theirs.get(f"{domain} user", []))


@pytest.mark.slow
def test_an_agent_that_works_alone_is_shown_the_users_tools_as_the_user_is(theirs: dict[str, Any]) -> None:
    solo = {tool["function"]["name"]: tool for tool in setting_of("telecom", solo=True).tools}
    for schema in [*theirs["telecom"], *theirs["telecom user"]]:
        assert solo.pop(schema["function"]["name"]) == schema
    assert list(solo) == ["done"]


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "step"), [("retail", 2), ("airline", 1), ("telecom", 4)])
def test_every_text_is_tau2s(domain: str, step: int) -> None:
    """Results and errors of gold calls and of their variations, those of the telecom user too."""
    setting = setting_of(domain)
    writes = frozenset(name for name, spec in setting.sql.toolset.toolkit.specs.items() if spec.writes)
    cases = []
    for task in list(setting.tasks)[::step]:
        gold = [{"name": a.name, "arguments": a.arguments, "requestor": a.requestor} for a in task.actions]
        found = public.mutations(gold, Random(f"{domain} {task.id}"), writes=writes)
        cases += [{"domain": domain, "task": task.id, "calls": calls} for _, calls in found]
    odd = [{"name": name, "arguments": arguments, "requestor": "agent"} for name, arguments in ODD]
    cases.append({"domain": domain, "task": setting.tasks[0].id, "calls": odd})
    world, different, errors = setting.make_world(), [], 0
    for case, answer in zip(cases, public.ask(cases), strict=True):
        world.load(setting.tasks.by_id(case["task"]))
        for call, there in zip(case["calls"], answer["results"], strict=True):
            here = world.call(call["name"], json.dumps(call["arguments"]), requestor=call["requestor"]).content
            errors += not there["ok"]
            if here != there["content"]:
                different.append((call, there["content"], here))
    world.close()
    assert different == []
    assert errors > 30
