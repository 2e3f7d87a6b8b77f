"""An offline user for ``multi_turn``: it says what the benchmark's instruction of its task says, and nothing else.

The instruction's sentences are put into the first person. Those that say what is wanted are the opening; the others are
told when the agent asks for what they hold. It agrees to proposals, unless they name a flight that gold does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mua_env.core.object_world import ObjectWorld, Stage
from mua_env.core.tasks import Task
from mua_env.errors import TaskError
from mua_env.users.base import UserReply, UserSession, UserSimulator

YES, NO, THAT_IS_ALL = "Yes, please go ahead.", "No, that is not what I want.", "No, that is all."
_PATIENCE = 5
"""Proposals that are answered; after them the user goes on to its next wish, or away."""
_MANNER = "You will respond to the agent"
_WISH = re.compile(r"\b(?:need|want|wish|plan|intend)\b")
_LATER = re.compile(r"^After(?:ward|wards| that)\b,?\s*", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\(([^()]*:[^()]*)\)")
_QUOTED = re.compile(r"('[^']*')")
_FLIGHT = re.compile(r"\b[A-Z]{2}\d{3,4}\b")
_MORE = re.compile(r"\b(?:anything|something) (?:else|more)\b|\bfurther (?:help|wish|request)", re.IGNORECASE)
_PERSONS = (
    (r"\bYou are\b", "I am"), (r"\byou are\b", "I am"), (r"\b(to|for|with|from) you\b", r"\1 me"),
    (r"\bYour\b", "My"), (r"\byour\b", "my"), (r"\b[Yy]ou\b", "I"),
)  # fmt: skip
_SAME = {
    **dict.fromkeys(("baggage", "bag"), "luggage"),
    **dict.fromkeys(("seat", "cabin"), "class"),
    **dict.fromkeys(("remove", "memory", "full"), "delete"),
    **dict.fromkeys(("user", "id"), "username"),
    **dict.fromkeys(("log", "login", "credentials"), "password"),
    "pay": "payment",
    "who": "name",
}
"""Words that stand for another in what is asked for."""
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_COMMON = """
a an and are as at be been but by can could do does for from have how i if in is it its may me my of on only or our
please same should so tell that the then there this to up was we what when where which will with would you your know let
need want like go ahead shall
"""
_EMPTY = frozenset(_COMMON.split())


@dataclass(frozen=True)
class Lines:
    """What a user of one task can say.

    Attributes:
        opening: what it wants, said at once.
        facts: told when they are asked for.
        later: wishes that come up once the agent asks for more.
    """

    opening: str
    facts: tuple[str, ...]
    later: tuple[str, ...]


def lines_of(question: str) -> Lines:
    """The lines of a task's instruction."""
    wishes: list[str] = []
    facts: list[str] = []
    later: list[str] = []
    for sentence in _sentences(question.strip()):
        if sentence.startswith(_MANNER):
            continue
        facts += [f"{aside[0].upper()}{aside[1:]}." for aside in _ASIDE.findall(sentence)]
        said = _first_person(_ASIDE.sub("", sentence))
        if _LATER.match(sentence):
            later.append(_capital(_LATER.sub("", said)))
        elif _WISH.search(sentence) and not sentence.startswith("If "):
            wishes.append(_capital(re.sub(r"^(?:Below|Now), ", "", said)))
        else:
            facts.append(said)
    if not wishes and facts:  # an order rather than a description of someone who wants something
        wishes.append(facts.pop(0))
    return Lines(" ".join(dict.fromkeys(wishes)), tuple(dict.fromkeys(facts)), tuple(later))


def missing(task: Task, stage: Stage) -> tuple[str, ...]:
    """Values of the gold calls that stand neither in the instruction, nor in an earlier result, nor anywhere in the
    world, where tools find them: neither the user nor a tool can give them. A number is looked for in the first two.

    Args:
        task: the task.
        stage: makes its objects, on which gold is run.
    """
    world = ObjectWorld(stage)
    world.load(task)
    known = plain(task.scene["question"])
    around = surroundings(task, stage)
    lacking: list[str] = []
    for action in task.actions:
        for value in leaves(action.arguments):
            found = holds(known, value) or (not value.isdecimal() and holds(around, value))
            if not found and value != "1":  # of a thing that is spoken of in the singular
                lacking.append(value)
        known += " " + plain(world.call(action.name, action.arguments).content)
    world.close()
    return tuple(dict.fromkeys(lacking))


def surroundings(task: Task, stage: Stage) -> str:
    """All that a task's objects hold at the start, as `plain` text."""
    return plain(" ".join(repr(vars(thing)) for thing in stage.objects(task).values()))


