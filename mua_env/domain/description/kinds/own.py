"""A thing of one's own that people call by what it is like: a payment method, a card, a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, with_roles
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Record, Scope
from mua_env.errors import ToolError

Way = tuple[str, Callable[[Record, "re.Match[str]"], bool]]
"""A regular expression by which people call such a thing, and the test of a thing's attributes that it stands for."""

_ORIGINAL = re.compile(r"\b(?:original|same (?:one|card|method)|the one I paid with)\b|原来的", re.IGNORECASE)
_SHARE_BY_REFERENCE = 0.3


@dataclass(frozen=True, eq=False)
class Own(Kind):
    """One of the things in the user's own row, by its attributes. Raw: its key.

    Attributes:
        things: the user's row -> key -> thing.
        words: how a thing is called, as ``"Visa ending in 1234"``.
        ways: how anybody may call one.
        original: the key that "the original one" means, among the records that are known.
        hidden: attributes that the user does not know, as ``id``.
    """

    things: Callable[[Record], Mapping[str, Record]] = field(default=lambda person: {}, kw_only=True)
    words: Callable[[Record], str] = field(default=str, kw_only=True)
    ways: Sequence[Way] = field(default=(), kw_only=True)
    original: Callable[[Scope], str] | None = field(default=None, kw_only=True)
    hidden: Sequence[str] = field(default=("id",), kw_only=True)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The only thing that fits what a text says."""
        meant = self._meant(text)
        things = self.things(scope.person)
        fit = [key for key, thing in things.items() if meant and all(test(thing, match) for test, match in meant)]
        if not fit and self._refers(text) and self.original is not None and scope.has(self.within):
            return self.original(scope)
        return fit[0] if len(fit) == 1 else None

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """By its attributes, or as "the original one"."""
        meant = self._meant(text)
        if not meant:
            return bool(wanted.get("original")) if self._refers(text) else None
        return all(test(wanted, match) for test, match in meant)

    def say(self, wanted: Any, speech: Speech) -> str:
        """By its attributes."""
        if wanted.get("original") and speech.rng.random() < _SHARE_BY_REFERENCE:
            return speech.say(speech.locale.message("original"), noun=speech.locale.text(self.noun))
        return speech.say(speech.locale.message("mine"), value=speech.keep(self.words(wanted)))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """By its attributes."""
        return self.words(self.things(scope.person)[raw])

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any."""
        things = sorted(self.things(scope.person))
        return rng.choice(things) if things else None

    def wanted(self, raw: Any, scope: Scope) -> Any:
        """Its attributes, and whether it is the original one."""
        known = {name: value for name, value in self.things(scope.person)[raw].items() if name not in self.hidden}
        original = self.original is not None and scope.has(self.within) and self.original(scope) == raw
        return known | {"original": True} if original else known

    def record(self, raw: Any, scope: Scope) -> Any:
        """The thing."""
        things = self.things(scope.person)
        if raw not in things:
            raise ToolError(f"the {self.noun} {raw!r} is not on file; there are {', '.join(sorted(things))}")
        return things[raw]

    def _meant(self, text: str) -> list[tuple[Callable[[Record, re.Match[str]], bool], re.Match[str]]]:
        """What a text says of the thing that shall be; what is said of the one before it counts for nothing."""
        found = [(test, match) for pattern, test in self.ways for match in re.finditer(pattern, text, LOOK)]
        places = [Mention(match.start(), match.end(), None) for _, match in found]
        return [each for each, place in zip(found, with_roles(places, text), strict=True) if place.role == "new"]

    def _refers(self, text: str) -> bool:
        return self.original is not None and _ORIGINAL.search(text) is not None
