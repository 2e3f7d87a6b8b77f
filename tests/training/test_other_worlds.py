"""Whole runs, a cold start and an update of GRPO, on worlds that are no database, as small as can be."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from acebench.conftest import checkout  # noqa: F401 - a fixture
from dialogues.rows import MESSAGES, TOOLS, row, said, tool, write

from mua_env.core.trajectory import read_trajectories
from mua_env.episode.setting import load_setting
from mua_env.evaluation.reports.dialogues import write_report
from mua_env.training.config.train import (
    ColdStartConfig,
    EnvironmentConfig,
    EvaluationConfig,
    GrpoSettings,
    LengthConfig,
    ModelConfig,
    ScratchConfig,
)
from mua_env.training.plan.expected import expect_dialogues
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import DialoguePool
from mua_env.training.run.pipeline import train
from mua_env.training.run.run_folder import read_metrics
from mua_env.users.agenda.user import AgendaUser

from .conftest import Toy
from .small_run import small_config


def environment(world: str, folder: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    if world == "bfcl":
        if find_spec("bfcl_eval") is None or find_spec("mpmath") is None:
            pytest.skip("bfcl-eval is not installed")
        return {"id": "MUA/BFCLMultiTurn-v1", "tasks": "base", "held_out": "miss_func"}
    if world == "dialogues":
        file = str(write(folder / "rows.jsonl", [row("d1"), row("d2")]))
        return {"id": "MUA/Dialogues-v1", "tasks": file, "held_out": file}
    root = str(request.getfixturevalue("checkout"))
    return {"id": "MUA/ACEBenchAgent-v1", "tasks": world, "held_out": "multi_step", "path": root}


@pytest.mark.parametrize("world", ["bfcl", "multi_step", "multi_turn:user=derived", "dialogues"])
def test_a_model_from_nothing_is_trained(world: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    config = small_config(
        folder=str(tmp_path),
        model=ModelConfig(scratch=ScratchConfig(hidden=32, layers=1, heads=2, kv_heads=1, vocabulary=600)),
        environment=EnvironmentConfig(
            **environment(world, tmp_path, request), policy="full", tools="compact", max_turns=4, reward="task"
        ),
        lengths=LengthConfig(total=4000, turn=8),
        cold_start=ColdStartConfig(trajectories=2, batch=2, micro_batch=2, epochs=1, keep="all"),
        grpo=GrpoSettings(queries=1, rollouts=2, steps=1, learning_rate=1e-4, micro_batch=2),
        evaluation=EvaluationConfig(tasks=1, repeats=1),
    )
    expected, _ = expect_dialogues(config)
    assert expected.turns > 0
    folder = train(config)
    assert {line["phase"] for line in read_metrics(folder)} == {"cold_start", "grpo", "evaluation"}
    kept = list(read_trajectories(folder / "trajectories.jsonl"))
    assert all(item.score is not None and item.score.reward in (0.0, 1.0) for item in kept)
    assert write_report(folder).is_file()
    assert json.loads((folder / "summary.json").read_text())["grpo_updates"] == 1


def test_a_prompt_that_is_too_long_for_one_task_stops_no_others(tmp_path: Path, toy: Toy) -> None:
    long = [said("system", "word " * 3000), *MESSAGES[2:]]
    file = write(tmp_path / "rows.jsonl", [row("d1", tools=[*TOOLS, tool("more")]), row("d2", long)])
    setting = load_setting("dialogues", str(file))
    pool = DialoguePool(setting, AgendaUser(), reward="task", max_turns=2)
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=2000, turn=4), tools="compact")
    dialogues = pool.dialogues(list(setting.tasks), [1, 2])
    short, other = driver.run(toy.model(), dialogues, seeds=[1, 2])
    assert short.reward == 0.0
    assert other.reward is None
    assert "the prompt has" in str(other.cause)
    driver.close()
    pool.close()
