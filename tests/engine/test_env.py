from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from shop import ShopUser, shop
from shop.tools import ShopTools

from engine.helpers import call, cancel
from mua_env.core.tasks import Task
from mua_env.errors import ConfigError, EpisodeError, TaskError
from mua_env.gym.env import DialogueEnv
from mua_env.gym.spaces import AgentTurnSpace, MessagesSpace

ID = "MUATest/Shop-v1"


def register() -> str:
    if ID not in gym.registry:
        gym.register(
            id=ID,
            entry_point="mua_env.gym.env:DialogueEnv",
            vector_entry_point="mua_env.gym.vector:DialogueVectorEnv",
            kwargs={"domain": shop},
        )
    return ID


@pytest.fixture
def env(database_url: str | None) -> Iterator[DialogueEnv]:
    env = DialogueEnv(shop, user=ShopUser(), database_url=database_url)
    yield env
    env.close()


@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_checker_has_nothing_to_say(database_url: str | None, render_mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gym.make(register(), user=ShopUser(), render_mode=render_mode, database_url=database_url)
        check_env(made.unwrapped)
        made.close()


def test_reset_tells_what_an_agent_needs(env: DialogueEnv) -> None:
    observation, info = env.reset(seed=1, options={"task_id": "train-1"})
    assert [message["role"] for message in observation] == ["user"]
    assert info["system_prompt"] == shop.policy()
    assert info["tools"] == ShopTools.schemas()
    assert (info["task_id"], info["turn"], info["sources"], info["user"]) == ("train-1", 0, ("user",), "shopper")
    assert (info["tasks"], info["scoring"]) == ("train", "strict")
    assert len(info["revision"]) == 12
    assert "score" not in info


def test_steps_to_the_end(env: DialogueEnv) -> None:
    env.reset(seed=1, options={"task_id": "train-1"})
    observation, reward, terminated, truncated, info = env.step(cancel(1))
    assert observation[0]["role"] == "tool"
    assert (reward, terminated, truncated, info["turn"], info["sources"]) == (0.0, False, False, 1, ("tool",))
    observation, reward, terminated, truncated, info = env.step("It is done.")
    assert (reward, terminated, truncated, info["ended_by"]) == (1.0, True, False, "user_stop")
    assert info["score"]["parts"] == {"database": 1.0, "requirements": None, "outputs": None}
    with pytest.raises(EpisodeError, match="it has ended; reset before the next step"):
        env.step("More?")


def test_truncation_has_score_parts_too() -> None:
    env = DialogueEnv(shop, user=ShopUser(), max_turns=1)
    env.reset(options={"task_id": "train-1"})
    _, reward, terminated, truncated, info = env.step(cancel(1))
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["ended_by"], info["cause"]) == ("max_turns", "1 turns")
    assert info["score"]["parts"]["database"] == 1.0
    env.close()


def test_fault_is_truncated_and_has_no_reward(env: DialogueEnv) -> None:
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step("crash the user")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["score"]["reward"], info["score"]["fault"], info["cause"]) == (None, "user", "the line went dead")


def test_equal_seeds_give_equal_episodes(env: DialogueEnv) -> None:
    def episode(seed: int) -> Any:
        begun = env.reset(seed=seed)
        return begun, [env.step("Hm?") for _ in range(10)]

    assert episode(7) == episode(7)
    tasks = {env.reset(seed=seed)[1]["task_id"] for seed in range(30)}
    assert len(tasks) > 5
    env.reset(seed=7)
    second = env.reset()[1]["task_id"]
    env.reset(seed=7)
    assert env.reset()[1]["task_id"] == second  # the sequence goes on from the seed


