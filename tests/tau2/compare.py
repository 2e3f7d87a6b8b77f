"""The same action list here, and what differs from tau2's answer."""

from __future__ import annotations

import json
from typing import Any

from mua_env.core.database import Changes
from mua_env.core.scores import Record, Score
from mua_env.core.tasks import Action
from mua_env.episode.setting import Setting


def differences(setting: Setting, case: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """What differs between tau2's answer to a case and what the same calls come to here; nothing where all agree.

    Compared are the success of each call, the JSON of each result that is no error, the records that differ from the
    initial ones, each part of the score, each check, and the reward.
    """
    task = setting.tasks.by_id(case["task"])
    world = setting.make_world()
    try:
        world.load(task.initial_actions)
        found = []
        calls = [Action.model_validate(call) for call in case["calls"]]
        for number, (call, theirs) in enumerate(zip(calls, answer["results"], strict=True)):
            ours = world.call(call.name, call.arguments, requestor=call.requestor)
            if ours.ok is not theirs["ok"]:
                found.append(
                    f"call {number} {call.name}: ok is {ours.ok}: {ours.content[:150]} / {theirs['content'][:150]}"
                )
            elif ours.ok and parsed(ours.content) != parsed(theirs["content"]):
                found.append(f"call {number} {call.name}: {ours.content[:300]} / {theirs['content'][:300]}")
        found += _world_differences(world.snapshot(), answer["world"])
        record = Record(agent_texts=tuple(case.get("texts", ())), calls=tuple(calls))
        score = setting.scorer.score(task, world, record)
        return found + _score_differences(score, answer)
    finally:
        world.close()


def parsed(text: str) -> Any:
    """A result as JSON, or the text where it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _world_differences(ours: Changes, theirs: dict[str, Any]) -> list[str]:
    changed: dict[str, dict[str, Any]] = {table: {} for table in theirs}
    for (table, key), row in ours.items():
        changed[table][json.loads(key)[0]] = row
    return [
        f"{table} {key}: {_typed(changed[table].get(key))} / {_typed(theirs[table].get(key))}"
        for table in theirs
        for key in sorted({*changed[table], *theirs[table]})
        if _typed(changed[table].get(key)) != _typed(theirs[table].get(key))
    ]


def _typed(row: dict[str, Any] | None) -> str:
    """The record as JSON, which keeps 100 and 100.0 apart, without what is not filled."""
    filled = None if row is None else {name: value for name, value in row.items() if value is not None}
    return json.dumps(filled, sort_keys=True)


def _score_differences(score: Score, answer: dict[str, Any]) -> list[str]:
    if "error" in answer:
        return [f"tau2 did not score: {answer['error']}"]
    found = []
    theirs = answer["parts"]
    if theirs["database"] is not None and score.parts["database"] != theirs["database"]:
        found.append(f"database: {score.parts['database']} / {theirs['database']}")
    for part in ("assertions", "actions", "outputs"):
        ours = score.parts[part]
        expected = float(all(theirs[part])) if theirs[part] else None
        if ours != expected:
            found.append(f"{part}: {ours} / {theirs[part]}")
        held = [check.holds for check in score.checks if check.part == part]
        if held and held != theirs[part]:
            found.append(f"checks of {part}: {held} / {theirs[part]}")
    if score.reward != answer["reward"]:
        found.append(f"reward: {score.reward} / {answer['reward']}")
    return found
