"""Agents without skill: what they say is the domain's own, and nothing of the task."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mua_env.core.agent import Agent
from mua_env.core.messages import UserMessage
from mua_env.episode.setting import Setting, load_setting
from mua_env.evaluation.audit import audit
from mua_env.evaluation.audit.baselines import baselines
from mua_env.evaluation.audit.unskilled import NUMBERS_A_MESSAGE, reason_words


@pytest.fixture(params=["retail", "airline", "telecom"])
def setting(request: pytest.FixtureRequest) -> Setting:
    return load_setting(request.param, "test")


def said(agent: Agent, turns: int = 3) -> list[Any]:
    agent.reset(system_prompt="", tools=[], seed=0)
    return [agent.act([UserMessage(content="Hello?")]) for _ in range(turns)]


def by_name(setting: Setting) -> dict[str, Agent]:
    found = baselines(setting)
    assert len({agent.name for agent in found}) == len(found)
    return {agent.name: agent for agent in found}


def test_what_is_said_depends_on_nothing_but_the_domain(setting: Setting) -> None:
    agents = by_name(setting)
    for name in ("repeat a policy note", "refuse, false reason", "refuse, generic reason", "refuse, every reason"):
        first, *others = (turn.content for turn in said(agents[name]))
        assert set(others) == {first}
    every = said(agents["refuse, every reason"])[0].content
    assert all(rule.rstrip(".") in every for rule in setting.domain.policy_rules.values())
    note = said(agents["repeat a policy note"])[0].content
    assert any(rule in note for rule in setting.domain.policy_rules.values())


def test_the_lister_goes_through_numbers_and_names_every_status(setting: Setting) -> None:
    turns = [turn.content for turn in said(by_name(setting)["list numbers and statuses"])]
    numbers = [int(number) for turn in turns for number in re.findall(r"\d+", turn.partition(";")[0])]
    assert numbers[: 2 * NUMBERS_A_MESSAGE] == list(range(2 * NUMBERS_A_MESSAGE))
    words = {"retail": "pending", "airline": "economy", "telecom": "Active"}[setting.domain.name]
    assert all(words.lower() in turn.lower() for turn in turns)


def test_the_one_that_hands_over_knows_every_reason(setting: Setting) -> None:
    agents = by_name(setting)
    (call,) = said(agents["transfer, every reason"])[0].tool_calls
    summary = " ".join(json.loads(call.function.arguments).values())
    assert all(word in summary for word in reason_words(setting.tasks.tasks))
    assert not said(agents["transfer, every reason"])[1].tool_calls


def test_the_report_tells_what_each_earns() -> None:
    totals = audit(load_setting("retail", "test:level=4"), limit=12).totals
    assert set(totals.baselines) == set(by_name(load_setting("retail", "test")))
    assert all(count == 12 for count in totals.baseline_episodes.values())
    assert all(rewards["task"] is not None for rewards in totals.baselines.values())
