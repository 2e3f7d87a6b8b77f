"""Kinds that are text: with a pattern, an e-mail address, a telephone number, a person's name, or free text."""

# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, whole, with_roles
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Scope


@dataclass(frozen=True, eq=False)
class Text(Kind):
    """Text; what has a pattern is known by it, anything else stands in quotation marks.

    Attributes:
        pattern: a regular expression, as for a postal code.
        values: what is drawn from, or a function that makes one.
    """

    pattern: str = ""
    values: Sequence[str] | Callable[[Random], str] = field(default=(), kw_only=True)

    @cached_property
    def finder(self) -> re.Pattern[str]:
        """Finds such a text; what stands in quotation marks where there is no pattern."""
        return re.compile(self.pattern or r"(?<=[\"\u201c\u300c])[^\"\u201d\u300d]{1,200}(?=[\"\u201d\u300d])", LOOK)

    def mentions(self, text: str) -> Sequence[Mention]:
        """Texts that fit the pattern."""
        found = [Mention(m.start(), m.end(), m[0].rstrip(".,")) for m in self.finder.finditer(text)]
        return with_roles(found, text)

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Free text is right where it stands; of what else is quoted nobody knows what it is."""
        if self.pattern:
            return super().verdict(wanted, text)
        return True if re.search(whole(str(wanted)), text, LOOK) else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """As it is, or in quotation marks."""
        return speech.keep(str(wanted) if self.pattern else f'"{wanted}"')

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """As it is, or in quotation marks."""
        return str(raw) if self.pattern else f'"{raw}"'

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """One of the values."""
        if callable(self.values):
            return self.values(rng)
        return rng.choice(self.values) if self.values else None


@dataclass(frozen=True, eq=False)
class Email(Text):
    """An e-mail address."""

    noun: str = "email address"
    pattern: str = r"(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w"
    asked: str = field(default=r"\be-?mails?\b", kw_only=True)


@dataclass(frozen=True, eq=False)
class Phone(Text):
    """A telephone number: seven digits or more, with spaces or hyphens between them."""

    noun: str = "phone number"
    pattern: str = r"(?<![\w+])\+?\d(?:[ -]?\d){6,14}(?![\w-])"
    asked: str = field(default=r"\b(?:tele)?phone\b", kw_only=True)

    def same(self, value: Any, wanted: Any) -> bool:
        """The same digits."""
        return re.sub(r"\D", "", str(value)) == re.sub(r"\D", "", str(wanted))


_CAPITAL = r"[A-Z](?:['\u2019][A-Z])?[a-z]+(?:-[A-Z][a-z]+)?"
_LATIN = rf"(?<![A-Za-z'-])({_CAPITAL}) ({_CAPITAL})(?![A-Za-z0-9'\u2019-])"
_INTRODUCED = r"(?i:name is|name's|i am|i'm|it is|it's|name:|that's|that is|would be) "
_HAN = re.compile(r"(?:我叫|姓名是|姓名：|名字是|名字叫|我是|^)\s*([\u4e00-\u9fff]{2,4}?)(?=[。，,.！!\s]|$)")


@dataclass(frozen=True, eq=False)
class Name(Kind):
    """A person's name: one argument with all of it, or two with ``parts``, first and last name.

    Attributes:
        parts: the fields where the tools take them apart.
    """

    noun: str = "name"
    parts: tuple[str, ...] = field(default=(), kw_only=True)
    asked: str = field(default=r"\b(?:first|last|full|family|sur)[ -]?names?\b|\bwho (?:am i|are you)\b", kw_only=True)

    @property
    def fields(self) -> tuple[str, ...]:
        """First and last name."""
        return self.parts

    def find(self, text: str, scope: Scope) -> Any | None:
        """The name that somebody gives last: introduced, or else any two capitalised words."""
        given = list(re.finditer(_INTRODUCED + _LATIN, text)) or list(re.finditer(_LATIN, text))
        if given:
            found = given[-1]
            return dict(zip(self.parts, found.groups(), strict=True)) if self.parts else " ".join(found.groups())
        han = _HAN.search(text)
        return None if han is None or self.parts else han[1]

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Right where the whole name stands; of other capitalised words nobody knows what they are."""
        return True if re.search(whole(self._whole(wanted)), text, LOOK) else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """First and last name in one breath."""
        return speech.keep(self._whole(wanted))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """First and last name."""
        return self._whole(raw)

    def _whole(self, value: Any) -> str:
        return " ".join(value[part] for part in self.parts) if self.parts else str(value)
