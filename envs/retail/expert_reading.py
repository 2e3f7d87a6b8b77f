"""What the retail expert reads in a user's message: the intent, and the values of slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mua_env.agents.scripted.reading import Mender, Told, last_text

from .language import matching

Record = dict[str, Any]

# fmt: off
mend = Mender((
    "cancel", "return", "exchange", "modify", "change", "address", "payment", "method", "order", "orders",
    "status", "total", "price", "tracking", "number", "delivery", "shipping", "options", "available", "default",
    "profile", "pending", "shipped", "human", "agent", "representative", "item", "items", "something", "things",
    "several", "product", "talk", "know", "want", "name", "code", "don't", "remember", "know", "that's", "right",
    "wrong", "actually", "changed", "mind", "needed", "mistake", "instead", "question", "account", "check", "yes",
    "please", "wait", "hold", "sorry", "zip", "email",
))
# fmt: on

_CHANGE = r"\b(?:change|modify|update)\b"
_INTENTS = Told(
    {
        "human": r"\btalk to a human|\bhuman (?:agent|representative)",
        "cancel_order": r"\bcancel\b",
        "exchange_items": r"\bexchange\b",
        "return_items": r"\breturn\b",
        "modify_order_payment": rf"{_CHANGE}.*\bpayment method of\b",
        "modify_user_address": rf"{_CHANGE}.*\b(?:default|profile)\b",
        "modify_order_address": rf"{_CHANGE}.*\baddress of\b",
        "ask:order_status": r"\bstatus of\b",
        "ask:order_total": r"\btotal\b",
        "ask:tracking_number": r"\btracking\b",
        "ask:delivery_address": r"\bdelivery address of\b",
        "ask:product_options_count": r"\bhow many options\b",
        "modify_items": rf"{_CHANGE}.*\b(?:item|items|things|something)\b",
    }
)


def intent(text: str) -> str | None:
    """The intent that a message states (questions as ``"ask:<topic>"``), or None."""
    return _INTENTS(mend(text))


_YES = re.compile(
    r"(?:(?<![a-z] )|\b(?:say|so|well|oh|ah|um|uh|er|okay|ok) )yes\b|"
    r"\b(?:yeah|yep|confirm|correct|proceed|go ahead|please do)\b"
)
"""A yes after another word is a value: "dimmer yes"."""
_NO = re.compile(
    r"\b(?:no|not|nope|don't|wait|hold on|actually|wrong|changed my mind|change of mind|second thought|different|"
    r"mistake)\b|\ba change\b"
)


def agrees(text: str) -> bool:
    """Whether an answer to "(yes/no)" is a yes: some sentence says so before any says otherwise."""
    for sentence in _SENTENCE.split(mend(text)):
        if _NO.search(sentence):
            return False
        if _YES.search(sentence):
            return True
    return False


_SENTENCE = re.compile(r"(?<=[.!?])\s")
_IGNORANT = re.compile(r"\b(?:don't|do not|can't|cannot|not)\b.{0,12}\b(?:know|have|remember|find|sure)\b")


def does_not_know(text: str) -> bool:
    """Whether the user says that it does not know."""
    return _IGNORANT.search(mend(text)) is not None


def email(text: str) -> str | None:
    """The e-mail address in a text."""
    match = matching.EMAIL.search(text)
    return match[0].rstrip(".") if match else None


_NAME = re.compile(r"\b(?=([A-Z][\w'\u2019-]+) ([A-Z][\w'\u2019-]+)\b)")
# fmt: off
_NOT_NAMES = frozenset((
    "And", "Certainly", "Come", "Fine", "Good", "Hello", "Hmm", "Hold", "I", "I'm", "It", "It's", "Let", "Look",
    "My", "Of", "Oh", "Okay", "Order", "Sorry", "Sure", "Thank", "Thanks", "That", "That's", "The", "Uh", "Um",
    "Wait", "Well", "You", "Zip",
))
# fmt: on


def name(text: str) -> tuple[str, str] | None:
    """First and last name: the last two capitalised words that stand together."""
    found = [(match[1], match[2]) for match in _NAME.finditer(text) if match[1] not in _NOT_NAMES]
    return found[-1] if found else None


def zip_code(text: str) -> str | None:
    """The last postal code in a text."""
    return last_text(matching.ZIP, text)


_ADDRESS = re.compile(
    r"(?P<address1>\d{1,5} [\w .'-]{2,60}?), (?:(?P<address2>[A-Z][\w.#' -]{0,40}), )?(?P<city>[A-Z][A-Za-z "
    r".'-]{1,40}), "
    r"(?P<state>[A-Z]{2}),? (?P<zip>\d{5}), (?P<country>[A-Z][A-Za-z .]{1,30}?)(?=[.,]?(?:\s|$))"
)


def address(text: str) -> dict[str, str] | None:
    """An address written in one line: street, unit, city, state and postal code, country."""
    match = _ADDRESS.search(text)
    return {key: value or "" for key, value in match.groupdict().items()} if match else None


def option_values(text: str, choices: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The option values that a text states.

    Args:
        text: the user's words about one product.
        choices: the values that each option of the product can have.

    Values named with their option ("color blue") count before values that stand alone ("blue").
    """
    low = matching.normal(text)
    pairs = [(key, value) for key, values in choices.items() for value in values]
    labelled = [(f"{matching.normal(key)} {matching.normal(value)}", key, value) for key, value in pairs]
    bare = [(matching.normal(value), key, value) for key, value in pairs if not matching.is_weak(value)]
    return _stated(low, labelled) or _stated(low, bare)


