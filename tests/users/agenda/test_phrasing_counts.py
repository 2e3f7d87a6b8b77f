"""At least 20 phrasings of every act, in every manner, natural language and domain."""

from __future__ import annotations

from random import Random

import pytest

from mua_env.domain.contract import load_domain
from mua_env.users.agenda.language import DialogueLanguage, Operation
from mua_env.users.agenda.nlg.grammar import Phrasings
from mua_env.users.agenda.nlg.personas import PERSONAS, Voice
from mua_env.users.agenda.nlg.phrases import LONG, SHORT, phrase
from mua_env.users.agenda.user import LANGUAGES

LEAST = 20
DRAWS = 600
"""Of 20 equally likely phrasings one is missed among so many draws with a probability of 10^-12."""
VALUES = {"wish": "W", "fix": "F", "noun": "N", "tail": "T", "wrong": "X-", "value": "V", "why": "Y"}


def spoken(domain: str, code: str) -> DialogueLanguage:
    language = load_domain(domain).language
    assert isinstance(language, DialogueLanguage)
    return language.spoken(code)


def voice(persona: str, language: DialogueLanguage, phrasings: Phrasings = "all") -> Voice:
    return Voice(Random(f"{persona}{language.code}"), PERSONAS[persona], locale=language.locale, phrasings=phrasings)


@pytest.mark.parametrize("persona", sorted(PERSONAS))
@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_every_act_of_a_manner_has_twenty(domain: str, code: str, persona: str) -> None:
    assert LONG.keys() == SHORT.keys()
    speaker = voice(persona, spoken(domain, code))
    few = {act: many for act in LONG if (many := len({phrase(act, speaker, **VALUES) for _ in range(DRAWS)})) < LEAST}
    assert not few


@pytest.mark.parametrize("persona", ["terse", "plain"])
@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_telling_a_value_has_twenty(domain: str, code: str, persona: str) -> None:
    language = spoken(domain, code)
    speaker = voice(persona, language)
    templates = {slot.template(speaker.short) for slot in language.slots.values()}
    assert len({speaker.say(template, value="V") for template in templates for _ in range(DRAWS)}) >= LEAST


def _told(language: DialogueLanguage, operation: Operation, result: str, speaker: Voice) -> set[str]:
    return {language.told(operation, result, speaker) for _ in range(DRAWS)}


@pytest.mark.parametrize("persona", ["terse", "plain", "careless", "wary"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_what_a_user_with_tools_says_has_twenty(code: str, persona: str) -> None:
    language = spoken("telecom", code)
    speaker = voice(persona, language)
    few = {
        f"{operation.tool}:{result}": many
        for operation in language.operations
        for result in ("what it shows", *([""] if operation.switch and not operation.look else []))
        if (many := len(_told(language, operation, result, speaker))) < LEAST
    }
    assert not few
    doubts = {language.doubt(operation, speaker) for operation in language.operations for _ in range(DRAWS)}
    assert len(doubts) >= LEAST
