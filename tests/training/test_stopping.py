"""What ends a run from outside: it says what happened and how to go on, and goes on when the cause is gone."""

import contextlib
import json
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Say

from mua_env.cli import main
from mua_env.core.trajectory import read_trajectories
from mua_env.errors import ConfigError, RunStopped
from mua_env.training.config.train import EvaluationConfig, GrpoSettings, ModelConfig, SafetyConfig, TrainConfig
from mua_env.training.run.console import Reporter
from mua_env.training.run.pipeline import train
from mua_env.training.run.run_folder import RunFolder, read_metrics
from mua_env.training.run.stopping import disk_is_full, stopping

from .checked_trainer import LeavingUser
from .killing import contents, error_of, run_child
from .small_run import resumable_config, small_config


def _limit_files() -> None:
    """The operating system refuses to let any file grow beyond 250 kB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, resource.RLIM_INFINITY))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 3 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def _check(unbroken: Path, folder: Path) -> None:
    assert contents(folder)[:2] == contents(unbroken)[:2]


def test_a_limit_on_files_stops_the_run_and_it_goes_on(unbroken: Path, tmp_path: Path) -> None:
    folder, config = tmp_path / "run", resumable_config(0)
    assert run_child(config, folder, prepare=_limit_files) == 3
    assert error_of(folder).startswith("RunStopped: the disk is full (")
    assert f"go on with --resume --folder {folder}" in error_of(folder)
    assert run_child(config, folder, resume=True) == 0
    _check(unbroken, folder)


def test_a_full_disk_stops_the_run_and_it_goes_on(unbroken: Path, small_disk: Path, tmp_path: Path) -> None:
    folder, config = small_disk / "run", resumable_config(1000)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 2_400_000)
    assert run_child(config, folder, errors=tmp_path / "error") == 3
    ballast.unlink()
    assert "RunStopped: the disk is full ([Errno 28]" in (tmp_path / "error").read_text()
    assert run_child(config, folder, resume=True) == 0
    _check(unbroken, folder)


def _break_second_gradient() -> None:
    from mua_env.training.trainers.grpo import DialogueGRPOTrainer

    original = DialogueGRPOTrainer._compute_loss

    def broken(self: Any, model: Any, inputs: Any) -> Any:
        return original(self, model, inputs) * (float("nan") if self.state.global_step == 1 else 1)

    DialogueGRPOTrainer._compute_loss = broken  # type: ignore[method-assign]


def test_a_gradient_that_is_no_number_stops_the_run_before_the_weights(unbroken: Path, tmp_path: Path) -> None:
    folder, config = tmp_path / "run", resumable_config(0)
    assert run_child(config, folder, prepare=_break_second_gradient) == 3
    assert "the gradient of update 2 is nan; it was not applied. Lower grpo.learning_rate" in error_of(folder)
    assert [row["step"] for row in read_metrics(folder) if row["phase"] == "grpo"] == [1]
    assert run_child(config, folder, resume=True) == 0
    _check(unbroken, folder)


def test_weights_that_break_are_noticed(unbroken: Path, tmp_path: Path) -> None:
    start = ModelConfig(path=str(unbroken / "checkpoints" / "cold-start"))
    cold = small_config().cold_start
    assert cold is not None
    fast = cold.model_copy(update={"learning_rate": 1e30})
    with pytest.raises(RunStopped, match=r"update 2 of the cold start; the update was not\s+applied"):
        train(small_config(model=start, cold_start=fast, grpo=None, folder=str(tmp_path)))
    grpo = GrpoSettings(queries=2, rollouts=2, steps=3, learning_rate=1e38, micro_batch=2)
    config = small_config(model=start, cold_start=None, grpo=grpo, folder=str(tmp_path))
    with pytest.raises(RunStopped, match=r"its weights are broken|the gradient of update 2 is nan"):
        train(config)


def _serve(pipe: Any) -> None:
    with Loopback(default=Say("I do not remember.", delay_s=0.02)) as server:
        pipe.send(server.base_url)
        with contextlib.suppress(EOFError):
            pipe.recv()


def _endpoint() -> tuple[Any, Any, str]:
    """A server in a process of its own, which lives as long as the pipe: the process, the pipe, the address."""
    context = multiprocessing.get_context("forkserver")
    near, far = context.Pipe()
    process = context.Process(target=_serve, args=(far,), daemon=True)
    process.start()
    return process, near, near.recv()


def test_an_endpoint_that_dies_stops_the_run_and_it_goes_on(unbroken: Path, tmp_path: Path) -> None:
    pytest.importorskip("litellm")

    def config(url: str) -> TrainConfig:
        small = small_config()
        options = {"model": "tiny", "base_url": url, "attempts": 1, "timeout_s": 60.0, "guards": False}
        environment = small.environment.model_copy(update={"user": "llm", "user_options": options, "max_turns": 3})
        return small.model_copy(
            update={
                "model": ModelConfig(path=str(unbroken / "checkpoints" / "cold-start")),
                "environment": environment,
                "cold_start": None,
                "grpo": GrpoSettings(queries=2, rollouts=2, steps=4, micro_batch=2),
                "evaluation": EvaluationConfig(tasks=1, repeats=1),
                "safety": SafetyConfig(minutes=1000),
            }
        )

    folder = tmp_path / "run"
    server, _pipe, url = _endpoint()
    codes: list[int] = []
    running = threading.Thread(target=lambda: codes.append(run_child(config(url), folder)))
    running.start()
    deadline = time.monotonic() + 600
    while running.is_alive() and time.monotonic() < deadline and '"grpo"' not in _text(folder / "metrics.jsonl"):
        time.sleep(0.01)
    os.kill(server.pid, signal.SIGKILL)
    running.join()
    assert codes == [3]
    assert "dialogues of update" in error_of(folder)
    assert "failed for reasons that are not the agent's, the last with:" in error_of(folder)
    done = [row["step"] for row in read_metrics(folder) if row["phase"] == "grpo"]
    assert 1 <= len(done) < 4

    _, _pipe, url = _endpoint()
    assert run_child(config(url), folder, resume=True) == 0
    assert [row["step"] for row in read_metrics(folder) if row["phase"] == "grpo"] == [1, 2, 3, 4]
    rows = list(read_trajectories(folder / "trajectories.jsonl"))
    assert len({row.id for row in rows}) == len(rows)
    updates = [row for row in rows if row.meta["phase"] == "grpo"]
    counted = {row.id: row.meta for row in updates if row.score is not None and row.score.reward is not None}
    wanted = [(step, row) for step in (1, 2, 3, 4) for row in range(4)]
    assert sorted((meta["step"], meta["row"]) for meta in counted.values()) == wanted
    failed = [row.id for row in updates if row.id not in counted]
    assert failed
    assert all(f"{name}.2" in counted for name in failed)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_what_a_run_may_change_when_it_goes_on(tmp_path: Path) -> None:
    folder, config = tmp_path / "run", resumable_config(1000)
    assert run_child(config, folder, place="mua_env.training.trainers.cold_start:_gradient:2:before") == -9
    with pytest.raises(ConfigError, match=r"holds a run with seed = 0, now it is 3; go on with the"):
        train(config.model_copy(update={"seed": 3}), folder=folder, resume=True)
    with pytest.raises(ConfigError, match=r"is not empty; choose another folder, or go on with its run by --resume"):
        train(config, folder=folder)
    with pytest.raises(ConfigError, match="holds no run to go on with"):
        train(config, folder=tmp_path, resume=True)
    assert config.cold_start is not None
    slower = config.cold_start.model_copy(update={"learning_rate": 1e-3})
    assert run_child(config.model_copy(update={"cold_start": slower, "grpo": None}), folder, resume=True) == 3
    assert "holds a run with grpo.beta = 0.001, now it is None" in error_of(folder)
    assert run_child(config.model_copy(update={"cold_start": slower}), folder, resume=True) == 0
    rates = [row["learning_rate"] for row in read_metrics(folder) if row["phase"] == "cold_start"]
    assert rates[0] == pytest.approx(1e-3)
    assert json.loads((folder / "config.json").read_text())["cold_start"]["learning_rate"] == 1e-3


def test_users_that_all_fail_stop_the_experts_dialogues(tmp_path: Path) -> None:
    with pytest.raises(RunStopped, match=r"8 users of expert dialogues failed one after the other: .*nobody answers"):
        train(small_config(folder=str(tmp_path)), user=LeavingUser(failing=True), reporter=Reporter(quiet=True))


def test_a_folder_that_another_run_writes_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with contextlib.closing(RunFolder(folder)), pytest.raises(ConfigError, match="is being written by another run"):
        train(small_config(), folder=folder, reporter=Reporter(quiet=True))


def test_a_run_that_stops_ends_the_command_with_one_line_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    small = small_config(cold_start=small_config().cold_start, grpo=None)
    assert small.cold_start is not None
    broken = small.cold_start.model_copy(update={"learning_rate": 1e30})
    file.write_text(small.model_copy(update={"cold_start": broken}).model_dump_json())
    assert main(["train", str(file), "--folder", str(tmp_path / "run")]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "the update was not applied. Lower cold_start.learning_rate" in line
    assert f"go on with --resume --folder {tmp_path / 'run'}" in line


def test_other_errors_are_left_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught, stopping(tmp_path):
        raise ZeroDivisionError("one")
    assert any("--resume" in note for note in caught.value.__notes__)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt), stopping(tmp_path, said.append):
        raise KeyboardInterrupt
    assert said == [
        f"Interrupted. What was done until then is kept in {tmp_path}; go on with --resume --folder {tmp_path}"
    ]
    assert not disk_is_full(OSError(2, "no such file"))
    assert disk_is_full(RuntimeError("[enforce fail] PytorchStreamWriter failed writing file data/0"))


def test_the_command_line_goes_on_after_a_kill_at_any_time(unbroken: Path, tmp_path: Path) -> None:
    """From outside, without a hook in the run: `mua-env train`, ``kill -9``, `mua-env train --resume`."""
    file = tmp_path / "run.json"
    config = resumable_config(0).model_dump(mode="json")
    file.write_text(json.dumps({**config, "folder": str(tmp_path / "runs")}))
    command = [sys.executable, "-m", "mua_env", "train", str(file)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as running:
        while running.poll() is None and '"grpo"' not in _text(tmp_path / "runs" / "small" / "metrics.jsonl"):
            time.sleep(0.05)
        running.kill()
    assert running.returncode == -signal.SIGKILL
    done = subprocess.run([*command, "--resume"], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip().endswith(str(tmp_path / "runs" / "small"))
    _check(unbroken, tmp_path / "runs" / "small")
