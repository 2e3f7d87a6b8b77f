"""Hearing Chinese in a described domain: its nouns and verbs become marks that dialogue acts' cues leave alone."""

# ruff: noqa: RUF001

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.locales import Locale
from mua_env.users.agenda.nlu.glossary import Glossary, has_chinese, read_through


class ChineseEar:
    """Reads an agent's Chinese into the words by which dialogue acts are told apart.

    Args:
        locale: with the domain's own words.
        slots: whose nouns are asked for.
        wishes: the words that name each intent.
    """

    def __init__(self, locale: Locale, slots: Iterable[Argument], wishes: Mapping[str, re.Pattern[str]]) -> None:
        nouns = {locale.text(slot.kind.noun): slot for slot in slots}
        further = ((slot.kind.asked, slot) for slot in nouns.values() if slot.kind.asked)
        named = sorted(nouns.items(), key=lambda pair: -len(pair[0]))
        self._nouns: Glossary = tuple(
            (pattern, f" {self.mark(slot.slot)} ")
            for pattern, slot in (*((re.escape(noun), slot) for noun, slot in named), *further)
            if has_chinese(pattern)
        )
        self._wishes = wishes

    @staticmethod
    def mark(name: str) -> str:
        """A word that stands for a slot or an intent."""
        return f"q_{name}"

    def __call__(self, text: str) -> str:
        """The text in cue words; the wishes that it names are put before each sentence that names them."""
        if not has_chinese(text):
            return text
        parts = re.split(r"(?<=[。？！\n])", text)
        return " ".join(read_through(self._with_wishes(part), self._nouns, ()) for part in parts if part.strip())

    def _with_wishes(self, sentence: str) -> str:
        # Behind what offers or claims it, as an object stands behind its verb; the mark must survive the glossary.
        marks = [self.mark(intent) for intent, cue in self._wishes.items() if cue.search(sentence)]
        if not marks:
            return sentence
        end = len(sentence.rstrip("。？！\n"))
        return f"{sentence[:end]} {' '.join(marks)} {sentence[end:]}"
