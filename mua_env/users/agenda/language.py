"""What a domain tells the agenda user about its language: slots, intents, and how values are said and recognised.

The engine's part (``mua_env.users.agenda.user*``) knows dialogue acts; everything with the words of a domain stands in
the domain's own folder, as a subclass of :class:`DialogueLanguage`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from mua_env._moved import warn_renamed
from mua_env.errors import ConfigError
from mua_env.users.agenda.nlg.personas import Locale, Voice
from mua_env.users.agenda.nlg.phrases import phrase

if TYPE_CHECKING:
    from mua_env.users.agenda.nlu.hearing import Hearing


def followed_by(first: str, second: str) -> str:
    """A regular expression for one thing anywhere before another, in time linear in the text.

    ``first[\\s\\S]*second`` would look for the second behind every first, and take the square of the text's length.
    """
    return rf"\A(?>[\s\S]*?{first})[\s\S]*?{second}"


@dataclass(frozen=True)
class Slot:
    """Something that an agent may ask for.

    ``asked`` is a regular expression (case is ignored) that finds it in a question; ``noun`` is what the user calls
    it. ``short`` and ``long`` are templates with ``{value}`` for giving it, ``piece`` is the one for a short list of
    several. ``personal`` slots are facts of the goal (who the user is); the others belong to a request. A ``code`` is
    easily mistyped, and a user may say only its last ``code`` characters at first.
    """

    name: str
    noun: str
    asked: str
    short: str = "[{value}|It is {value}.|It's {value}.|{value}.]"
    piece: str = "{value}"
    long: str = ""
    personal: bool = False
    code: int = 0

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """``asked``, compiled."""
        return re.compile(self.asked, re.IGNORECASE)

    def template(self, short: bool) -> str:
        """The template for giving the value."""
        if short:
            return self.short
        mine = "My" if self.personal else "The"
        return self.long or f"[{mine} {self.noun} is|It is|It's|That would be|That's] {{value}}."


@dataclass(frozen=True)
class Intent:
    """A kind of request.

    ``named`` finds the intent in an agent's text, ``done`` finds a claim that it was carried out (both regular
    expressions, case is ignored). ``slots`` are those that belong to it, in the order of asking; ``details`` are
    slots that say more of one of them. ``acts`` is false for what changes nothing, as a question. ``witnessed`` is
    for what the user believes only when it has seen it with its own tools (:meth:`DialogueLanguage.settled`).
    """

    name: str
    slots: tuple[str, ...]
    named: str
    done: str
    details: tuple[str, ...] = ()
    acts: bool = True
    witnessed: bool = False

    @cached_property
    def named_pattern(self) -> re.Pattern[str]:
        """``named``, compiled."""
        return re.compile(self.named, re.IGNORECASE)

    @cached_property
    def done_pattern(self) -> re.Pattern[str]:
        """``done``, compiled."""
        return re.compile(self.done, re.IGNORECASE)


@dataclass(frozen=True)
class Operation:
    """Something that the user can do with one of its own tools when the agent guides it there.

    ``asked`` is a regular expression (case is ignored) that finds it in an instruction, as ``restart (?:your|the)
    router``; its named groups are arguments of the tool, beside the fixed ``arguments``. ``look`` is for what changes
    nothing, so that a question is enough ("what colour is the light?"). ``told`` is the template of what the user says
    afterwards, with ``{result}``. An operation that sets a ``switch`` to a ``state`` by a tool that flips it has a
    ``check``: the tool that the user looks at first, so that it flips nothing that is right already. ``words`` are
    such that a sentence with none of them (in lower case) cannot match, which saves looking.
    """

    tool: str
    asked: str
    told: str = "[It says|I see|What I see is]: {result}."
    look: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    check: str = ""
    switch: str = ""
    state: bool | None = None
    words: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """``asked``, compiled."""
        return re.compile(self.asked, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comparison:
    """An agent's text against a request: slots that it states wrongly, and slots that it states rightly."""

    wrong: tuple[str, ...] = ()
    right: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Nothing in the text contradicts the request."""
        return not self.wrong


class DialogueLanguage(ABC):
    """The language of a domain, for users that work from a goal.

    ``alternatives`` are groups of slots of which each alone is enough to identify the user: asked for one *or*
    the other, the user gives one. ``operations`` are what users with tools of their own can be guided to do.
    ``code`` is the natural language, and ``locale`` how users speak it (none: English). ``related`` are groups of
    intents that agents call by each other's names, as an exchange of what has not been shipped.
    """

    name: str
    code: str = "en"
    locale: Locale | None = None
    related: tuple[frozenset[str], ...] = ()
    slots: Mapping[str, Slot]
    intents: Mapping[str, Intent]
    alternatives: tuple[frozenset[str], ...] = ()
    operations: tuple[Operation, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Languages written before the attribute had its present name.
        if "tongue" in vars(cls):
            warn_renamed(f"{cls.__qualname__}.tongue", f"{cls.__qualname__}.locale", stacklevel=3)
            cls.locale = vars(cls)["tongue"]

    def translations(self) -> Mapping[str, Callable[[], DialogueLanguage]]:
        """The same domain in other natural languages, by code."""
        return {}

    def spoken(self, code: str) -> DialogueLanguage:
        """The domain's language in a natural language.

        Raises:
            ConfigError: the domain does not have it; the message lists those that it has.
        """
        if code == self.code:
            return self
        others = self.translations()
        if code not in others:
            known = ", ".join(repr(name) for name in (self.code, *others))
            raise ConfigError(f"the domain {self.name!r} has no language {code!r} for the agenda user; known: {known}")
        return others[code]()

    def every(self) -> Iterator[DialogueLanguage]:
        """The domain's language in each natural language that it has, this one first."""
        yield self
        for code, make in self.translations().items():
            if code != self.code:
                yield make()

    def hear(self, text: str) -> str:
        """An agent's text with the cue words by which it is understood; English has them already."""
        return text

    def legible(self, text: str) -> str:
        """An agent's text in which values are found: with its cue words, unless values are found where they stand."""
        return self.hear(text)

    def mentions(self, slot: str, text: str) -> tuple[str, ...]:
        """The values of a slot that a text states, whoever's they are; nothing where they are not told apart."""
        return ()

    def understand(self, text: str, *, given: Mapping[str, int], intent: str) -> Hearing:
        """What an agent's text does, part by part.

        Args:
            text: what the agent said, with its line breaks.
            given: how often the user has said each slot so far.
            intent: of the request that the user is at.
        """
        from mua_env.users.agenda.nlu.hearing import hear

        return hear(text, self, given=given, intent=intent)

    def explains(self, rules: Sequence[str], intent: str, text: str) -> bool:
        """Whether a text gives one of the domain's rules as the reason why a request cannot be had.

        Args:
            rules: ids of the rules that are in the way.
            intent: of the request.
            text: what the agent said.

        Returns:
            Always true where a domain's language does not tell reasons apart.
        """
        return True

    @abstractmethod
    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase without its values, as ``"cancel an order"``."""

    @abstractmethod
    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot, or None where the source has none.

        ``source`` is the goal's facts for a personal slot, else the request's slots; ``about`` is the text that
        asks. Values that must survive noise are wrapped in ``voice.keep``.
        """

    @abstractmethod
    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        """Hold an agent's proposal or claim against a request."""

    def named(self, text: str) -> frozenset[str]:
        """The intents that an agent's proposal or claim is about."""
        return _named(self, text)

    def answered(self, slots: Mapping[str, Any], text: str) -> bool:
        """Whether the text holds the answer that a question was asked for."""
        answer = str(slots.get("answer", ""))
        return bool(answer) and answer.lower() in text.lower()

    def refine(self, asked: Sequence[str], text: str, given: Mapping[str, int], intent: str) -> tuple[str, ...]:
        """Correct the slots found in a text, knowing the current intent and how often each was given before."""
        return tuple(asked)

    def group(self, slots: Sequence[str]) -> tuple[str, ...]:
        """Slots as they are said in one breath, as first and last name in one."""
        return tuple(slots)

    def hint(self, slot: str, slots: Mapping[str, Any], voice: Voice) -> str | None:
        """What the user can say instead of a slot that it does not know."""
        return None

    def difference(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """The slots that a change of mind or a fallback changes."""
        return tuple(name for name in new if old.get(name) != new[name])

    def guidance(self, text: str, intent: str = "") -> str:
        """An agent's text as its instructions are read.

        For "turn it off", which needs the text before, and "does it work now?", which needs the intent of the request
        that the user is at.
        """
        return text

    def switched(self, switch: str, result: str) -> bool | None:
        """Whether a switch is on, by what an operation's ``check`` shows; ``None`` where it does not say."""
        return None

    def doubt(self, operation: Operation, voice: Voice) -> str:
        """What a wary user says before it does something to its things for the first time."""
        return phrase("push", voice, wish="be sure that this is needed")

    def told(self, operation: Operation, result: str, voice: Voice, *, before: int = 0) -> str:
        """How the user tells what an operation showed.

        Args:
            operation: what was done.
            result: the tool's text; empty where the user found that there was nothing to do.
            voice: how the user speaks.
            before: how often it has told this before.
        """
        return voice.say(operation.told, result=voice.keep(result))

    def settled(self, intent: str, slots: Mapping[str, Any], seen: Mapping[str, str]) -> bool:
        """Whether what the user has just seen, result by tool, settles a request."""
        return False


# Asked of each request and each rule of a turn, always about one text.
@lru_cache(maxsize=16)
def _named(language: DialogueLanguage, text: str) -> frozenset[str]:
    intents = language.intents.items()
    return frozenset(name for name, intent in intents if intent.acts and intent.named_pattern.search(text))
