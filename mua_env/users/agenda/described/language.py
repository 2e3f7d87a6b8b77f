"""The language of a described domain: slots, intents, saying and comparing, all read from the description."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from random import Random
from typing import Any

from mua_env.domain.description import Description, Wish
from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.cues import named_in
from mua_env.domain.description.kinds.kind import whole
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.rules import explains
from mua_env.domain.description.twists import hint_of
from mua_env.users.agenda.chinese import CHINESE
from mua_env.users.agenda.described.chinese import ChineseEar
from mua_env.users.agenda.language import Comparison, DialogueLanguage, Intent, Slot
from mua_env.users.agenda.nlg.grammar import expand
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.llm.prompts import PERSONA_PROMPTS

_ALWAYS = r"completed|done|processed|submitted|carried out"
"""Participles by which anything may be claimed to be done."""


class DescribedLanguage(DialogueLanguage):
    """What users say and understand in a described domain.

    Args:
        description: of the domain.
        code: the natural language; ``None`` is the one that the description is written in.

    Raises:
        ConfigError: the description has no translation into it.
    """

    def __init__(self, description: Description, code: str | None = None) -> None:
        self.description = description
        self.name = description.name
        self.words = description.locale(code)
        self.code = self.words.code
        self.locale = None if self.words.spaced else CHINESE
        self._personal = {slot.slot for tool in description.identify for slot in description.slots(tool)}
        self._arguments = {slot.slot: slot for slot in description.all_slots if slot.kind.known_by_user}
        self._cues = {intent: re.compile(cue, re.IGNORECASE) for intent, cue in description.named(code).items()}
        self.slots = {name: self._slot(slot) for name, slot in self._arguments.items()}
        self.intents = {intent: self._intent(intent) for intent in description.wishes}
        ways = (frozenset(slot.slot for slot in description.slots(tool)) for tool in description.identify)
        self.alternatives = tuple(ways) if len(description.identify) > 1 else ()
        self._ear = None if self.words.spaced else ChineseEar(self.words, self._arguments.values(), self._cues)

    def _slot(self, slot: Argument) -> Slot:
        kind, locale, personal = slot.kind, self.words, slot.slot in self._personal
        noun = locale.text(kind.noun)
        whose = locale.message("my" if personal else "the_capital")
        alone = kind.giving == "given_alone"
        long = locale.message(kind.giving).replace("{whose}", whose).replace("{noun}", noun)
        return Slot(
            slot.slot,
            noun,
            kind.asks(locale) if locale.spaced else rf"\b{ChineseEar.mark(slot.slot)}\b",
            short=long if alone else locale.message("given_short"),
            piece=f"{noun} {{value}}" if kind.beside_others else "{value}",
            long=long,
            personal=personal,
            code=0 if personal else kind.code,
        )

    def _intent(self, intent: str) -> Intent:
        wish = self.description.wishes[intent]
        slots = tuple(slot.slot for slot in self.description.asked(intent))
        named = self._cues[intent].pattern
        if not isinstance(wish, Wish):
            return Intent(intent, slots, named, r"(?!)", acts=False)
        if not self.words.spaced:
            return Intent(intent, slots, rf"\b{ChineseEar.mark(intent)}\b|{named}", r"\bhas been\b")
        return Intent(intent, slots, named, rf"\b(?:{re.escape(self.words.text(wish.done))}|{_ALWAYS})\b")

    def translations(self) -> Mapping[str, Callable[[], DialogueLanguage]]:
        """The domain in the languages that its description is translated into."""
        codes = {self.description.code, *self.description.translations} - {self.code}
        return {code: partial(type(self), self.description, code) for code in sorted(codes)}

    # Understanding

    def hear(self, text: str) -> str:
        """An agent's text with the words by which acts are told apart."""
        return text if self._ear is None else self._ear(text)

    def legible(self, text: str) -> str:
        """The text as it is: kinds find their values where they stand."""
        return text

    def mentions(self, slot: str, text: str) -> tuple[str, ...]:
        """The values of a slot that its kind finds in a text."""
        argument = self._arguments.get(slot)
        found = argument.kind.mentions(text) if argument else ()
        return tuple(dict.fromkeys(str(mention.value) for mention in found))

    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        """Hold a text against a request, slot by slot."""
        asked = self.description.asked(intent) if intent in self.intents else ()
        said = {slot.slot: slot.kind.verdict(slots[slot.slot], text) for slot in asked if slot.slot in slots}
        wrong, right = (tuple(name for name, verdict in said.items() if verdict is which) for which in (False, True))
        return Comparison(wrong, right)

    def named(self, text: str) -> frozenset[str]:
        """The intents that a text is about."""
        return frozenset(named_in(text, self._changing))

    @cached_property
    def _changing(self) -> dict[str, re.Pattern[str]]:
        return {intent: self._cues[intent] for intent in self.description.changes}

    def answered(self, slots: Mapping[str, Any], text: str) -> bool:
        """Whether a text holds the answer, as a word of its own."""
        answer = str(slots.get("answer", ""))
        return bool(answer) and re.search(whole(answer), text, re.IGNORECASE) is not None

    def explains(self, rules: Sequence[str], intent: str, text: str) -> bool:
        """Whether a text names one of the rules, and no other of the domain's."""
        every = self.description.rules.values()
        broken = [rule for rule in every if rule.id in rules]
        return explains(text, broken, [rule for rule in every if rule.id not in rules])

    # Speaking

    @property
    def manners(self) -> Mapping[str, Sequence[str]]:
        """How a persona is told to a language model, by its name; nothing where there are no words for it."""
        return PERSONA_PROMPTS if self.words.spaced else {}

    def written(self, rng: Random) -> WrittenSpeech:
        """How the instructions of tasks are composed."""
        return WrittenSpeech(rng, self.words)

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        return voice.say(self.description.phrase(intent, self.words))

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        argument = self._arguments[slot]
        names = argument.names if slot in self._personal else (slot,)
        if not all(name in source for name in names):
            return None
        wanted = argument.raw(source) if slot in self._personal else source[slot]
        return argument.kind.say(wanted, VoiceSpeech(voice, self.words, event=slot))

    def hint(self, slot: str, slots: Mapping[str, Any], voice: Voice) -> str | None:
        """What is in a record whose code the user does not know."""
        contents = slots.get(hint_of(slot))
        if not contents:
            return None
        return voice.say(self.words.message("hint"), contents=voice.keep(self.words.listing(list(contents))))

    def difference(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """The slots that a change of mind or a fallback changes; what the user only remembers is none."""
        return tuple(name for name in super().difference(old, new) if name in self.slots)


class VoiceSpeech:
    """How a user speaks, in the natural language of its domain."""

    def __init__(self, voice: Voice, locale: Locale, *, event: str = "") -> None:
        self.voice, self.locale, self._event = voice, locale, event

    @property
    def rng(self) -> Random:
        """The generator of what is said here, good until something is said."""
        return self.voice.draw(f"speech {self._event}")

    def say(self, template: str, **values: str) -> str:
        """One variant of a template."""
        return self.voice.say(template, **values)

    def keep(self, value: str) -> str:
        """A value that must survive noise."""
        return self.voice.keep(value)


class WrittenSpeech:
    """How an instruction is written: no noise, so that no value needs a mark."""

    def __init__(self, rng: Random, locale: Locale) -> None:
        self.rng, self.locale = rng, locale

    def say(self, template: str, **values: str) -> str:
        """One variant of a template."""
        return expand(template, self.rng, values)

    def keep(self, value: str) -> str:
        """The value as it is."""
        return value
