"""Kinds that are points in time: a day, and a time of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, with_roles
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Scope
from mua_env.errors import ToolError

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" if month[3:] else month for month in _MONTHS)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DATE = re.compile(
    r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"
    rf"|(?<![A-Za-z])(?P<name>{_MONTH})\.? (?:the )?(?P<day2>{_DAY})(?![\d:])(?:,? (?P<year2>\d{{4}}))?"
    rf"|(?<![\w-])(?P<day3>{_DAY})(?: of)? (?P<name3>{_MONTH})(?![a-z])\.?(?:,? (?P<year3>\d{{4}}))?"
    r"|(?:(?P<year4>\d{4})年)?(?P<month4>\d{1,2})月(?P<day4>\d{1,2})[日号]",
    LOOK,
)


def _read(match: re.Match[str], year: int) -> str | None:
    parts = match.groupdict()
    name = parts["name"] or parts["name3"]
    month = next((i for i, full in enumerate(_MONTHS, 1) if name and full[:3].lower() == name[:3].lower()), 0)
    day = next(parts[key] for key in ("day", "day2", "day3", "day4") if parts[key])
    given = next((parts[key] for key in ("year", "year2", "year3", "year4") if parts[key]), None)
    try:
        found = date(int(given or year), month or int(parts["month"] or parts["month4"]), int(re.sub(r"\D", "", day)))
    except ValueError:
        return None
    return found.isoformat()


@dataclass(frozen=True, eq=False)
class Date(Kind):
    """A day, as ``2026-03-05``. Rules see a :class:`datetime.date`.

    Attributes:
        first: the first day that is drawn; its year is meant where a text names none.
        last: the last one.
        after: the name of another date's record that it must come after, within ``span`` days.
    """

    first: str = "2026-01-01"
    last: str = "2026-12-31"
    after: str = field(default="", kw_only=True)
    span: int = field(default=14, kw_only=True)

    beside_others = True

    def mentions(self, text: str) -> Sequence[Mention]:
        """Days, however they are written."""
        year = int(self.first[:4])
        read = [(match, _read(match, year)) for match in _DATE.finditer(text)]
        return with_roles([Mention(m.start(), m.end(), day) for m, day in read if day is not None], text)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The one that stands behind the noun, or the last."""
        return self.find_beside(text)

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Another one may stand beside it: the one behind the noun counts, or else any."""
        return self.verdict_beside(wanted, text)

    def say(self, wanted: Any, speech: Speech) -> str:
        """In one of the ways in which people write days."""
        day = date.fromisoformat(wanted)
        if not speech.locale.spaced:
            return speech.keep(f"{day.month}月{day.day}日")
        month = _MONTHS[day.month - 1]
        return speech.say("[{a}|{b}|{c}]", a=speech.keep(f"{month} {day.day}"), b=speech.keep(f"{day.day} {month}"),
                          c=speech.keep(wanted))  # fmt: skip

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any in the range."""
        if self.after and self.after in scope:
            return (scope[self.after] + timedelta(days=rng.randint(1, self.span))).isoformat()
        first, last = date.fromisoformat(self.first), date.fromisoformat(self.last)
        return (first + timedelta(days=rng.randint(0, (last - first).days))).isoformat()

    def record(self, raw: Any, scope: Scope) -> Any:
        """The day as a date."""
        try:
            return date.fromisoformat(raw)
        except ValueError:
            raise ToolError(f"the {self.noun} {raw!r} is no date such as 2026-03-05") from None


_TIME = re.compile(
    r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?!\d|:)(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?<![\d:])(?P<hour2>1[0-2]|0?[1-9])\s?(?P<half2>[ap])\.?m\b\.?"
    r"|(?P<half3>上午|下午|早上|晚上|中午)?(?P<hour3>\d{1,2})[点时](?P<minute3>半|\d{1,2}分?)?",
    LOOK,
)


def _clock(match: re.Match[str]) -> str:
    parts = match.groupdict()
    hour = int(parts["hour"] or parts["hour2"] or parts["hour3"])
    half = (parts["half"] or parts["half2"] or parts["half3"] or "").lower()
    minutes = parts["minute"] or (parts["minute3"] or "0").removesuffix("分").replace("半", "30")
    if half in ("p", "下午", "晚上") and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return f"{hour:02d}:{int(minutes):02d}"


@dataclass(frozen=True, eq=False)
class Time(Kind):
    """A time of day, as ``14:30``; as text, times compare in their order.

    Attributes:
        first: the first that is drawn.
        last: the last one.
        step: minutes between them.
    """

    first: str = "08:00"
    last: str = "18:00"
    step: int = field(default=60, kw_only=True)

    beside_others = True

    def mentions(self, text: str) -> Sequence[Mention]:
        """Times, however they are written."""
        return with_roles([Mention(m.start(), m.end(), _clock(m)) for m in _TIME.finditer(text)], text)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The one that stands behind the noun, or the last."""
        return self.find_beside(text)

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Another one may stand beside it: the one behind the noun counts, or else any."""
        return self.verdict_beside(wanted, text)

    def say(self, wanted: Any, speech: Speech) -> str:
        """By the twelve or the twenty-four hour clock."""
        hour, minute = map(int, wanted.split(":"))
        if not speech.locale.spaced:
            return speech.keep(wanted)
        half = f"{hour % 12 or 12}{f':{minute:02d}' if minute else ''} {'pm' if hour >= 12 else 'am'}"
        return speech.say("[{a}|{b}]", a=speech.keep(wanted), b=speech.keep(half))

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """By the twenty-four hour clock."""
        return str(raw)

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """Any in the range."""
        first, last = (int(text[:2]) * 60 + int(text[3:]) for text in (self.first, self.last))
        minutes = rng.randrange(first, last + 1, self.step)
        return f"{minutes // 60:02d}:{minutes % 60:02d}"

    def record(self, raw: Any, scope: Scope) -> Any:
        """The text itself."""
        if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", str(raw)):
            raise ToolError(f"the {self.noun} {raw!r} is no time such as 14:30")
        return raw