class DerivedUser(UserSimulator):
    """Users whose lines are their tasks' instructions."""

    name = "derived"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> DerivedSession:
        """The user of a task.

        Raises:
            TaskError: its instruction says nothing that is wanted.
        """
        lines = lines_of(str(task.scene["question"]))
        if not lines.opening:
            raise TaskError(f"task {task.id!r}: its instruction says nothing that the user wants")
        flights = {value for action in task.actions for value in leaves(action.arguments) if _FLIGHT.fullmatch(value)}
        return DerivedSession(lines, frozenset(flights))


class DerivedSession(UserSession):
    """One user.

    Args:
        lines: what it can say.
        flights: flights that it agrees to.
    """

    def __init__(self, lines: Lines, flights: frozenset[str]) -> None:
        self._lines, self._flights = lines, flights
        self._told: tuple[str, ...] = ()
        self._later = 0
        self._idle = 0

    def reply(self, agent_text: str | None) -> UserReply:
        """The opening, then what the agent asks for, a yes or a no, the next wish, or the end."""
        if agent_text is None:
            return UserReply(text=self._lines.opening)
        if _MORE.search(agent_text):
            return self._next_wish()
        named = set(_FLIGHT.findall(agent_text))
        proposes = "?" in agent_text or bool(re.search(r"\b(?:confirm|proceed)\b", agent_text, re.IGNORECASE))
        if proposes and named and self._flights and not named & self._flights:
            return self._answer(NO)
        if asked := self._asked_for(agent_text):
            self._told += tuple(line for line in asked if line not in self._told)
            return UserReply(text=" ".join(asked))
        return self._answer(YES) if proposes else self._next_wish()

    def _answer(self, text: str) -> UserReply:
        # Whoever asks again and again without a question that a fact answers is of no use.
        self._idle += 1
        return self._next_wish() if self._idle > _PATIENCE else UserReply(text=text)

    def _next_wish(self) -> UserReply:
        if self._later == len(self._lines.later):
            return UserReply(text=THAT_IS_ALL, stop=True)
        self._later += 1
        return UserReply(text=self._lines.later[self._later - 1])

    def _asked_for(self, text: str) -> list[str]:
        """The facts, not told yet, that share most words with the agent's questions."""
        asked = _words(text) if "?" in text or re.search(r"\b(?:please|provide|tell)\b", text, re.IGNORECASE) else set()
        open_facts = [fact for fact in self._lines.facts if fact not in self._told]
        shared = {fact: len(_words(fact) & asked) for fact in open_facts}
        most = max(shared.values(), default=0)
        return [fact for fact, count in shared.items() if count == most] if most else []

    def fork(self) -> DerivedSession:
        """Another that has said the same."""
        twin = DerivedSession(self._lines, self._flights)
        twin._told, twin._later, twin._idle = self._told, self._later, self._idle
        return twin


def _sentences(text: str) -> Iterable[str]:
    """The sentences of a text; what stands in quotes is not taken apart, and a quote may end with the sentence."""
    masked = _QUOTED.sub(lambda quote: f"'{'_' * (len(quote[0]) - 2)}'", text)
    begin = 0
    for gap in re.finditer(r"\s+(?=[A-Z])", masked):
        before = text[: gap.start()].removesuffix("'")
        if before.endswith((".", "!", "?")) and masked[gap.start() - 1] != "_":
            yield text[begin : gap.start()]
            begin = gap.end()
    yield text[begin:]


def _first_person(sentence: str) -> str:
    parts = _QUOTED.split(sentence)
    for place in range(0, len(parts), 2):  # what stands in quotes is a message or a title
        for pattern, person in _PERSONS:
            parts[place] = re.sub(pattern, person, parts[place])
    return "".join(parts)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _words(text: str) -> set[str]:
    found = (word.rstrip("s") for word in re.findall(r"[a-z][a-z-]+", text.lower()) if word not in _EMPTY)
    return {_SAME.get(word, word) for word in found}


def leaves(value: Any) -> Iterable[str]:
    """The values in an argument, as text."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from leaves(item)
    elif value is not None:
        yield str(value)


def plain(text: str) -> str:
    """A text in lower case without escapes, and the numbers that it has in words."""
    words = re.sub(r"\\(.)", r"\1", text.lower())
    numbers = " ".join(str(number) for word, number in _NUMBERS.items() if re.search(rf"\b{word}\b", words))
    return f"{words} {numbers}"


def holds(known: str, value: str) -> bool:
    """Whether a text holds a value, or, of a text made of several, its words and numbers."""
    plain = value.lower()
    if re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", known):
        return True
    parts = re.findall(r"\w+(?:\.\d+)?", plain)
    return len(parts) > 2 and all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", known) for part in parts)
