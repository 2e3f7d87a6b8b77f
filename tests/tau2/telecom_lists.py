"""Lists of calls to run in two implementations: a task's gold, what can go wrong with it, and calls at random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Call = dict[str, Any]
Raw = Mapping[str, Any]

_TEXT: Final = ["because", "", 5, None]
POOL: Final[Mapping[str, Sequence[Any]]] = {
    "phone_number": ["555-123-2002", "555-123-2001", "555-123-1003", "555-123-1004", "555", "", 5, None],
    "customer_id": [*["C1001"] * 8, "C1002", "C1003", "C1004", "C9", "", None, 3, ["C1001"]],
    "line_id": [*["L1002"] * 6, "L1001", "L1003", "L1004", "L1009", "L77", None, 1.5],
    "full_name": ["John Smith", "john smith", "SARAH JOHNSON", "x", 3],
    "dob": ["1985-06-15", "1990-11-22", "?", None],
    "id": ["C1001", "L1002", "D1002", "B1001", "B1003", "P1002", "X", "", "B1234321", "B00000001", 7, None, "L9"],
    "reason": _TEXT,
    "summary": _TEXT,
    "limit": [1, 2, 0, -1, 12, "3", None, 2.0, True],
    "bill_id": ["B1001", "B1002", "B1003", "B1004", "B1234321", "B00000001", "nope", None],
    "gb_amount": [2.0, 1, 0.5, 0, -1, "2", None, True, 1e3, 2.345],
    "mode": ["4g_5g_preferred", "4g_only", "3g_only", "2g_only", "5g", ""],
    "apn_settings": [
        {},
        {"apn_name": "broken"},
        {"mmsc_url": None},
        {"mms_port": "80"},
        {"mms_port": 8},
        {"apn_name": "x"},
        {"reset_at_reboot": "true"},
        {"reset_at_reboot": 1},
        {"mms_apn": 3},
        {"zz": 1},
    ],
    "app_name": ["messaging", "messaging", "browser", "camera", "", 5, None, ["x"]],
    "permission": ["sms", "storage", "SMS", "network", "phone", "fly", "", 3],
}
"""Values by name of the argument, good and bad."""
_NO_TOOLS: Final = ("turn_data_on", "break_vpn", "get_statistics", "no_such_tool")


def gold(task: Raw) -> list[Call]:
    """The gold calls of a task, as tau2's file has it."""
    actions = task["evaluation_criteria"]["actions"] or []
    names = {"assistant": "agent", "user": "user"}
    return [
        {"name": action["name"], "arguments": action["arguments"], "requestor": names[action["requestor"]]}
        for action in actions
    ]


def mutated(task: Raw, rng: random.Random) -> Iterator[tuple[str, list[Call]]]:
    """The gold calls and seven ways to get them wrong, each with its name."""
    calls = gold(task)
    yield "gold", calls
    yield "nothing", []
    some = rng.randrange(len(calls))
    yield "dropped", calls[:some] + calls[some + 1 :]
    shuffled = rng.sample(calls, len(calls))
    yield "swapped", shuffled
    yield "repeated", [call for call in calls for _ in range(rng.choice((1, 2)))]
    yield "exchanged arguments", _exchanged(calls, rng)
    users = [call for call in calls if call["requestor"] == "user"]
    others = [call for call in calls if call["requestor"] != "user"]
    yield "user's calls first, backwards", [*reversed(users), *others]
    yield "in the other's hands", [_handed_over(call) if rng.random() < 0.5 else call for call in calls]


def _handed_over(call: Call) -> Call:
    return {**call, "requestor": "user" if call["requestor"] == "agent" else "agent"}


def _exchanged(calls: Sequence[Call], rng: random.Random) -> list[Call]:
    """Arguments from elsewhere: other values, or those of another call."""
    changed = []
    for call in calls:
        arguments = dict(call["arguments"])
        if arguments and rng.random() < 0.6:
            name = rng.choice(sorted(arguments))
            arguments[name] = rng.choice(POOL[name])
        elif rng.random() < 0.2:
            arguments = dict(rng.choice(calls)["arguments"])
        elif rng.random() < 0.2:
            arguments = {}
        changed.append({**call, "arguments": arguments})
    return changed


def at_random(tools: Mapping[str, Mapping[str, Sequence[str]]], rng: random.Random, length: int) -> list[Call]:
    """Calls of any tool with any arguments.

    Args:
        tools: requestor -> tool -> names of its arguments.
        rng: where they come from.
        length: how many.
    """
    calls = []
    for _ in range(length):
        requestor = rng.choice(("agent", "user"))
        hands = tools[requestor if rng.random() > 0.04 else {"agent": "user", "user": "agent"}[requestor]]
        name = rng.choice(sorted(hands)) if rng.random() > 0.02 else rng.choice(_NO_TOOLS)
        arguments = {key: rng.choice(POOL[key]) for key in hands.get(name, ()) if rng.random() > 0.04}
        if rng.random() < 0.03:
            arguments["extra"] = 1
        calls.append({"name": name, "arguments": arguments, "requestor": requestor})
    return calls
