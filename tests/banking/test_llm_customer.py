"""A customer that a model plays, served by a real server with scripted answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")
pytest.importorskip("rank_bm25", reason="needs the [banking] extra")

from loopback import Loopback, Say, tool_call

from mua_env import Session, load_setting
from mua_env.llm import LLMSettings
from mua_env.users.llm.user import LLMUser
from tests.banking import bank
from tests.banking.desk import calling


def test_customers_model_has_scenario_and_tools_and_its_call_reaches_the_database(checkout: Path) -> None:
    setting = load_setting("banking", "base", path=checkout)
    task = setting.tasks.by_id("task_002")
    script = [
        Say("Hello, one of my transactions is wrong."),
        Say(None, tool_calls=[tool_call("call_discoverable_user_tool", json.dumps(bank.DISPUTED))]),
        Say("I have done it."),
        Say("That is all, thanks. ###STOP###"),
    ]
    with Loopback(script) as server:
        session = Session(setting, LLMUser(LLMSettings("tiny", base_url=server.base_url)))
        session.start(task)
        for action in task.actions[:2]:
            session.send(calling(action))
        session.send("Please use dispute_0589 for txn_1.")
        result = session.send("Your dispute is in. Is there anything else?")
        asked = server.requests[0]
    assert result.score is not None
    assert result.score.reward == 1.0, result.score.difference
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["call_discoverable_user_tool"]
    assert bank.WHO in asked["messages"][0]["content"]
    session.close()
