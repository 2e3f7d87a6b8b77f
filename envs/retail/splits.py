"""The shipped splits: made by ``python -m mua_env.envs.retail.splits``, which writes equal bytes each time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mua_env.envs.retail.generate import LEVELS, shared_generator
from mua_env.tasks import Task, write_tasks

SEED: Final = 1
SIZES: Final = {"train": 500, "test": 250}
"""Tasks of each split; a fifth of them of each level."""


def make_split(split: str) -> Iterator[Task]:
    """The tasks of a split, by level."""
    for level in LEVELS:
        stream = shared_generator().stream(level=level, seed=SEED, split=split)
        for _ in range(SIZES[split] // len(LEVELS)):
            yield next(stream)


def main() -> None:
    """Write the splits beside the code, or into the folder given as the argument."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("data")
    for split in SIZES:
        write_tasks(folder / f"{split}.jsonl", make_split(split))


if __name__ == "__main__":
    main()