def _stated(low: str, phrases: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The values (option, value) whose phrases stand in a text."""
    return _longest(
        [
            (m.start(), m.end(), key, value)
            for phrase, key, value in phrases
            for m in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w|\.\d)", low)
        ]
    )


def _longest(spans: Sequence[tuple[int, int, str, str]]) -> dict[str, str]:
    kept = [a for a in spans if not any(b[0] <= a[0] and a[1] <= b[1] and b[1] - b[0] > a[1] - a[0] for b in spans)]
    return {key: value for _, _, key, value in kept}


def items(text: str, held: Sequence[Record]) -> list[Record]:
    """The items of an order that a text names, in the order of the record.

    Of several with one name, those whose options fit the words after a mention of it; all of them where nothing
    tells them apart.
    """
    names = [item["name"] for item in held]
    found = matching.names_in(text, names)
    chosen: list[Record] = []
    for name_ in found:
        twins = [item for item in held if item["name"] == name_]
        chosen += twins if len(twins) == 1 else _of_twins(text, name_, twins, found) or twins
    return [item for item in held if any(item is other for other in chosen)]


def unclear_items(text: str, held: Sequence[Record], *, names_only: bool = False) -> list[list[Record]]:
    """Items of one name that a text mentions without telling which of them it means.

    ``names_only``: the options in the text do not describe the items held.
    """
    found = matching.names_in(text, [item["name"] for item in held])
    groups = [[item for item in held if item["name"] == name_] for name_ in found]
    return [
        twins
        for twins in groups
        if len({twin["item_id"] for twin in twins}) > 1
        and (names_only or not _of_twins(text, twins[0]["name"], twins, found))
    ]


def _of_twins(text: str, name_: str, twins: Sequence[Record], names: Sequence[str]) -> list[Record]:
    """The twins that the words after each mention of their name tell apart; empty if they do not."""
    low = matching.normal(text)
    mentions = [m.end() for m in matching.name_pattern(name_).finditer(low)]
    others = [m.start() for other in names if other != name_ for m in matching.name_pattern(other).finditer(low)]
    chosen: list[Record] = []
    if len({twin["item_id"] for twin in twins}) == 1:
        return list(twins[: len(mentions)])
    for start in mentions:
        end = min([at for at in mentions + others if at > start], default=len(low))
        best = _best(low[start:end], [twin for twin in twins if not any(twin is other for other in chosen)])
        if best is None:
            return []
        chosen.append(best)
    return chosen


def _best(part: str, twins: Sequence[Record]) -> Record | None:
    """The twin with the most options in the text, unless it is a draw."""
    choices: dict[str, list[str]] = {}
    for twin in twins:
        for key, value in twin["options"].items():
            choices.setdefault(key, []).append(value)
    stated = option_values(part, choices)
    scores = [sum(twin["options"].get(key) == value for key, value in stated.items()) for twin in twins]
    top = max(scores, default=0)
    winners = [twin for twin, score in zip(twins, scores, strict=True) if score == top]
    distinct = {twin["item_id"] for twin in winners}
    return winners[0] if top and len(distinct) == 1 else None


def narrowed(text: str, candidates: Sequence[Record]) -> list[Record]:
    """Of items with one name, those with the options that a text states."""
    best = _best(matching.normal(text), candidates)
    return [best] if best is not None else list(candidates)
