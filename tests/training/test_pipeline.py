"""Whole runs on the real retail domain, as small as can be."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mua_env.core.trajectory import read_trajectories
from mua_env.errors import ConfigError
from mua_env.inference.models import load
from mua_env.training.config.train import EnvironmentConfig, EvaluationConfig, LengthConfig, ModelConfig, TrainConfig
from mua_env.training.run.console import Reporter
from mua_env.training.run.pipeline import train
from mua_env.training.run.run_folder import RunFolder, new_run_folder, read_metrics

from .small_run import small_config

ROOT = Path(__file__).resolve().parents[2]


def _config(tmp_path: Path, **changes: Any) -> TrainConfig:
    return small_config(folder=str(tmp_path), **changes)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    screen = StringIO()
    reporter = Reporter(Console(file=screen, width=400))
    folder = train(_config(tmp_path_factory.mktemp("runs")), reporter=reporter)
    return folder, screen.getvalue()


def test_the_run_folder_holds_everything(run: tuple[Path, str]) -> None:
    folder, _ = run
    config = json.loads((folder / "config.json").read_text())
    assert TrainConfig.model_validate(config).grpo is not None
    assert json.loads((folder / "seeds.json").read_text())["seed"] == 0
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    for name in ("cold-start", "grpo"):
        assert (folder / "checkpoints" / name / "model.safetensors").exists()
        assert (folder / "checkpoints" / name / "tokenizer.json").exists()
    phases = Counter((row["phase"], row["step"]) for row in read_metrics(folder))
    assert phases == {
        **{("cold_start", step): 1 for step in range(1, 9)},
        **{("grpo", step): 1 for step in (1, 2)},
        **{("evaluation", step): 1 for step in (1, 2)},
        ("evaluation", 0): 2,  # before training and after the cold start
    }


def test_every_dialogue_is_kept_once(run: tuple[Path, str]) -> None:
    folder, _ = run
    rows = list(read_trajectories(folder / "trajectories.jsonl"))
    assert len({row.id for row in rows}) == len(rows)
    assert Counter((row.meta["phase"], row.meta["step"]) for row in rows) == {
        **{("evaluation", step): 6 for step in (1, 2)},
        ("evaluation", 0): 3 + 6,
        **{("grpo", step): 4 for step in (1, 2)},
    }
    for row in rows:
        assert row.score is not None
        assert row.ended_by is not None
        assert row.meta["tokens"] > row.meta["agent_tokens"] > 0
    groups = Counter((row.meta["step"], row.task_id, row.seed) for row in rows if row.meta["phase"] == "grpo")
    assert set(groups.values()) == {2}


def test_the_screen_shows_what_the_files_hold(run: tuple[Path, str]) -> None:
    folder, screen = run
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["demonstrations"] == {"tried": 8, "kept": 8, "wrong": 0}
    assert summary["grpo_updates"] == 2
    assert summary["after_GRPO"]["dialogues"] == 6
    assert f"after GRPO: success {summary['after_GRPO']['success']:.1%}" in screen
    assert f"{summary['parameters']:,} parameters" in screen
    assert "reward" in screen


def test_the_same_seed_gives_the_same_run(run: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = run
    again = train(_config(tmp_path), reporter=Reporter(quiet=True))
    volatile = {"step_time", "seconds"}
    rows = [
        [{k: v for k, v in row.items() if k not in volatile} for row in read_metrics(path)] for path in (folder, again)
    ]
    assert rows[0] == rows[1]
    texts = [(path / "trajectories.jsonl").read_text() for path in (folder, again)]
    assert texts[0] == texts[1]


def test_a_model_from_nothing_needs_a_cold_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a model from nothing needs a cold start"):
        train(_config(tmp_path, cold_start=None))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("phase", "given", "words"),
    [
        ("grpo", {"epsilon_hi": 0.3}, r"grpo\.trl\.epsilon_hi: .* Did you mean 'epsilon_high'"),
        ("grpo", {"scale_rewards": "group"}, "scale_rewards is 'group'; use 'none'"),
        ("grpo", {"top_p": 0.9}, r"grpo\.trl\.top_p = 0\.9 would change nothing"),
        ("cold_start", {"packin": True}, r"cold_start\.trl\.packin: .* Did you mean 'packing'"),
    ],
)
def test_what_trl_refuses_is_refused_before_anything_runs(
    tmp_path: Path, phase: str, given: dict[str, Any], words: str
) -> None:
    config = _config(tmp_path)
    settings = getattr(config, phase).model_copy(update={"trl": given, **({"drill": 0.0} if phase != "grpo" else {})})
    with pytest.raises(ConfigError, match=words):
        train(config.model_copy(update={phase: settings}), reporter=Reporter(quiet=True))
    assert not list(tmp_path.iterdir())


def test_the_papers_ablations(run: tuple[Path, str], tmp_path: Path) -> None:
    """A cold start alone, and GRPO alone, from beginning to report."""
    cold = train(_config(tmp_path, grpo=None), reporter=Reporter(quiet=True))
    assert {row["phase"] for row in read_metrics(cold)} == {"cold_start", "evaluation"}
    assert [path.name for path in (cold / "checkpoints").iterdir()] == ["cold-start"]
    start = ModelConfig(path=str(cold / "checkpoints" / "cold-start"))
    alone = train(_config(tmp_path, cold_start=None, model=start), reporter=Reporter(quiet=True))
    rows = list(read_metrics(alone))
    assert {row["phase"] for row in rows} == {"grpo", "evaluation"}
    measured = [row["title"] for row in rows if row["phase"] == "evaluation"]
    assert measured == ["before GRPO", "after update 1", "after GRPO"]
    assert not (alone / "demonstrations.jsonl").exists()
    # What both come to is what they come to in one run.
    together = [row for row in read_metrics(run[0]) if row["phase"] == "grpo"]
    apart = [row for row in rows if row["phase"] == "grpo"]
    assert [row["loss"] for row in apart] == [row["loss"] for row in together]
    for folder, stages in ((cold, ["before training", "after the cold start"]), (alone, ["before GRPO", "after GRPO"])):
        page = (folder / "report.html").read_text()
        assert re.findall(r'<div class="stage">(.*?)</div>', page)[:2] == stages
    with pytest.raises(ConfigError, match="nothing would be trained; keep one of them"):
        train(_config(tmp_path, cold_start=None, grpo=None, model=start))


@pytest.mark.parametrize("trl", [None, {}])
def test_computing_in_bfloat16_loses_no_small_update(
    run: tuple[Path, str], tmp_path: Path, trl: dict[str, Any] | None
) -> None:
    """The paper's learning rate of the cold start is less than half of what neighbouring numbers of bfloat16 differ by:
    weights that are kept in it would stay as they are."""
    start = run[0] / "checkpoints" / "cold-start"
    settings = _config(tmp_path).cold_start
    assert settings is not None
    config = _config(
        tmp_path,
        model=ModelConfig(path=str(start), dtype="bfloat16"),
        cold_start=settings.model_copy(update={"learning_rate": 5e-6, "drill": 0.0, "trl": trl}),
        evaluation=EvaluationConfig(tasks=2, repeats=1),
    )
    folder = train(config, reporter=Reporter(quiet=True))
    before, after = (load(str(path))[0] for path in (start, folder / "checkpoints" / "cold-start"))
    pairs = list(zip(before.parameters(), after.parameters(), strict=True))
    changed = sum(int((a != b).sum()) for a, b in pairs) / sum(a.numel() for a, _ in pairs)
    assert changed > 0.5
    # GRPO went on with these weights.
    updates = [row for row in read_metrics(folder) if row["phase"] == "grpo"]
    assert len(updates) == 2
    assert json.loads((folder / "checkpoints" / "grpo" / "config.json").read_text())["dtype"] == "float32"


def test_grpo_on_public_tasks(run: tuple[Path, str], tmp_path: Path, tau1_dir: Path) -> None:
    """A few updates on tau-bench's training tasks with derived agendas. A model this small earns no reward there."""
    folder, _ = run
    environment = EnvironmentConfig(
        tasks="tau1:train", held_out="tau1:dev", path=str(tau1_dir), policy="none", tools="none", max_turns=4
    )
    config = _config(
        tmp_path,
        model=ModelConfig(path=str(folder / "checkpoints" / "cold-start")),
        environment=environment,
        lengths=LengthConfig(total=4000, turn=12),
        cold_start=None,
        evaluation=EvaluationConfig(tasks=2, repeats=1),
    )
    done = train(config, reporter=Reporter(quiet=True))
    rows = [row for row in read_trajectories(done / "trajectories.jsonl") if row.meta["phase"] == "grpo"]
    assert len(rows) == 8
    assert {row.user for row in rows} == {"agenda (derived)"}
    assert all(row.score is not None and row.score.reward == 0 and "database" in row.score.parts for row in rows)


