"""Two runs compared: pairs, their difference and its interval, and what stands in the way of a comparison."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mua_env.core.trajectory import Trajectory, TrajectoryWriter
from mua_env.errors import ConfigError, DataError
from mua_env.evaluation.comparison.bootstrap import bootstrap_interval, detectable
from mua_env.evaluation.comparison.paired import Comparison, compare, compare_outcomes
from mua_env.evaluation.outcomes import Outcome
from mua_env.evaluation.rollouts import episode_seed, plan, run_rollout


def blank(task: int, trial: int, success: bool | None, *, seed: int = 0) -> Outcome:
    trajectory = Trajectory(
        id=f"t{task}#{trial}", domain="retail", tasks="test", revision="r", task_id=f"t{task}",
        seed=episode_seed(seed, f"t{task}", trial), user="agenda", system_prompt="", tools=[], entries=[], turns=3,
        ended_by="user_stop", score=None,
    )  # fmt: skip
    return replace(Outcome.of(trajectory), success=success)


def run_of(table: list[list[bool | None]], *, seed: int = 0) -> list[Outcome]:
    """A run from a table of successes, a row for each task, a column for each trial."""
    return [blank(task, trial, value, seed=seed) for task, row in enumerate(table) for trial, value in enumerate(row)]


def test_the_difference_is_over_tasks_of_the_pairs() -> None:
    a = run_of([[True, False], [False, False], [True, True]])
    b = run_of([[True, True], [False, True], [True, False]])
    found = compare_outcomes(a, b)
    assert (found.tasks, found.pairs) == (3, 6)
    assert (found.mean_a, found.mean_b) == (0.5, pytest.approx(2 / 3))
    assert found.difference == pytest.approx(1 / 6)
    assert (found.won, found.lost, found.flip_rate) == (2, 1, 0.5)
    assert found.interval.low <= found.difference <= found.interval.high


def test_what_is_in_one_run_alone_or_not_scored_makes_no_pair() -> None:
    a = run_of([[True], [True], [None]])
    b = run_of([[True, False], [False], [True], [True]])
    found = compare_outcomes(a, b)
    assert found.pairs == 2
    assert found.left_out == {"not scored": 1, "not in the other run": 3}
    counted = compare_outcomes(a, b, counting="tau-bench")
    assert (counted.pairs, counted.won, counted.lost) == (3, 1, 1)


def test_runs_with_other_seeds_are_no_pairs_but_their_tasks_can_be_compared() -> None:
    a, b = run_of([[True], [False]]), run_of([[True], [True]], seed=1)
    with pytest.raises(DataError, match=r"same task, trial and seed; hold both with the same --seed.*--by task"):
        compare_outcomes(a, b)
    found = compare_outcomes(a, b, by="task")
    assert (found.tasks, found.difference, found.flip_rate) == (2, 0.5, None)


def test_runs_without_a_common_task_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="no task in common"):
        compare_outcomes([blank(1, 0, True)], [blank(2, 0, True)])
    with pytest.raises(ConfigError, match=r"metric is 'sucess'.*Did you mean 'success'"):
        compare_outcomes([], [], metric="sucess")


def test_a_task_whose_content_changed_is_left_out_and_counted() -> None:
    a = [replace(outcome, task_revision="1") for outcome in run_of([[True], [True]])]
    b = [replace(outcome, task_revision=rev) for outcome, rev in zip(run_of([[False], [False]]), "12", strict=True)]
    found = compare_outcomes(a, b)
    assert found.pairs == 1
    assert found.left_out == {"of a task whose content differs": 2}


def test_equal_runs_may_differ_by_what_so_few_tasks_could_have_missed() -> None:
    few, many = (compare_outcomes(run_of(table), run_of(table)) for table in ([[True]] * 10, [[True]] * 300))
    assert few.difference == many.difference == 0
    assert few.interval.high == -few.interval.low == pytest.approx(1 - 0.025 ** (1 / 10))
    assert many.interval.high < 0.02
    assert few.detectable is None


def test_pairing_takes_away_what_tasks_have_in_common() -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(80) < 0.5
    a = [[bool(not h)] for h in hard]
    b = [[bool(not h) ^ bool(rng.random() < 0.1)] for h in hard]
    found = compare_outcomes(run_of(a), run_of(b))
    assert found.variance_removed is not None
    assert 0.6 < found.variance_removed < 1
    apart = compare_outcomes(run_of(a), run_of([[bool(v)] for v in rng.permutation([not h for h in hard])]))
    assert apart.variance_removed == pytest.approx(0, abs=0.35)


@pytest.mark.parametrize("count", [20, 60])
def test_intervals_hold_the_true_difference_as_often_as_they_say(count: int) -> None:
    rng, held, rounds = np.random.default_rng(count), 0, 300
    for number in range(rounds):
        values = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=count, p=[0.05, 0.1, 0.55, 0.2, 0.1])
        interval = bootstrap_interval(values.tolist(), largest=1.0, seed=number, resamples=1000)
        held += interval.low <= 0.1 <= interval.high
    assert 0.92 <= held / rounds <= 0.985


def test_what_can_be_detected_shrinks_with_the_root_of_the_tasks() -> None:
    values = [0.0, 1.0, -1.0, 0.0] * 10
    small, large = detectable(values), detectable(values * 16)
    assert small is not None
    assert large is not None
    assert small / large == pytest.approx(4, rel=0.06)


def test_equal_runs_give_equal_figures_and_the_seed_only_moves_the_interval() -> None:
    a, b = run_of([[True], [False], [True], [False]] * 5), run_of([[True], [True], [False], [True]] * 5)
    first, again, other = (compare_outcomes(a, b, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first.difference == other.difference


@pytest.fixture(scope="module")
def slips(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    from mua_env import AgendaUser, agent_factory, load_setting

    setting = load_setting("retail", "test:level=1")
    folders = []
    for chance in (0.5, 0.2):
        folder = tmp_path_factory.mktemp("runs") / f"slips-{chance}"
        with TrajectoryWriter(folder / "trajectories.jsonl", sync=False) as file:
            make = agent_factory("expert", setting.domain, {"slips": chance})
            run_rollout(setting, AgendaUser(), make, plan(setting.tasks, limit=20), on_end=file.write)
        folders.append(folder)
    return folders[0], folders[1]


def test_real_runs_that_met_the_same_users_are_paired(slips: tuple[Path, Path]) -> None:
    found = compare(*slips)
    assert isinstance(found, Comparison)
    assert found.pairs == found.tasks == 20
    # The expert slips less often on the same draws, so that it loses nothing that the other won.
    assert found.lost == 0 < found.won
    assert (found.a, found.b) == ("slips-0.5", "slips-0.2")
