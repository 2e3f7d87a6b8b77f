from __future__ import annotations

import asyncio
import inspect
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from shop import ShopUser, shop

from engine.helpers import cancel
from engine.test_env import register
from mua_env.errors import ConfigError, EpisodeError
from mua_env.gym.env import DialogueEnv
from mua_env.gym.vector import DialogueVectorEnv, EnvOptions


def make(number: int = 3, **options: Any) -> DialogueVectorEnv:
    return DialogueVectorEnv(shop, num_envs=number, **{"user": ShopUser(), **options})


def test_make_vec_gives_ours_and_the_sync_one() -> None:
    ours = gym.make_vec(register(), num_envs=2, user=ShopUser())
    assert isinstance(ours, DialogueVectorEnv)
    sync = gym.make_vec(register(), num_envs=2, vectorization_mode="sync", user=ShopUser())
    assert isinstance(sync, SyncVectorEnv)
    tasks = []
    for env in (ours, sync):
        observations, infos = env.reset(seed=3)
        assert len(observations) == 2
        assert observations in env.observation_space
        tasks.append(list(infos["task_id"]))
        observations, rewards, terminated, truncated, infos = env.step(("Which order?", cancel(1)))
        assert [messages[0]["role"] for messages in observations] == ["user", "tool"]
        assert (rewards.shape, terminated.dtype, truncated.dtype) == ((2,), np.bool_, np.bool_)
        env.close()
    assert tasks[0] == tasks[1]


def test_same_dialogues_as_one_by_one(database_url: str | None) -> None:
    vector = make(3, database_url=database_url)
    begun, infos = vector.reset(seed=10)
    singles = [DialogueEnv(shop, user=ShopUser(), database_url=database_url) for _ in range(3)]
    for i, env in enumerate(singles):
        observation, info = env.reset(seed=10 + i)
        assert begun[i] == observation
        assert infos["task_id"][i] == info["task_id"]
        assert infos["tools"][i] == info["tools"]
    turns = ["Which order?", "Your email?", cancel(1), "It is done."]
    for turn in turns:
        observations, rewards, terminated, _, _ = vector.step([turn] * 3)
        for i, env in enumerate(singles):
            observation, reward, ended, _, _ = env.step(turn)
            assert (observations[i], rewards[i], terminated[i]) == (observation, reward, ended)
    for env in singles:
        env.close()
    vector.close()


def test_ended_dialogues_begin_anew_at_the_next_step() -> None:
    env = make(2)
    env.reset(seed=1, options={"task_id": "train-1"})
    _, _, terminated, _, infos = env.step(["It is done.", "Hm?"])
    assert terminated.tolist() == [True, False]
    assert infos["_score"].tolist() == [True, False]
    assert infos["score"][0][0]["reward"] == 0.0
    observations, rewards, terminated, truncated, infos = env.step(["this is ignored", "Hm?"])
    assert observations[0][0]["role"] == "user"
    assert (rewards[0], terminated[0], truncated[0], infos["turn"].tolist()) == (0.0, False, False, [0, 2])
    assert infos["_system_prompt"].tolist() == [True, False]
    env.close()


def test_users_think_at_the_same_time() -> None:
    user = ShopUser(delay=0.2)
    env = make(8, user=user)
    env.reset(seed=0)
    for turn in (None, "Hm?"):
        if turn is not None:
            user.intervals.clear()
            env.step([turn] * 8)
        assert len(user.intervals) == 8
        # Every user had begun to think before the first one was done.
        assert max(begun for begun, _ in user.intervals) < min(ended for _, ended in user.intervals)
    env.close()


def test_tool_calls_do_not_wait_for_users() -> None:
    user = ShopUser(delay=0.05)
    env = make(2, user=user)
    env.reset(seed=0)
    user.intervals.clear()
    env.step([cancel(1), "Hm?"])
    assert len(user.intervals) == 1
    env.close()


