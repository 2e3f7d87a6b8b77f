"""The losses that TRL computes, and the figures that it logs, against their formulas on the toy's real model."""

from pathlib import Path
from typing import Any

import pytest
import torch

from mua_env.training.trainers.grpo import DialogueGRPOTrainer
from mua_env.training.worked_numbers import clipped_objective

from .checked_trainer import make_trainer
from .conftest import Toy
from .toy_domain import ToyUser


def _batch(toy: Toy, folder: Path, **settings: Any) -> tuple[Any, dict[str, Any], torch.Tensor, torch.Tensor]:
    """A trainer, a batch with advantages and shifted old log-probabilities, the ratios, and the agent's mask."""
    trainer = make_trainer(folder, toy.folder, trainer=DialogueGRPOTrainer, **settings)
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    rows = [{"prompt": [{"role": "user", "content": "0"}], "task": n} for n in (0, 2, 4, 6) for _ in range(4)]
    batch = trainer._generate_and_score_completions(rows)
    batch["advantages"] = torch.linspace(-1.5, 1.5, 16)
    mask = (batch["completion_mask"] * batch["tool_mask"]).float()
    logps, entropies, _ = trainer._get_per_token_logps_and_entropies(
        trainer.model,
        torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1),
        torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1),
        batch["completion_ids"].shape[1],
        compute_entropy=True,
    )
    logps = logps.detach()
    shift = (0.4 * torch.sin(1.7 * torch.arange(logps.numel())) + 0.1).view_as(logps)
    batch["old_per_token_logps"] = logps - shift
    batch["entropies"] = entropies.detach()
    return trainer, batch, shift, mask


def _clipped(ratio: torch.Tensor, advantages: torch.Tensor) -> torch.Tensor:
    return -torch.min(ratio * advantages[:, None], ratio.clamp(0.8, 1.2) * advantages[:, None])


@pytest.mark.parametrize("failing", [0, 3])
def test_the_loss_is_the_objective_that_the_worked_numbers_are_of(toy: Toy, tmp_path: Path, failing: int) -> None:
    """By the paper's settings: each dialogue averages its agent's tokens, and the batch the dialogues that count."""
    user = ToyUser(fault_every=failing)
    trainer, batch, shift, mask = _batch(toy, tmp_path, beta=0.01, user=user)
    apart = 0.3 * torch.cos(0.9 * torch.arange(shift.numel()).view_as(shift))
    batch["ref_per_token_logps"] = batch["old_per_token_logps"] + shift + apart
    objectives = []
    for row, advantage in enumerate(batch["advantages"].tolist()):
        places = mask[row].nonzero()[:, 0].tolist()
        values = [
            clipped_objective(
                advantage,
                float(shift[row, place].exp()),
                epsilon=0.2,
                beta=0.01,
                kl_ratio=float(apart[row, place].exp()),
            )
            for place in places
        ]
        if values:
            objectives.append(sum(values) / len(values))
    valid = sum(outcome.reward is not None for outcome in trainer.held.outcomes)
    assert len(objectives) == valid
    assert (valid < 16) == bool(failing)
    loss = trainer._compute_loss(trainer.model, batch)
    assert loss.item() == pytest.approx(-sum(objectives) / valid, rel=1e-4)


def test_dr_grpo_divides_by_the_longest_completion(toy: Toy, tmp_path: Path) -> None:
    trainer, batch, shift, mask = _batch(toy, tmp_path, loss_type="dr_grpo", std="none", beta=0.0)
    wanted = (_clipped(shift.exp(), batch["advantages"]) * mask).sum() / (16 * 300)
    assert trainer._compute_loss(trainer.model, batch).item() == pytest.approx(float(wanted), rel=1e-4)


