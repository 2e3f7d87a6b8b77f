"""The language of the telecom domain, for the agenda user and the scripted expert."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.users.agenda.language import Comparison, DialogueLanguage, Operation, Slot
from mua_env.users.agenda.nlg.personas import Voice

from . import comparing, guidance, saying
from .operations import OPERATIONS
from .reasons import REASONS
from .slots import IDENTITY, INTENTS, SLOTS


class TelecomLanguage(DialogueLanguage):
    """English for the telecom domain, with the phone's tools."""

    name = "telecom"
    slots: Mapping[str, Slot] = SLOTS
    intents = INTENTS
    alternatives = IDENTITY
    operations = OPERATIONS

    def translations(self) -> Mapping[str, Callable[[], DialogueLanguage]]:
        """Chinese."""
        from .chinese import TelecomChinese

        return {"zh": TelecomChinese}

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        return saying.wish(intent, slots, voice)

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        return saying.value(slot, source, voice)

    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        """Hold a proposal or claim against a request."""
        return comparing.compare(intent, slots, text)

    def named(self, text: str) -> frozenset[str]:
        """The intents that a proposal or claim is about; a payment is also about what the unpaid bill has caused."""
        return comparing.concerns(text, super().named(text))

    def explains(self, rules: Sequence[str], intent: str, text: str) -> bool:
        """Whether a text gives a rule that is, or can be, in the way as the reason, and none beside it."""
        return REASONS.explain(rules, intent, text)

    def refine(self, asked: Sequence[str], text: str, given: Mapping[str, int], intent: str) -> tuple[str, ...]:
        """Tell what is asked for from what only sounds like it."""
        return comparing.refine(asked, intent)

    def guidance(self, text: str, intent: str = "") -> str:
        """An agent's text with its instructions apart, and "it" replaced by what it stands for."""
        return guidance.read(text, intent)

    def switched(self, switch: str, result: str) -> bool | None:
        """Whether a switch is on, by what its check shows."""
        return comparing.switched(switch, result)

    def doubt(self, operation: Operation, voice: Voice) -> str:
        """What a wary caller says before it changes something on the phone for the first time."""
        return saying.doubt(voice)

    def told(self, operation: Operation, result: str, voice: Voice, *, before: int = 0) -> str:
        """How the caller tells what the phone showed."""
        return saying.told(operation, result, voice, before)

    def settled(self, intent: str, slots: Mapping[str, Any], seen: Mapping[str, str]) -> bool:
        """Whether what was just seen shows that a wish is fulfilled."""
        return comparing.settled(intent, seen)


__all__ = ["TelecomLanguage"]
