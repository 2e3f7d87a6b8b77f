from pathlib import Path
from typing import Any

import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.training.config.train import GrpoSettings, LengthConfig, TrainConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.trainers.grpo import DialogueGRPOTrainer, trl_config

from .checked_trainer import CheckedTrainer, LeavingUser, checksum, make_trainer
from .conftest import Toy
from .toy_domain import ToyUser


def test_masks_gradients_and_log_probabilities(toy: Toy, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, toy.folder)
    before = checksum(trainer.model)
    CheckedTrainer.checks = CheckedTrainer.learning = CheckedTrainer.sampled = CheckedTrainer.trained = 0
    trainer.train()
    assert CheckedTrainer.checks == 2 * 4
    assert CheckedTrainer.learning > 0
    assert CheckedTrainer.trained == CheckedTrainer.sampled > 0
    assert CheckedTrainer.worst < 1e-4
    assert checksum(trainer.model) != before
    log = trainer.state.log_history[0]
    assert 0 < log["dialogue/environment_fraction"] < 1
    assert log["dialogue/turns"] >= 1
    assert log["dialogue/faults"] == 0
    assert log["reward"] == pytest.approx(log["dialogue/success"])
    assert 0 <= log["groups/all_equal"] <= 1
    assert log["kl"] == pytest.approx(0, abs=1e-6)


def test_targets_at_masked_positions_change_no_gradient(toy: Toy, tmp_path: Path) -> None:
    """On the real model: exchange every token that the agent did not sample, as a *target*, and compare."""
    trainer = make_trainer(tmp_path, toy.folder, trainer=DialogueGRPOTrainer)
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    batch = trainer._generate_and_score_completions(
        [{"prompt": [{"role": "user", "content": "0"}], "task": n} for n in (0, 2, 4, 6) for _ in range(4)]
    )
    batch["advantages"] = torch.linspace(-1.5, 1.5, 16)
    masked = batch["completion_mask"].bool() & ~batch["tool_mask"].bool()
    sampled = batch["completion_mask"].bool() & batch["tool_mask"].bool()
    assert masked.any()

    def gradient(positions: torch.Tensor | None) -> torch.Tensor:
        original = trainer._get_per_token_logps_and_entropies

        def swapped(model: Any, ids: torch.Tensor, attention: torch.Tensor, keep: int, **kwargs: Any) -> Any:
            logits = model(input_ids=ids, attention_mask=attention).logits[:, -keep - 1 : -1]
            targets = ids[:, -keep:].clone()
            if positions is not None:
                targets[positions] = (targets[positions] + 17) % logits.shape[-1]
            logprobs = torch.log_softmax(logits, -1).gather(-1, targets[..., None])[..., 0]
            return logprobs, torch.zeros_like(logprobs), None

        trainer._get_per_token_logps_and_entropies = swapped
        trainer.model.zero_grad()
        trainer._compute_loss(trainer.model, dict(batch)).backward()
        trainer._get_per_token_logps_and_entropies = original
        return torch.cat([p.grad.flatten().clone() for p in trainer.model.parameters()])

    plain = gradient(None)
    assert plain.abs().sum() > 0
    assert torch.equal(gradient(masked), plain)
    assert not torch.equal(gradient(sampled), plain)


def test_failed_episodes_count_nowhere(toy: Toy, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, toy.folder, user=ToyUser(fault_every=3), trainer=DialogueGRPOTrainer)
    trainer.model.train()
    rows = [{"prompt": [{"role": "user", "content": "0"}], "task": n} for n in range(4) for _ in range(4)]
    batch = trainer._generate_and_score_completions(rows)
    failed = torch.tensor([outcome.reward is None for outcome in trainer.held.outcomes])
    assert failed.any()
    assert not failed.all()
    assert (batch["advantages"][failed] == 0).all()
    assert (batch["tool_mask"] * batch["completion_mask"])[failed].sum() == 0
    assert float(batch["row_scale"]) == pytest.approx(16 / int((~failed).sum()))
    assert trainer._metrics["train"]["dialogue/faults"] == [float(failed.sum())]
    for group in batch["advantages"].view(4, 4):
        assert group.sum() == pytest.approx(0, abs=1e-5)
        assert not group.any() or (group**2).sum() == pytest.approx(int((group != 0).sum()), rel=1e-5)


