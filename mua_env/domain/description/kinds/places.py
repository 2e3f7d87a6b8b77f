"""A place: an address of several parts, said in one breath."""

# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from mua_env.domain.description.kinds.kind import Kind, Speech
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Record, Scope

_PART = re.compile(r"\{(\w+)\}")
_HOME = re.compile(
    r"\b(?:the one|address) (?:in|on|of|from) (?:my|your) (?:profile|account|file)\b"
    r"|\b(?:my|your) (?:profile|home|default) address\b|资料里的地址|账户上的地址",
    re.IGNORECASE,
)
_FIRST = r"(?:\d+[A-Za-z]? [^,:;\n]+?|[A-Z][a-z.-]+(?: [A-Z][\w.-]*)*|[\u4e00-\u9fff][^,:;\n]*?)"
"""A number with what follows, or words with capitals: what stands before an address is no part of it."""
_SHARE_AT_HOME = 0.2


@dataclass(frozen=True, eq=False)
class Place(Kind):
    """An address. Its arguments are those that stand side by side with this kind, one for each part of the line.

    Attributes:
        line: how it is written, with its parts in braces; also how it is read.
        patterns: regular expressions of the parts that are not just text up to the next mark.
        make: draws one.
        home: the address in the user's own row, which may be meant by reference where the place is ``within`` another
            record (the address of an order may be that of the profile; the profile's own new address may not).
    """

    line: str = "{street}, {city} {zip}"
    patterns: Mapping[str, str] = field(default_factory=lambda: {"zip": r"\d{5}"}, kw_only=True)
    make: Callable[[Random], dict[str, str]] | None = field(default=None, kw_only=True)
    home: Callable[[Record], dict[str, str]] | None = field(default=None, kw_only=True)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts, in the order of the line."""
        return tuple(_PART.findall(self.line))

    @property
    def fields(self) -> tuple[str, ...]:
        """The parts, each an argument of its own."""
        return self.parts

    @cached_property
    def finder(self) -> re.Pattern[str]:
        """Finds such a line."""
        found, at = "", 0
        for number, match in enumerate(_PART.finditer(self.line)):
            default = _FIRST if number == 0 else r"[^,:;\n]+?"
            found += re.escape(self.line[at : match.start()]).replace(r"\ ", r"\s*")
            found += f"(?P<{match[1]}>{self.patterns.get(match[1], default)})"
            at = match.end()
        return re.compile(found + re.escape(self.line[at:]) + r"(?![\w])")

    def raw(self, arguments: Mapping[str, Any], names: Sequence[str]) -> Any:
        """The parts by their names in the line; the arguments are called so too."""
        return {name: arguments[name] for name in names}

    def arguments(self, raw: Any, names: Sequence[str]) -> dict[str, Any]:
        """One argument for each part."""
        return {name: raw[name] for name in names}

    def find(self, text: str, scope: Scope) -> Any | None:
        """The last address in a text, or the one in the profile where that is meant."""
        found = list(self.finder.finditer(text.replace("，", ", ")))
        if found:
            return found[-1].groupdict()
        return dict(self.home(scope.person)) if self.home is not None and _HOME.search(text) else None

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Every part must be right; the words "the address in your profile" will do for that."""
        found = list(self.finder.finditer(text.replace("，", ", ")))
        if found:
            return all(str(found[-1][part]).lower() == str(wanted[part]).lower() for part in self.parts)
        if _HOME.search(text):
            return bool(wanted.get("home")) or None
        # The parts may stand in any order, as in a list.
        there = [str(wanted[part]).lower() in text.lower() for part in self.parts]
        return True if all(there) else (False if self._another(wanted, text) else None)

    def say(self, wanted: Any, speech: Speech) -> str:
        """In one line."""
        if wanted.get("home"):
            return speech.say(speech.locale.message("at_home"))
        return speech.keep(self.line.format(**wanted))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """In one line."""
        return self.line.format(**raw)

    def wanted(self, raw: Any, scope: Scope) -> Any:
        """The parts; those at home are known as such."""
        at_home = self.home is not None and self.within and raw == self.home(scope.person)
        return raw | {"home": True} if at_home else raw

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """One that is made up."""
        if self.home is not None and self.within and rng.random() < _SHARE_AT_HOME:
            return dict(self.home(scope.person))
        return self.make(rng) if self.make is not None else None

    def _another(self, wanted: Any, text: str) -> bool:
        """Whether a part with a pattern of its own stands there with another value."""
        return any(
            re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text) and str(wanted[part]) not in text
            for part, pattern in self.patterns.items()
            if part in self.parts
        )
