"""The shipped splits: made by ``python -m mua_env.envs.airline.splits``, which writes equal bytes each time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mua_env.difference import canonical
from mua_env.setting import load_setting
from mua_env.tasks import Task, TaskSet, write_tasks

from . import domain
from .generate import LEVELS, shared_generator

SEED: Final = 1
SIZES: Final = {"train": 500, "test": 250}
"""Tasks of each split; a fifth of them of each level."""


def make_split(split: str) -> Iterator[Task]:
    """The tasks of a split, by level; no two change the same rows in the same way."""
    scorer = load_setting(domain, TaskSet("splits", domain.name, (), domain.data, "", "airline:own")).scorer
    seen: set[str] = set()
    for level in LEVELS:
        wanted = SIZES[split] // len(LEVELS)
        for task in shared_generator().stream(level=level, seed=SEED, split=split):
            changes = scorer.gold(task).changes
            effect = repr(sorted((key, canonical(row, unordered=True)) for key, row in changes.items()))
            if changes and effect in seen:
                continue
            seen.add(effect)
            yield task
            wanted -= 1
            if not wanted:
                break
    scorer.close()


def main() -> None:
    """Write the splits beside the code, or into the folder given as the argument."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("data")
    for split in SIZES:
        write_tasks(folder / f"{split}.jsonl", make_split(split))


if __name__ == "__main__":
    main()