def test_run_folders_are_never_overwritten(tmp_path: Path) -> None:
    paths = [new_run_folder(tmp_path, "a") for _ in range(3)]
    assert [path.name for path in paths] == ["a", "a-2", "a-3"]
    folder = RunFolder(paths[0])
    folder.add_metrics("grpo", 1, {"x": 1.0})
    folder.close()
    with (paths[0] / "metrics.jsonl").open("a") as file:
        file.write('{"half": ')
    assert [row["x"] for row in read_metrics(paths[0])] == [1.0]


def test_a_run_of_two_processes(tmp_path: Path) -> None:
    """Both processes hold dialogues and train one model; the first one's files are the run's."""
    config = _config(tmp_path, evaluation=EvaluationConfig(tasks=4, repeats=1))
    source = tmp_path / "run.yaml"
    source.write_text(json.dumps(config.model_dump(mode="json")))
    command = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
    command += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    done = subprocess.run(
        [*command, "--main_process_port", "0", str(ROOT / "examples" / "train_from_yaml.py"), str(source)],
        env={**os.environ, "ACCELERATE_USE_CPU": "true", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert json.loads((folder / "summary.json").read_text())["processes"] == 2
    by_rank = [list(read_trajectories(folder / name)) for name in ("trajectories.jsonl", "trajectories-rank1.jsonl")]
    for rows in by_rank:
        assert Counter(row.meta["phase"] for row in rows) == {"evaluation": 6, "grpo": 4}
    everything = [row for rows in by_rank for row in rows]
    assert len({row.id for row in everything}) == 20
    updates = [row for row in read_metrics(folder) if row["phase"] == "grpo"]
    for update in updates:
        held = [r for r in everything if r.meta["phase"] == "grpo" and r.meta["step"] == update["step"]]
        assert update["reward"] == pytest.approx(sum(r.score.reward for r in held if r.score) / 4)
