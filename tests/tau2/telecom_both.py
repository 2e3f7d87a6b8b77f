"""Runs the same calls on tau2's telecom tasks in tau2 and here, and tells where the two differ."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

from mua_env.core.database import open_template
from mua_env.core.scores import Record
from mua_env.core.tasks import Action
from mua_env.core.tools import Mode
from mua_env.core.toolsets import solo_toolset
from mua_env.core.world import SQLWorld
from mua_env.domain.public.tau2 import Layout
from mua_env.domain.public.tau2_tasks import PARTS
from mua_env.envs.telecom import tau2
from mua_env.envs.telecom.models import PHONE, Base, Bill, Customer, Device, Line, Phone, Plan, Surroundings
from mua_env.envs.telecom.records import whole
from mua_env.envs.telecom.tau2 import TOOLSET
from mua_env.scoring.scorer import Scorer

Case = dict[str, Any]
Answer = dict[str, Any]

DRIVER: Final = Path(__file__).with_name("telecom_driver.py")
PROCESSES: Final = 2
_TABLES: Final[Mapping[str, Any]] = {
    "plans": Plan,
    "customers": Customer,
    "lines": Line,
    "bills": Bill,
    "devices": Device,
}


def in_tau2(python: Path, cases: Sequence[Case]) -> list[Answer]:
    """tau2's answers to cases, worked out by processes of its own."""
    shares = [cases[start::PROCESSES] for start in range(PROCESSES)]
    with ThreadPoolExecutor(PROCESSES) as threads:
        answered = list(threads.map(lambda share: _ask(python, share), shares))
    return [answered[number % PROCESSES][number // PROCESSES] for number in range(len(cases))]


def _ask(python: Path, cases: Sequence[Case]) -> list[Answer]:
    text = "".join(json.dumps(case) + "\n" for case in cases)
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(
        [str(python), str(DRIVER)], input=text, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


class Here:
    """This package's answers, in tau2's form.

    Args:
        path: tau2's files.
        mode: how the tools behave.
    """

    def __init__(self, path: Path, *, mode: Mode = "compat") -> None:
        self.tasks = tau2.task_set("full", path=path)
        folder = Layout.find("telecom", path)
        self.raw = {task["id"]: task for task in folder.document("tasks.json")}
        self.base = set(folder.document("split_tasks.json")["base"])
        template = open_template(Base, self.tasks.data())
        toolsets = {False: TOOLSET, True: solo_toolset(TOOLSET)}
        make = {solo: partial(SQLWorld, template, toolset, mode=mode) for solo, toolset in toolsets.items()}
        self._worlds = {solo: make[solo]() for solo in toolsets}
        self._scorers = {solo: Scorer(make[solo], sets={}, mode=mode) for solo in toolsets}

    def answer(self, case: Case) -> Answer:
        """Results, databases and scores."""
        solo = bool(case.get("solo"))
        world, task = self._worlds[solo], self.tasks.by_id(case["task"])
        world.load(task)
        calls = [Action(**{**call, "requestor": "agent" if solo else call["requestor"]}) for call in case["calls"]]
        results = [world.call(call.name, json.dumps(call.arguments), requestor=call.requestor) for call in calls]
        answer = {"results": [{"ok": result.ok, "content": result.content} for result in results], **databases(world)}
        if not case.get("score", True):
            return answer
        score = self._scorers[solo].score(task, world, Record(calls=tuple(calls)))
        checks = {part: [check.holds for check in score.checks if check.part == part] for part in PARTS.values()}
        return {**answer, "reward": score.reward, "parts": score.parts, "checks": checks, "tcr": score.tcr}


def databases(world: SQLWorld) -> Answer:
    """Both databases in tau2's form; the order of records in a table does not count."""
    database = world.database
    agent = {name: [whole(model, row) for row in database.find(model)] for name, model in _TABLES.items()}
    phone, around = database.get(Phone, PHONE), database.get(Surroundings, PHONE)
    assert phone is not None
    assert around is not None
    return {"agent": agent, "user": {"device": whole(Phone, phone), "surroundings": whole(Surroundings, around)}}


def differences(case: Case, ours: Answer, theirs: Answer) -> Iterator[str]:
    """Where two answers to a case differ, in words."""
    assert len(case["calls"]) == len(ours["results"]) == len(theirs["results"])
    for call, mine, other in zip(case["calls"], ours["results"], theirs["results"], strict=True):
        # The texts of errors are each implementation's own.
        same = mine["ok"] == other["ok"] and (not mine["ok"] or _json(mine["content"]) == _json(other["content"]))
        if not same:
            yield f"{call}: {mine} here, {other} in tau2"
    for table, records in theirs["agent"].items():
        mine, other = ours["agent"][table], sorted(records, key=lambda record: str(next(iter(record.values()))))
        if _text(mine) != _text(other):
            yield f"{table}: {mine} here, {other} in tau2"
    if _text(ours["user"]) != _text(theirs["user"]):
        yield f"the user's world: {ours['user']} here, {theirs['user']} in tau2"
    if "reward" in theirs:
        yield from _scores(ours, theirs)


def _scores(ours: Answer, theirs: Answer) -> Iterator[str]:
    parts, checks = ours["parts"], ours["checks"]
    if ours["reward"] != theirs["reward"]:
        yield f"reward: {ours['reward']} here, {theirs['reward']} in tau2"
    for name, value in theirs["parts"].items():
        if parts[PARTS[name]] != value:
            yield f"{name}: {parts[PARTS[name]]} here, {value} in tau2"
    if bool(parts["database"]) != theirs["db"]:
        yield f"DB: {parts['database']} here, {theirs['db']} in tau2"
    counted = {"ENV_ASSERTION": theirs["assertions"], "ACTION": theirs["actions"], "DB": [theirs["db"]]}
    verdicts = [verdict for name in theirs["parts"] for verdict in counted[name]]
    if ours["tcr"] != sum(verdicts) / len(verdicts):
        yield f"TCR: {ours['tcr']} here, {verdicts} in tau2"
    for name in theirs["parts"]:
        if checks[PARTS[name]] != counted[name]:
            yield f"{name}: {checks[PARTS[name]]} here, {counted[name]} in tau2"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _text(value: Any) -> str:
    """JSON text, which tells 2, 2.0 and "2" apart."""
    return json.dumps(value, sort_keys=True)
