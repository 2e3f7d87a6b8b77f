"""Runs that are killed, and go on: what they leave must be what an unbroken run leaves."""

from collections import Counter
from pathlib import Path

import pytest

from mua_env.training.config.train import EvaluationConfig, GrpoSettings, TaskSource

from .killing import contents, run_child
from .small_run import resumable_config

TRAINING = "mua_env.training"
KILLS = {
    "after each update": [
        f"{TRAINING}.run.pipeline:Run.start:1:before",
        f"{TRAINING}.data.expert_dialogues:_hold:5:before",
        f"{TRAINING}.trainers.cold_start:_gradient:3:after",
        f"{TRAINING}.run.checkpoints:Checkpoints.commit:2:before",  # the checkpoint is written, and nothing names it
        "torch:save:5:before",  # some files of a checkpoint
        f"{TRAINING}.run.parts:write_whole:1:after",  # the model of the cold start, not yet committed
        f"{TRAINING}.rollout.held_dialogues:LedgerBatch.write:2:after",  # one of the evaluation, in the ledger only
        f"{TRAINING}.run.run_folder:RunFolder.add_trajectory:7:after",  # amid the first rollout
        f"{TRAINING}.trainers.grpo:DialogueGRPOTrainer._get_grad_norm:1:after",  # amid the first update
        f"{TRAINING}.run.run_folder:RunFolder.add_metrics:1:after",  # measured, not committed
        "transformers:Trainer._save_rng_state:1:before",  # half a checkpoint
        f"{TRAINING}.run.checkpoints:Checkpoints.commit:1:after",
        f"{TRAINING}.rollout.held_dialogues:LedgerBatch.write:3:before",
        f"{TRAINING}.run.run_folder:RunFolder.add_metrics:2:before",
        f"{TRAINING}.run.pipeline:plot_run:1:before",
    ],
    "never": [
        f"{TRAINING}.trainers.cold_start:_gradient:4:before",
        f"{TRAINING}.rollout.held_dialogues:LedgerBatch.write:12:after",  # the second update's rollout
        f"{TRAINING}.trainers.grpo:DialogueGRPOTrainer._get_grad_norm:3:before",
        f"{TRAINING}.rollout.held_dialogues:LedgerBatch.close:4:after",
    ],
}


@pytest.mark.parametrize("saved", list(KILLS))
def test_a_run_killed_again_and_again_ends_as_an_unbroken_one(unbroken: Path, tmp_path: Path, saved: str) -> None:
    folder = tmp_path / "run"
    config = resumable_config(0 if saved == "after each update" else 1000)
    for number, place in enumerate(KILLS[saved]):
        assert run_child(config, folder, resume=number > 0, place=place) == -9, place
    assert run_child(config, folder, resume=True) == 0
    metrics, trajectories, summary = contents(folder)
    wanted = contents(unbroken)
    assert Counter((row["phase"], row["step"], row.get("title")) for row in metrics).most_common(1)[0][1] == 1
    assert metrics == wanted[0]
    assert len({row["id"] for row in trajectories}) == len(trajectories)
    assert trajectories == wanted[1]
    assert summary == wanted[2]
    assert not list((folder / "resume").iterdir())
    assert not list((folder / "ledger").iterdir())
    assert run_child(config, folder, resume=True) == 0  # finished: nothing to do
    assert contents(folder)[0] == metrics


def test_options_and_trls_own_settings_hold_after_a_kill(tmp_path: Path) -> None:
    """Two sources with a curriculum, groups drawn anew, and a learning rate that only TRL was given."""
    grpo = GrpoSettings(
        queries=2,
        rollouts=2,
        steps=3,
        micro_batch=2,
        dynamic_sampling=1,
        curriculum={"memory": 0.5},
        trl={"learning_rate": 1e-3, "lr_scheduler_type": "linear"},
    )
    config = resumable_config(0).model_copy(
        update={"grpo": grpo, "evaluation": EvaluationConfig(tasks=2, repeats=1, temperature=0.5)}
    )
    sources = (TaskSource(tasks="train:level=1"), TaskSource(tasks="train:level=2"))
    config = config.model_copy(
        update={"environment": config.environment.model_copy(update={"sources": sources, "held_out": "test:level=1"})}
    )
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run_child(config, whole) == 0
    updates = [row for row in contents(whole)[0] if row["phase"] == "grpo"]
    assert [row["learning_rate"] for row in updates] == pytest.approx([1e-3, 2e-3 / 3, 1e-3 / 3])
    assert sum(row["groups/redrawn"] for row in updates) > 0
    assert min(row["curriculum/0"] for row in updates) < 1
    kills = [
        f"{TRAINING}.trainers.grpo:DialogueGRPOTrainer._get_grad_norm:2:before",
        f"{TRAINING}.rollout.held_dialogues:LedgerBatch.write:6:after",  # a dialogue that was drawn anew
    ]
    for number, place in enumerate(kills):
        assert run_child(config, broken, resume=number > 0, place=place) == -9, place
    assert run_child(config, broken, resume=True) == 0
    assert contents(broken) == contents(whole)


def test_a_cold_start_by_trl_begins_again_on_the_dialogues_that_are_kept(tmp_path: Path) -> None:
    """As the paper's file has it: TRL's trainer, with gradient checkpointing."""
    config = resumable_config(0)
    assert config.cold_start is not None
    cold = config.cold_start.model_copy(
        update={"drill": 0.0, "learning_rate": 1e-2, "trl": {"gradient_checkpointing": True}}
    )
    config = config.model_copy(update={"cold_start": cold, "evaluation": EvaluationConfig(tasks=2, repeats=1)})
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run_child(config, whole) == 0
    losses = [row["loss"] for row in contents(whole)[0] if row["phase"] == "cold_start"]
    assert len(losses) == 4
    assert losses[-1] < losses[0]
    assert run_child(config, broken, place=f"{TRAINING}.sft:_Progress.on_log:3:after") == -9
    held = (broken / "demonstrations.jsonl").read_bytes()
    assert run_child(config, broken, resume=True) == 0
    assert (broken / "demonstrations.jsonl").read_bytes() == held
    assert contents(broken) == contents(whole)
