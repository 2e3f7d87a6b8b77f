"""What the user of a task can tell: the values of its goal, in the forms in which a person says them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from mua_env.core.tasks import Request, Task
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlg.grammar import KEEP_CLOSE, KEEP_OPEN, unmark
from mua_env.users.agenda.nlg.personas import PERSONAS, Voice

_SPAN = re.compile(f"{KEEP_OPEN}([^{KEEP_CLOSE}]*){KEEP_CLOSE}")
_VOICES = 6
"""Seeds by which a value is said, to collect the forms that it has ("2024-05-20", "May 20")."""
SHORTEST = 3
"""Characters of the shortest form that counts: "M" or "2" stand in a text for many reasons."""

COMMON = re.compile(
    r"all|basic|clear|daily|double|firm|flat|full|good|half|hard|heavy|high|large|left|light|long|low|medium|new|none|"
    r"one|open|other|plain|regular|right|set|short|single|small|soft|standard|two|yes",
    re.IGNORECASE,
)
"""Words that are values of some slots and stand in a text for many other reasons; they count as part of more."""


@dataclass(frozen=True)
class Source:
    """Where values come from: the user's facts, or a request, its fallback, or its planned change.

    ``key`` is ``"facts"``, or the number of the request with ``"fallback"`` and ``"change"`` in their places, as
    ``"0"`` or ``"1/fallback"``. ``forms`` holds the ways to say each slot, ``parts`` those of each single value by
    its place, as ``"address.city"``.
    """

    key: str
    request: Request | None
    forms: Mapping[str, frozenset[str]]
    parts: Mapping[str, frozenset[str]]

    def all_forms(self) -> frozenset[str]:
        """The forms of all slots."""
        return frozenset[str]().union(*self.forms.values())


def sources(task: Task, language: DialogueLanguage) -> tuple[Source, ...]:
    """The facts and requests of a task with the forms of their values. Slots that the user does not know have none."""
    return _sources(_Key(task), language)


class _Key:
    """A task by identity: goals hold dicts and have no hash."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __hash__(self) -> int:
        return id(self.task)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.task is self.task


@lru_cache(maxsize=64)
def _sources(key: _Key, language: DialogueLanguage) -> tuple[Source, ...]:
    goal = key.task.goal
    if goal is None:
        return ()
    found = [_source("facts", None, goal.facts, language)]
    for number, request in enumerate(goal.requests):
        for name, part in _parts(str(number), request):
            known = {slot: value for slot, value in part.slots.items() if slot not in part.unknown}
            found.append(_source(name, part, known, language))
    return tuple(found)


def _source(key: str, request: Request | None, values: Mapping[str, Any], language: DialogueLanguage) -> Source:
    forms = _forms(values, language, personal=request is None)
    sayable = frozenset[str]().union(*forms.values())
    parts: dict[str, frozenset[str]] = {}
    for place, leaf in _leaves(values):
        # A value by itself has the forms of its slot; a part of an address or an item only stands for itself.
        own = forms.get(place, frozenset()) if place in values else frozenset({leaf}) & sayable
        if own:
            parts[place] = parts.get(place, frozenset()) | own
    return Source(key, request, forms, parts)


def _parts(key: str, request: Request) -> Iterator[tuple[str, Request]]:
    yield key, request
    if request.change is not None:
        yield f"{key}/change", request.model_copy(update={"slots": {**request.slots, **request.change.slots}})
    if request.fallback is not None:
        yield from _parts(f"{key}/fallback", request.fallback)


def _forms(values: Mapping[str, Any], language: DialogueLanguage, *, personal: bool) -> dict[str, frozenset[str]]:
    leaves = {leaf for _, leaf in _leaves(values) if _telling(leaf)}
    found: dict[str, frozenset[str]] = {}
    for name, slot in language.slots.items():
        if slot.personal is not personal:
            continue
        forms: set[str] = set()
        for said in _said(name, values, language):
            spans = _SPAN.findall(said) or [unmark(said)]
            forms.update(span.lstrip("#") for span in spans if _telling(span))
            forms.update(leaf for leaf in leaves if any(mentions(span, leaf) for span in spans))
        if forms:
            found[name] = frozenset(forms)
    return found


def _said(slot: str, values: Mapping[str, Any], language: DialogueLanguage) -> Iterator[str]:
    for seed in range(_VOICES):
        voice = Voice(Random(seed), PERSONAS["terse" if seed == 0 else "plain"])
        said = language.value(slot, values, voice)
        if said is None:
            return
        yield said


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The single values with their places; positions in lists are left out of a place."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part, place)
    elif value is not None and not isinstance(value, bool):
        yield place, str(value).lstrip("#")


def _telling(form: str) -> bool:
    return len(form.strip()) >= SHORTEST and any(char.isalnum() for char in form) and not COMMON.fullmatch(form)


@lru_cache(maxsize=8192)
def _pattern(form: str) -> re.Pattern[str]:
    # A name inside an e-mail address is no name.
    return re.compile(rf"(?<![\w@])(?<!\w\.){re.escape(form.strip())}(?![\w@])(?!\.\w)", re.IGNORECASE)


def mentions(text: str, form: str) -> bool:
    """Whether a text holds a form as a whole word, case ignored."""
    return form.lower() in text.lower() and _pattern(form).search(text) is not None


def replace(text: str, form: str, other: str) -> str:
    """The text with another value in the place of a form."""
    return _pattern(form).sub(lambda _: other, text)