def test_undivided_advantages(toy: Toy, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, toy.folder, trainer=DialogueGRPOTrainer, std="none")
    trainer.model.train()
    rows = [{"prompt": [{"role": "user", "content": "0"}], "task": n} for n in (0, 2, 4, 6) for _ in range(4)]
    found = trainer._generate_and_score_completions(rows)["advantages"].view(4, 4)
    rewards = torch.tensor([outcome.reward for outcome in trainer.held.outcomes]).view(4, 4)
    assert torch.allclose(found, rewards - rewards.mean(1, keepdim=True))
    assert found.abs().sum() > 0


def test_gspo_takes_one_ratio_a_sequence(toy: Toy, tmp_path: Path) -> None:
    trainer, batch, shift, mask = _batch(toy, tmp_path, importance="sequence", beta=0.0)
    mean = (shift * mask).sum(1) / mask.sum(1)
    per_token = _clipped(mean.exp()[:, None].expand_as(mask), batch["advantages"])
    wanted = ((per_token * mask).sum(1) / mask.sum(1)).mean()
    assert trainer._compute_loss(trainer.model, batch).item() == pytest.approx(float(wanted), rel=1e-4)
    by_token = ((_clipped(shift.exp(), batch["advantages"]) * mask).sum(1) / mask.sum(1)).mean()
    assert float(wanted) != pytest.approx(float(by_token), rel=1e-3)


def test_credits_reach_the_loss_by_token(toy: Toy, tmp_path: Path) -> None:
    trainer, batch, shift, mask = _batch(toy, tmp_path, turn_credit={"points": 1, "continuations": 1}, beta=0.0)
    assert "credit/size" in trainer._metrics["train"]
    by_token = torch.linspace(-1, 1, mask.numel()).view_as(mask)
    batch["advantages"] = by_token
    ratio = shift.exp()
    objective = torch.min(ratio * by_token, ratio.clamp(0.8, 1.2) * by_token)
    wanted = -((objective * mask).sum(1) / mask.sum(1)).mean()
    assert trainer._compute_loss(trainer.model, batch).item() == pytest.approx(float(wanted), rel=1e-4)


def test_entropy_and_divergence_are_of_the_agents_tokens(toy: Toy, tmp_path: Path) -> None:
    """What the environment said is masked out of both figures: they do not move when only its tokens' do."""
    trainer, batch, _, mask = _batch(toy, tmp_path, beta=0.01)
    trainer._compute_loss(trainer.model, batch)
    agent = float((batch["entropies"] * mask).sum() / mask.sum())
    everything = batch["completion_mask"].float()
    assert trainer._metrics["train"]["entropy"] == [pytest.approx(agent, rel=1e-4)]
    assert agent != pytest.approx(float((batch["entropies"] * everything).sum() / everything.sum()), rel=1e-2)
    (divergence,) = trainer._metrics["train"]["kl"]
    batch["ref_per_token_logps"] = torch.where(mask.bool(), batch["ref_per_token_logps"], -7.0)
    trainer._compute_loss(trainer.model, batch)
    assert trainer._metrics["train"]["kl"][1] == divergence
    lengths = mask.sum(1).mean()
    assert trainer._metrics["train"]["completions/mean_length"] == [pytest.approx(float(lengths))]


def test_gradient_checkpointing_changes_no_update(toy: Toy, tmp_path: Path) -> None:
    """The paper's example turns it on; dialogues are still sampled with a cache."""
    models = []
    for given in ({}, {"gradient_checkpointing": True}):
        trainer = make_trainer(tmp_path, toy.folder, trainer=DialogueGRPOTrainer, steps=1, trl=given)
        assert trainer.args.gradient_checkpointing == bool(given)
        trainer.train()
        models.append(trainer.accelerator.unwrap_model(trainer.model))
    start = toy.model()
    moved = 0.0
    for first, before, after in zip(start.parameters(), *(model.parameters() for model in models), strict=True):
        assert torch.allclose(before, after, atol=1e-5)
        moved += float((before - first).abs().sum())
    assert moved > 0