def test_task_is_chosen_by_options(env: DialogueEnv) -> None:
    assert env.reset(options={"task_index": 3})[1]["task_id"] == "train-3"
    given = Task(id="mine", domain="shop", goal=env.setting.tasks[0].goal)
    assert env.reset(options={"task": given})[1]["task_id"] == "mine"
    with pytest.raises(TaskError, match=r"no task 'train-33'.*Did you mean 'train-3'"):
        env.reset(options={"task_id": "train-33"})
    with pytest.raises(ConfigError, match="task_index is 99; 'train' has 10 tasks"):
        env.reset(options={"task_index": 99})
    with pytest.raises(ConfigError, match="reset option 'tsk_id' is not known"):
        env.reset(options={"tsk_id": "train-1"})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"task_index": "a"}, "task_index is 'a'; it must be a whole number"),
        ({"task_index": 1.7}, "task_index is 1.7"),
        ({"task_index": None}, "task_index is None"),
        ({"task": {"domain": "shop"}}, "'task'.id: Field required"),
        ({"task": 5}, "'task': Input should be"),
        ({"task": {"id": "1", "domain": "hotel"}}, "task '1' is of the domain 'hotel', not of 'shop'"),
    ],
)
def test_wrong_reset_options_are_named(env: DialogueEnv, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        env.reset(options=options)


def test_what_is_no_json_is_no_turn(env: DialogueEnv) -> None:
    env.reset(seed=0)
    call = {"function": {"name": "think", "arguments": {"thought": object()}}}
    with pytest.raises(ConfigError, match=r"function.arguments: .*cannot be written as JSON"):
        env.step({"role": "assistant", "tool_calls": [call]})
    assert not env.action_space.contains({"role": "assistant", "tool_calls": [call]})


def test_order_of_calls() -> None:
    env = DialogueEnv(shop, user=ShopUser())
    with pytest.raises(EpisodeError, match="reset"):
        env.step("Hello")
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="an action is a string"):
        env.step(17)
    env.close()
    env.close()
    with pytest.raises(EpisodeError, match="closed"):
        env.fork()
    with pytest.raises(EpisodeError, match="closed"):
        env.step("Hello")
    with pytest.raises(EpisodeError, match="closed"):
        env.reset()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_turns": 0}, "max_turns is 0"),
        ({"max_turns": "30"}, "max_turns is '30'"),
        ({"render_mode": "human"}, "render_mode is 'human'"),
        ({"reward": "best"}, "reward is 'best'"),
        ({"scoring": "lax"}, "scoring is 'lax'"),
        ({"user": "agenta"}, "Did you mean 'agenda'"),
        ({"tasks": "trian"}, "Did you mean 'train'"),
        ({"tasks": "train:level=x"}, "level is 'x'"),
        ({"tasks": "train:colour=x"}, "unknown option 'colour'"),
        ({"tasks": "train:level=9"}, "no tasks of level 9"),
        ({"database_url": "mysql://x"}, "'mysql://x'"),
        ({"domain": 3}, "domain is a name or a Domain, got int"),
        ({"user_options": {"a": 1}}, "already made"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], said: str) -> None:
    given = {"domain": shop, "user": ShopUser(), **options}
    with pytest.raises((ConfigError, TaskError), match=said):
        DialogueEnv(**given)


def test_samples_are_legal_and_hold_valid_calls(env: DialogueEnv) -> None:
    space = env.action_space
    assert isinstance(space, AgentTurnSpace)
    space.seed(0)
    kinds = {"text": 0, "calls": 0}
    for _ in range(600):
        turn = space.sample()
        assert turn in space
        kinds["calls" if turn.get("tool_calls") else "text"] += 1
        for made in turn.get("tool_calls", ()):
            spec = ShopTools.specs[made["function"]["name"]]
            spec.parse(made["function"]["arguments"])  # raises if an argument does not fit
    assert min(kinds.values()) > 100
    space.seed(1)
    again = [space.sample() for _ in range(5)]
    space.seed(1)
    assert [space.sample() for _ in range(5)] == again


def test_random_agent_plays_to_the_end(env: DialogueEnv) -> None:
    env.action_space.seed(0)
    for seed in range(5):
        env.reset(seed=seed)
        ended = False
        for _ in range(30):
            observation, _, terminated, truncated, info = env.step(env.action_space.sample())
            assert observation in env.observation_space
            ended = terminated or truncated
            if ended:
                assert info["score"]["reward"] in (0.0, 1.0)
                break
        assert ended


def test_spaces() -> None:
    turns, messages = AgentTurnSpace(ShopTools.schemas()), MessagesSpace(seed=0)
    assert "Hello" in turns
    assert {"role": "user", "content": "x"} not in turns
    assert messages.sample() in messages
    assert () in messages
    assert ({"role": "assistant", "content": "x"},) not in messages
    assert [] not in messages
    assert turns == AgentTurnSpace(ShopTools.schemas())
    assert turns != AgentTurnSpace([])
    assert pickle.loads(pickle.dumps(turns)) == turns
    assert AgentTurnSpace([], seed=0).sample()["content"]


def test_fork_branches_a_dialogue_eight_ways() -> None:
    made = gym.make(register(), user=ShopUser())
    made.reset(seed=2, options={"task_id": "train-1"})
    made.step("Which order?")
    inner = made.unwrapped
    assert isinstance(inner, DialogueEnv)
    branches = [inner.fork() for _ in range(8)]
    rewards = []
    for number, branch in enumerate(branches):
        branch.step(cancel(number))
        rewards.append(branch.step("It is done.")[1])
    assert rewards == [0, 1, 0, 0, 0, 0, 0, 0]
    assert inner.session.world.snapshot() == {}
    assert branches[0].reset()[1]["task_id"] == branches[1].reset()[1]["task_id"]  # the same generator, too
    for branch in branches:
        branch.close()
    assert made.step(cancel(1))[0][0]["role"] == "tool"
    made.close()


def test_render_and_debug() -> None:
    env = DialogueEnv(shop, user=ShopUser(), render_mode="ansi", debug=True)
    _, info = env.reset(options={"task_id": "train-1"})
    assert info["task"]["actions"][0]["name"] == "cancel_order"
    env.step(call("get_order", order_id="#1", text="Let me see."))
    lines = str(env.render()).splitlines()
    assert [line.split(":")[0] for line in lines] == ["user", "agent", "tool"]
    assert 'Let me see. get_order({"order_id": "#1"})' in lines[1]
    env.close()
