"""Tasks of others in the vector environments: this package's own, and Gymnasium's in processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from acebench.conftest import checkout  # noqa: F401 - a fixture
from public.rows_fixture import write_rows

import mua_env  # noqa: F401 - registers the environments

from .rows import row, write

pytestmark = pytest.mark.filterwarnings("ignore:.*rows are left out")
MODES: dict[str, dict[str, Any]] = {
    "own": {},
    "sync": {"vectorization_mode": "sync"},
    "async": {"vectorization_mode": "async", "vector_kwargs": {"shared_memory": False}},
}


def options(world: str, folder: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    if world == "dialogues":
        return {"id": "MUA/Dialogues-v1", "tasks": str(write(folder / "rows.jsonl", [row("d1"), row("d2")]))}
    if world == "rows":
        rows = write_rows(folder / "areal")
        rows.write_text("\n".join(rows.read_text().splitlines()[:2]) + "\n")
        return {"id": "MUA/Retail-v1", "tasks": str(rows)}
    root = str(request.getfixturevalue("checkout"))
    return {"id": "MUA/ACEBenchAgent-v1", "tasks": "multi_turn:user=derived", "tasks_path": root}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("world", ["dialogues", "rows", "acebench"])
def test_several_at_once_are_held_to_their_end(
    world: str, mode: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    envs = gym.make_vec(num_envs=2, **options(world, tmp_path, request), **MODES[mode])
    try:
        messages, _ = envs.reset(seed=1)
        assert all(each[-1]["role"] == "user" for each in messages)
        ended = [False, False]
        for _ in range(40):
            *_, terminated, truncated, _ = envs.step(("One moment, please. Is there anything else?",) * 2)
            ended = [was or bool(a) or bool(b) for was, a, b in zip(ended, terminated, truncated, strict=True)]
            if all(ended):
                break
        assert all(ended)
    finally:
        envs.close()
