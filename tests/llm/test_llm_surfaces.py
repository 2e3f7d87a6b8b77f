"""LLM users and agents from the surfaces that people use: gymnasium, the vector environment, the command line."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from loopback import Loopback, Say, Status

import mua_env
from mua_env.cli import main
from mua_env.core.trajectory import read_trajectories
from mua_env.errors import EpisodeError

OPENING = "I want to cancel an order."


def test_gymnasium_takes_an_llm_user_by_its_options():
    with Loopback([Say(OPENING), Say("###STOP###")]) as server:
        env = gym.make(
            "MUA/Retail-v1",
            tasks="test:level=1",
            user="llm",
            user_options={"model": "tiny", "base_url": server.base_url, "strategy": "llm", "temperature": 0.7},
        )
        messages, info = env.reset(seed=3)
        assert messages[-1]["content"] == OPENING
        assert info["user"] == "llm:llm:tiny"
        _, reward, terminated, _, info = env.step("Is there anything else?")
        assert terminated
        assert reward in (0.0, 1.0)
        env.close()
        assert server.requests[0]["temperature"] == 0.7
        assert "seed" in server.requests[0]


def test_a_dead_user_truncates_the_gymnasium_episode_without_a_score():
    with Loopback() as server:
        options = {"model": "tiny", "base_url": server.base_url, "attempts": 1}
    env = gym.make("MUA/Retail-v1", tasks="test:level=1", user="llm", user_options=options)
    messages, info = env.reset(seed=3)
    assert messages == ()
    assert info["ended_by"] == "fault"
    messages, reward, terminated, truncated, info = env.step("Hello?")
    assert (messages, reward, terminated, truncated) == ((), 0.0, False, True)
    assert info["score"]["reward"] is None
    assert info["score"]["fault"] == "user"
    with pytest.raises(EpisodeError):
        env.step("Hello?")
    env.close()


def test_a_vector_environment_goes_on_after_a_user_that_failed_at_once():
    with Loopback([Status(401)], default=Say(OPENING)) as server:
        env = mua_env.DialogueVectorEnv(
            "retail",
            num_envs=2,
            tasks="test:level=1",
            user="llm",
            user_options={"model": "tiny", "base_url": server.base_url, "attempts": 1},
        )
        observations, _ = env.reset(seed=1)
        (failed,) = (i for i, messages in enumerate(observations) if not messages)
        _, _, _, truncated, _ = env.step(["Hello?"] * 2)
        assert truncated[failed]
        assert not truncated[1 - failed]
        observations, _, _, truncated, _ = env.step(["Hello?"] * 2)
        assert observations[failed][0]["content"] == OPENING
        assert not truncated.any()
        env.close()


def test_the_vector_environment_waits_for_its_users_together():
    with Loopback(default=Say(OPENING, delay_s=0.4)) as server:
        env = mua_env.DialogueVectorEnv(
            "retail",
            num_envs=6,
            tasks="test:level=1",
            user="llm",
            user_options={"model": "tiny", "base_url": server.base_url},
        )
        observations, _ = env.reset(seed=1)
        env.close()
        assert server.peak >= 4
    assert all(messages[-1]["content"] == OPENING for messages in observations)


def test_a_rollout_of_models_is_recorded_and_replayed_from_the_command_line(tmp_path, capsys):
    counter = iter(range(10**6))

    def command(folder, base_url, mode):
        shared = [f"base_url={base_url}", "model=tiny", f"cache={tmp_path / 'cache'}", f"cache_mode={mode}"]
        pairs = [part for item in shared for part in ("-A", item, "-U", item)]
        common = ["--tasks", "test:level=1", "--count", "3", "--max-turns", "4", "--agent", "llm", "--user", "llm"]
        return main(["rollout", str(tmp_path / folder), *common, *pairs])

    with Loopback(default=lambda body: Say(f"line {next(counter)}")) as server:
        assert command("first", server.base_url, "record") == 0
        out = capsys.readouterr().out
        url = server.base_url
    assert "user/calls: 15" in out
    assert "agent/calls: 12" in out
    assert command("second", url, "replay") == 0

    def lines(folder):
        return sorted((tmp_path / folder / "trajectories.jsonl").read_bytes().splitlines())

    assert lines("second") == lines("first")
    (first, *_) = read_trajectories(tmp_path / "first" / "trajectories.jsonl")
    assert first.meta["agent_usage"]["calls"] == 4
    assert first.entries[0].hidden["meta"]["prompt_version"].startswith("llm/1-")


@pytest.mark.parametrize("option", ["--max-tokens", "--max-usd"])
def test_a_budget_on_the_command_line_is_told(tmp_path, capsys, option):
    with Loopback(default=Say("Hello.", prompt_tokens=600, completion_tokens=0)) as server:
        pairs = ["-U", "model=tiny", "-U", f"base_url={server.base_url}"]
        common = ["--tasks", "test:level=1", "--count", "4", "--max-turns", "3", "--concurrency", "1"]
        limit = "1000" if option == "--max-tokens" else "0"
        assert main(["rollout", str(tmp_path / "r"), *common, "--user", "llm", *pairs, option, limit]) == 1
        assert len(server.requests) == (1 if option == "--max-tokens" else 0)
    assert "The budget is used up" in capsys.readouterr().err


PRICED = ["-U", "model=openai/gpt-4.1", "-U", "api_key=none"]
"""The price list says $2 for a million tokens of a prompt: $0.01 a call of 5,000."""


def priced(folder, server, limit, *, count=12, concurrency=8):
    common = ["--tasks", "test:level=1", "--count", str(count), "--max-turns", "3", "--agent", "random"]
    pairs = [*PRICED, "-U", f"base_url={server.base_url}", "--concurrency", str(concurrency)]
    return main(["rollout", str(folder), *common, "--user", "llm", *pairs, "--max-usd", str(limit)])


def spent(folder):
    lines = (folder / "spending.jsonl").read_text().splitlines()
    return sum(json.loads(line)["cost_usd"] for line in lines)


@pytest.mark.parametrize("calls", [12, 18, 29])
def test_a_budget_goes_to_dialogues_that_can_end_however_many_run_at_the_same_time(tmp_path, calls):
    with Loopback(default=Say("Hello.", prompt_tokens=5000, completion_tokens=0, delay_s=0.05)) as server:
        priced(tmp_path, server, calls / 100, count=24)
        assert calls / 200 <= spent(tmp_path) <= calls / 100 + 1e-9
        asked = len(server.requests)
    kept = list(read_trajectories(tmp_path / "trajectories.jsonl"))
    # The first call was the probe's.
    assert sum(item.usage.get("calls", 0) for item in kept) == asked - 1
    # Eight at a time would all be cut. One that takes longer than all before it may be.
    assert sum(item.ended_by != "max_turns" for item in kept) <= 1 < len(kept)


def test_what_a_budget_has_cut_is_kept_and_held_again_with_a_higher_one(tmp_path):
    with Loopback(default=Say("Hello.", prompt_tokens=5000, completion_tokens=0)) as server:
        priced(tmp_path, server, 0.025, count=1)
        (cut,) = read_trajectories(tmp_path / "trajectories.jsonl")
        assert str(cut.cause).startswith("budget: ")
        assert spent(tmp_path) == pytest.approx(0.02)
        priced(tmp_path, server, 0.1, count=1)
    kept = list(read_trajectories(tmp_path / "trajectories.jsonl"))
    assert [item.ended_by for item in kept] == ["fault", "max_turns"]


def test_a_budget_that_is_large_for_its_dialogues_holds_none_back(tmp_path):
    with Loopback(default=Say("Hello.", prompt_tokens=5000, completion_tokens=0, delay_s=0.2)) as server:
        priced(tmp_path, server, 1000, count=12)
        assert server.peak >= 4


def test_a_budget_is_the_folders_and_not_the_commands(tmp_path, capsys):
    with Loopback(default=Say("Hello.", prompt_tokens=5000, completion_tokens=0)) as server:
        for _ in range(3):
            priced(tmp_path, server, 0.05)
        assert 4 <= len(server.requests) <= 5
        priced(tmp_path, server, 0.1)
        assert 8 <= len(server.requests) <= 10
    assert spent(tmp_path) == pytest.approx(0.01 * len(server.requests))
    assert "The budget is used up" in capsys.readouterr().err


def rolled(folder, server, *more, agent="random", user="llm", count=4):
    pairs = [
        part
        for side in ("-U", "-A")[: 1 + (agent == "llm")]
        for part in (side, "model=tiny", side, f"base_url={server.base_url}", side, "attempts=1")
    ]
    common = ["--tasks", "test:level=1", "--count", str(count), "--max-turns", "3", "--concurrency", "2"]
    return main(["rollout", str(folder), *common, "--agent", agent, "--user", user, *pairs, *more])


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Status(401, message="No such key"), "auth"),
        (Status(429, message="insufficient_quota"), "quota"),
        (Status(500), "server"),
        (Status(404, message="no such model"), "bad_request"),
    ],
)
@pytest.mark.parametrize("agent", ["random", "llm"])
def test_a_model_that_cannot_be_had_is_told_before_the_first_dialogue(tmp_path, capsys, fault, kind, agent):
    with Loopback(default=fault) as server:
        assert rolled(tmp_path, server, agent=agent) == 2
        assert len(server.requests) == 1
    err = capsys.readouterr().err
    assert f"the {'agent' if agent == 'llm' else 'user'}'s model 'tiny' gives no answer" in err
    assert kind in err
    assert list(read_trajectories(tmp_path / "trajectories.jsonl")) == []


def test_the_probe_shows_the_agents_model_a_tool(tmp_path):
    with Loopback() as server:
        rolled(tmp_path, server, agent="llm", count=1)
        assert [len(request.get("tools", ())) for request in server.requests[:2]] == [1, 0]


def test_equal_faults_stop_a_run_with_their_cause_and_a_rerun_takes_them_up(tmp_path, capsys):
    with Loopback([Say("OK")], default=Status(401, message="No such key")) as server:
        assert rolled(tmp_path, server, count=20) == 1
        assert len(server.requests) < 12
    said = capsys.readouterr()
    assert "No such key" in said.err
    assert "not scored" in said.out
    assert "No such key" in said.out
    faults = len(list(read_trajectories(tmp_path / "trajectories.jsonl")))
    with Loopback(default=Say(OPENING)) as server:
        assert rolled(tmp_path, server, count=20) == 0
    kept = list(read_trajectories(tmp_path / "trajectories.jsonl"))
    assert len(kept) == 20 + faults
    assert sum(item.id.endswith(".2") for item in kept) == faults
    out = capsys.readouterr().out
    assert out.startswith("20 dialogues, 20 scored")
    assert f"taken again after a fault: {faults}" in out


def test_a_run_that_scored_nothing_exits_non_zero(tmp_path, capsys):
    with Loopback([Say("OK")], default=Say("")) as server:
        assert rolled(tmp_path, server, count=3) == 1
    assert "unusable reply), mostly: it is empty" in capsys.readouterr().out


def test_a_recording_is_not_probed(tmp_path):
    with Loopback(default=Say(OPENING)) as server:
        cached = ["-U", f"cache={tmp_path / 'cache'}"]
        rolled(tmp_path / "one", server, *cached, count=1)
        asked = len(server.requests)
        assert rolled(tmp_path / "two", server, *cached, count=1) == 0
        assert len(server.requests) == asked
