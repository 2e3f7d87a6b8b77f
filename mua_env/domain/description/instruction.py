"""The user's side of a task in words, for users that are language models: composed from the goal alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.core.tasks import Goal, Request
from mua_env.domain.description.description import Description
from mua_env.domain.description.kinds import Speech
from mua_env.domain.description.twists import hint_of


def instruction(description: Description, goal: Goal, speech: Speech, manners: Sequence[str]) -> str:
    """Second-person instruction; equal generators in ``speech`` give equal text.

    Args:
        description: of the domain.
        goal: what the user knows and wants.
        speech: how sentences are composed.
        manners: ways to tell how the user speaks, of which one is taken.
    """
    writer = _Writer(description, speech)
    parts = [*writer.facts(goal.facts), *(text for each in goal.requests for text in writer.request(each))]
    if manners:
        parts.append(speech.rng.choice(manners))
    parts.append(writer.message("discretion"))
    return (" " if speech.locale.spaced else "").join(part.strip() for part in parts)


class _Writer:
    def __init__(self, description: Description, speech: Speech) -> None:
        self._description = description
        self._speech = speech
        self._locale = speech.locale

    def message(self, name: str, **values: str) -> str:
        return self._speech.say(self._locale.message(name), **values)

    def facts(self, facts: Mapping[str, Any]) -> list[str]:
        found = []
        for slot in (slot for tool in self._description.identify for slot in self._description.slots(tool)):
            if all(name in facts for name in slot.names):
                value = slot.kind.say(slot.raw(facts), self._speech)
                found.append(self.message("know", noun=self._locale.text(slot.kind.noun), value=value))
        return list(dict.fromkeys(found))

    def request(self, request: Request) -> list[str]:
        known = {name: value for name, value in request.slots.items() if name not in request.unknown}
        stated = self._stated(request.intent, known)
        brackets = self.message("colon", stated=stated) if stated else ""
        phrase = self._speech.say(self._description.phrase(request.intent, self._locale))
        found = [self.message("want", deed=phrase, stated=brackets)]
        for slot in self._description.asked(request.intent):
            if slot.slot in request.unknown:
                contents = self._locale.listing(request.slots[hint_of(slot.slot)])
                found.append(self.message("unknown", noun=self._locale.text(slot.kind.noun), contents=contents))
        if request.change is not None:
            found.append(self.message("change", stated=self._stated(request.intent, request.change.slots)))
        if request.fallback is not None:
            found += [self.message("fallback"), *self.request(request.fallback)]
        elif request.outcome == "refused":
            found.append(self.message("accept"))
        return found

    def _stated(self, intent: str, slots: Mapping[str, Any]) -> str:
        parts = [
            self.message(
                "stated", noun=self._locale.text(slot.kind.noun), value=slot.kind.say(slots[slot.slot], self._speech)
            )
            for slot in self._description.asked(intent)
            if slot.slot in slots
        ]
        return self._locale.comma.join(parts)
