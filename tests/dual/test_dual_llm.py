"""A language model as a user with tools, through a real server on the loopback."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")

from loopback import Loopback, Say, tool_call

from dual.lines import RouterTools
from dual.test_dual_control import GUIDED, SETTING, UNGUIDED, acts, play, said
from mua_env.episode.session import Session
from mua_env.llm import LLMClient, LLMSettings, ReplyCache
from mua_env.users.llm.prompts import prompt_version, system_prompt
from mua_env.users.llm.user import LLMUser


def scripted(*steps: Say) -> Loopback:
    return Loopback([Say("My internet is down."), Say("It is 555-0101."), *steps], default=Say("###STOP###"))


def calls(*made: dict[str, Any], text: str | None = None) -> Say:
    return Say(text, tool_calls=list(made), finish_reason="tool_calls")


REBOOT, LOOK = tool_call("reboot_router", "{}", "a"), tool_call("look_at_light", "{}", "b")


def user(server: Loopback, cache: ReplyCache | None = None, **options: Any) -> LLMUser:
    settings = LLMSettings("tiny", base_url=server.base_url, timeout_s=10, deadline_s=20)
    return LLMUser(LLMClient(settings, cache=cache), **options)


def test_it_acts_then_speaks_and_right_guidance_scores_one() -> None:
    with scripted(
        calls(REBOOT, text="I do as told."), calls(LOOK), Say("It is green now!"), Say("###STOP###")
    ) as server:
        session = Session(SETTING, user(server))
        result = play(session, GUIDED)
        assert said(result) == "It is green now!"
        assert acts(session) == [("reboot_router", "It has started"), ("look_at_light", "green")]
        assert session.episode.entries[-1].user_acts[0].thought == "I do as told."
        result = session.send("Good.")
        assert result.score is not None
        assert result.score.reward == 1.0
        session.close()
    sent = server.requests[-2]  # with the results of both rounds
    assert sent["tools"] == RouterTools.schemas()
    assert [message["role"] for message in sent["messages"]] == [
        *("system", "user", "assistant", "user", "assistant", "user"),
        *("assistant", "tool", "assistant", "tool"),
    ]
    assert sent["messages"][-3] == {
        "role": "tool",
        "tool_call_id": "a",
        "name": "reboot_router",
        "content": "It has started",
    }
    assert sent["messages"][0]["content"] == system_prompt("llm", SETTING.tasks[0].instruction, tools=True)
    assert session.episode.entries[-1].hidden["meta"] == {"prompt_version": prompt_version("llm", tools=True)}
    usage = session.trajectory(id="x").usage
    assert usage["calls"] == len(server.requests) == 6


def test_without_guidance_it_scores_zero() -> None:
    with scripted(Say("Hm, are you sure?"), Say("###STOP###")) as server:
        session = Session(SETTING, user(server, guards=False))
        result = play(session, UNGUIDED)
        session.close()
    assert result.score is not None
    assert (result.score.reward, acts(session)) == (0.0, [])


def test_a_malformed_call_is_answered_to_the_model_and_is_no_fault() -> None:
    bad = calls(tool_call("set_power", "{power", "x"), tool_call("restart", "{}", ""))
    with scripted(bad, Say("I could not switch it.")) as server:
        session = Session(SETTING, user(server))
        result = play(session, GUIDED)
        assert (said(result), result.done) == ("I could not switch it.", False)
        session.close()
    assert [content.startswith("Error: ") for _, content in acts(session)] == [True, True]
    back = server.requests[-1]["messages"]
    assert json.loads(back[-3]["tool_calls"][0]["function"]["arguments"]) == {"malformed_arguments": "{power"}
    assert back[-2]["tool_call_id"] == "x"
    assert back[-1]["tool_call_id"] == back[-3]["tool_calls"][1]["id"] != ""
    assert "unknown tool 'restart'" in back[-1]["content"]


def test_what_its_tools_show_is_no_invention() -> None:
    with scripted(calls(tool_call("set_power", '{"power": "4711-0815"}')), Say("It says 4711-0815.")) as server:
        session = Session(SETTING, user(server))
        result = play(session, GUIDED)
        session.close()
    assert said(result) == "It says 4711-0815."


@pytest.mark.parametrize("strategy", ["react", "verify", "reflection"])
def test_other_strategies_act_before_they_speak(strategy: Any) -> None:
    good = [Say("GOOD")] if strategy != "react" else []
    lines = [Say("Help."), *good, Say("It is 555-0101."), *good, calls(LOOK), Say("Red."), *good]
    with Loopback(lines) as server:
        session = Session(SETTING, user(server, strategy=strategy))
        result = play(session, GUIDED)
        session.close()
        assert not server.script
    assert (said(result), acts(session)[0][0]) == ("Red.", "look_at_light")


def test_recorded_dialogues_replay_without_a_server(tmp_path: Any) -> None:
    def once(server: Loopback, mode: Any) -> str:
        session = Session(SETTING, user(server, ReplyCache(tmp_path, mode)))
        play(session, (*GUIDED, "Good."))
        session.close()
        return session.trajectory(id="x").model_dump_json()

    with scripted(calls(REBOOT, LOOK), Say("Green.")) as server:
        recorded = once(server, "record")
        asked = len(server.requests)
        assert once(server, "replay") == recorded
        assert len(server.requests) == asked


def test_in_an_event_loop_and_forked() -> None:
    async def dialogue(session: Session) -> None:
        await session.astart(SETTING.tasks[0], seed=0)
        for turn in GUIDED:
            await session.asend(turn)

    with scripted(calls(REBOOT), Say("Done."), calls(LOOK), Say("Left: green."), Say("Right.")) as server:
        session = Session(SETTING, user(server))
        asyncio.run(dialogue(session))
        twin = session.fork()
        assert said(session.send("And the light?")) == "Left: green."
        assert said(twin.send("And now?")) == "Right."
        assert server.requests[-1]["tools"]
        assert "green" not in json.dumps(server.requests[-1]["messages"])
        session.close()
        twin.close()
