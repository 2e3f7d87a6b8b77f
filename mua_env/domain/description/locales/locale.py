"""What a natural language is to a description: its messages, and the words by which a few things are told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mua_env.errors import ConfigError, did_you_mean

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")


@dataclass(frozen=True)
class Locale:
    """A natural language.

    Attributes:
        code: as ``"en"``.
        messages: by dialogue act or thing said, in the template grammar of phrasings: ``[a|b]`` and ``{value}``.
        compact: the messages that small models are shown instead, short and regular.
        asks: regular expressions with ``{noun}`` that find a question for something called so.
        yes: finds agreement in a sentence; ``no`` anything in it that takes the agreement back.
        ignorance: finds that somebody does not know.
        done: what the user says in the end ("no, that is all").
        why: finds a question for the reason of a refusal; ``insists`` that somebody does not believe it.
        old: finds, right before a value, that it is what was so before ("from", "instead of").
        translations: of a domain's own texts, by the text in the language that the domain is written in.
        spaced: whether words are set apart by spaces.
    """

    code: str
    messages: Mapping[str, str]
    compact: Mapping[str, str]
    asks: Sequence[str]
    yes: str
    no: str
    ignorance: str
    done: str
    why: str
    insists: str
    old: str
    comma: str = ", "
    last: str = " and "
    either: str = " or "
    spaced: bool = True
    translations: Mapping[str, str] = field(default_factory=dict)

    def with_translations(self, translations: Mapping[str, str]) -> Locale:
        """This locale with a domain's own texts."""
        return replace(self, translations=translations)

    def text(self, source: str) -> str:
        """A text of the domain's in this language; itself where it is not translated."""
        return self.translations.get(source, source)

    def message(self, name: str, *, compact: bool = False) -> str:
        """The template of a message.

        Raises:
            ConfigError: there is none.
        """
        if compact and name in self.compact:
            return self.compact[name]
        if name not in self.messages:
            raise ConfigError(f"the locale {self.code!r} has no message {name!r}.{did_you_mean(name, self.messages)}")
        return self.messages[name]

    def asking(self, noun: str) -> str:
        """A regular expression that finds a question for something that is called so."""
        name = self.text(noun)
        head = name.split()[-1] if self.spaced else name
        first = name.split()[0] if self.spaced else name
        filled = {"noun": re.escape(name), "head": re.escape(head), "first": re.escape(first)}
        return "|".join(pattern.format(**filled) for pattern in self.asks)

    def listing(self, parts: Sequence[str], *, either: bool = False) -> str:
        """``a, b and c``."""
        last = self.either if either else self.last
        return "".join(parts) if len(parts) < 2 else f"{self.comma.join(parts[:-1])}{last}{parts[-1]}"

    def verb(self, deed: str) -> str:
        """A deed as it is said; where words are not set apart, a space in it only tells verb and object apart."""
        return self.text(deed) if self.spaced else self.text(deed).replace(" ", "")

    @cached_property
    def agreement(self) -> re.Pattern[str]:
        """``yes``, compiled."""
        return re.compile(self.yes, re.IGNORECASE)

    @cached_property
    def objection(self) -> re.Pattern[str]:
        """``no``, compiled."""
        return re.compile(self.no, re.IGNORECASE)

    @cached_property
    def farewell(self) -> re.Pattern[str]:
        """``done``, compiled."""
        return re.compile(self.done, re.IGNORECASE)

    @cached_property
    def disbelief(self) -> re.Pattern[str]:
        """``why`` or ``insists``, compiled."""
        return re.compile(f"{self.why}|{self.insists}", re.IGNORECASE)

    @cached_property
    def not_knowing(self) -> re.Pattern[str]:
        """``ignorance``, compiled."""
        return re.compile(self.ignorance, re.IGNORECASE)

    def agrees(self, text: str) -> bool:
        """Whether somebody says yes to a proposal: the first sentence with a yes, or anything against it, decides."""
        for sentence in _SENTENCE.split(text):
            if self.objection.search(sentence):
                return False
            if self.agreement.search(sentence):
                return True
        return False
