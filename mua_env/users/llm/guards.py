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
from mua_env.users.llm.assent import agrees as agrees
from mua_env.users.llm.assent import asks_to_confirm as asks_to_confirm
from mua_env.users.llm.assent import declines
from mua_env.users.llm.recital import recites
from mua_env.users.llm.roles import agents_words

# In this order they are asked, and the first that speaks is told: the commonest fault first, and last what is read with
# the least certainty, values and proposals.
Guard = Literal["early_stop", "plays_agent", "recites", "invents", "agrees_wrongly"]
ALL_GUARDS: tuple[Guard, ...] = get_args(Guard)
GUARDS: tuple[Guard, ...] = ALL_GUARDS[:4]
"""Those that are on for every LLM user. The last reads proposals by the domain's patterns, which may misread a free
text; it is on for local users (`mua_env.users.local.user`), and elsewhere by its name."""

# Runs are read from their beginning alone: from everywhere within, they take the square of their length.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d){0,2}")
_NUMBER = re.compile(r"(?<![A-Za-z])[A-Za-z]*[_-]?\d[\d,.-]*\d")
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
    guards: Iterable[Guard],
    *,
    text: str,
    stop: bool,
    heard: str,
    known: Iterable[str],
    briefing: str = "",
    shown: Iterable[str] = (),
    unmet: bool = False,
) -> Violation | None:
    """What is wrong with a line, or None.

    Args:
        guards: those that are on.
        text: the line, without the stop token.
        stop: whether it ends the dialogue.
        heard: the agent's message that it answers.
        known: texts that hold all the user may know: the briefing, the task's slots that it knows, and what the agent
            has said.
        briefing: what the user was told of its part.
        shown: what its own tools have shown it.
        unmet: whether the user has said yes to a proposal, and the agent has called no tool since.
    """
    found: dict[Guard, Callable[[], str | None]] = {
        "early_stop": lambda: _early_stop(text, stop, heard, unmet),
        "plays_agent": lambda: _plays_agent(text, shown),
        "recites": lambda: recites(text, briefing),
        "invents": lambda: _invents(text, known),
    }
    for guard in guards:
        reason = found[guard]() if guard in found else None
        if reason is not None:
            return Violation(guard, reason)
    return None


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


def _early_stop(text: str, stop: bool, heard: str, unmet: bool) -> str | None:
    if not stop or declines(text):
        return None
    if asks_to_confirm(heard):
        return "it ends the dialogue while the agent waits for a confirmation"
    return "it ends the dialogue before the agent has acted on its confirmation" if unmet else None


def _plays_agent(text: str, shown: Iterable[str]) -> str | None:
    words = agents_words(text, shown)
    return None if words is None else f"it speaks as the agent ({words!r})"


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
