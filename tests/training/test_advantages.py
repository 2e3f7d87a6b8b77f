import math

import pytest

from mua_env.errors import ConfigError
from mua_env.training.rollout.advantages import batch_advantages, group_advantages
from mua_env.training.worked_numbers import clipped_objective

FOUR, FIVE = [1, 0, 0.5, 0], [1, 0, 0.5, 0, 1]


def test_first_worked_example() -> None:
    group = group_advantages(FOUR)
    assert group.values == pytest.approx(
        [1.507556722888818, -0.904534033733291, 0.301511344577764, -0.904534033733291], abs=5e-16
    )
    values = [clipped_objective(a, 1.0, epsilon=0.2, beta=0.01) for a in group.values]
    assert values == list(group.values)


def test_second_worked_example() -> None:
    group = group_advantages(FIVE)
    expected = [1.118033988749895, -1.118033988749895, 0, -1.118033988749895, 1.118033988749895]
    assert group.values == pytest.approx(expected, abs=5e-16)
    assert [clipped_objective(a, 1.0, epsilon=0.2, beta=0.001) for a in group.values] == list(group.values)
    assert group_advantages(FIVE, std="sample").values == (1, -1, 0, -1, 1)


@pytest.mark.parametrize(
    ("rewards", "printed"),
    [
        (FOUR, ["1.8084", "-1.2670", "0.3612", "-1.2670"]),
        (FIVE, ["1.3410", "-1.5659", "-0.0006", "-1.5659", "1.3410"]),
    ],
)
def test_worked_examples_with_clipping(rewards: list[float], printed: list[str]) -> None:
    advantages = group_advantages(rewards).values
    values = [clipped_objective(a, 1.4, epsilon=0.2, beta=0.01) for a in advantages]
    assert [f"{value:.4f}" for value in values] == printed
    divergence = (1.4 * advantages[1] - values[1]) / 0.01
    assert divergence == pytest.approx(0.06352776337878707, rel=1e-12)


def test_divergence_from_another_ratio() -> None:
    assert clipped_objective(0.0, 1.0, epsilon=0.2, beta=1.0, kl_ratio=2.0) == pytest.approx(math.log(2) - 1)


def test_equal_rewards_teach_nothing_and_are_reported() -> None:
    for rewards in ([1.0] * 4, [0.0] * 4, [0.1] * 3):
        group = group_advantages(rewards)
        assert group.values == (0.0,) * len(rewards)
        assert group.all_equal
    assert not group_advantages(FOUR).all_equal


def test_failed_episodes_are_out_of_the_group() -> None:
    group = group_advantages([1, None, 0, 0.5, 0, None])
    assert group.values[1] == group.values[5] == 0.0
    assert [group.values[i] for i in (0, 2, 3, 4)] == pytest.approx(group_advantages([1, 0, 0.5, 0]).values)
    assert group.valid == 4
    assert group_advantages([None, 1.0, None]).all_equal
    assert group_advantages([None, None]) == group_advantages([None, None], std="sample")
    assert not group_advantages([None, None]).all_equal
    assert group_advantages([None, None]).valid == 0


def test_batches_divide_into_groups() -> None:
    first, second = batch_advantages([1, 0, 1, 1], 2)
    assert first.values == (1.0, -1.0)
    assert second.all_equal
    with pytest.raises(ConfigError, match="3 rewards do not divide into groups of 2"):
        batch_advantages([1, 0, 1], 2)
    with pytest.raises(ConfigError, match="finite"):
        group_advantages([1.0, float("nan")])
