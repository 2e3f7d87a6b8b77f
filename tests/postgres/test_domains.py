"""The public domains on PostgreSQL: the same dialogues with the same results as on SQLite."""

from __future__ import annotations

import gymnasium as gym
import pytest

import mua_env
from mua_env.core.messages import AssistantMessage, ToolCall
from mua_env.episode.session import Session
from mua_env.gym.env import DialogueEnv

pytestmark = pytest.mark.postgres


def run_gold(session: Session) -> list[str | None]:
    """The gold in both pairs of hands: what the calls gave."""
    results: list[str | None] = []
    for action in session.task.actions:
        if session.world.is_terminal(action.name):
            continue
        if action.requestor == "user":
            results.append(session.world.call(action.name, action.arguments, requestor="user").content)
            continue
        call = ToolCall.model_validate({"id": "c", "function": {"name": action.name, "arguments": action.arguments}})
        results += [m.content for m in session.send(AssistantMessage(tool_calls=(call,))).messages]
    return results


@pytest.mark.parametrize("env_id", ["MUA/Retail-v1", "MUA/Airline-v1", "MUA/Telecom-v1"])
def test_gold_gives_the_same_on_both(env_id: str, postgres_url: str) -> None:
    assert mua_env.environment_ids()
    ours, theirs = (gym.make(env_id, database_url=url, tasks="test") for url in (None, postgres_url))
    with_effect = 0
    for index in range(8):
        seen = []
        for env in (ours, theirs):
            env.reset(seed=index, options={"task_index": index})
            inner = env.unwrapped
            assert isinstance(inner, DialogueEnv)
            session = inner.session
            results = run_gold(session)
            seen.append((results, session.world.snapshot(), session.score_now()))
        assert seen[0] == seen[1]
        assert seen[1][2].parts["database"] == 1.0
        with_effect += bool(seen[1][1])
    assert with_effect >= 4
    for env in (ours, theirs):
        env.close()
