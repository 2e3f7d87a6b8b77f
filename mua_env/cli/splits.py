"""The splits that a domain ships, made from its generator.

    python -m mua_env.cli.splits retail

writes ``train.jsonl`` and ``test.jsonl`` into the domain's ``data`` folder, or into the folder given behind the name;
equal bytes each time.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mua_env.core.database.difference import canonical
from mua_env.core.task_files import write_tasks
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Request, Task
from mua_env.domain.contract import Domain, load_domain
from mua_env.episode.setting import load_setting

SEED: Final = 1
SIZES: Final = {"train": 500, "test": 250}
"""Tasks of each split; a fifth of them of each level."""
LEVELS: Final = (1, 2, 3, 4, 5)


def make_split(domain: Domain, split: str) -> Iterator[Task]:
    """The tasks of a split, by level; no two change the same rows in the same way."""
    source = TaskSet("splits", domain.name, (), domain.data, "", f"{domain.name}:own")
    scorer = load_setting(domain, source).sql.scorer
    seen: set[str] = set()
    for level in LEVELS:
        wanted = SIZES[split] // len(LEVELS)
        for task in domain.generate(level=level, seed=SEED, split=split):
            changes = scorer.gold(task).changes
            effect = repr(sorted((key, canonical(row, unordered=True)) for key, row in changes.items()))
            if changes and effect in seen:
                continue
            seen.add(effect)
            yield _without_rules(task)
            wanted -= 1
            if not wanted:
                break
    scorer.close()


def _without_rules(task: Task) -> Task:
    """A task as the shipped splits have it: they are older than the rules of requests, and stay as they are."""
    if task.goal is None:
        return task
    requests = tuple(_unruled(request) for request in task.goal.requests)
    return task.model_copy(update={"goal": task.goal.model_copy(update={"requests": requests})})


def _unruled(request: Request) -> Request:
    fallback = request.fallback and _unruled(request.fallback)
    return request.model_copy(update={"rules": (), "fallback": fallback})


def write_splits(domain: Domain, folder: Path) -> None:
    """Write a domain's splits as JSON Lines into a folder."""
    for split in SIZES:
        write_tasks(folder / f"{split}.jsonl", make_split(domain, split))


def main() -> None:
    """Write the splits of the domain named first on the command line."""
    domain = load_domain(sys.argv[1])
    beside = Path(inspect.getfile(type(domain))).with_name("data")
    write_splits(domain, Path(sys.argv[2]) if len(sys.argv) > 2 else beside)


if __name__ == "__main__":
    main()
