"""The numbers that a message states, read as a person reads them.

A number is stated where it stands for an amount: "12", "$12", "USD 12", "12kg", "1,200.50", "-12", "minus 12".

It is none where it is a part of something else (an id as "#12" or "A-12", a date, a time of day, a version, the mark of
a list, "the 12th", "option 12"). It is not stated where it is one of several ("10-12", "10 or 12", "10, 11, 12"), where
it only bounds ("at least 12"), and after a "not".
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

# What a word goes on with: Han characters stand beside a number without a space.
_W = r"[^\W\u3400-\u9fff]"
_CODES = "USD|EUR|GBP|JPY|CNY|RMB|CAD|AUD|CHF"
_PAID = rf"(?:(?:US|CA|AU|HK|[AC])?[$\u20ac\u00a3\u00a5\u20b9]|\b(?:{_CODES}))\s?"
_UNIT = (
    rf"[kmgt]b|[km]g|lbs?|oz|[kcm]m|ft|mi|ml|[kmg]?hz|[mg]bps|[km]wh?|{_CODES}|hrs?|mins?|secs?|days?|weeks?|"
    r"months?|years?|pcs?|pts?|items?|bags?|people|%"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_LEXEMES = re.compile(
    rf"""
    (?P<part>
        \d+(?:[:/.-]\d+){{2,}}                                      # a date, a long time, a version, a phone number
      | \d+[:/]\d+                                                  # a time of day, a day and month, a fraction
      | \b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?
      | \b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?!\w)(?:,?\s\d{{4}}\b)?
      | \d+\s?(?i:[ap]\.?m\b|o'clock)
      | \d+\s?[年月日号點点时]
      | \d+(?i:st|nd|rd|th)\b
      | (?:(?i:\b(?:option|step|page|section|version|chapter|appendix)\s)|第\s?|\#\s?)\d+
      | ^[\t >*_-]*\(?\d+[.)](?=[\t ]+\S)                           # the mark of a list
    )
  | (?P<sign>(?<![\w)-])[-\u2013]|\u2212\s?|(?i:\b(?:minus|negative)\s)|负\s?)?
    (?:(?P<paid>(?i:{_PAID}))(?P<late>[-\u2212])?)?
    (?<![.])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)
    (?P<unit>(?:(?i:{_UNIT})|[gmwx])(?!{_W}))?(?!{_W}|\.\d)
  | {_W}+(?:[-.]{_W}*\d{_W}*)*                                      # a word, or an id as A-12
    """,
    re.VERBOSE | re.MULTILINE,
)
_DENIES = r"(?:\b(?:can)?not|n't|\bno longer|\bneither|\bnor|\bnever|\brather than|\binstead of)"
_FILLER = r"(?:an?|the|any|in|at|of|been|be|being|yet|exactly|really|actually|currently|now|have|has|costs?|status)"
DENIED = re.compile(rf"{_DENIES} (?:{_FILLER} ){{0,3}}$|(?:不是|并非|没有|而非)\s?$", re.IGNORECASE)
"""How what stands before a denied value ends."""
_BOUNDS = re.compile(
    r"(?:\b\w+ than|\bat (?:least|most)|\bup to)\s$|[<>\u2264\u2265]\s?$|"
    r"(?:至少|至多|最多|最少|超过|少于|多于|不到|不足)\s?$",
    re.IGNORECASE,
)
# "is - 12" and "is ($12)" are how a balance is written; "lamp - 12" and "a lamp ($12)" are punctuation.
_BALANCE = re.compile(r"(?:^|[:=]|\b(?:is|are|was|were|be|of))\s*(?P<mark>[-\u2013]\s|\()?$", re.IGNORECASE)
_DASH = re.compile(r"(?P<apart>\s?)[-\u2010-\u2015~\uff5e至到/](?P=apart)")
_CHOICE = re.compile(r"\s(?:to|or|through)\s|\s?(?:或者?|还是)\s?", re.IGNORECASE)
_LISTED = re.compile(r"[\s,;/|&+、.*_-]*(?:(?:and|or|then|maybe|perhaps|和|或者?)\s*)?", re.IGNORECASE)
_CHANGES = re.compile(r"\bfrom $", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.!?;:,\n、。|]|\b(?:and|or)\b", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W\d_]+")
_NEAR = 40
"""Characters before a number that are looked at."""
_AROUND = 80
"""Characters on each side of a number that are looked at for what it is a number of."""
_MOST = 200
"""A message with more amounts than this tells nobody any."""
_RUN = 3
"""So many numbers in a row with nothing but commas between them are a list."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that stands for an amount.

    Attributes:
        value: with its sign.
        stated: whether the message states it.
        begin: where it begins in the message, sign and currency included.
        end: where it ends.
        unit: its currency and the unit that is written with it, in lower case.
        around: the words of its clause but itself, as "there are # options".
    """

    value: Decimal
    stated: bool
    begin: int
    end: int
    unit: str
    around: str


def stated(message: str) -> set[Decimal]:
    """The numbers that a message states."""
    return {number.value for number in amounts(message) if number.stated}


def amounts(message: str) -> list[Number]:
    """The amounts in a message, stated or not, in order."""
    text = unicodedata.normalize("NFKC", message).replace("**", "").replace("\u2019", "'")
    matches = [match for match in _LEXEMES.finditer(text) if match["digits"]]
    if not 0 < len(matches) <= _MOST:
        return []
    ends = [match.span() for match in _CLAUSE_ENDS.finditer(text)]
    begins, stops = [0, *(end for _, end in ends)], [*(begin for begin, _ in ends), len(text)]
    found = []
    for match in matches:
        begin = max(begins[bisect_right(begins, match.start()) - 1], match.start() - _AROUND)
        stop = min(stops[bisect_left(stops, match.end())], match.end() + _AROUND)
        around = (
            _NO_WORD.sub(" ", text[begin : match.start()].lower()),
            _NO_WORD.sub(" ", text[match.end() : stop].lower()),
        )
        found.append(_read(text, match, " # ".join(words.strip() for words in around)))
    return _without_lists(text, _without_ranges(text, found))


def _read(text: str, match: re.Match[str], around: str) -> Number:
    before = text[max(0, match.start() - _NEAR) : match.start()]
    unit = (match["paid"] or "").strip().lower() + (match["unit"] or "").lower()
    closed = bool(match["paid"]) and text.startswith(")", match.end())
    minus = bool(match["sign"] or match["late"]) or _in_balance(before, closed)
    value = Decimal(match["digits"].replace(",", ""))
    holds = DENIED.search(before) is None and _BOUNDS.search(before) is None
    return Number(-value if minus else value, holds, match.start(), match.end(), unit, around)


def _in_balance(before: str, closed: bool) -> bool:
    place = _BALANCE.search(before)
    if place is None or place["mark"] is None:
        return False
    # At the beginning of a line a dash is a bullet.
    return closed if place["mark"] == "(" else before[: -len(place["mark"])].rstrip(" ")[-1:] not in ("", "\n")


def _without_ranges(text: str, found: Sequence[Number]) -> list[Number]:
    """Neither end of "10-12" and "10 or 12" is stated; "from 10 to 12" is a change and states both."""
    kept = list(found)
    for place, (first, second) in enumerate(pairwise(found)):
        gap = text[first.end : second.begin]
        dash = _DASH.fullmatch(gap)
        # "Lamp 4 - $12" is a list of things, "$10 - $12" a range.
        ranges = dash is not None and (not dash["apart"] or first.unit == second.unit)
        changes = _CHANGES.search(text[max(0, first.begin - _NEAR) : first.begin]) is not None
        if ranges or (_CHOICE.fullmatch(gap) is not None and not changes):
            kept[place] = replace(kept[place], stated=False)
            kept[place + 1] = replace(second, stated=False)
    return kept


def _without_lists(text: str, found: Sequence[Number]) -> list[Number]:
    return [replace(item, stated=False) if len(run) >= _RUN else item for run in _runs(text, found) for item in run]


def _runs(text: str, found: Sequence[Number]) -> Iterator[list[Number]]:
    """The numbers in runs of one unit that nothing but commas and the like parts."""
    run: list[Number] = []
    for number in found:
        last = run[-1] if run else number
        if last.unit != number.unit or (run and _LISTED.fullmatch(text, last.end, number.begin) is None):
            yield run
            run = []
        run.append(number)
    if run:
        yield run
