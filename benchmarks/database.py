"""What clone, rollback, fork and score cost on SQLite in memory and on PostgreSQL.

    python benchmarks/database.py [--postgres postgresql+psycopg://user@host/postgres] [--json out.json]

Retail's own data. The episode that is rolled back, forked and scored has cancelled one order.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import time
from pathlib import Path
from typing import Any

from env_overhead import InstantUser, pick, turn
from measure import median_us, show
from sqlalchemy import text

from mua_env.gym.env import DialogueEnv


def measure(url: str | None, rounds: int) -> dict[str, float]:
    """Medians in microseconds, but for ``first environment`` (once, in microseconds)."""
    begun = time.perf_counter()
    env = DialogueEnv("retail", user=InstantUser(), database_url=url)
    env.reset(seed=0)
    first = (time.perf_counter() - begun) * 1e6
    task_id, order = pick(env)
    write = turn("cancel_pending_order", order_id=order, reason="no longer needed")
    session = env.session
    database = session.world.database
    template = session.setting.template
    made: list[Any] = []

    def dirty() -> None:
        env.reset(seed=0, options={"task_id": task_id})
        env.step(write)

    def drop() -> None:
        while made:
            made.pop().close()

    few = max(10, rounds // 20)
    found = {
        "first environment, data loaded": first,
        "clone": median_us(lambda: made.append(template.clone()), before=drop, rounds=few),
        "get by key": median_us(lambda: session.world.call("get_order_details", {"order_id": order}), rounds=rounds),
        "rollback": median_us(database.reset, before=dirty, rounds=rounds),
        "score": median_us(session.score_now, before=dirty, rounds=rounds),
    }
    dirty()
    found["fork in mid-dialogue"] = median_us(lambda: made.append(session.fork()), before=drop, rounds=few)
    drop()
    env.close()
    return found


def version(url: str) -> str:
    env = DialogueEnv("retail", user=InstantUser(), database_url=url)
    number = env.session.world.database.execute(text("SHOW server_version")).scalar()
    env.close()
    return f"PostgreSQL {number}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--postgres", help="URL of a server; its role may create databases")
    parser.add_argument("--rounds", type=int, default=1000, help="repetitions of each measurement (default 1000)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    columns = {f"SQLite {sqlite3.sqlite_version}": measure(None, options.rounds)}
    if options.postgres:
        columns[version(options.postgres)] = measure(options.postgres, options.rounds)
    rows = {
        name: {column: figures[name] for column, figures in columns.items()} for name in next(iter(columns.values()))
    }
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    show(f"Retail, microseconds (median); {machine}", list(columns), rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "microseconds": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
