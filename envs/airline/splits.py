"""The shipped splits: made by ``python -m mua_env.envs.airline.splits``, which writes equal bytes each time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mua_env.tasks import Task, write_tasks

from .generate import LEVELS, shared_generator
from .tools import AirlineTools

SEED: Final = 1
SIZES: Final = {"train": 500, "test": 250}
"""Tasks of each split; a fifth of them of each level."""


def make_split(split: str) -> Iterator[Task]:
    """The tasks of a split, by level; no two make the same writes."""
    seen: set[frozenset[str]] = set()
    for level in LEVELS:
        wanted = SIZES[split] // len(LEVELS)
        for task in shared_generator().stream(level=level, seed=SEED, split=split):
            writes = _writes(task)
            if writes and writes in seen:
                continue
            seen.add(writes)
            yield task
            wanted -= 1
            if not wanted:
                break


def _writes(task: Task) -> frozenset[str]:
    specs = AirlineTools.specs
    return frozenset(action.model_dump_json() for action in task.actions if specs[action.name].writes)


def main() -> None:
    """Write the splits beside the code, or into the folder given as the argument."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("data")
    for split in SIZES:
        write_tasks(folder / f"{split}.jsonl", make_split(split))


if __name__ == "__main__":
    main()
