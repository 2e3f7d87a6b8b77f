"""Values of the retail domain in free text: order ids, products, options, payment methods, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

Record = Mapping[str, Any]
_R = TypeVar("_R", bound=Record)

ORDER_ID = re.compile(r"#?\bW\d{7}\b", re.IGNORECASE)
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,32}){1,3}")
ZIP = re.compile(r"(?<![\d#W])\b\d{5}\b(?!\d)")
_LAST_FOUR = re.compile(
    r"\b(?:ending|ends|end|last four|last 4|last four digits|number)\b\D{0,20}(\d{4})\b|[*x•.]{2,}\s?-?(\d{4})\b"
)
_DASHES = re.compile(r"[-\u2013\u2014/_\u2019']")
_SPACES = re.compile(r"\s+")

PAYMENT_KINDS: dict[str, re.Pattern[str]] = {
    "paypal": re.compile(r"\bpay ?pal\b", re.IGNORECASE),
    "gift_card": re.compile(r"\bgift ?-?_?cards?\b", re.IGNORECASE),
    "credit_card": re.compile(
        r"\bcredit ?-?_?cards?\b|\bvisa\b|\bmaster ?card\b|\bamex\b|\bamerican express\b|\bdiscover\b", re.IGNORECASE
    ),
}
_REASONS: dict[str, re.Pattern[str]] = {
    "no longer needed": re.compile(
        r"\bno longer (?:\w+ ){0,2}(?:need|want|required)|\b(?:do not|don't|not) need\b", re.IGNORECASE
    ),
    "ordered by mistake": re.compile(r"\bmistake\b|\baccident|\bby error\b|\bwrong order\b", re.IGNORECASE),
}


def normal(text: str) -> str:
    """Lower case, dashes and apostrophes as spaces, one space between words."""
    return _SPACES.sub(" ", _DASHES.sub(" ", text.lower())).strip()


def order_ids(text: str) -> list[str]:
    """The order ids in a text, as ``#W0000000``, without repetition."""
    found = ("#W" + match[0].lstrip("#")[1:] for match in ORDER_ID.finditer(text))
    return list(dict.fromkeys(found))


def reasons(text: str) -> list[str]:
    """The cancellation reasons that a text mentions."""
    return [reason for reason, pattern in _REASONS.items() if pattern.search(text)]


@lru_cache(maxsize=4096)
def name_pattern(name: str) -> re.Pattern[str]:
    """Finds a product name in a normal text, in singular or plural, its words together or apart."""
    words = normal(name).split()
    stem = words[-1]
    if len(stem) > 3 and stem.endswith("s"):
        stem = stem[:-1]
    body = r"\s?".join([re.escape(word) for word in words[:-1]] + [re.escape(stem)])
    return re.compile(rf"{_begins(body, before=_WORD)}(?:s|es)?\b")


_WORD, _VALUE = r"\w", r"[\w.+]"


def _begins(body: str, *, before: str) -> str:
    """A pattern that nothing of a kind stands before, with its first letter ahead: a search can then leap to it."""
    return rf"{body[0]}(?<!{before}{body[0]}){body[1:]}" if body[0].isalnum() else rf"(?<!{before}){body}"


def names_in(text: str, names: Iterable[str]) -> list[str]:
    """The product names that a text mentions, in the order of their first mention.

    A name inside a longer one that is mentioned at the same place does not count.
    """
    low = normal(text)
    spans = []
    for name in dict.fromkeys(names):
        spans += [(match.start(), match.end(), name) for match in name_pattern(name).finditer(low)]
    # The longest first at each place: a span lies within another if an earlier one ends no sooner.
    kept: list[str] = []
    longest = (0, 0)
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if end > longest[1]:
            longest = (start, end)
        if longest == (start, end):
            kept.append(name)
    return list(dict.fromkeys(kept))


