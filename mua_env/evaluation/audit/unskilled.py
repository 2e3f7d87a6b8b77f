"""Agents that know the domain's words and nothing of the user in front of them: what they earn, words alone buy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from mua_env.agents.scripted.expert import TRANSFERRED
from mua_env.core.agent import Agent
from mua_env.core.database import Rows
from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall
from mua_env.core.tasks import Task
from mua_env.core.tools import ToolSpec
from mua_env.episode.setting import Setting

TRANSFERS = "The user asks for a human agent."
FALSE_REASON = "I am sorry, but I cannot do that, because all our systems are closed for maintenance today."
GENERIC_REASON = "I am sorry, but I cannot do that, because it is against our policy."
NUMBERS_A_MESSAGE = 25
_FEW = 12
"""A column of texts with so many different values at most has a closed vocabulary, as a status."""
_MOST_WORDS = 200
_MOST_TASKS = 2_000
"""Of an endless source; reason words are few, and the same again and again."""


class RepeatingAgent(Agent):
    """Says its texts one after another, whatever the user says, and begins again after the last.

    Args:
        name: in the report.
        texts: at least one.
    """

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        self.name = name
        self._texts = texts
        self._said = 0

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        self._said = 0

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next text."""
        text = self._texts[self._said % len(self._texts)]
        self._said += 1
        return AssistantMessage(content=text)


class TransferAgent(Agent):
    """Calls the tool that hands over at once, with a summary that fits every user, and says so if it may still speak.

    Args:
        tool: the tool; its arguments are filled with the summary.
        name: in the report.
        summary: what they say.
    """

    def __init__(self, tool: ToolSpec, *, name: str = "transfer at once", summary: str = TRANSFERS) -> None:
        self.name = name
        call = FunctionCall(name=tool.name, arguments=json.dumps(dict.fromkeys(tool.arguments.model_fields, summary)))
        self._turn = AssistantMessage(tool_calls=(ToolCall(id="call_1", function=call),))
        self._called = False

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        self._called = False

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The call, then what goes with it."""
        turn = AssistantMessage(content=TRANSFERRED) if self._called else self._turn
        self._called = True
        return turn


def talkers(setting: Setting) -> list[Agent]:
    """Agents that only talk: a policy note, refusals with a false, a generic and every reason, and lists."""
    rules = list(setting.domain.policy_rules.values())
    note = rules[0] if rules else _first_sentence(setting.tasks.policy)
    every = "; ".join(rule.rstrip(".") for rule in rules) or setting.tasks.policy[:2_000]
    return [
        RepeatingAgent("repeat a policy note", [f"Please note: {note}"]),
        RepeatingAgent("refuse, false reason", [FALSE_REASON]),
        RepeatingAgent("refuse, generic reason", [GENERIC_REASON]),
        RepeatingAgent("refuse, every reason", [f"I am sorry, but I cannot do that, because {every}."]),
        RepeatingAgent("list numbers and statuses", list(_lists(setting.tasks.data()))),
    ]


def reason_words(tasks: Sequence[Task]) -> list[str]:
    """Every word that some task takes as the reason of a handover, in the order of the tasks."""
    found: dict[str, None] = {}
    for task in islice(tasks, _MOST_TASKS):
        reasons: Iterable[Sequence[str]] = [item.reason for item in task.requirements]
        if task.criteria is not None:
            reasons = [*reasons, *(item.reason for item in task.criteria.action_checks)]
        found.update(dict.fromkeys(word for words in reasons for word in words))
    return list(found)[:_MOST_WORDS]


def _lists(rows: Rows) -> Iterator[str]:
    words = ", ".join(_closed_vocabulary(rows))
    for first in range(0, 20 * NUMBERS_A_MESSAGE, NUMBERS_A_MESSAGE):
        numbers = ", ".join(map(str, range(first, first + NUMBERS_A_MESSAGE)))
        yield f"It is one of these: {numbers}; {words}."


def _closed_vocabulary(rows: Rows) -> list[str]:
    """The values of all columns of texts that have few, as the statuses of orders."""
    found: dict[str, None] = {}
    for table in rows.values():
        values: dict[str, dict[str, None] | None] = {}
        for row in table:
            _note(values, row)
        for seen in values.values():
            found.update(seen or {})
    return list(found)[:_MOST_WORDS]


def _note(values: dict[str, dict[str, None] | None], row: Mapping[str, Any]) -> None:
    for column, value in row.items():
        seen = values.setdefault(column, {})
        if seen is None or not isinstance(value, str):
            continue
        seen[value] = None
        if len(seen) > _FEW:
            values[column] = None


def _first_sentence(text: str) -> str:
    plain = " ".join(line for line in text.splitlines() if line and not line.startswith("#"))
    return re.split(r"(?<=[.!?])\s", plain, maxsplit=1)[0][:500] or "our policy applies."
