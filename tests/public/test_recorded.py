"""The benchmark's own 200 recorded GPT-4o dialogues: the same calls and words come to the rewards that it gave."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

import pytest

from mua_env.core.scores import Record
from mua_env.core.tasks import Action, Task
from mua_env.episode.setting import Setting, load_setting

Row = dict[str, Any]
PASS_K = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}


@pytest.fixture(scope="module")
def setting(tau1_dir: Path) -> Setting:
    return load_setting("airline", "tau1:test", path=tau1_dir)


@pytest.fixture(scope="module")
def rows(tau1_dir: Path) -> list[Row]:
    with gzip.open(tau1_dir / "airline" / "recorded_gpt-4o.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def replay(world: Any, row: Row) -> Iterator[tuple[Row, str, str]]:
    """Each call of a recorded dialogue with the result there and here."""
    world.load()
    for message, following in zip(row["traj"], [*row["traj"][1:], {}], strict=True):
        if message["role"] == "assistant" and message.get("tool_calls"):
            call = message["tool_calls"][0]["function"]
            result = world.call(call["name"], call["arguments"])
            if following.get("role") == "tool":
                yield call, following["content"], result.content


def as_recorded(task: Task, row: Row) -> Task:
    """The task as it was when the dialogue was recorded."""
    raw = row["info"]["task"]
    gold = tuple(Action(name=action["name"], arguments=action["kwargs"]) for action in raw["actions"])
    changes = {"id": f"{task.id} as recorded", "actions": gold, "outputs": tuple(raw["outputs"])}
    return task.model_copy(update=changes)


def test_every_reward_and_pass_k_is_the_recorded_one(setting: Setting, rows: list[Row]) -> None:
    assert (setting.mode, setting.tasks.reward, len(rows)) == ("compat", "tau1", 200)
    world = setting.make_world()
    wrong, passed = [], Counter[str]()
    for row in rows:
        task = setting.tasks.by_id(str(row["task_id"]))
        list(replay(world, row))
        spoken = [m for m in row["traj"] if m["role"] == "assistant" and not m.get("tool_calls")]
        ended = row["info"].get("reward_info") is not None
        record = Record(agent_texts=tuple(message["content"] for message in spoken), truncated=not ended)
        rewards = [
            setting.scorer.score(each, world, record, reward=setting.tasks.reward).reward
            for each in (task, as_recorded(task, row))
        ]
        if rewards != [row["reward"]] * 2:
            wrong.append((row["task_id"], row["trial"], row["reward"], rewards))
        passed[task.id] += rewards[0] == 1.0
    world.close()
    assert wrong == []
    for k, expected in PASS_K.items():
        assert sum(comb(passed[task.id], k) / comb(4, k) for task in setting.tasks) / 50 == pytest.approx(
            expected, abs=5e-4
        )


def test_every_result_but_of_later_data_is_the_recorded_text(setting: Setting, rows: list[Row]) -> None:
    """The data have since renamed a field of addresses, and one flight of one reservation has another price."""
    world = setting.make_world()
    compared, different = Counter[str](), []
    for row in rows:
        for call, there, here in replay(world, row):
            if there.startswith("Error"):
                assert here.startswith("Error"), (call, here)
                continue
            compared[call["name"]] += 1
            if there.replace('"province"', '"state"') != here and "FQ8APE" not in call["arguments"]:
                different.append((call, there, here))
    world.close()
    assert different == []
    assert compared["search_onestop_flight"] > 30
    assert compared["list_all_airports"] == 2
