"""A kind of value: one class for whoever says it, reads it, asks for it, draws it, or holds two of them side by side.

A value has three forms. *raw* is what the tools take (a key, a list of keys, a record of fields). *wanted* is what
the user knows of it (an item by its name, a card by its last digits), which is what a goal's slots hold. The *record*
is what rules look at (the order, the order's items, the payment method).
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from mua_env.domain.description.locales import LOCALES, Locale
from mua_env.domain.description.scope import Record, Scope

if TYPE_CHECKING:
    from mua_env.core.database import Rows

LOOK = re.IGNORECASE | re.ASCII
"""ASCII: a Han character beside a number is no letter of it, as ``\\b`` would have it."""


class Speech(Protocol):
    """How somebody speaks: a template becomes words, and a value is marked as one that noise must leave alone."""

    locale: Locale

    @property
    def rng(self) -> Random:
        """What is drawn here is drawn from this."""

    def say(self, template: str, **values: str) -> str:
        """One variant of a template."""

    def keep(self, value: str) -> str:
        """A value that must survive noise."""


Role = Literal["new", "old"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in a text: where it stands, and whether it is what shall be so (new) or what was so before (old)."""

    start: int
    end: int
    value: Any
    role: Role = "new"


@dataclass(frozen=True, eq=False)
class Kind(ABC):
    """A kind of value.

    Attributes:
        noun: what everyone calls it, as ``"booking number"``.
        name: of the record, for rules (default: the slot).
        slot: of a goal (default: the first argument's name).
        asked: a further regular expression by which it is asked for, where the noun does not tell.
        within: names of the records that must be known before it can be asked for.
        fact: who the user is: the column of the user's own row that holds it, or a function of that row (default: the
            column with the argument's name). Only for arguments of tools that identify the user.
    """

    noun: str
    name: str = field(default="", kw_only=True)
    slot: str = field(default="", kw_only=True)
    asked: str = field(default="", kw_only=True)
    within: tuple[str, ...] = field(default=(), kw_only=True)
    fact: str | Callable[[Record], Any] | None = field(default=None, kw_only=True)
    nouns: tuple[str, ...] = field(default=(), kw_only=True, repr=False)

    code = 0
    """Characters by which it is told at first, where a user may not have more at hand; 0: it is no code."""
    giving = "given"
    """The message by which a user gives it: "given", or "given_alone" for what says by itself what it is."""
    asking = "the"
    """The message by which an agent asks for it: "the", or "the_name" for what is called by a name."""
    beside_others = False
    """Whether another value of the kind may well stand beside it, so that in a list it goes with its noun."""
    known_by_user = True
    """Whether the user has it at all; a key of its own that nobody says is looked up by the agent."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the parts where several arguments are one value, as first and last name."""
        return ()

    # Reading

    def mentions(self, text: str) -> Sequence[Mention]:
        """The values of this kind in a text, in their order (default: none can be told)."""
        return ()

    def find(self, text: str, scope: Scope) -> Any | None:
        """The raw value that a text gives, the last where there are several; ``None`` where there is none."""
        found = self.mentions(text)
        return found[-1].value if found else None

    def same(self, value: Any, wanted: Any) -> bool:
        """Whether a value that was mentioned is the one that is wanted."""
        return str(value).lower() == str(wanted).lower()

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Hold a text against what is wanted: right, wrong, or ``None`` where it does not mention any."""
        found = [mention for mention in self.mentions(text) if mention.role == "new"]
        return all(self.same(mention.value, wanted) for mention in found) if found else None

    def verdict_beside(self, wanted: Any, text: str) -> bool | None:
        """:meth:`verdict` for what others of its kind may stand beside: the one behind the noun counts, or else any."""
        found = [mention for mention in self.mentions(text) if mention.role == "new"]
        meant = labelled(found, text, self.nouns or (self.noun,))
        counting = found if meant is None else [meant]
        return any(self.same(mention.value, wanted) for mention in counting) if found else None

    def find_beside(self, text: str) -> Any | None:
        """:meth:`find` for what others of its kind may stand beside."""
        found = [mention for mention in self.mentions(text) if mention.role == "new"]
        meant = labelled(found, text, self.nouns or (self.noun,)) or (found[-1] if found else None)
        return None if meant is None else meant.value

    # Speaking

    def say(self, wanted: Any, speech: Speech) -> str:
        """The user's words."""
        return speech.keep(str(wanted))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """The agent's words."""
        return str(raw)

    def asks(self, locale: Locale) -> str:
        """A regular expression that finds a question for it."""
        own = locale.asking(self.noun)
        return f"{own}|{self.asked}" if self.asked else own

    def options(self, scope: Scope, locale: Locale) -> Sequence[str]:
        """What there is to choose from, to be named in the question; empty where that is not for the agent to list."""
        return ()

    # The value itself

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """A random raw value, ``None`` where there is none; ``wild`` ones may break a rule."""
        return None

    def wanted(self, raw: Any, scope: Scope) -> Any:
        """What the user knows of a raw value."""
        return raw

    def record(self, raw: Any, scope: Scope) -> Any:
        """What rules look at.

        Raises:
            ToolError: there is no such thing.
        """
        return raw

    def in_world(self, rows: Rows, translations: Sequence[Mapping[str, str]]) -> Self:
        """The kind with what it must know of a domain's data, and of its words in all languages."""
        return replace(self, nouns=(self.noun, *(words[self.noun] for words in translations if self.noun in words)))

    # Arguments of tools

    def raw(self, arguments: Mapping[str, Any], names: Sequence[str]) -> Any:
        """The raw value that a tool's arguments hold."""
        if not self.fields:
            return arguments[names[0]]
        return dict(zip(self.fields, (arguments[name] for name in names), strict=True))

    def arguments(self, raw: Any, names: Sequence[str]) -> dict[str, Any]:
        """The tool's arguments that hold a raw value."""
        if not self.fields:
            return {names[0]: raw}
        return dict(zip(names, (raw[field] for field in self.fields), strict=True))

    def of_person(self, person: Record, names: Sequence[str]) -> Any:
        """The value that a person has: a fact."""
        if callable(self.fact):
            return self.fact(person)
        if self.fields:
            return {field: person[name] for field, name in zip(self.fields, names, strict=True)}
        return person[self.fact or names[0]]