def test_works_inside_a_running_loop() -> None:
    async def inside() -> int:
        env = make(2)
        observations, _ = env.reset(seed=0)
        env.close()
        return len(observations)

    assert asyncio.run(inside()) == 2


def test_faulty_use_is_named_and_changes_nothing() -> None:
    env = make(2)
    with pytest.raises(EpisodeError, match="no episode was started; reset first"):
        env.step(["a", "b"])
    env.reset(seed=[4, None])
    with pytest.raises(ConfigError, match="1 actions for 2 dialogues"):
        env.step(["a"])
    with pytest.raises(ConfigError, match="action 1 is no assistant message: 3"):
        env.step([cancel(1), 3])
    assert [session.episode.turns for session in env.sessions] == [0, 0]
    with pytest.raises(ConfigError, match="3 seeds for 2 dialogues"):
        env.reset(seed=[1, 2, 3])
    env.close()
    with pytest.raises(EpisodeError, match="closed"):
        env.step(["a", "b"])
    with pytest.raises(ConfigError, match="num_envs is 0"):
        make(0)


def test_arguments_are_those_of_one_dialogue() -> None:
    with pytest.raises(ConfigError, match="max_turns is 0; it must be a whole number"):
        make(max_turns=0)
    with pytest.raises(ConfigError, match="no_such_reward"):
        make(reward="no_such_reward")
    for unknown in ("max_turn", "render_mode"):
        with pytest.raises(TypeError, match=rf"DialogueVectorEnv.*unexpected keyword argument '{unknown}'"):
            make(**{unknown: 1})
    env = make(2, max_turns=1, debug=True)
    _, infos = env.reset(seed=0)
    assert [task["id"] for (task,) in infos["task"]] == infos["task_id"].tolist()
    assert env.step(["Hm?", "Hm?"])[3].tolist() == [True, True]
    env.close()


def test_the_types_of_the_arguments_are_those_of_one_dialogue() -> None:
    one = {name: parameter.annotation for name, parameter in inspect.signature(DialogueEnv).parameters.items()}
    shared = {name: type_.__forward_arg__ for name, type_ in EnvOptions.__annotations__.items()}
    assert shared == {name: type_ for name, type_ in one.items() if name not in ("domain", "debug", "render_mode")}


def test_samples_of_the_batch_are_legal() -> None:
    env = make(3)
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(40):
        actions = env.action_space.sample()
        assert actions in env.action_space
        observations = env.step(actions)[0]
        assert observations in env.observation_space
    env.close()


def _made() -> DialogueEnv:
    return DialogueEnv(shop, user=ShopUser())


def test_subprocesses_of_gymnasium() -> None:
    env = AsyncVectorEnv([_made, _made], shared_memory=False)
    observations, infos = env.reset(seed=5)
    single = _made()
    assert observations[1] == single.reset(seed=6)[0]
    env.step(("Which order?", cancel(1)))
    _, _, terminated, _, infos = env.step(("It is done.", "Hm?"))
    assert terminated.tolist() == [True, False]
    assert infos["_score"].tolist() == [True, False]
    single.close()
    env.close()


@pytest.mark.postgres
def test_subprocesses_on_a_server(postgres_url: str) -> None:
    def made() -> DialogueEnv:
        return DialogueEnv(shop, user=ShopUser(), database_url=postgres_url)

    parent = made()
    parent.reset(seed=0)  # the children are forked from a process that has connections
    env = AsyncVectorEnv([made, made], shared_memory=False, context="fork")
    env.reset(seed=5, options={"task_id": "train-1"})
    env.step((cancel(1), cancel(2)))
    _, rewards, terminated, _, _ = env.step(("It is done.", "It is done."))
    assert (rewards.tolist(), terminated.tolist()) == ([1.0, 0.0], [True, True])
    env.close()
    assert parent.step(cancel(1))[0][0]["role"] == "tool"
    parent.close()
