"""Kinds with few values: one of a list, and yes or no."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Self

from mua_env.core.database import Rows
from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, longest_first, whole, with_roles
from mua_env.domain.description.locales import LOCALES, Locale
from mua_env.domain.description.scope import Model, Scope
from mua_env.errors import ToolError


@dataclass(frozen=True, eq=False)
class Choice(Kind):
    """One of a few values.

    Attributes:
        values: default: those of the argument's ``Literal``.
        also: further names by which people call a value, in any language.
        of: the table that the values are keys of, where rules need its row.
    """

    values: tuple[str, ...] = ()
    also: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)
    of: Model = field(default=None, kw_only=True)

    def in_world(self, rows: Rows, translations: Sequence[Mapping[str, str]]) -> Self:
        """With the values' names in all languages."""
        also = {
            value: (*self.also.get(value, ()), *(words[value] for words in translations if value in words))
            for value in self.values
        }
        return replace(super().in_world(rows, translations), also=also)

    def mentions(self, text: str) -> Sequence[Mention]:
        """Names of values."""
        names = {name: value for value in self.values for name in (value, *self.also.get(value, ()))}
        return with_roles(longest_first(names, text), text)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The last one that shall be so."""
        found = [mention for mention in self.mentions(text) if mention.role == "new"]
        return found[-1].value if found else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """Its name."""
        return speech.keep(speech.locale.text(str(wanted)))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """Its name."""
        return locale.text(str(raw))

    def asks(self, locale: Locale) -> str:
        """The alternatives are a question too: "was it a mistake, or don't you need it any more?"."""
        names = [re.escape(locale.text(value)) for value in self.values]
        own = super().asks(locale)
        return f"{own}|{'.{0,80}'.join(names)}" if 1 < len(names) <= _LISTED else own

    def options(self, scope: Scope, locale: Locale) -> Sequence[str]:
        """The values, where they are few."""
        return [locale.text(value) for value in self.values] if len(self.values) <= _LISTED else ()

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any."""
        return rng.choice(self.values)

    def record(self, raw: Any, scope: Scope) -> Any:
        """The row where the values are keys, else the value."""
        if self.of is None:
            return raw
        found = scope.load(self.of, raw)
        if found is None:
            raise ToolError(f"there is no {self.noun} {raw!r}")
        return found


_LISTED = 6
"""Values that an agent lists when it asks."""


@dataclass(frozen=True, eq=False)
class YesNo(Kind):
    """Whether something is wanted.

    Attributes:
        yes: how it is said that it is, as ``"with breakfast"``.
        no: and that it is not, as ``"without breakfast"``.
    """

    yes: str = ""
    no: str = ""
    also: Mapping[bool, Sequence[str]] = field(default_factory=dict, kw_only=True)

    giving = "given_alone"

    def in_world(self, rows: Rows, translations: Sequence[Mapping[str, str]]) -> Self:
        """With the words for it in all languages."""
        words = {True: self.yes, False: self.no}
        also = {
            value: (*self.also.get(value, ()), *(texts[name] for texts in translations if name in texts))
            for value, name in words.items()
        }
        return replace(super().in_world(rows, translations), also=also)

    def mentions(self, text: str) -> Sequence[Mention]:
        """The words for it, or the noun with yes or no behind it."""
        names = {name: value for value, word in ((True, self.yes), (False, self.no))
                 for name in (word, *self.also.get(value, ()))}  # fmt: skip
        found = longest_first(names, text)
        answered = re.finditer(rf"{whole(self.noun)}\W{{1,3}}(yes|no|是|否)(?![A-Za-z])", text, LOOK)
        found += [Mention(m.start(), m.end(), m[1].lower() in ("yes", "是")) for m in answered]
        return sorted(found, key=lambda mention: mention.start)

    def find(self, text: str, scope: Scope) -> Any | None:
        """What a text says, or a plain yes or no at its beginning."""
        found = self.mentions(text)
        if found:
            return found[-1].value
        if re.match(r"\W*(?:no\b|nope\b|不)", text, LOOK):
            return False
        return True if any(locale.agrees(text) for locale in LOCALES.values()) else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """In a phrase."""
        return speech.keep(speech.locale.text(self.yes if wanted else self.no))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """In a phrase."""
        return locale.text(self.yes if raw else self.no)

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Either."""
        return rng.random() < 0.5
