"""LLM users and agents from the surfaces that people use: gymnasium, the vector environment, the command line."""

from __future__ import annotations

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
        assert main(["rollout", str(tmp_path / "r"), *common, "--user", "llm", *pairs, option, limit]) == 0
        assert len(server.requests) == (2 if option == "--max-tokens" else 0)
    assert "The budget is used up" in capsys.readouterr().err
