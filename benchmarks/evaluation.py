"""What an evaluation costs beside its dialogues: the same expert dialogues alone, and as `mua_env.evaluate` holds them.

    python benchmarks/evaluation.py --dialogues 1000

Alone means that nothing is written; the evaluation writes every dialogue (each is on the disk before the next begins in
its slot), hashes tasks and data, finds the rules of each task, and makes figures, tables and page.
CPU time, and time on the clock beside it. Rounds alternate, and the medians are compared.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from smallest import add_smoke

from mua_env import AgendaUser, agent_factory, evaluate, load_setting, run_rollout
from mua_env.evaluation.rollouts import plan

SOURCE = "test"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--dialogues", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    add_smoke(parser)
    options = parser.parse_args()
    count, rounds = (20, 1) if options.smoke else (options.dialogues, options.rounds)
    setting = load_setting(options.domain, SOURCE)
    tasks = min(count, len(setting.tasks))
    trials = -(-count // tasks)
    run_rollout(setting, AgendaUser(), agent_factory("expert", setting.domain), plan(setting.tasks, limit=5))

    def alone() -> None:
        episodes = plan(setting.tasks, repeats=trials, limit=tasks)
        run_rollout(setting, AgendaUser(), agent_factory("expert", setting.domain), episodes)

    def evaluated() -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = f"{options.domain}:{SOURCE}"
            evaluate(agent="expert", tasks=source, count=tasks, trials=trials, folder=Path(folder) / "run")

    taken = [(_timed(alone), _timed(evaluated)) for _ in range(rounds)]
    print(f"{tasks * trials} dialogues of the expert, {options.domain}:{SOURCE} ({tasks} tasks, {trials} trials)")
    for clock, name in enumerate(("CPU", "clock")):
        first, second = (statistics.median(round[side][clock] for round in taken) for side in (0, 1))
        print(f"{name}: alone {first:.2f} s, evaluated {second:.2f} s, ratio {second / first:.3f}")


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds of the processor, and on the clock."""
    cpu, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - clock


if __name__ == "__main__":
    main()
