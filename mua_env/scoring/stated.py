"""What an agent has stated to the user: values of requirements, and the outputs of public tasks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal

MOST_NUMBERS = 25
"""Different numbers that an agent may say in a dialogue before none counts as a statement any more."""

Vocabulary = frozenset[str]
"""All values, in lower case, that something can have: of two that are said of one thing, neither is stated."""

# Han characters are word characters to a regular expression, but stand beside a word without a space.
_BEFORE, _AFTER = r"(?<![^\W\u4e00-\u9fff])", r"(?![^\W\u4e00-\u9fff])"
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_#.])(?P<sign>[-\u2212](?=[$\u20ac\u00a3]?\d))?[$\u20ac\u00a3]?"
    rf"(?P<digits>(?<![A-Za-z0-9_#.])[0-9]+(?:\.[0-9]+)?){_AFTER}(?!\.[0-9])"
)
_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_DENIED = r"(?<!\bnot )(?<!n't )(?<!\bno longer )(?<!\bneither )(?<!\bnor )(?<!\bnot yet )(?<!\bnever )"
_SENTENCES = re.compile(r"(?<=[.!?;\u3002\uff01\uff1f\uff1b])\s*|\n+")
_ID = re.compile(r"#\w+|\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b")
# "Only pending orders can be cancelled" speaks of a kind, "it will be cancelled" of what may come, and "it has been
# cancelled" of what was just done, unless just that was asked.
_OF_A_KIND = r"(?!\s+(?:\w+\s+)?(?:orders|items|ones|flights|reservations|bookings|lines|bills|customers|members)\b)"
_DEED, _TO_COME = r"\bbeen ", r"(?<!\bbe )(?<!\bbeing )"


def said(text: str, agent_texts: Sequence[str]) -> bool:
    """Whether a message of the agent holds a string: lower case, commas removed from the message (as tau-bench)."""
    return any(text.lower() in message.lower().replace(",", "") for message in agent_texts)


def said_whole(text: str, agent_texts: Sequence[str]) -> bool:
    """:func:`said`, but a number must stand there as a number: 10 is not in "$100", and 54 not in "-54"."""
    number = text.replace(",", "").removeprefix("$")
    if not _PLAIN_NUMBER.fullmatch(number):
        return said(text, agent_texts)
    return any(Decimal(number) in numbers(message) for message in agent_texts)


def told(
    value: str, agent_texts: Sequence[str], *, vocabularies: Sequence[Vocabulary] = (), about: Collection[str] = ()
) -> bool:
    """Whether the agent has stated a value.

    A number must stand there as a number: 4 is not stated by "#W1234", 12 not by "-12", 12.5 is by "$12.50". Nothing
    is stated any more once the agent has said more than 25 different numbers, so that none scores by counting.

    Words must stand there as words, and not right after a "not": "pending" is not stated by "not pending". Of a closed
    vocabulary, one member alone may be stated in the whole dialogue: "pending, processed or delivered" states none.

    Args:
        value: what must be stated.
        agent_texts: what the agent said to the user, in order.
        vocabularies: the closed vocabularies of the domain.
        about: ids of what the value is of; what is said of things with other ids does not count.
    """
    if _PLAIN_NUMBER.fullmatch(value):
        return _number_told(Decimal(value), agent_texts)
    wanted = value.lower()
    members = next((words for words in vocabularies if wanted in words), None)
    if members is not None:
        return _members_told(wanted, members, agent_texts, {name.lower() for name in about}) == {wanted}
    word = re.compile(f"{_DENIED}{_BEFORE}{re.escape(wanted)}{_AFTER}")
    return any(word.search(" ".join(message.split())) for message in map(_lower, agent_texts))


def numbers(message: str) -> set[Decimal]:
    """The numbers that stand in a message as numbers, thousands with or without commas."""
    found = _NUMBER.finditer(message.replace(",", ""))
    return {Decimal(("-" if match["sign"] else "") + match["digits"]) for match in found}


def _number_told(value: Decimal, agent_texts: Sequence[str]) -> bool:
    said_so_far: set[Decimal] = set()
    for message in agent_texts:
        found = numbers(message)
        said_so_far |= found
        if len(said_so_far) > MOST_NUMBERS:
            return False
        if value in found:
            return True
    return False


def _members_told(wanted: str, members: Vocabulary, agent_texts: Sequence[str], about: Collection[str]) -> set[str]:
    """The members of a vocabulary that were stated, of what has one of the ids or of nothing with an id."""
    # The longest first: "pending (item modified)" is another status than "pending".
    choice = "|".join(re.escape(word) for word in sorted(members, key=len, reverse=True))
    before = f"{_DENIED}(?:(?P<deed>{_DEED})|(?<!{_DEED})){_TO_COME}{_BEFORE}"
    pattern = re.compile(f"{before}(?P<word>{choice}){_AFTER}{_OF_A_KIND}")
    return {
        match["word"]
        for sentence in _sentences_about(agent_texts, about)
        for match in pattern.finditer(sentence)
        if not match["deed"] or match["word"] == wanted
    }


def _sentences_about(agent_texts: Sequence[str], about: Collection[str]) -> Iterator[str]:
    for message in map(_lower, agent_texts):
        elsewhere = False
        for sentence in _SENTENCES.split(message):
            named = set(_ID.findall(sentence))
            if about and named:
                elsewhere = named.isdisjoint(about)
            if not elsewhere:
                yield " ".join(sentence.split())


def _lower(message: str) -> str:
    return message.lower().replace(",", "")
