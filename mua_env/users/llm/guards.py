"""Guards against the faults that language models have as users.

Reports on tau2-bench count up to 30 % of retail failures as the user's (its issue 392); the commonest are a stop before
the agent has acted on a confirmation (issues 182 and 297), playing the agent, and invented values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mua_env.core.tasks import Goal, Request, Task
from mua_env.errors import ConfigError, DomainError
from mua_env.users.agenda.language import DialogueLanguage

Guard = Literal["early_stop", "plays_agent", "invents", "agrees_wrongly"]
ALL_GUARDS: tuple[Guard, ...] = get_args(Guard)
GUARDS: tuple[Guard, ...] = ALL_GUARDS[:3]
"""Those that are on for every LLM user. The fourth reads proposals by the domain's patterns, which may misread a free
text; it is on for local users (`mua_env.users.local.user`), and elsewhere by its name."""

_ASKS_TO_CONFIRM = re.compile(
    r"yes\s*/\s*no|\(y/n\)|\bconfirm\b|\b(shall|should|may|can) i (go ahead|proceed|continue)\b|"
    r"\b(would|do) you (like|want) me to\b|\bis (this|that|it) (correct|right|ok(ay)?)\b",
    re.IGNORECASE,
)
_DECLINES = re.compile(r"\b(no|not|don't|do not|never ?mind|stop|cancel that|forget it|rather not)\b", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"\b(?:one|a|just a) (?:moment|second|minute)\b|\b(?:please wait|hold on|bear with me|working on|processing|"
    r"right away|shortly)\b|\b(?:let me|i(?:'ll| will| am going to|'m going to)) (?:now |just )?(?:\w+)",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?:done|completed?|successful(?:ly)?|can ?not|can't|unable|unfortunately|sorry|anything else|transferr\w+|"
    r"goodbye)\b|\b(?:has|have) (?:now |just |already )?been\b|\b(?:is|are) now\b|"
    r"\bi(?:'ve| have) (?:now |just )?\w+ed\b",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|correct|right|okay|ok|please do|go ahead|that(?:'s| is) (?:right|correct|fine)|"
    r"(?:looks|sounds) (?:good|right|fine))\b",
    re.IGNORECASE,
)
_AGENT_TALK = re.compile(
    r"\bhow (can|may) i (help|assist) you\b|\banything else i can (help|assist|do for)\b|"
    r"\bi(?: ha|')ve (?:now |successfully )?"
    r"(?:processed|cancell?ed|updated|exchanged|booked|modified|refunded) your\b|"
    r"\b(?:i will|i'll|let me) (?:now )?(?:process|look up|pull up) your\b|^\s*(?:agent|assistant)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d){0,2}")
_NUMBER = re.compile(r"[A-Za-z]*[_-]?\d[\d,.-]*\d")
_NAME = re.compile(r"\b(?:[Mm]y (?:full )?name is|[Nn]ame:) ([A-Z][\w'-]+(?: [A-Z][\w'-]+)+)")


@dataclass(frozen=True)
class Violation:
    """Which guard spoke, and why."""

    guard: Guard
    reason: str


def check_guards(guards: bool | Iterable[str]) -> tuple[Guard, ...]:
    """The guards that are on: `GUARDS` for True, none for False, or those named.

    Raises:
        ConfigError: an unknown name.
    """
    if isinstance(guards, bool):
        return GUARDS if guards else ()
    named = (guards,) if isinstance(guards, str) else tuple(guards)
    for name in named:
        if name not in ALL_GUARDS:
            raise ConfigError(f"guards: True, False, or some of {', '.join(ALL_GUARDS)}; got {name!r}")
    return tuple(guard for guard in ALL_GUARDS if guard in named)


def violation(
    guards: Iterable[Guard], *, text: str, stop: bool, heard: str, known: Iterable[str], agreed: bool = False
) -> Violation | None:
    """What is wrong with a line, or None.

    Args:
        guards: those that are on.
        text: the line, without the stop token.
        stop: whether it ends the dialogue.
        heard: the agent's message that it answers.
        known: texts that hold all the user may know: the briefing, the task's slots that it knows, and what the agent
            has said.
        agreed: whether the user's line before said yes to a proposal.
    """
    found: dict[Guard, Callable[[], str | None]] = {
        "early_stop": lambda: _early_stop(text, stop, heard, agreed),
        "plays_agent": lambda: _plays_agent(text),
        "invents": lambda: _invents(text, known),
    }
    for guard in guards:
        reason = found[guard]() if guard in found else None
        if reason is not None:
            return Violation(guard, reason)
    return None


def asks_to_confirm(text: str) -> bool:
    """Whether an agent's message waits for a yes."""
    return _ASKS_TO_CONFIRM.search(text) is not None


