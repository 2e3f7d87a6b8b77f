"""What a score is made of: the atomic checks of a task, apart from its database."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mua_env.core.scores import Check, Record
from mua_env.core.tasks import Action, ActionCheck, Assertion, Criteria, Requirement, Task
from mua_env.core.tools import Mode
from mua_env.core.world import SQLWorld

_NUMBER = re.compile(r"(?<![\w#.])\d+(?:\.\d+)?(?!\w|\.\d)")
_MOST_NUMBERS = 25
_DENIED = r"(?<!\bnot )(?<!n't )(?<!\bno longer )(?<!\bneither )(?<!\bnor )(?<!\bnot yet )(?<!\bnever )"


def checks_of(task: Task, world: SQLWorld, record: Record, *, mode: Mode) -> list[Check]:
    """Every check of a task but the database, in the state that ``world`` is in."""
    criteria = task.criteria or Criteria()
    judged: Sequence[bool | None] = record.judged or (None,) * len(criteria.statements)
    anybody = mode == "compat" or world.kit.solo
    return [
        *(Check(part="requirements", name=describe(item), holds=_holds(item, record)) for item in task.requirements),
        *(Check(part="outputs", name=f"said {text!r}", holds=said(text, record.agent_texts)) for text in task.outputs),
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


def said(text: str, agent_texts: Sequence[str]) -> bool:
    """Whether a message of the agent holds a string: lower case, commas removed from the message (as tau-bench)."""
    return any(text.lower() in message.lower().replace(",", "") for message in agent_texts)


def told(value: str, agent_texts: Sequence[str]) -> bool:
    """Whether a message of the agent states a value.

    A number must stand there as a number: 4 is not stated by "#W1234", 12.5 is by "$12.50"; a message with more than
    25 different numbers states none of them (so no agent scores by counting). Words must stand there as words, and not
    right after a "not": "pending" is not stated by "not pending".
    """
    plain = [message.lower().replace(",", "") for message in agent_texts]
    if not _NUMBER.fullmatch(value):
        word = re.compile(rf"{_DENIED}(?<!\w){re.escape(value.lower())}(?!\w)")
        return any(word.search(" ".join(message.split())) for message in plain)
    found = ({float(number) for number in _NUMBER.findall(message)} for message in plain)
    return any(float(value) in numbers for numbers in found if len(numbers) <= _MOST_NUMBERS)


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


def _holds(item: Requirement, record: Record) -> bool:
    if item.kind == "refusal":
        return f"refusal:{item.intent}" in record.events
    if item.kind == "terminal_tool":
        return record.terminal_tool == item.name and _gives_reason(item.reason, record.terminal_text)
    return told(item.value or "", record.agent_texts)


def _text(call: Action) -> str:
    return " ".join(map(str, call.arguments.values()))


def _gives_reason(words: Sequence[str], text: str) -> bool:
    return not words or any(re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) for word in words)
