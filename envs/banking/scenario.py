"""What a customer can be made to say from a task's scenario alone: its quoted lines, and the facts that stand in it.

Scenarios are prose for a language model. Most hold the customer's first line in quotation marks, and further lines with
what they are said to; many tell the customer who they are. Nothing else of them is understood here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mua_env.core.tasks import Action, Task

_QUOTED: Final = re.compile(r"[\"\u201c]([^\"\u201c\u201d\n]{12,})[\"\u201d]")
_OPENS: Final = re.compile(r"\b(start|open|begin|initial|first message)", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]{3,}")
_COMMON: Final = frozenset(
    (
        *("about", "agent", "asks", "asked", "after", "before", "customer", "could", "does", "from", "have", "into"),
        *("like", "more", "need", "once", "provide", "provides", "said", "says", "someone", "something", "tell"),
        *("tells", "than", "that", "their", "them", "then", "there", "they", "this", "user", "want", "what", "when"),
        *(
            "which",
            "will",
            "with",
            "would",
            "your",
            "and",
            "any",
            "are",
            "but",
            "can",
            "did",
            "for",
            "has",
            "how",
            "its",
        ),
        *("not", "one", "say", "see", "she", "the", "was", "who", "why", "you"),
    )
)
"""Words that tell nothing of what a line is about."""
FACTS: Final = ("name", "user_id", "email", "phone_number", "date_of_birth", "address")
"""What a customer can be asked for to verify who they are: the fields of the record of a verification."""
TOOLS: Final = frozenset({"call_discoverable_user_tool", "apply_for_credit_card", "submit_referral"})
"""The customer's tools that are used once the agent has named what they take."""


@dataclass(frozen=True)
class Line:
    """A quoted line, and the words of what it is said to."""

    text: str
    cues: frozenset[str]


@dataclass(frozen=True)
class Scenario:
    """A customer's script.

    Attributes:
        opening: the first line.
        facts: who the customer is, by field; what they do not know is not among them.
        lines: what else they say, in order.
        deeds: what they do with their own tools, in order, as the gold actions have it.
        text: the scenario, in which what the customer knows stands.
    """

    opening: str
    facts: Mapping[str, str]
    lines: tuple[Line, ...]
    deeds: tuple[Action, ...]
    text: str = field(repr=False)

    def knows(self, value: Any) -> bool:
        """Whether a value stands in the scenario, amounts with or without their thousands' commas."""
        if isinstance(value, bool):
            return True  # a yes or no is the customer's own to give
        plain = f"{value:g}" if isinstance(value, int | float) else str(value)
        return plain.lower() in self.text.lower().replace(",", "") or str(value).lower() in self.text.lower()


def read_scenario(task: Task) -> Scenario | str:
    """The script of a task, or why there is none, in words."""
    text = task.instruction
    found = [_line(text, match) for match in _QUOTED.finditer(text)]
    first = next((place for place, (_, before) in enumerate(found) if _OPENS.search(before)), None)
    if first is None:
        return "its scenario quotes no first line of the customer"
    deeds = tuple(action for action in task.actions if action.requestor == "user")
    if strange := sorted({action.name for action in deeds} - TOOLS):
        return f"its customer uses {strange[0]}, at a moment that the scenario tells in prose"
    verified = next((a.arguments for a in task.actions if a.name == "log_verification"), {})
    scenario = Scenario(
        opening=found[first][0],
        facts={},
        lines=tuple(Line(said, words(before)) for said, before in found[first + 1 :]),
        deeds=deeds,
        text=text,
    )
    facts = {name: str(verified[name]) for name in FACTS if scenario.knows(verified.get(name, "\0"))}
    if verified and len(facts.keys() - {"user_id"}) < 3:
        return "its scenario does not say enough of who the customer is"
    return Scenario(scenario.opening, facts, scenario.lines, deeds, text)


def words(text: str) -> frozenset[str]:
    """The words of a text that tell what it is about, by their beginnings."""
    return frozenset(word[:6] for word in _WORD.findall(text.lower()) if word not in _COMMON)


def _line(text: str, match: re.Match[str]) -> tuple[str, str]:
    """A quoted text, and what stands before it in its line."""
    begin = text.rfind("\n", 0, match.start()) + 1
    return match[1].strip(), text[begin : match.start()]
