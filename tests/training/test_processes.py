"""One model trained by several processes: the same dialogues, masks and weights, however uneven the work."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mua_env.errors import ConfigError
from mua_env.training.config.train import EvaluationConfig, LoraConfig, ModelConfig
from mua_env.training.run.launching import check_launch

from .checked_trainer import train_rank
from .conftest import Toy
from .killing import contents, kill_at, train_config
from .ranks import run_ranks
from .small_run import resumable_config

ROOT = Path(__file__).resolve().parents[2]


def _train(folder: Path, toy: Toy, processes: int, *, uneven: bool = False, lora: bool = False) -> list[dict[str, Any]]:
    folder.mkdir()
    assert run_ranks(processes, train_rank, folder, toy.folder, uneven, lora) == [0] * processes
    return _found(folder, processes)


def _found(folder: Path, processes: int) -> list[dict[str, Any]]:
    return [json.loads((folder / f"rank{rank}.json").read_text()) for rank in range(processes)]


def _launch(folder: Path, toy: Toy, processes: int) -> list[dict[str, Any]]:
    """As `_train`, by the command that people type."""
    folder.mkdir()
    command = [sys.executable, "-m", "accelerate.commands.launch", "--num_processes", str(processes)]
    command += ["--multi_gpu", "--main_process_port", "0"] if processes > 1 else ["--cpu"]
    command += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    done = subprocess.run(
        [*command, "-m", "tests.training.checked_trainer", str(folder), str(toy.folder)],
        env={**os.environ, "ACCELERATE_USE_CPU": "true", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return _found(folder, processes)


def test_two_and_four_processes_do_what_one_does(toy: Toy, tmp_path: Path) -> None:
    """Groups of four in batches of twelve: on two and four processes they span the ranks."""
    _check_same({count: _train(tmp_path / str(count), toy, count) for count in (1, 2, 4)})


def test_two_processes_train_the_adapters_that_one_does(toy: Toy, tmp_path: Path) -> None:
    _check_same({count: _train(tmp_path / str(count), toy, count, lora=True) for count in (1, 2)})


def test_accelerate_launches_two_and_four_that_do_what_one_does(toy: Toy, tmp_path: Path) -> None:
    _check_same({count: _launch(tmp_path / str(count), toy, count) for count in (1, 2, 4)})


def _check_same(results: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
    for count, ranks in results.items():
        assert [rank["processes"] for rank in ranks] == [count] * count
        assert len({rank["parameters"] for rank in ranks}) == 1
        assert sum(rank["learning"] for rank in ranks) == results[1][0]["learning"] > 0
        assert max(rank["worst"] for rank in ranks) < 1e-4
        assert all(rank["checks"] for rank in ranks)
        assert [rank["trained"] for rank in ranks] == [rank["sampled"] for rank in ranks]
        assert ranks[0]["weights"] == pytest.approx(results[1][0]["weights"], rel=1e-4, abs=1e-3)
    one = results[1][0]["batches"][0]
    assert len(one) == 12
    assert len({len(ids) for _, ids, _, _, _ in one}) > 2
    for count in results.keys() - {1}:
        together = [row for rank in results[count] for row in rank["batches"][0]]
        assert [row[:4] for row in together] == [row[:4] for row in one]
        assert [row[4] for row in together] == pytest.approx([row[4] for row in one])


def test_processes_with_nothing_to_do_hang_nobody(toy: Toy, tmp_path: Path) -> None:
    """The second process's dialogues end before the agent speaks; all of the third one's fail."""
    ranks = _train(tmp_path / "uneven", toy, 4, uneven=True)
    assert len({rank["parameters"] for rank in ranks}) == 1
    for rank in ranks:
        assert len(rank["batches"]) == 2
        for _, _, mask, reward, advantage in (row for batch in rank["batches"] for row in batch):
            if rank["rank"] == 1:
                assert mask == [0]
                assert advantage == 0 or reward is not None
            if rank["rank"] == 2:
                assert reward is None
                assert advantage == 0
    assert max(rank["worst"] for rank in ranks) < 1e-4


def test_a_rank_that_is_killed_ends_the_run_and_it_goes_on(tmp_path: Path) -> None:
    """With the same number of processes as if nothing had happened; with another one, with every dialogue once."""
    config = resumable_config(0).model_copy(update={"evaluation": EvaluationConfig(tasks=2, repeats=1)})
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run_ranks(2, _run, config.model_dump(mode="json"), whole, False, "") == [0, 0]
    place = "mua_env.training.trainers.grpo:DialogueGRPOTrainer._get_grad_norm:2:before"
    assert -9 in run_ranks(2, _run, config.model_dump(mode="json"), broken, False, place)
    alone = Path(shutil.copytree(broken, tmp_path / "alone"))
    assert run_ranks(2, _run, config.model_dump(mode="json"), broken, True, "") == [0, 0]
    assert contents(broken) == contents(whole)
    assert run_ranks(1, _run, config.model_dump(mode="json"), alone, True, "") == [0]
    for rows, wanted in zip(contents(alone)[:2], contents(whole)[:2], strict=True):
        keys = ("id",) if "id" in wanted[0] else ("phase", "step")
        assert [[row[key] for key in keys] for row in rows] == [[row[key] for key in keys] for row in wanted]
    assert {len(list(folder.glob("trajectories*.jsonl"))) for folder in (whole, broken)} == {2}


def _run(config: dict[str, Any], folder: Path, resume: bool, place: str) -> None:
    if place and os.environ["RANK"] == "1":
        kill_at(place)
    train_config(config, folder, resume=resume)


def test_a_launch_that_starts_one_process_for_two_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(resumable_config(0).model_dump_json())
    command = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "-m", "mua_env"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "train", str(file), "--folder", str(tmp_path / "run")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    assert "has started one" in done.stderr
    assert "accelerate launch --multi_gpu --num_processes 2 -m mua_env train CONFIG" in done.stderr
    assert not (tmp_path / "run").exists()


def test_other_launches_are_none_of_that() -> None:
    check_launch({})
    check_launch({"ACCELERATE_MIXED_PRECISION": "no"})
    several = {"ACCELERATE_MIXED_PRECISION": "no", "MASTER_PORT": "29500"}
    check_launch({**several, "WORLD_SIZE": "2"})
    check_launch({**several, "PMI_SIZE": "2"})
    with pytest.raises(ConfigError, match="asked for several processes and has started one"):
        check_launch(several)


def _shard_rank(model_folder: Path, out: Path) -> None:
    """FSDP2 by PyTorch itself, on CPUs: gather the weights, then hold unequal numbers of dialogues."""
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    from mua_env.inference.chat_tokens import ChatTokens
    from mua_env.inference.models import load
    from mua_env.training.config.train import LengthConfig
    from mua_env.training.rollout.driver import RolloutDriver
    from mua_env.training.rollout.pool import DialoguePool
    from mua_env.training.trainers.sharding import empty_copy, load_gathered

    from . import toy_domain

    mesh = init_device_mesh("cpu", (int(os.environ["WORLD_SIZE"]),))
    rank = int(os.environ["RANK"])
    model, tokenizer = load(str(model_folder))
    plain, _ = load(str(model_folder))
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    assert any(parameter.to_local().numel() < parameter.numel() for parameter in model.parameters())
    whole = empty_copy(plain, torch.device("cpu"))
    load_gathered(model, whole)
    pool = DialoguePool(toy_domain.setting(), toy_domain.ToyUser(), max_turns=6)
    driver = RolloutDriver(ChatTokens(tokenizer), lengths=LengthConfig(total=300, turn=30), tools="compact")
    count = 1 + 5 * rank
    held = driver.run(whole, pool.dialogues(pool.setting.tasks[:count], range(count)), seeds=range(count))
    torch.distributed.barrier()
    same = all(torch.equal(a, b) for a, b in zip(whole.parameters(), plain.parameters(), strict=True))
    (out / f"{rank}.json").write_text(json.dumps({"same": same, "held": len(held)}))
    torch.distributed.destroy_process_group()


def test_rollouts_of_a_sharded_model_need_no_other_process(toy: Toy, tmp_path: Path) -> None:
    assert run_ranks(2, _shard_rank, toy.folder, tmp_path) == [0, 0]
    found = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1)]
    assert found == [{"same": True, "held": 1}, {"same": True, "held": 6}]


def test_the_shipped_launch_configurations_are_ones_that_accelerate_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    kinds = {
        file.stem: str(load_config_from_file(str(file)).distributed_type.value)
        for file in (ROOT / "examples" / "accelerate").glob("*.yaml")
    }
    assert kinds == {"ddp": "MULTI_GPU", "fsdp2": "FSDP", "zero2": "DEEPSPEED", "zero3": "DEEPSPEED"}
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    from mua_env.training.run.pipeline import train

    with pytest.raises(ConfigError, match="first with --no-rl, and then GRPO"):
        train(resumable_config(0))
    (tmp_path / "config.json").write_text("{}")  # a model that is there, as far as can be seen before it is loaded
    adapters = ModelConfig(path=str(tmp_path), lora=LoraConfig())
    with pytest.raises(ConfigError, match=r"model\.lora cannot be used with FSDP"):
        train(resumable_config(0).model_copy(update={"cold_start": None, "model": adapters}))
