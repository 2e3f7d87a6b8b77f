"""Whole episodes of tau2's telecom tasks: a language model as the user with the phone, and an agent alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")

from loopback import Loopback, Say, tool_call

from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.gym.env import DialogueEnv
from mua_env.llm import LLMClient, LLMSettings
from mua_env.users.llm.user import LLMUser

from .public import tau2_data

TASK = "[mobile_data_issue]data_mode_off[PERSONA:None]"


def _does(name: str, **arguments: Any) -> Say:
    return Say(None, tool_calls=[tool_call(name, json.dumps(arguments), f"call_{name}")], finish_reason="tool_calls")


@pytest.mark.parametrize("strategy", ["llm", "react", "verify", "reflection"])
def test_a_language_model_holds_the_phone(strategy: str) -> None:
    reply = "Thought: I tell it.\nReply: " if strategy == "react" else ""
    checked = {"verify": [Say("GOOD")], "reflection": [Say("GOOD")]}.get(strategy, [])
    script = [
        *(Say(f"{reply}My mobile data does not work."), *checked),
        *(_does("toggle_data"), _does("run_speed_test"), Say(f"{reply}It is excellent now."), *checked),
        *(Say(f"{reply}###STOP###"), *checked),
    ]
    setting = load_setting("telecom", "tau2:small", path=tau2_data())
    task = setting.tasks.by_id(TASK)
    with Loopback(script) as server:
        settings = LLMSettings("tiny", base_url=server.base_url, timeout_s=10, deadline_s=20)
        session = Session(setting, LLMUser(LLMClient(settings), strategy=strategy))  # type: ignore[arg-type]
        session.start(task, seed=1)
        told = session.send("Please switch mobile data on and run a speed test.")
        assert told.messages[-1].content == "It is excellent now."
        ended = session.send("Good.")
    assert ended.terminated
    assert ended.score is not None
    assert (ended.score.reward, ended.score.tcr, ended.score.initial_tcr) == (1.0, 1.0, 0.0)
    acts = [act for entry in session.episode.entries for act in entry.user_acts]
    shown = [result.content for act in acts for result in act.results]
    assert shown[0].startswith("Mobile Data is now ON.")
    assert "(Excellent)" in shown[1]
    asked = server.requests[0]
    assert len(asked["tools"]) == 30
    assert task.instruction in asked["messages"][0]["content"]
    session.close()


def test_a_transfer_is_the_users_to_end() -> None:
    setting = load_setting("telecom", "tau2:small", path=tau2_data())
    with Loopback([Say("My mobile data does not work."), Say("###TRANSFER###")]) as server:
        settings = LLMSettings("tiny", base_url=server.base_url, timeout_s=10, deadline_s=20)
        session = Session(setting, LLMUser(LLMClient(settings)))
        session.start(setting.tasks.by_id(TASK), seed=1)
        call = {"function": {"name": "transfer_to_human_agents", "arguments": '{"summary": "no"}'}}
        after = session.send({"role": "assistant", "tool_calls": [call]})
        assert not after.terminated
        ended = session.send("You are being transferred.")
    assert ended.terminated
    assert ended.score is not None
    assert ended.score.reward == 0.0
    session.close()


@pytest.mark.parametrize("policy", ["manual", "workflow"])
def test_an_agent_works_on_a_ticket_alone(policy: str) -> None:
    env = DialogueEnv("telecom", tasks="tau2:small", tasks_path=tau2_data(), policy=policy, solo=True)
    observation, _ = env.reset(seed=0, options={"task_id": TASK})
    assert observation[0]["content"] == env.setting.tasks.by_id(TASK).ticket

    def act(name: str) -> tuple[Any, ...]:
        return env.step({"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": "{}"}}]})

    observation, _, terminated, *_ = act("toggle_data")
    assert observation[0]["content"].startswith("Mobile Data is now ON.")
    assert not terminated
    _, reward, terminated, *_ = act("done")
    assert (reward, terminated) == (1.0, True)
    env.close()
