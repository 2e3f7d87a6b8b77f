"""What an agent has stated to the user: values of requirements, and the outputs of public tasks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal

from mua_env.scoring.numbers import DENIED, amounts, stated

BUDGETS = {1: 4, 2: 6}
"""Different numbers of so many digits that an agent may state in a dialogue before all of them are guesses."""
BUDGET = 16
"""The same of longer numbers, which are harder to guess. Of 565 dialogues of language models, 1 in 100 states more."""
MOST_OF_A_KIND = 2
"""Different numbers of one or two digits that may be stated with the same words around them."""

Vocabulary = frozenset[str]
"""All values, in lower case, that something can have: of two that are said of one thing, neither is stated."""

# Han characters are word characters to a regular expression, but stand beside a word without a space.
_BEFORE, _AFTER = r"(?<![^\W\u4e00-\u9fff])", r"(?![^\W\u4e00-\u9fff])"
_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_SENTENCES = re.compile(r"(?<=[.!?;\u3002\uff01\uff1f\uff1b])\s*|\n+")
_ID = re.compile(r"#\w+|\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b")
# "Only pending orders can be cancelled" speaks of a kind, and "it will be cancelled" of what may come.
_OF_A_KIND = r"(?!\s+(?:\w+\s+)?(?:orders|items|ones|flights|reservations|bookings|lines|bills|customers|members)\b)"
_TO_COME = re.compile(r"\b(?:be|being) $")
_JOINED = re.compile(r"[\s,/|&]*(?:(?:and|or|either|else|maybe|perhaps|already|even)\s+)*")
_DONE = re.compile(r"\bbeen $")
_NEAR = 40
"""Characters before a word that are looked at."""
_ALL = 3
"""So many members of a vocabulary in a sentence are a list, whatever is said of them."""


def said(text: str, agent_texts: Sequence[str]) -> bool:
    """Whether a message of the agent holds a string: lower case, commas removed from the message (as tau-bench)."""
    return any(text.lower() in message.lower().replace(",", "") for message in agent_texts)


def said_whole(text: str, agent_texts: Sequence[str]) -> bool:
    """:func:`said`, but a number must be stated as a number: 10 is not in "$100", and 54 not in "-54"."""
    number = text.replace(",", "").removeprefix("$")
    if not _PLAIN_NUMBER.fullmatch(number):
        return said(text, agent_texts)
    return any(Decimal(number) in stated(message) for message in agent_texts)


def told(
    value: str, agent_texts: Sequence[str], *, vocabularies: Sequence[Vocabulary] = (), about: Collection[str] = ()
) -> bool:
    """Whether the agent has stated a value.

    A number must be stated as a number (`mua_env.scoring.numbers`), and none is stated by an agent that counts: with
    the same words around them two numbers of up to two digits at most, and in the whole dialogue 4 different ones of
    one digit, 6 of two, 16 of each longer length. Beyond that none of them counts, wherever it was said.

    Words must stand there as words, and not after a "not": "pending" is not stated by "not pending". Of a closed
    vocabulary, one member alone may be stated in the whole dialogue: "pending, processed or delivered" states none.
    What "has been cancelled" is said of a status too, unless the status was stated in a message before.

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
        return _members_told(members, agent_texts, {name.lower() for name in about}) == {wanted}
    word = re.compile(f"{_BEFORE}{re.escape(wanted)}{_AFTER}")
    lines = (" ".join(message.split()) for message in map(_lower, agent_texts))
    return any(not _denied(line, match.start()) for line in lines for match in word.finditer(line))


def _number_told(value: Decimal, agent_texts: Sequence[str]) -> bool:
    said = [number for message in agent_texts for number in amounts(message) if number.stated]
    size = _size(value)
    alike = defaultdict(set)
    for number in said:
        alike[number.around].add(number.value)
    rivals = {
        number.value
        for number in said
        if _size(number.value) == size and (size > 2 or len(_short(alike[number.around])) <= MOST_OF_A_KIND)
    }
    return value in rivals and len(rivals) <= BUDGETS.get(size, BUDGET)


def _short(values: Iterable[Decimal]) -> list[Decimal]:
    return [value for value in values if _size(value) <= 2]


def _size(value: Decimal) -> int:
    """How many digits a number has: what it takes to guess it."""
    whole, _, part = f"{abs(value):f}".partition(".")
    return len(whole) + len(part.rstrip("0"))


def _members_told(members: Vocabulary, agent_texts: Sequence[str], about: Collection[str]) -> set[str]:
    """The members of a vocabulary that were stated, of what has one of the ids or of nothing with an id."""
    # The longest first: "pending (item modified)" is another status than "pending".
    choice = "|".join(re.escape(word) for word in sorted(members, key=len, reverse=True))
    pattern = re.compile(f"{_BEFORE}(?P<word>{choice}){_AFTER}{_OF_A_KIND}")
    found, since = set(), len(agent_texts)
    done: list[tuple[int, str]] = []
    for place, sentence in _sentences_about(agent_texts, about):
        named = [match for match in pattern.finditer(sentence) if not _denied(sentence, match.start())]
        listed = len({match["word"] for match in named}) >= _ALL
        end, to_come = 0, False
        for match in named:
            before = sentence[max(0, match.start() - _NEAR) : match.start()]
            # "It may be pending or delivered": what is joined to another is said as that is.
            joined = end > 0 and _JOINED.fullmatch(sentence, end, match.start()) is not None
            to_come = (joined and to_come) or _TO_COME.search(before) is not None
            end = match.end()
            if not listed and _DONE.search(before):
                done.append((place, match["word"]))
            elif listed or not to_come:
                found.add(match["word"])
                since = min(since, place)
    # "It is pending", and a message later "it has been cancelled": the agent's own deed.
    return found | {word for place, word in done if place <= since}


def _sentences_about(agent_texts: Sequence[str], about: Collection[str]) -> Iterator[tuple[int, str]]:
    """The sentences about something, each with the place of its message."""
    for place, message in enumerate(map(_lower, agent_texts)):
        elsewhere = False
        for sentence in _SENTENCES.split(message):
            named = set(_ID.findall(sentence))
            if about and named:
                elsewhere = named.isdisjoint(about)
            if not elsewhere:
                yield place, " ".join(sentence.split())


def _denied(text: str, begin: int) -> bool:
    return DENIED.search(text[max(0, begin - _NEAR) : begin]) is not None


def _lower(message: str) -> str:
    return message.lower().replace(",", "").replace("\u2019", "'")
