"""Run folders whose files are damaged, and disks that are full: what is lost is told, and the run goes on."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mua_env.cli import main
from mua_env.core.json_lines import LineWriter, set_aside, whole_lines
from mua_env.core.trajectory import read_trajectories
from mua_env.errors import ConfigError, DataError, NewerVersion, WriteError
from mua_env.evaluation.rollout_folder import RolloutFolder
from mua_env.training.run.run_folder import RunFolder, read_metrics

COUNT = 5


def rollout(folder: Path) -> int:
    return main(["rollout", str(folder), "--tasks", "test:level=1", "--count", str(COUNT), "--concurrency", "1"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert rollout(folder) == 0
    return folder


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def contents(folder: Path) -> list[str]:
    return sorted(item.model_dump_json() for item in read_trajectories(folder / "trajectories.jsonl"))


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut in the middle": lambda line: line[: len(line) // 2],
    "two run together": lambda line: line[: len(line) // 2] + line,
    "zeros, as after a power cut": lambda line: b"\0" * len(line),
    "no UTF-8": lambda line: line[:100] + b"\xff\xfe" + line[102:],
    "another object": lambda line: b'{"id": "x"}',
    "no object": lambda line: b"17",
    "empty": lambda line: b"",
    "too deep": lambda line: b"[" * 100_000,
    "a wrong type": lambda line: line.replace(b'"turns":', b'"turns":"many","t":', 1),
}


@pytest.mark.parametrize("number", [1, 3, COUNT])
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_line_is_named_set_aside_and_its_dialogue_held_again(
    whole: Path, run: Path, capsys: pytest.CaptureFixture[str], how: str, number: int
) -> None:
    file = run / "trajectories.jsonl"
    lines = file.read_bytes().splitlines()
    lines[number - 1] = BROKEN[how](lines[number - 1])
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    with pytest.raises(DataError, match=f"line {number}: .*take it out of the file"):
        list(read_trajectories(file))
    capsys.readouterr()
    assert rollout(run) == 0
    said = capsys.readouterr().err
    assert f"trajectories.jsonl, line {number}: " in said
    assert "broken-trajectories.jsonl; its dialogue is held again" in " ".join(said.split())
    assert contents(run) == contents(whole)
    assert [line for _, line in whole_lines(run / "broken-trajectories.jsonl")] == [lines[number - 1]]
    assert rollout(run) == 0
    assert "set aside" not in capsys.readouterr().err


def test_a_torn_last_line_is_healed_as_ever(whole: Path, run: Path) -> None:
    file = run / "trajectories.jsonl"
    file.write_bytes(file.read_bytes()[:-200])
    assert rollout(run) == 0
    assert contents(run) == contents(whole)
    assert not (run / "broken-trajectories.jsonl").exists()


def test_what_a_newer_version_wrote_is_not_set_aside(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = run / "trajectories.jsonl"
    before = file.read_bytes().replace(b'"schema_version":1', b'"schema_version":99', 1)
    file.write_bytes(before)
    assert rollout(run) == 2
    assert "update mua-env" in " ".join(capsys.readouterr().err.split())
    assert file.read_bytes() == before
    with pytest.raises(NewerVersion):
        RolloutFolder(run, json.loads((run / "config.json").read_text()))
    with pytest.raises(NewerVersion):  # and not "is being written by another run": the folder was let go
        RolloutFolder(run, json.loads((run / "config.json").read_text()))


def test_several_broken_lines_are_all_told_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"a": 1}\nbroken\n{"a": 2}\nworse\n{"a": 3')
    for _ in range(2):
        notices = set_aside(file, json.loads, then="so be it")
    assert notices == []
    assert file.read_text() == '{"a": 1}\n{"a": 2}\n'
    assert (tmp_path / "broken-x.jsonl").read_text() == "broken\nworse\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 1 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_says_what_is_lost_and_the_run_goes_on(
    whole: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, ballast = small_disk / "run", small_disk / "ballast"
    one = max(len(line) for _, line in whole_lines(whole / "trajectories.jsonl"))
    ballast.write_bytes(b"x" * (2**20 - 3 * one - 8192))
    assert rollout(run) == 2
    _check_stopped(run, " ".join(capsys.readouterr().err.split()), "No space left on device")
    ballast.unlink()
    assert rollout(run) == 0
    assert contents(run) == contents(whole)


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from mua_env.cli import main
sys.exit(main(sys.argv[2:]))
"""


def test_a_limit_on_files_says_what_is_lost_and_the_run_goes_on(whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    one = max(len(line) for _, line in whole_lines(whole / "trajectories.jsonl"))
    arguments = ["rollout", str(run), "--tasks", "test:level=1", "--count", str(COUNT), "--concurrency", "1"]
    stopped = subprocess.run(
        [sys.executable, "-c", LIMITED, str(2 * one + one // 2), *arguments], capture_output=True, text=True
    )
    assert stopped.returncode == 2, stopped.stderr
    _check_stopped(run, " ".join(stopped.stderr.split()), "File too large")
    assert rollout(run) == 0
    assert contents(run) == contents(whole)


def _check_stopped(run: Path, said: str, why: str) -> None:
    kept = contents(run)
    assert 0 < len(kept) < COUNT
    assert (run / "trajectories.jsonl").read_bytes().endswith(b"\n")
    assert "dialogue 'retail-test-1-" in said
    assert f"could not be written to {run}/trajectories.jsonl ({why})" in said
    assert "the same command goes on" in said
    assert "Traceback" not in said


def test_a_line_that_does_not_fit_leaves_those_before_it_whole(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    writer = LineWriter(tmp_path / "x.jsonl", sync=True)
    writer.write("first", what="it")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
        for _ in range(2):
            with pytest.raises(WriteError, match="it could not be written"):
                writer.write("x" * 30, what="it")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    writer.write("second", what="it")
    writer.close()
    assert (tmp_path / "x.jsonl").read_text() == "first\nsecond\n"
    assert os.listdir(tmp_path) == ["x.jsonl"]


def test_a_training_runs_broken_lines_are_set_aside_when_it_goes_on(whole: Path, tmp_path: Path) -> None:
    good = (whole / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    for stem in ("trajectories", "demonstrations"):
        (tmp_path / f"{stem}.jsonl").write_bytes(good[0] + b"{broken\n" + good[1])
    metrics = b'{"phase": "grpo", "step": 1}\n'
    (tmp_path / "metrics.jsonl").write_bytes(metrics + b"\0\0\n[1]\n" + metrics)
    with pytest.raises(DataError, match=r"metrics\.jsonl, line 2: .*take it out of the file"):
        list(read_metrics(tmp_path))
    folder = RunFolder(tmp_path)
    folder.close()
    assert len(folder.notices) == 4
    assert len(list(read_trajectories(tmp_path / "trajectories.jsonl"))) == 2
    assert len(list(read_metrics(tmp_path))) == 2
    assert (tmp_path / "broken-metrics.jsonl").read_bytes() == b"\0\0\n[1]\n"


@pytest.mark.parametrize(
    "text", ["[]", "7", "{", '{"count": "many"}', '{"count": true}', '{"repeats": -1}', "[" * 9000]
)
def test_a_config_that_is_none_is_told_in_a_line(tmp_path: Path, text: str) -> None:
    RolloutFolder(tmp_path, {"count": 1, "repeats": 1}).close()
    (tmp_path / "trajectories.jsonl").write_text("broken\n")
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ConfigError, match="cannot tell what run"):
        RolloutFolder(tmp_path, {"count": 1, "repeats": 1})
