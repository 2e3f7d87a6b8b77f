"""How the expert hears its users: which wish a text states, whether it agrees, which values it gives.

With it, what the expert asks for in one turn, and how.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mua_env.agents.scripted.reading import Mender
from mua_env.domain.description import Description
from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.cues import as_pattern, named_in
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Scope

if TYPE_CHECKING:
    from mua_env.agents.scripted.described.expert import Desk

_WORD = re.compile(r"[a-z']{4,}")
_SHORT = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]{4}(?![a-zA-Z])")
"""Words that are misspelt too, and too short to be put right by their likeness."""


def _slips(match: re.Match[str]) -> str:
    """A word with one letter behind the first left out, doubled, or in the place of the next."""
    word = match[0]
    inner = range(1, len(word) - 1)
    left_out = [word[:at] + word[at + 1 :] for at in range(1, len(word))]
    doubled = [word[:at] + word[at] + word[at:] for at in inner]
    swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner]
    return f"(?:{'|'.join([word, *left_out, *doubled, *swapped])})"


class Hearing:
    """Reads a user's words.

    Args:
        description: of the domain.
        locale: of the natural language, with the domain's own words.
        code: of that language; ``None`` is the description's own.
    """

    def __init__(self, description: Description, locale: Locale, code: str | None) -> None:
        phrases = {intent: description.phrase(intent, locale) for intent in description.wishes}
        words = {word for phrase in phrases.values() for word in _WORD.findall(phrase.lower())}
        self._mend = Mender(sorted(words)) if locale.spaced else str
        patterns = {intent: _SHORT.sub(_slips, as_pattern(text)) for intent, text in phrases.items()}
        self._phrases = {intent: re.compile(pattern, re.IGNORECASE) for intent, pattern in patterns.items()}
        self._cues = {intent: re.compile(cue, re.IGNORECASE) for intent, cue in description.named(code).items()}
        self.locale = locale

    def stated(self, text: str) -> str | None:
        """The wish that a text states in the user's own phrase."""
        return next(iter(named_in(self._mend(text), self._phrases)), None)

    def intent(self, text: str) -> str | None:
        """The wish that a text is about, by its phrase or else by any word for it."""
        return self.stated(text) or next(iter(named_in(self._mend(text), self._cues)), None)

    def agrees(self, text: str) -> bool:
        """Whether the user says yes to a proposal."""
        return self.locale.agrees(text)

    def leaves(self, text: str) -> bool:
        """Whether the user wants nothing more."""
        return self.locale.farewell.search(text) is not None


def together(missing: Sequence[Argument], tries: Mapping[str, int], *, most: int) -> list[Argument]:
    """The slots for one turn: no two of one kind, whose values would be mixed up; one alone the second time.

    Args:
        missing: what is not known yet.
        tries: how often each was asked for, by slot.
        most: how many may be asked for at once.
    """
    most = 1 if any(tries.get(slot.slot) for slot in missing[:1]) else most
    chosen: list[Argument] = []
    for slot in missing:
        if len(chosen) < most and all(type(other.kind) is not type(slot.kind) for other in chosen):
            chosen.append(slot)
    return chosen


def asking(desk: Desk, slots: Sequence[Argument], scope: Scope) -> str:
    """What is asked for, as ``the booking number and the room type (single, double or suite)``."""
    locale, parts = desk.locale, []
    for slot in slots:
        text = desk.message(slot.kind.asking, noun=locale.text(slot.kind.noun))
        options = slot.kind.options(scope, locale)
        listed = locale.listing(list(options), either=True)
        parts.append(desk.message("options", what=text, options=listed) if options else text)
    return locale.listing(parts)
