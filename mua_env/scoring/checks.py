"""What a score is made of: the atomic checks of a task, apart from its database."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mua_env.core.scores import Check, Record
from mua_env.core.tasks import Action, ActionCheck, Assertion, Criteria, Requirement, Task
from mua_env.core.tools import Mode
from mua_env.core.world import SQLWorld
from mua_env.scoring.stated import said, said_whole, told


def checks_of(task: Task, world: SQLWorld, record: Record, *, mode: Mode) -> list[Check]:
    """Every check of a task but the database, in the state that ``world`` is in."""
    criteria = task.criteria or Criteria()
    judged: Sequence[bool | None] = record.judged or (None,) * len(criteria.statements)
    anybody = mode == "compat" or world.toolset.solo
    uttered = said if mode == "compat" else said_whole
    heard = record.agent_texts
    if mode == "compat" and task.criteria is not None:
        # tau2 looks into every message of the agent's; tau-bench, whose tasks have no criteria, where it speaks.
        heard = (*heard, *record.texts_beside_calls)
    return [
        *(
            Check(part="requirements", name=describe(item), holds=_holds(item, task, world, record))
            for item in task.requirements
        ),
        *(Check(part="outputs", name=f"said {text!r}", holds=uttered(text, heard)) for text in task.outputs),
        *(Check(part="assertions", name=_state(item), holds=world.holds(item)) for item in criteria.assertions),
        *(
            Check(
                part="actions",
                name=_call(item.action) + _naming(item.reason if mode == "strict" else ()),
                holds=was_called(item, record.calls, mode=mode, anybody=anybody),
            )
            for item in criteria.action_checks
        ),
        *(
            Check(part="judged", name=text, holds=verdict)
            for text, verdict in zip(criteria.statements, judged, strict=True)
        ),
    ]


def was_called(
    check: ActionCheck, calls: Sequence[Action], *, mode: Mode = "strict", anybody: bool | None = None
) -> bool:
    """Whether a call was made.

    Args:
        check: the call.
        calls: those that were made.
        mode: ``compat`` compares arguments as tau2 does, and asks for no reason.
        anybody: whether anybody may have made it; ``None`` allows it in ``compat`` mode, as tau2 does.
    """
    free = mode == "compat" if anybody is None else anybody
    made = [call for call in calls if free or call.requestor == check.action.requestor]
    return any(_agrees(check, call, mode) for call in made)


def _agrees(check: ActionCheck, call: Action, mode: Mode) -> bool:
    wanted = check.action
    if call.name != wanted.name or (mode == "strict" and not _gives_reason(check.reason, _text(call))):
        return False
    if check.compare is not None:
        names = set(check.compare)
    elif mode == "compat":
        names = set(call.arguments)
    else:
        names = call.arguments.keys() | wanted.arguments.keys()
    return _only(call.arguments, names) == _only(wanted.arguments, names)


def _only(arguments: dict[str, object], names: set[str]) -> dict[str, object]:
    return {name: value for name, value in arguments.items() if name in names}


def _state(item: Assertion) -> str:
    return f"{_arguments(item.name, item.arguments)} is {str(item.expected).lower()}"


def _call(action: Action) -> str:
    return f"the {action.requestor} called {_arguments(action.name, action.arguments)}"


def _arguments(name: str, arguments: dict[str, object]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def described(task: Task) -> list[str]:
    """What must hold at the end besides the database and the outputs, in words: requirements and criteria."""
    criteria = task.criteria or Criteria()
    return [
        *map(describe, task.requirements),
        *(_state(item) for item in criteria.assertions),
        *(_call(item.action) + _naming(item.reason) for item in criteria.action_checks if "actions" in criteria.basis),
        *criteria.statements,
    ]


def describe(item: Requirement) -> str:
    """A requirement in words."""
    reason = _naming(item.reason)
    return {
        "refusal": f"the user was told that {item.intent} is not possible, and why",
        "terminal_tool": f"the dialogue was ended with {item.name}{reason}",
        "told": f"the user was told {item.value!r}",
    }[item.kind]


def _naming(reason: Sequence[str]) -> str:
    return f", whose arguments name {' or '.join(map(repr, reason))}" if reason else ""


def _holds(item: Requirement, task: Task, world: SQLWorld, record: Record) -> bool:
    if item.kind == "refusal":
        return f"refusal:{item.intent}" in record.events
    if item.kind == "terminal_tool":
        return record.terminal_tool == item.name and _gives_reason(item.reason, record.terminal_text)
    value = item.value or ""
    return told(value, record.agent_texts, vocabularies=world.toolset.vocabularies, about=_asked_of(task, value))


def _asked_of(task: Task, value: str) -> set[str]:
    """The ids of what a question is about whose answer is a value."""
    requests = () if task.goal is None else task.goal.requests
    asked = (request.slots for request in requests if str(request.slots.get("answer")) == value)
    return {str(slots[name]) for slots in asked for name in slots if name.endswith("_id")}


def _text(call: Action) -> str:
    return " ".join(map(str, call.arguments.values()))


def _gives_reason(words: Sequence[str], text: str) -> bool:
    return not words or any(re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) for word in words)
