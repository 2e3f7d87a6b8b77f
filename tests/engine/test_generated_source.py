"""Tasks that are generated when they are asked for: which they are, and how many are made for one."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import gymnasium as gym
import pytest

import mua_env
from mua_env.core.tasks import Task
from mua_env.domain.contract import Domain, load_domain
from mua_env.domain.generator import GeneratedTasks
from mua_env.errors import TaskError


class Counting:
    """A domain's generator that counts what it makes."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.made = domain, 0

    def generate(self, **options: Any) -> Iterator[Task]:
        for task in self.domain.generate(**options):
            self.made += 1
            yield task


def generated(counting: Any, **options: str) -> GeneratedTasks:
    return GeneratedTasks(counting, "generate", options)


@pytest.fixture
def counting() -> Counting:
    return Counting(load_domain("retail"))


def test_in_order_one_task_is_made_for_each(counting: Counting) -> None:
    tasks = generated(counting)
    assert [tasks[position] for position in range(40)] == tasks[0:40]
    assert counting.made == 40


def test_the_tasks_are_those_of_the_blocks_in_any_order_of_access(counting: Counting) -> None:
    blocks = [list(islice(counting.domain.generate(level=1, seed=(5 << 32) + b, split="test"), 16)) for b in range(3)]
    wanted = [task for block in blocks for task in block]
    positions = list(range(len(wanted)))
    Random(0).shuffle(positions)
    tasks = generated(counting, seed="5", split="test")
    assert {position: tasks[position] for position in positions} == dict(enumerate(wanted))


@pytest.mark.parametrize(("count", "each"), [("1000000", 1.0), ("64", 1.0)])
def test_a_random_draw_makes_one_task(counting: Counting, count: str, each: float) -> None:
    tasks, rng = generated(counting, count=count), Random(1)
    drawn = [tasks.drawn(rng.randrange(len(tasks))) for _ in range(100)]
    assert counting.made <= each * len(drawn)
    assert all(task in tasks[0:64] for task in drawn) or count != "64"


def test_a_draw_from_few_tasks_reaches_them_all(counting: Counting) -> None:
    tasks = generated(counting, count="20")
    assert {tasks.drawn(position).id for position in range(20)} == {task.id for task in tasks}


def test_a_reset_draws_a_task_of_the_sequence() -> None:
    env = gym.make("MUA/Retail-v1", tasks="generate:level=1", debug=True)
    ids = [env.reset(seed=seed)[1]["task_id"] for seed in (0, 1, 0)]
    assert ids[0] == ids[2] != ids[1]
    assert all(id.endswith("-0") for id in ids)
    env.close()


def test_a_pickled_source_is_the_same_source() -> None:
    tasks = mua_env.load_setting("retail", "generate:level=2").tasks.tasks
    first = tasks[3]
    assert pickle.loads(pickle.dumps(tasks))[3] == first


def test_a_block_that_cannot_be_made_says_so_each_time() -> None:
    tasks = mua_env.load_setting("retail", "generate:level=1:only=ask.nothing").tasks
    for _ in range(2):
        with pytest.raises(TaskError, match=r"only=ask\.nothing"):
            tasks[0]
