"""Kinds that are numbers: how many, and how much money."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Self

from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, with_roles
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mua_env.core.database import Rows

_WORDS = {
    word: number
    for words in ("one two three four five six seven eight nine ten eleven twelve", "一 二 三 四 五 六 七 八 九 十")
    for number, word in enumerate(words.split(), 1)
} | {"两": 2}
_NUMBER = rf"\d{{1,4}}|{'|'.join(sorted(_WORDS, key=len, reverse=True))}"
_ALONE = re.compile(rf"(?<![A-Za-z0-9$#.,:/-])({_NUMBER})(?![A-Za-z0-9:/%-]|[.,]\d)", LOOK)


def _value(text: str) -> int:
    return _WORDS.get(text.lower()) or int(text)


@lru_cache(maxsize=256)
def _counted(units: tuple[str, ...], nouns: tuple[str, ...]) -> re.Pattern[str]:
    unit, noun = "|".join(map(re.escape, units)), "|".join(map(re.escape, nouns))
    return re.compile(
        rf"(?<![A-Za-z0-9$#.,-])({_NUMBER})\s?-?(?:[a-z]+ )?(?:{unit})(?![A-Za-z])"
        rf"|(?:{noun})\W{{1,3}}(?:(?:is|of|to|be|are|from \d+ to) )?({_NUMBER})(?![A-Za-z0-9-])",
        LOOK,
    )


@dataclass(frozen=True, eq=False)
class Count(Kind):
    """How many: a whole number.

    Attributes:
        least: the smallest that is drawn.
        most: the largest.
        unit: what is counted, in the singular (default: the noun's last word without its "s").
    """

    least: int = 1
    most: int = 9
    unit: str = field(default="", kw_only=True)
    units: tuple[str, ...] = field(default=(), kw_only=True)

    giving = "given_alone"

    @cached_property
    def counted(self) -> str:
        """What is counted."""
        return self.unit or self.noun.split()[-1].removesuffix("s")

    def in_world(self, rows: Rows, translations: Sequence[Mapping[str, str]]) -> Self:
        """With the unit in all languages."""
        units = tuple(words[self.counted] for words in translations if self.counted in words)
        return replace(super().in_world(rows, translations), units=units)

    def mentions(self, text: str) -> Sequence[Mention]:
        """Numbers with the unit behind or the noun before them."""
        units = (f"{self.counted}s", self.counted, *self.units)
        found = [
            Mention(m.start(), m.end(), _value(m[1] or m[2]))
            for m in _counted(units, self.nouns or (self.noun,)).finditer(text)
        ]
        return with_roles(found, text)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The last number with a unit, or else the only one that stands alone."""
        found = [mention for mention in self.mentions(text) if mention.role == "new"]
        if found:
            return found[-1].value
        alone = {_value(match[1]) for match in _ALONE.finditer(text)}
        return alone.pop() if len(alone) == 1 else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """With its unit."""
        return speech.keep(self._said(wanted, speech.locale))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """With its unit."""
        return self._said(raw, locale)

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any in the range."""
        return rng.randint(self.least, self.most)

    def _said(self, value: Any, locale: Locale) -> str:
        unit = locale.text(self.counted)
        return f"{value} {unit}s" if locale.spaced and int(value) != 1 else f"{value} {unit}"


_MONEY = re.compile(
    r"[$€£¥￥]\s?(\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)"
    r"|(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)\s?(?:dollars?|euros?|pounds?|yuan|usd|eur|元|块)",
    LOOK,
)


@dataclass(frozen=True, eq=False)
class Money(Kind):
    """An amount of money.

    Attributes:
        least: the smallest that is drawn.
        most: the largest.
        step: between amounts.
        sign: of the currency.
    """

    least: int = 10
    most: int = 500
    step: int = field(default=10, kw_only=True)
    sign: str = field(default="$", kw_only=True)

    beside_others = True

    def mentions(self, text: str) -> Sequence[Mention]:
        """Amounts with a sign or a word of a currency."""
        found = [Mention(m.start(), m.end(), self._amount(m[1] or m[2])) for m in _MONEY.finditer(text)]
        return with_roles(found, text)

    def same(self, value: Any, wanted: Any) -> bool:
        """The same amount."""
        return float(value) == float(wanted)

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Another one may stand beside it: the one behind the noun counts, or else any."""
        return self.verdict_beside(wanted, text)

    def say(self, wanted: Any, speech: Speech) -> str:
        """With its sign."""
        return speech.keep(f"{self.sign}{wanted:,}")

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """With its sign."""
        return f"{self.sign}{raw:,}"

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any in the range."""
        return rng.randrange(self.least, self.most + 1, self.step)

    @staticmethod
    def _amount(text: str) -> int | float:
        value = float(text.replace(",", ""))
        return int(value) if value.is_integer() else value
