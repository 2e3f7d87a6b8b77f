"""By which words anybody names a wish: derived from what the agent does and from what else there is to do."""

# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mua_env.domain.description.locales import Locale

_FILLERS = frozenset({"the", "a", "an", "my", "your", "of", "to", "for", "in", "on", "with", "another", "new"})
_NEAR = 60
"""Characters between a verb and its object."""


@dataclass(frozen=True)
class Deed:
    """A deed taken apart: the verb, its participle, and the words of its object."""

    verb: str
    object: str
    done: str = ""
    also: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The words of the object that tell something."""
        return frozenset(word.lower() for word in re.findall(r"[\w-]+", self.object)) - _FILLERS


def take_apart(deed: str, done: str, also: str, locale: Locale) -> Deed:
    """A deed's verb and object: the object begins at "the", or behind the first word."""
    text = locale.text(deed)
    verb, found, rest = text.partition(" the ") if locale.spaced else text.partition(" ")
    if not found:
        verb, _, rest = text.partition(" ")
    return Deed(verb, rest, locale.text(done), also)


def cues(deeds: Mapping[str, Deed], nouns: Iterable[str], locale: Locale) -> dict[str, str]:
    """A regular expression for each wish that finds it named.

    The verb will do where no other wish has it; else a word of the object that the others lack must stand near it.
    Nouns that look like forms of a verb ("booking" for "book") are none.
    """
    if not locale.spaced:
        return {name: _unspaced(deed) for name, deed in deeds.items()}
    spoken = {word.lower() for text in (*nouns, *(deed.object for deed in deeds.values())) for word in text.split()}
    return {name: _spaced(name, deed, deeds, spoken) for name, deed in deeds.items()}


def _unspaced(deed: Deed) -> str:
    verbs = "|".join(filter(None, (re.escape(deed.verb), deed.also)))
    if not deed.object:
        return f"(?:{verbs})"
    thing = re.escape(deed.object)
    return f"(?:{verbs})[^。？！?!\n]{{0,20}}{thing}|{thing}[^。？！?!\n]{{0,20}}(?:{verbs})"


def _spaced(name: str, deed: Deed, deeds: Mapping[str, Deed], nouns: Iterable[str]) -> str:
    forms = _forms(deed, nouns)
    rivals = [other for key, other in deeds.items() if key != name and _stem(other.verb) == _stem(deed.verb)]
    telling = deed.words - frozenset[str]().union(*(rival.words for rival in rivals)) if rivals else frozenset[str]()
    if not rivals:
        return forms
    near = "|".join(sorted(map(re.escape, telling or deed.words)))
    return rf"(?:{forms})(?=[^.?!\n]{{0,{_NEAR}}}\b(?:{near})s?\b)|\b(?:{near})\b[^.?!\n]{{0,30}}(?:{forms})"


def _forms(deed: Deed, nouns: Iterable[str]) -> str:
    stem = _stem(deed.verb)
    head = deed.verb.split()[0].lower()
    taken = sorted(form for noun in nouns for form in (noun, f"{noun}s") if noun.startswith(stem) and noun != head)
    hidden = rf"(?!(?:{'|'.join(map(re.escape, taken))})\b)" if taken else ""
    participle = re.escape(deed.done.split()[0]) if deed.done else "(?!)"
    further = rf"|\b(?:{deed.also})\w{{0,3}}\b" if deed.also else ""
    return rf"\b{hidden}(?:{re.escape(stem)}\w{{0,7}}|{participle})\b{further}"


def _stem(verb: str) -> str:
    head = verb.split()[0].lower()
    return head[:-1] if head.endswith(("e", "y")) and len(head) > 3 else head


def named_in(text: str, patterns: Mapping[str, re.Pattern[str]]) -> list[str]:
    """The wishes that a text names, by place; of cues that begin at the same word the shortest match counts."""
    best: dict[int, tuple[int, str]] = {}
    for name, pattern in patterns.items():
        for match in pattern.finditer(text):
            if match.start() not in best or match.end() < best[match.start()][0]:
                best[match.start()] = (match.end(), name)
    return [name for _, (_, name) in sorted(best.items())]


def phrase_of(deed: str, locale: Locale) -> str:
    """What a user says for a deed: any of its kind, or one's own."""
    return deed.replace("the ", "[a|my] ", 1) if locale.spaced else locale.verb(deed)


def as_pattern(template: str) -> str:
    """A regular expression that finds any variant of a phrase in the grammar of phrasings."""
    marks = {"[": "(?:", "]": ")", "|": "|"}
    parts = re.split(r"(\{\w+\}|[\[\]|])", template)
    return "".join(marks.get(part, r".{0,60}?" if part.startswith("{") else re.escape(part)) for part in parts)


def joined(alternatives: Sequence[str]) -> str:
    """Regular expressions as one."""
    return "|".join(f"(?:{each})" for each in alternatives if each) or "(?!)"