def with_roles(found: Sequence[Mention], text: str) -> list[Mention]:
    """The mentions, with those marked as old that a text says were so before."""

    def role(mention: Mention) -> Role:
        before = text[max(0, mention.start - _BEFORE) : mention.start]
        return "old" if any(pattern.search(before) for pattern in _old()) else "new"

    return [Mention(m.start, m.end, m.value, role(m)) for m in found]


_BEFORE = 40
"""Characters before a value that tell its role."""


@cache
def _old() -> list[re.Pattern[str]]:
    return [re.compile(locale.old, re.IGNORECASE) for locale in LOCALES.values()]


def labelled(found: Sequence[Mention], text: str, nouns: Sequence[str]) -> Mention | None:
    """Of several values of a kind the one that stands behind the noun, if the text has it at all."""
    low = text.lower()
    at = max((low.rfind(noun.lower()) for noun in nouns), default=-1)
    return next((mention for mention in found if at >= 0 and mention.start > at), None)


def whole(text: str) -> str:
    """A regular expression that finds a text as a whole word or phrase, in any script."""
    left = r"(?<![A-Za-z0-9-])" if text[:1].isascii() else ""
    right = r"(?![A-Za-z0-9-])" if text[-1:].isascii() else ""
    return f"{left}{re.escape(text)}{right}"


def longest_first(names: Mapping[str, Any], text: str) -> list[Mention]:
    """Where names stand in a text with what they stand for; a longer name hides the shorter ones within it."""
    if not names:
        return []
    lower = {name.lower(): value for name, value in names.items()}
    found = _finder(tuple(sorted(lower, key=len, reverse=True))).finditer(text)
    return [Mention(match.start(), match.end(), lower[match[0].lower()]) for match in found]


@lru_cache(maxsize=512)
def _finder(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(whole, names)), LOOK)
