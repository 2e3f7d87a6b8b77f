"""How the expert hears its users: which wish a text states, whether it agrees, and which values it gives."""

from __future__ import annotations

import re

from mua_env.agents.scripted.reading import Mender
from mua_env.domain.description import Description
from mua_env.domain.description.cues import as_pattern, named_in
from mua_env.domain.description.locales import Locale

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
