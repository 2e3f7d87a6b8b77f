import itertools

import pytest

from mua_env.errors import ConfigError
from mua_env.training.config.train import CurriculumConfig, EnvironmentConfig, TaskSource, load_config
from mua_env.training.data.curriculum import Curriculum, TaskSampler
from mua_env.training.data.mixing import Mix, Place
from mua_env.training.rollout.pool import make_mixed_pool


def test_sources_take_turns_by_their_shares() -> None:
    mix = Mix([2, 5], [2, 1])
    order = [mix[position] for position in range(7)]
    assert [place.source for place in order] == [0, 1, 0, 0, 1, 0, 0]
    assert [place.index for place in order if place.source == 0] == [0, 1, 0, 1, 0]
    assert [place.index for place in order if place.source == 1] == [0, 1]


def test_without_shares_each_task_stands_in_the_mix_once() -> None:
    mix = Mix([115, 50])
    order = [mix[position] for position in range(len(mix))]
    assert len(set(order)) == len(order) == 165
    airline = [position for position, place in enumerate(order) if place.source == 1]
    assert max(after - before for before, after in itertools.pairwise(airline)) <= 4
    with pytest.raises(IndexError):
        mix[165]
    with pytest.raises(ConfigError, match=r"every source of a mix needs at least one task, got \[3, 0\] tasks"):
        Mix([3, 0])


def test_a_curriculum_in_numbers() -> None:
    curriculum = Curriculum(2, CurriculumConfig(floor=0.1, memory=0.5))
    assert curriculum.shares == (0.5, 0.5)
    curriculum.learn([(0, True), (1, False), (1, False)])
    assert curriculum.averages == [1.0, 0.25]
    assert curriculum.shares == pytest.approx((1.1 / 1.45, 0.35 / 1.45))
    curriculum.learn([(0, False)] * 60)
    assert curriculum.shares == pytest.approx((0.1 / 0.45, 0.35 / 0.45))
    other = Curriculum(2, CurriculumConfig(floor=0.1, memory=0.5))
    other.restore([{"loss": 1.0}, curriculum.metrics()])
    assert other.averages == curriculum.averages


def test_draws_follow_the_curriculum_and_are_repeatable() -> None:
    curriculum = Curriculum(2, CurriculumConfig(floor=0.25, memory=0.0))
    curriculum.learn([(0, False)])
    drawing = TaskSampler(Mix([10, 1_000_000]), seed=3, curriculum=curriculum)
    drawn = [drawing.first(7, group, row=0) for group in range(600)]
    assert sum(place.source for place in drawn) / 600 == pytest.approx(1.25 / 1.5, abs=0.05)
    assert all(place.index < 10 for place in drawn if place.source == 0)
    assert drawn == [drawing.first(7, group, row=0) for group in range(600)]
    assert drawing.again(7, 0, 1) != drawing.again(7, 0, 2)
    plain = TaskSampler(Mix([10]), seed=3)
    assert plain.first(7, 0, row=4) == Place(0, 4)
    assert {plain.again(7, group, 1).index for group in range(200)} == set(range(10))


def test_a_mix_of_two_domains() -> None:
    config = load_config(
        {
            "environment": {
                "tasks": "train:level=1",
                "sources": [{"id": "MUA/Retail-v1", "share": 3}, {"id": "MUA/Airline-v1", "share": 1}],
            }
        }
    )
    assert [each.tasks for each in config.environment.each()] == ["train:level=1"] * 2
    pool = make_mixed_pool(config.environment)
    places = [pool.mix[position] for position in range(8)]
    dialogues = pool.at(places, range(8))
    assert [dialogue.task.domain for dialogue in dialogues].count("retail") == 6
    for dialogue, place in zip(dialogues, places, strict=True):
        assert dialogue.session.setting.domain.name == dialogue.task.domain
        assert dialogue.policy == pool.part(place).policy
        assert dialogue.session.start(dialogue.task, seed=dialogue.seed).messages
    assert len({id(dialogue.session) for dialogue in dialogues}) == 8
    assert pool.name == "retail train:level=1 + airline train:level=1"
    pool.close()


def test_an_environment_without_sources_is_its_own_only_one() -> None:
    environment = EnvironmentConfig(tasks="train:level=2")
    assert environment.each() == [environment]
    mixed = environment.model_copy(update={"sources": (TaskSource(tasks="train:level=1"), TaskSource())})
    assert [each.tasks for each in mixed.each()] == ["train:level=1", "train:level=2"]