def agrees(text: str) -> bool:
    """Whether a user's line begins by saying yes."""
    return _AGREES.search(text) is not None


def declines(text: str) -> bool:
    """Whether a user's line says no."""
    return _DECLINES.search(text) is not None


def held_values(goal: Goal | None) -> str:
    """The values of a goal that its user knows, as text."""
    if goal is None:
        return ""
    slots = [_known(request) for request in _requests(goal.requests)]
    return json.dumps([dict(goal.facts), slots], ensure_ascii=False, default=str)


def wrong_slots(text: str, heard: str, goal: Goal | None, language: DialogueLanguage | None) -> tuple[str, ...]:
    """The slots that a proposal states wrongly although a user's line agrees to it; none where nothing is wrong.

    A proposal is wrong if it names a kind of request that the goal holds, and fits none of these as the user knows
    them, before or after a planned change of mind.
    """
    if goal is None or language is None or not agrees(text) or not asks_to_confirm(heard):
        return ()
    named = language.named(heard)
    wrong: tuple[str, ...] = ()
    for request in _requests(goal.requests):
        if request.intent in named:
            comparison = language.compare(request.intent, _known(request), heard)
            if comparison.fits:
                return ()
            wrong = wrong or comparison.wrong
    return wrong


@dataclass(frozen=True)
class Ground:
    """What a user's lines are checked against beside its briefing: the task's goal, and the domain's language."""

    goal: Goal | None = None
    language: DialogueLanguage | None = None

    @classmethod
    def of(cls, task: Task, context: Mapping[str, Any] | None) -> Ground:
        """Of a task, and the context in which its user starts."""
        try:
            language = getattr((context or {}).get("domain"), "language", None)
        except DomainError:  # a domain whose users are models alone
            language = None
        return cls(task.goal, language if isinstance(language, DialogueLanguage) else None)

    @property
    def holds(self) -> str:
        """The values that the user knows."""
        return held_values(self.goal)

    def agrees_wrongly(self, text: str, heard: str) -> Violation | None:
        """A line that agrees to a proposal which contradicts the goal."""
        wrong = wrong_slots(text, heard, self.goal, self.language)
        return Violation("agrees_wrongly", f"it agrees to a wrong {' and '.join(wrong)}") if wrong else None


NO_GROUND = Ground()
"""Nothing beside the briefing."""


def _known(request: Request) -> dict[str, Any]:
    return {name: value for name, value in request.slots.items() if name not in request.unknown}


def _requests(requests: Iterable[Request]) -> Iterator[Request]:
    for request in requests:
        yield request
        if request.change is not None:
            slots = {**request.slots, **request.change.slots}
            yield request.model_copy(update={"slots": slots, "change": None, "fallback": None})
        if request.fallback is not None:
            yield from _requests([request.fallback])


def _early_stop(text: str, stop: bool, heard: str, agreed: bool) -> str | None:
    if not stop:
        return None
    if asks_to_confirm(heard) and not declines(text):
        return "it ends the dialogue while the agent waits for a confirmation"
    if agreed and _ANNOUNCES.search(heard) and not _REPORTS.search(heard) and not declines(text):
        return "it ends the dialogue before the agent has acted on its confirmation"
    return None


def _plays_agent(text: str) -> str | None:
    match = _AGENT_TALK.search(text)
    return None if match is None else f"it speaks as the agent ({match[0].strip()!r})"


def _invents(text: str, known: Iterable[str]) -> str | None:
    numbers = _NUMBER.findall(_EMAIL.sub(" ", text))
    # A date may be written in another form than in the briefing: no sign of invention.
    long = (number for number in numbers if _digits(number) >= 4 and not _DATE.fullmatch(number))
    values = [*_EMAIL.findall(text), *_NAME.findall(text), *long]
    if not values:
        return None
    told = _squash(" ".join(known))
    for value in values:
        if _squash(value) not in told:
            return f"it states {value!r}, which the briefing does not hold"
    return None


def _digits(text: str) -> int:
    return sum(char.isdigit() for char in text)


def _squash(text: str) -> str:
    return re.sub(r"[^a-z0-9@]", "", text.lower())
