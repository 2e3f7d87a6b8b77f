"""The language of the airline domain, for the agenda user and the scripted expert."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.users.agenda.language import Comparison, DialogueLanguage, Slot
from mua_env.users.agenda.nlg.personas import Voice

from . import comparing, saying
from .intents import INTENTS, named
from .reasons import REASONS
from .slots import SLOTS


class AirlineLanguage(DialogueLanguage):
    """English for the airline domain."""

    name = "airline"
    slots: Mapping[str, Slot] = SLOTS
    intents = INTENTS
    related = (frozenset({"change_flights", "change_cabin"}),)

    def translations(self) -> Mapping[str, Callable[[], DialogueLanguage]]:
        """Chinese."""
        from .chinese import AirlineChinese

        return {"zh": AirlineChinese}

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        return saying.wish(intent, slots, voice)

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        return saying.value(slot, source, voice, about)

    def hint(self, slot: str, slots: Mapping[str, Any], voice: Voice) -> str | None:
        """A reservation of unknown id is named by its trip."""
        return saying.trip_hint(slots, voice) if slot == "reservation_id" else None

    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        """Hold a proposal or claim against a request."""
        return comparing.compare(intent, slots, text)

    def named(self, text: str) -> frozenset[str]:
        """The intents that a proposal or claim is about."""
        return named(text)

    def mentions(self, slot: str, text: str) -> tuple[str, ...]:
        """Reservation ids, flights, cabins and payment methods that a text states."""
        return comparing.mentions(slot, text)

    def answered(self, slots: Mapping[str, Any], text: str) -> bool:
        """Whether the text holds the expected answer."""
        return comparing.answered(slots, text)

    def explains(self, rules: Sequence[str], intent: str, text: str) -> bool:
        """Whether a text gives a rule that is, or can be, in the way as the reason, and none beside it."""
        return REASONS.explain(rules, intent, text)

    def refine(self, asked: Sequence[str], text: str, given: Mapping[str, int], intent: str) -> tuple[str, ...]:
        """Tell whose name is asked for, and drop what does not belong to the intent."""
        return comparing.refine(asked, text, given, intent)

    def difference(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """Changed slots."""
        return comparing.difference(old, new)


__all__ = ["AirlineLanguage"]
