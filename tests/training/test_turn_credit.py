import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from mua_env.training.config.train import GrpoSettings, LengthConfig, TurnCreditConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import Dialogue, RolloutDriver
from mua_env.training.rollout.groups import GroupRollout, HeldBatch
from mua_env.training.rollout.pool import DialoguePool, MixedPool
from mua_env.training.rollout.recording import Unrecorded
from mua_env.training.rollout.turn_credit import Credit, ForkKeeper, credits_of
from mua_env.training.trainers.grpo import token_advantages

from .conftest import Toy
from .toy_domain import ToyUser


def test_credits_in_numbers() -> None:
    """A group with mean 0.25; two forks of a right dialogue: half of the first's continuations are right, then all."""
    credits = credits_of(10, 40, [(20, 0.5), (30, 1.0)], baseline=0.25, reward=1.0)
    assert credits == [Credit(10, 20, 0.25), Credit(20, 30, 0.5), Credit(30, 40, 0.0)]
    assert sum(credit.value for credit in credits) == 1.0 - 0.25
    spoiled = credits_of(10, 40, [(20, 1.0)], baseline=0.5, reward=0.0)
    assert [credit.value for credit in spoiled] == [0.5, -1.0]


def test_token_advantages_in_numbers() -> None:
    trajectory = TokenTrajectory([1, 2], [3, 4, 5, 6], [1, 0, 1, 1], [0.0] * 4)
    credits = [Credit(2, 4, 0.25), Credit(4, 6, -0.75)]
    held = HeldBatch([trajectory, trajectory], [], [], [credits, []])
    found = token_advantages(torch.tensor([1.0, -1.0]), held, 5, weight=2.0)
    assert found.tolist() == [[1.5, 1.5, -0.5, -0.5, 1.0], [-1.0] * 5]


@pytest.mark.parametrize(
    ("limit", "turns", "kept"), [(2, 2, [1, 2]), (2, 3, [2]), (2, 5, [2, 4]), (2, 11, [4, 8]), (3, 6, [2, 4, 6])]
)
def test_forks_stay_spread_over_a_dialogue(limit: int, turns: int, kept: list[int], toy: Toy) -> None:
    pool = DialoguePool(toy.setting, ToyUser())
    (dialogue,) = pool.dialogues([toy.setting.tasks[0]], [0])
    dialogue.session.start(dialogue.task, seed=0)
    keeper = ForkKeeper(limit)
    for turn in range(1, turns + 1):
        keeper.keep(0, dialogue, TokenTrajectory([1], turns=turn))
    assert [fork.turn for fork in keeper.forks[0]] == kept
    sessions = [fork.dialogue.session for fork in keeper.forks[0]]
    assert len({id(session) for session in sessions} | {id(dialogue.session)}) == len(kept) + 1
    keeper.close()
    assert not keeper.forks
    pool.close()


def _hold(toy: Toy, settings: GrpoSettings, record: Unrecorded | None = None) -> tuple[HeldBatch, GroupRollout]:
    pool = MixedPool([DialoguePool(toy.setting, ToyUser(), max_turns=6)])
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=300, turn=30), tools="compact")
    rollout = GroupRollout(pool, driver, settings, seed=5, rank=0, gather=lambda values: values)
    rows = [row for row in (0, 2, 4, 1) for _ in range(settings.rollouts)]
    held = rollout.hold(
        toy.model(), rows, number=0, group=settings.rollouts, temperature=1.0, record=record or Unrecorded()
    )
    driver.close()
    pool.close()
    return held, rollout


