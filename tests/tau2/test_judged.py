"""tau2's statements for a judge, in whole episodes: 40 tasks of retail at v1.0.1 have some."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")

import gymnasium as gym
from loopback import Loopback, Say

import mua_env  # noqa: F401 - registers the environments
from mua_env.core.tasks import Task
from mua_env.episode.setting import load_setting
from tests.tau2 import public


def _judged_tasks() -> list[Task]:
    tasks = load_setting("retail", "tau2:base", path=public.later_data()).tasks
    found = [task for task in tasks if task.criteria is not None and task.criteria.statements]
    assert len(found) == 40
    assert all("judged" in task.criteria.basis for task in found if task.criteria is not None)
    return found


def _played(task: Task, **judge: Any) -> dict[str, Any]:
    """Gold's calls, then courtesy until the user leaves; returns the last info."""
    env = gym.make("MUA/Retail-v1", tasks="tau2:base", tasks_path=public.later_data(), **judge)
    env.reset(seed=0, options={"task_id": task.id})
    for call in task.actions:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        env.step({"role": "assistant", "tool_calls": [{"function": function}]})
    done, info = False, {}
    while not done:
        *_, terminated, truncated, info = env.step("Thank you for your message.")
        done = terminated or truncated
    env.close()
    return info


def _says(*holds: bool) -> Say:
    entries = [{"number": at, "reason": "because", "holds": value} for at, value in enumerate(holds, start=1)]
    return Say(json.dumps({"verdicts": entries}))


@pytest.mark.parametrize("holds", [True, False])
def test_a_reward_hangs_on_the_verdicts(holds: bool) -> None:
    task = _judged_tasks()[0]
    assert task.criteria is not None
    count = len(task.criteria.statements)
    with Loopback([_says(*[holds] * count)]) as server:
        judge = {"base_url": server.base_url, "timeout_s": 5.0, "deadline_s": 10.0}
        score = _played(task, judge="tiny", judge_options=judge)["score"]
    assert score["parts"]["database"] == 1.0
    assert (score["parts"]["judged"], score["reward"]) == (float(holds), float(holds))
    assert all(text in server.requests[0]["messages"][1]["content"] for text in task.criteria.statements)


def test_without_a_judge_it_is_told_that_nobody_has_judged() -> None:
    score = _played(_judged_tasks()[0])["score"]
    assert (score["parts"]["judged"], score["reward"]) == (None, 1.0)