def test_what_would_discard_the_mask_is_refused(toy: Toy, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, toy.folder, trainer=DialogueGRPOTrainer)
    given = {
        "model": trainer.model,
        "args": trainer.args,
        "settings": trainer.settings,
        "pool": trainer.pool,
        "driver": trainer.driver,
        "seed": 0,
    }
    with pytest.raises(ConfigError, match="tools= cannot be given"):
        DialogueGRPOTrainer(**given, tools=[print])
    with pytest.raises(ConfigError, match="environment_factory= cannot be given"):
        DialogueGRPOTrainer(**given, environment_factory=object)
    scaled = trl_config(TrainConfig(grpo=GrpoSettings(trl={"scale_rewards": "group"})), folder=str(tmp_path))
    with pytest.raises(ConfigError, match="scale_rewards is 'group'"):
        DialogueGRPOTrainer(**{**given, "args": scaled})
    trainer.model.config._name_or_path = ""
    with pytest.raises(ConfigError, match="needs a reference model"):
        DialogueGRPOTrainer(**given)


def test_the_papers_settings_reach_trl(tmp_path: Path) -> None:
    args = trl_config(TrainConfig(), folder=str(tmp_path), processes=4)
    assert args.per_device_train_batch_size * args.gradient_accumulation_steps * 4 == 32 * 8
    wanted = {
        "num_generations": 8,
        "beta": 0.001,
        "epsilon": 0.2,
        "loss_type": "grpo",
        "scale_rewards": "none",
        "use_bias_correction_kl": False,
        "mask_truncated_completions": False,
        "importance_sampling_level": "token",
        "num_iterations": 1,
        "temperature": 1.0,
        "num_train_epochs": 25,
        "max_completion_length": 32_768,
        "learning_rate": 1e-6,
        "max_grad_norm": 1.0,
    }
    assert {name: getattr(args, name) for name in wanted} == wanted
    assert args.lr_scheduler_type == "constant"
    with pytest.raises(ConfigError, match="do not divide by 3 processes"):
        trl_config(TrainConfig(), folder=str(tmp_path), processes=3)
    with pytest.raises(ConfigError, match="has no such field"):
        trl_config(TrainConfig(grpo=GrpoSettings(trl={"no_such": 1})), folder=str(tmp_path))


