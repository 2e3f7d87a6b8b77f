"""What must hold of every installed environment, with the agenda user."""

from __future__ import annotations

import json
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import mua_env
from engine.test_leaks import fields
from mua_env.core.messages import AssistantMessage, ToolCall
from mua_env.core.tasks import Action, Task
from mua_env.episode.session import Session
from mua_env.gym.env import DialogueEnv

IDS = sorted(mua_env.environment_ids().values())


def make(env_id: str, **options: Any) -> DialogueEnv:
    env = gym.make(env_id, **options).unwrapped
    assert isinstance(env, DialogueEnv)
    return env


def turn_of(*actions: Action) -> AssistantMessage:
    calls = [
        ToolCall.model_validate({"function": {"name": action.name, "arguments": action.arguments}})
        for action in actions
    ]
    return AssistantMessage(tool_calls=tuple(calls))


def gold(session: Session) -> AssistantMessage:
    """The last calls of the agent in the gold, after what comes before them was done in both pairs of hands."""
    actions = [action for action in session.task.actions if not session.world.is_terminal(action.name)]
    while any(action.requestor == "user" for action in actions):
        action = actions.pop(0)
        assert session.world.call(action.name, action.arguments, requestor=action.requestor).ok
    return turn_of(*actions)


def task_with_effect(env: DialogueEnv) -> Task:
    scorer = env.setting.scorer
    return next(
        task
        for task in env.setting.tasks
        if scorer.gold(task).changes and not task.requirements and task.actions[-1].requestor == "agent"
    )


@pytest.mark.parametrize("env_id", IDS)
def test_checker_has_nothing_to_say(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make(env_id)
        check_env(env)
        env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_equal_seeds_give_equal_episodes(env_id: str) -> None:
    one, two = make(env_id), make(env_id)
    for seed in range(5):
        assert one.reset(seed=seed) == two.reset(seed=seed)
        for turn in ("Could you tell me your name and your email address, please?", "What can I do for you?"):
            assert one.step(turn) == two.step(turn)
    one.close()
    two.close()


@pytest.mark.parametrize("env_id", IDS)
def test_samples_fit_the_tools(env_id: str) -> None:
    env = make(env_id)
    env.action_space.seed(0)
    specs = env.setting.domain.toolkit.specs
    called = set()
    for _ in range(500):
        turn = env.action_space.sample()
        assert turn in env.action_space
        for call in turn.get("tool_calls", ()):
            specs[call["function"]["name"]].parse(call["function"]["arguments"])
            called.add(call["function"]["name"])
    assert called == set(specs)
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_agent_is_never_given_the_instruction(env_id: str) -> None:
    env = make(env_id, tasks="test")
    for index in range(20):
        given: list[Any] = [env.reset(seed=index, options={"task_index": index})]
        task = env.session.task
        secrets = [line for line in task.instruction.splitlines() if len(line) > 20]
        secrets += [json.dumps(action.arguments) for action in task.actions if len(action.arguments) > 2]
        assert task.instruction
        for turn in ("How can I help you?", "Could you tell me your email address?"):
            given.append(env.step(turn))
        for path, text in fields(given):
            assert not any(secret in text for secret in secrets), (task.id, path)
        assert not {"task", "goal", "actions", "instruction"} & set(given[0][1])
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_one_dialogue_branches_eight_ways(env_id: str) -> None:
    env = make(env_id, reward="outcome")
    task = task_with_effect(env)
    env.reset(seed=1, options={"task_id": task.id})
    env.step("Could you tell me your email address, please?")
    before = env.session.world.snapshot()
    branches = [env.fork() for _ in range(8)]
    rewards = []
    for number, branch in enumerate(branches):
        if number % 2:
            branch.step(gold(branch.session))
        branch.step("What else?")
        rewards.append(branch.session.score_now().reward)
    assert rewards == [0.0, 1.0] * 4
    assert env.session.world.snapshot() == before
    heard = [[entry.message.content for entry in branch.session.episode.entries][:3] for branch in branches]
    assert all(each == heard[0] for each in heard)
    # The users go on alike in branches that did alike.
    assert branches[0].step("Anything else?")[0] == branches[2].step("Anything else?")[0]
    for branch in branches:
        branch.close()
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_gold_scores_one_in_a_vector(env_id: str) -> None:
    env = gym.make_vec(env_id, num_envs=3, reward="outcome", tasks="test")
    env.reset(seed=2)
    sessions = env.sessions  # type: ignore[attr-defined]
    turns = [gold(session) for session in sessions]
    turns = [turn if turn.tool_calls else AssistantMessage(content="Hello") for turn in turns]
    env.step(turns)
    assert [session.score_now().reward for session in sessions] == [1.0] * 3
    env.close()
