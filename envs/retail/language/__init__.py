"""The language of the retail domain, for the agenda user and the scripted expert."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.users.agenda.language import Comparison, DialogueLanguage, Slot
from mua_env.users.agenda.nlg.personas import Voice

from . import comparing, saying
from .intents import INTENTS, named
from .reasons import REASONS
from .slots import SLOTS

_IDENTITY = (frozenset({"email"}), frozenset({"first_name", "last_name", "zip"}))


class RetailLanguage(DialogueLanguage):
    """English for the retail domain.

    Args:
        products: the product types by name, each with the values that its options can have. By them the user notices
            an item or a value that it did not ask for.
    """

    name = "retail"
    slots: Mapping[str, Slot] = SLOTS
    intents = INTENTS
    alternatives = _IDENTITY
    related = (
        frozenset({"exchange_items", "modify_items"}),
        frozenset({"modify_order_address", "modify_user_address"}),
    )

    def __init__(self, products: Mapping[str, Mapping[str, Sequence[str]]] | None = None) -> None:
        self.products = dict(products or {})

    def translations(self) -> Mapping[str, Callable[[], DialogueLanguage]]:
        """Chinese."""
        from .chinese import RetailChinese

        return {"zh": lambda: RetailChinese(self.products)}

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        return saying.wish(intent, slots, voice)

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        return saying.value(slot, source, voice, about)

    def hint(self, slot: str, slots: Mapping[str, Any], voice: Voice) -> str | None:
        """An order of unknown number is named by what is in it."""
        return saying.order_hint(slots, voice) if slot == "order_id" else None

    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        """Hold a proposal or claim against a request."""
        return comparing.compare(intent, slots, text, self.products)

    def named(self, text: str) -> frozenset[str]:
        """The intents that a proposal or claim is about, the plain ones before what could be part of them."""
        return named(text)

    def mentions(self, slot: str, text: str) -> tuple[str, ...]:
        """Order numbers, kinds of payment methods and reasons that a text states."""
        return comparing.mentions(slot, text)

    def answered(self, slots: Mapping[str, Any], text: str) -> bool:
        """Whether the text holds the expected answer."""
        return comparing.answered(slots, text)

    def explains(self, rules: Sequence[str], intent: str, text: str) -> bool:
        """Whether a text gives a rule that is, or can be, in the way as the reason, and none beside it."""
        return REASONS.explain(rules, intent, text)

    def refine(self, asked: Sequence[str], text: str, given: Mapping[str, int], intent: str) -> tuple[str, ...]:
        """Tell the postal code of an address from that of the profile, and more detail from the item."""
        return comparing.refine(asked, text, given, intent)

    def group(self, slots: Sequence[str]) -> tuple[str, ...]:
        """First and last name are said together."""
        if "first_name" in slots and "last_name" in slots:
            joined = ["name" if slot == "first_name" else slot for slot in slots if slot != "last_name"]
            return tuple(joined)
        return tuple(slots)

    def difference(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """Changed slots, with items told apart from their new options."""
        return comparing.difference(old, new)


__all__ = ["RetailLanguage"]