@lru_cache(maxsize=8192)
def _value_pattern(value: str, key: str) -> re.Pattern[str]:
    low = normal(value)
    body = re.sub(r"(?<=\d)(?=[a-z])", r"\\s?", re.escape(low)).replace(r"\ ", r"\s?")
    if not is_weak(value):
        return re.compile(rf"{_begins(body, before=_VALUE)}(?![\w%]|\.\d)")
    label = re.escape(normal(key)).replace(r"\ ", r"\s?")
    gap = r"\W{1,4}(?:(?:is|of|in|as|the|a|to be)\s)?"
    return re.compile(rf"\b{label}s?{gap}{body}(?![\w%]|\.\d)|(?<![\w.+]){body}\s(?:{label})s?\b")


def is_weak(value: str) -> bool:
    """Whether a value says nothing without the name of its option, as ``"M"``, ``"8"``, ``"yes"``."""
    low = value.strip().lower()
    return len(low) <= 2 or low in _WEAK_WORDS or low.isdigit()


_WEAK_WORDS = frozenset(
    (
        "yes",
        "no",
        "none",
        "one",
        "two",
        "three",
        "four",
        "five",
        "xxl",
        "low",
        "high",
        "medium",
        "small",
        "large",
        "set",
        "full",
        "long",
        "short",
        "full",
        "half",
        "soft",
        "hard",
        "firm",
        "regular",
        "key",
        "code",
        "right",
        "left",
        "single",
        "double",
        "light",
        "fixed",
        "flat",
        "plain",
    )
)


def has_value(text: str, key: str, value: str) -> bool:
    """Whether a *normal* text states an option's value; weak values only together with the option's name."""
    return _value_pattern(str(value), key).search(text) is not None


def payment_kinds(text: str) -> list[str]:
    """The kinds of payment methods that a text mentions."""
    return [kind for kind, pattern in PAYMENT_KINDS.items() if pattern.search(text)]


def last_fours(text: str) -> list[str]:
    """The last four digits of cards that a text names."""
    return [first or second for first, second in _LAST_FOUR.findall(text.lower())]


def find_method(text: str, methods: Iterable[_R]) -> list[_R]:
    """The payment methods that a text can mean, best first: by last four digits, by id, else by kind and brand."""
    methods = list(methods)
    low = text.lower()
    named = [m for m in methods if str(m["id"]).lower() in low]
    if named:
        return named
    digits = last_fours(text)
    exact = [
        m
        for m in methods
        if m.get("last_four") and (m["last_four"] in digits or re.search(rf"\b{m['last_four']}\b", low))
    ]
    if exact:
        return exact
    kinds = payment_kinds(text)
    fitting = [m for m in methods if m["source"] in kinds]
    branded = [m for m in fitting if str(m.get("brand", "\0")).lower() in low]
    balance = [m for m in fitting if m.get("balance") is not None and re.search(rf"\${m['balance']}\b", low)]
    return branded or balance or fitting


_HEADING = re.compile(
    r"(?:^|[,:.(>]|\b(?:the|and|new|your|an?|for|of|my|to|this|that|from|like|want|it|in|return|exchange))\s*$"
)


def parts(text: str, names: Iterable[str]) -> list[tuple[str, str]]:
    """Cut a text into what it says of each product: the name, and the *normal* words after it.

    A clause (up to ``;`` or the end of the line) without a name belongs to the name before. A name counts where it
    can begin a phrase, so that "compartment laptop" is no laptop.
    """
    wanted = list(dict.fromkeys(names))
    found: list[tuple[str, str]] = []
    for clause in _CLAUSE.split(text):
        low = normal(clause)
        heads = _heads(low, wanted)
        if not heads:
            if found and low:
                found[-1] = (found[-1][0], f"{found[-1][1]} {low}")
            continue
        for at, (_, end, name) in enumerate(heads):
            stop = heads[at + 1][0] if at + 1 < len(heads) else len(low)
            found.append((name, low[end:stop]))
    return found


_CLAUSE = re.compile(r"[;\n]")


def _heads(low: str, names: Iterable[str]) -> list[tuple[int, int, str]]:
    spans = sorted((m.start(), m.end(), name) for name in names for m in name_pattern(name).finditer(low))
    return [
        span
        for position, span in enumerate(spans)
        if position == 0 or _HEADING.search(low, max(0, span[0] - 12), span[0])
    ]
