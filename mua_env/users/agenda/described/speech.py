"""A user's voice, and the plain voice of written instructions, as a description needs them."""

from __future__ import annotations

from random import Random

from mua_env.domain.description.locales import Locale
from mua_env.users.agenda.nlg.grammar import expand
from mua_env.users.agenda.nlg.personas import Voice


class VoiceSpeech:
    """How a user speaks, in the natural language of its domain."""

    def __init__(self, voice: Voice, locale: Locale) -> None:
        self.voice, self.locale, self.rng = voice, locale, voice.rng

    def say(self, template: str, **values: str) -> str:
        """One variant of a template."""
        return self.voice.say(template, **values)

    def keep(self, value: str) -> str:
        """A value that must survive noise."""
        return self.voice.keep(value)


class WrittenSpeech:
    """How an instruction is written: no noise, so that no value needs a mark."""

    def __init__(self, rng: Random, locale: Locale) -> None:
        self.rng, self.locale = rng, locale

    def say(self, template: str, **values: str) -> str:
        """One variant of a template."""
        return expand(template, self.rng, values)

    def keep(self, value: str) -> str:
        """The value as it is."""
        return value