def test_truncated_dialogues_are_trained_on_as_the_others_are(toy: Toy, tmp_path: Path) -> None:
    """Some are cut amid a turn, others right; a cut one has the reward 0 and all that it said in the loss."""
    trainer = make_trainer(tmp_path, toy.folder, trainer=DialogueGRPOTrainer)
    trainer.driver.lengths = LengthConfig(total=300, turn=8)
    trainer.model.train()
    rows = [{"prompt": [{"role": "user", "content": "0"}], "task": n} for n in (0, 2, 4, 6) for _ in range(4)]
    batch = trainer._generate_and_score_completions(rows)
    held = trainer.held.trajectories
    cut = [t for t in held if t.truncated]
    assert trainer.model.training  # eval mode lasted no longer than the dialogues
    assert {t.ended_by for t in cut} == {"token_limit"}
    assert {t.reward for t in held} == {0.0, 1.0}
    lost = 0
    for row, trajectory in enumerate(held):
        mask = batch["tool_mask"][row][: len(trajectory.mask)].tolist()
        assert mask == trajectory.mask
        assert int(batch["completion_mask"][row].sum()) == len(trajectory.mask)
        group = [t.reward for t in held[row // 4 * 4 : row // 4 * 4 + 4]]
        if trajectory.truncated:
            assert trajectory.reward == 0
            assert trajectory.completion_ids[-1] != toy.chat.end_id
            assert trajectory.mask[-1] == 1
            assert (float(batch["advantages"][row]) < 0) == (len(set(group)) > 1)
            lost += len(set(group)) > 1
    assert lost


def test_truncated_dialogues_can_be_masked(toy: Toy, tmp_path: Path) -> None:
    """Those that the number of turns ended, too, which end in an end-of-turn token as others do."""
    given = {"mask_truncated_completions": True}
    trainer = make_trainer(tmp_path, toy.folder, trainer=DialogueGRPOTrainer, trl=given)
    trainer.driver.lengths = LengthConfig(total=300, turn=12)
    trainer.pool.parts[0]._max_turns = 2
    trainer.model.train()
    rows = [{"prompt": [{"role": "user", "content": "0"}], "task": n} for n in (0, 2, 4, 6) for _ in range(4)]
    batch = trainer._generate_and_score_completions(rows)
    held = trainer.held.trajectories
    assert {t.ended_by for t in held} > {"token_limit", "max_turns"}
    for trajectory, mask, real in zip(held, batch["tool_mask"], batch["completion_mask"], strict=True):
        assert int((mask * real).sum()) == (0 if trajectory.truncated else sum(trajectory.mask))


def test_bfloat16_is_computed_with_on_float32_weights(toy: Toy, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, toy.folder, steps=1, trl={"bf16": True}, autocast=True)
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    CheckedTrainer.worst = 0.0
    trainer.train()
    after = list(trainer.model.parameters())
    assert {parameter.dtype for parameter in after} == {torch.float32}
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    # What was sampled is what is trained but for the rounding, which is coarse.
    assert 1e-4 < CheckedTrainer.worst < 0.1


@pytest.mark.parametrize("how", ["cut", "left", "failed"])
def test_groups_without_a_difference_change_no_weight(toy: Toy, tmp_path: Path, how: str) -> None:
    """All dialogues cut by a length, all ended before the agent spoke (empty completions), all failed (None)."""
    user = None if how == "cut" else LeavingUser(failing=how == "failed")
    trainer = make_trainer(tmp_path, toy.folder, steps=1, user=user, beta=0.0, weight_decay=0.0)
    if how == "cut":
        trainer.driver.lengths = LengthConfig(total=300, turn=1)
    before = checksum(trainer.model)
    trainer.train()
    assert checksum(trainer.model) == before
    log = trainer.state.log_history[0]
    assert log["dialogue/faults"] == (16 if how == "failed" else 0)
    assert log["groups/all_equal"] == (0 if how == "failed" else 1)
    assert log["dialogue/truncated"] == (1 if how == "cut" else 0)
    assert {outcome.reward for outcome in trainer.held.outcomes} <= {None if how == "failed" else 0.0, 1.0}


def test_a_resumed_epoch_goes_on_where_it_was(toy: Toy, tmp_path: Path) -> None:
    """Forty tasks are five batches of eight: the sixth batch is of a second epoch, in an order of its own."""
    saving = {"save_strategy": "steps", "save_steps": 6}
    whole = make_trainer(tmp_path, toy.folder, steps=7, queries=8, rollouts=2, trainer=Watched, trl=saving)
    whole.train()
    first, second = [row for rows in whole.seen[:5] for row in rows], whole.seen[5] + whole.seen[6]
    assert sorted(set(first)) == list(range(40))
    assert second != first[:32]
    assert len(set(second)) == 16
    again = make_trainer(tmp_path, toy.folder, steps=7, queries=8, rollouts=2, trainer=Watched, trl=saving)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-6"))
    assert again.seen == whole.seen[6:]
    assert checksum(again.model) == checksum(whole.model)


class Watched(DialogueGRPOTrainer):
    """Keeps which tasks each batch was about."""

    def roll_out(self) -> list[TokenTrajectory]:
        self.seen = [*getattr(self, "seen", []), [int(row["task"]) for row in self._rows]]
        return super().roll_out()