def test_credits_of_real_forks(toy: Toy) -> None:
    """Forks of real dialogues: the credits of each sum to its reward minus its group's mean, and what was sampled
    is what is sampled without forks."""
    settings = GrpoSettings(rollouts=4, turn_credit=TurnCreditConfig(points=2, continuations=2))
    held, _ = _hold(toy, settings)
    plain, _ = _hold(toy, settings.model_copy(update={"turn_credit": None}))
    assert [t.ids for t in held.trajectories] == [t.ids for t in plain.trajectories]
    assert held.outcomes == plain.outcomes
    means = [group.mean for group in held.groups for _ in range(4)]
    credited = 0
    for trajectory, credits, mean in zip(held.trajectories, held.credits, means, strict=True):
        if not credits:
            assert trajectory.turns == 1
            continue
        credited += 1
        assert trajectory.reward is not None
        assert mean is not None
        assert sum(credit.value for credit in credits) == pytest.approx(trajectory.reward - mean)
        assert credits[0].start == len(trajectory.prompt_ids)
        assert credits[-1].end == len(trajectory)
        for before, after in itertools.pairwise(credits):
            assert before.end == after.start
            # A stretch begins where the agent begins to speak.
            assert trajectory.mask[after.start - len(trajectory.prompt_ids)] == 1
            assert trajectory.mask[after.start - len(trajectory.prompt_ids) - 1] == 0
    assert credited
    assert any(credit.value for credits in held.credits for credit in credits)
    assert held.metrics["credit/dialogues"] >= 2 * credited
    assert plain.metrics.keys() == held.metrics.keys() - {
        "credit/dialogues",
        "credit/agent_tokens",
        "credit/replies",
        "credit/cost",
        "credit/size",
    }


def test_groups_of_equal_rewards_are_drawn_anew(toy: Toy) -> None:
    settings = GrpoSettings(rollouts=4)
    plain, _ = _hold(toy, settings)
    held, _rollout = _hold(toy, settings.model_copy(update={"dynamic_sampling": 8}))
    dull = [number for number, group in enumerate(plain.groups) if group.all_equal]
    assert dull, "the toy's model must have a group of equal rewards for this test"
    assert held.metrics["groups/all_equal"] == len(dull) / 4 == plain.metrics["groups/all_equal"]
    assert held.metrics["dialogue/success"] == plain.metrics["dialogue/success"]
    assert len(dull) <= held.metrics["groups/redrawn"] <= 8 * len(dull)
    assert held.metrics["groups/redrawn_dialogues"] == 4 * held.metrics["groups/redrawn"]
    left = sum(group.all_equal for group in held.groups)
    assert left < len(dull)
    assert held.metrics["groups/teaching"] == 1 - left / 4
    for number, group in enumerate(plain.groups):
        if not group.all_equal:
            kept = slice(4 * number, 4 * number + 4)
            assert held.trajectories[kept] == plain.trajectories[kept]
    assert [outcome.reward for outcome in held.outcomes] == [t.reward for t in held.trajectories]


def test_drawing_anew_is_bounded(toy: Toy) -> None:
    """Users that always fail make every group empty: the bound ends it."""
    settings = GrpoSettings(rollouts=4, dynamic_sampling=2)
    pool = MixedPool([DialoguePool(toy.setting, ToyUser(fault_every=1), max_turns=6)])
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=300, turn=30), tools="compact")
    rollout = GroupRollout(pool, driver, settings, seed=5, rank=0, gather=lambda values: values)
    held = rollout.hold(toy.model(), [0] * 4, number=0, group=4, temperature=1.0, record=Unrecorded())
    assert held.metrics["groups/redrawn"] == 2
    assert held.metrics["groups/teaching"] == 0
    assert replace(held.groups[0], mean=None).values == (0.0,) * 4
    driver.close()
    pool.close()


class _HalfHeld(Unrecorded):
    """As the record of a run that was killed: the first dialogues of the batch are known already."""

    def __init__(self, known: list[TokenTrajectory]) -> None:
        self.known = known

    def hold(
        self,
        driver: RolloutDriver,
        model: Any,
        dialogues: Sequence[Dialogue],
        *,
        rows: Sequence[int],
        seeds: Sequence[int],
        temperature: float,
    ) -> list[TokenTrajectory]:
        done = len(self.known)
        return self.known + driver.run(model, dialogues[done:], seeds=seeds[done:], temperature=temperature)


def test_dialogues_of_a_killed_run_go_without_credit(toy: Toy) -> None:
    settings = GrpoSettings(rollouts=4, turn_credit=TurnCreditConfig(points=2, continuations=2))
    whole, _ = _hold(toy, settings)
    half, _ = _hold(toy, settings, record=_HalfHeld(whole.trajectories[:7]))
    assert half.credits[:7] == [[]] * 7
    assert half.credits[7:] == whole.credits[7:]
    assert any(half.credits[7:])
    assert half.outcomes == whole.outcomes
