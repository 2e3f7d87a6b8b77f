"""What makes a request hard: a rule in the way, a change of mind, something unknown, a second choice, once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from mua_env.core.tasks import MindChange, Request
from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.description import Description
from mua_env.domain.description.draws import Draw, Drawn
from mua_env.domain.description.kinds import Date, Key
from mua_env.domain.generator import Level


@dataclass(frozen=True)
class Part:
    """One request of a task, and what becomes of it.

    Attributes:
        request: of the goal.
        end: the values by which it ends: those of a fallback or a changed mind.
        before: the values before a change of mind.
        refused: the values that must be refused.
    """

    request: Request
    end: Drawn
    before: Drawn | None = None
    refused: Drawn | None = None


Twist = Callable[[Draw, str, Any], Part | None]
"""Makes a part of an intent; the third argument is the rule that is to be broken, for twists with one."""


def plain(draw: Draw, intent: str, rule: Any = None) -> Part | None:
    """A request that can be had."""
    drawn = draw.values(intent)
    return None if drawn is None else Part(draw.request(drawn), drawn)


def refused(draw: Draw, intent: str, rule: Any) -> Part | None:
    """A request that a rule forbids."""
    drawn = draw.values(intent, breaking=rule)
    return None if drawn is None else Part(draw.request(drawn), drawn, refused=drawn)


def fallback(draw: Draw, intent: str, rule: Any) -> Part | None:
    """A request that a rule forbids, and what the user wants instead: another value, or another wish about the same."""
    first = draw.values(intent, breaking=rule)
    if first is None:
        return None
    second = _instead(draw, first)
    if second is None:
        return None
    request = draw.request(first).model_copy(update={"fallback": draw.request(second)})
    return Part(request, second, refused=first)


def change(draw: Draw, intent: str, rule: Any = None) -> Part | None:
    """A request that the user changes its mind about when it is asked to confirm."""
    free = changeable(draw.description, intent)
    before = draw.values(intent)
    if not free or before is None:
        return None
    slot = draw.rng.choice(free)
    given = {name: raw for name, raw in before.raws.items() if name != slot.slot}
    end = _another(draw, before, given, slot)
    if end is None:
        return None
    planned = MindChange(slots=draw.wanted(end, [slot]))
    return Part(draw.request(before).model_copy(update={"change": planned}), end, before=before)


def unknown(draw: Draw, intent: str, rule: Any = None) -> Part | None:
    """A request about a record whose code the user does not know, but something of what is in it."""
    subject = draw.description.subject(intent)
    drawn = draw.values(intent)
    if subject is None or drawn is None or not isinstance(subject.kind, Key):
        return None
    clue = subject.kind.clue(drawn.raws[subject.slot], drawn.scope)
    if clue is None:
        return None
    made = draw.request(drawn)
    slots = made.slots | {hint_of(subject.slot): clue}
    return Part(made.model_copy(update={"slots": slots, "unknown": (subject.slot,)}), drawn)


TWISTS: Final[Mapping[str, Twist]] = {
    "unknown": unknown,
    "change": change,
    "fallback": fallback,
    "refused": refused,
}
BREAKING: Final = frozenset({"fallback", "refused"})
"""Twists in which a rule is broken."""


def possible(description: Description, twist: str) -> list[str]:
    """The intents for which a twist can come up."""
    return [intent for intent in description.changes if _POSSIBLE[twist](description, intent)]


def hint_of(slot: str) -> str:
    """The slot that holds what the user remembers in place of an unknown one."""
    return f"{slot}:hint"


def changeable(description: Description, intent: str) -> list[Argument]:
    """The slots that nothing else depends on, so that a change of one leaves the others as they are."""
    slots = description.asked(intent)
    leaned_on = {name for slot in description.needed(intent) for name in slot.kind.within}
    leaned_on |= {slot.kind.after for slot in slots if isinstance(slot.kind, Date)}
    return [slot for slot in slots if slot.record not in leaned_on and slot is not description.subject(intent)]


def _can_be_unknown(description: Description, intent: str) -> bool:
    subject = description.subject(intent)
    kind = None if subject is None else subject.kind
    return isinstance(kind, Key) and kind.contents is not None and bool(kind.keys or kind.listed_by)


_POSSIBLE: Final[Mapping[str, Callable[[Description, str], bool]]] = {
    "unknown": _can_be_unknown,
    "change": lambda description, intent: bool(changeable(description, intent)),
    "fallback": lambda description, intent: bool(description.rules_of(intent)),
    "refused": lambda description, intent: bool(description.rules_of(intent)),
}


def _instead(draw: Draw, first: Drawn) -> Drawn | None:
    """Something that can be had in place of what cannot: the same with one value changed, or another wish."""
    description = draw.description
    options: list[tuple[str, dict[str, Any], Argument | None]] = [
        (first.intent, {name: raw for name, raw in first.raws.items() if name != slot.slot}, slot)
        for slot in changeable(description, first.intent)
    ]
    subject = description.subject(first.intent)
    if subject is not None:
        kept = {subject.slot: first.raws[subject.slot]}
        options += [(other, kept, None) for other in description.changes
                    if other != first.intent and _slot_of(description, other) == subject.slot]  # fmt: skip
    draw.rng.shuffle(options)
    for intent, given, slot in options:
        found = _another(draw, first, given, slot) if slot else draw.values(intent, given=given, tries=4)
        if found is not None:
            return found
    return None


def _slot_of(description: Description, intent: str) -> str:
    subject = description.subject(intent)
    return "" if subject is None else subject.slot


def _another(draw: Draw, before: Drawn, given: Mapping[str, Any], slot: Argument) -> Drawn | None:
    """The same request with another value in one slot."""
    found = draw.values(before.intent, given=given)
    if found is None or found.raws[slot.slot] == before.raws[slot.slot]:
        return None
    same = draw.wanted(found, [slot]) == draw.wanted(before, [slot])
    return None if same else replace(found)


_KINDS: Final = tuple(TWISTS)
LEVELS: Final = {
    1: Level((1,), (), personas=("plain", "polite")),
    2: Level((1,), (), twists=1, kinds=_KINDS, maybe=True),
    3: Level((2,), (), twists=1, kinds=_KINDS, maybe=True, noise=0.05),
    4: Level((2, 3), (), twists=2, kinds=_KINDS, noise=0.1),
    5: Level((3, 4), (), twists=3, kinds=_KINDS, noise=0.2),
}
"""How hard the generated tasks of a described domain are.

| level | requests | twists | noise |
| --- | --- | --- | --- |
| 1 | one that can be had | none | none |
| 2 | one | perhaps one: code unknown, change of mind, forbidden, forbidden with a second choice | none |
| 3 | two | perhaps one | 5 % |
| 4 | two or three | two | 10 % |
| 5 | three or four | three | 20 % |

How much must be looked up before a write is an axis of its own: ``reads=3`` in a task source keeps the tasks whose gold
has three calls that read, or more.
"""
