"""Generation and verification of tasks: how many a second, and how that compares with running the gold alone.

    python benchmarks/tasks.py --domain retail --count 300

The bound is one run of each task's gold actions on a clone, with the rollback: no generator that proves its tasks
sound can be faster. ``ratio`` is the time of generating and verifying over the time of that. Times are seconds of the
processor, which other work on the machine leaves alone; everything runs on one core.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import islice

from mua_env.core.tasks import Task
from mua_env.core.world import SQLWorld
from mua_env.domain.contract import Domain, load_domain
from mua_env.episode.setting import load_setting


def seconds(run: Callable[[], object], repeats: int) -> float:
    """Median time of a call, in seconds of the processor."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return statistics.median(times)


def generate(domain: Domain, level: int, count: int) -> list[Task]:
    return list(islice(domain.generate(level=level, seed=7), count))


def run_gold(world: SQLWorld, tasks: list[Task]) -> None:
    for task in tasks:
        world.load(task.initial_actions)
        for action in task.actions:
            assert world.call(action.name, action.arguments, requestor=action.requestor).ok
    world.load()


def measure(name: str, count: int, repeats: int) -> list[dict[str, float]]:
    domain = load_domain(name)
    world = load_setting(domain).make_world()
    generate(domain, 1, 3)  # loads data and template once
    rows = []
    for level in (1, 2, 3, 4, 5):
        tasks = generate(domain, level, count)
        made = seconds(partial(generate, domain, level, count), repeats)
        bound = seconds(partial(run_gold, world, tasks), repeats)
        calls = statistics.mean(len(task.actions) for task in tasks)
        rows.append(
            {
                "level": level,
                "tasks_per_cpu_s": round(count / made, 1),
                "gold_alone_per_cpu_s": round(count / bound, 1),
                "ratio": round(made / bound, 2),
                "gold_calls": round(calls, 1),
            }
        )
    world.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--count", type=int, default=300, help="tasks of each level")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure(options.domain, options.count, options.repeats)
    if options.json:
        print(json.dumps({"domain": options.domain, "count": options.count, "levels": rows}))
        return
    print(f"{options.domain}: {options.count} tasks of each level, median of {options.repeats}; a second of one core")
    print("level  tasks/s  gold alone/s  ratio  calls in gold")
    for row in rows:
        print(
            "{level:>5}  {tasks_per_cpu_s:>7}  {gold_alone_per_cpu_s:>12}  {ratio:>5}  {gold_calls:>13}".format(**row)
        )


if __name__ == "__main__":
    main()
