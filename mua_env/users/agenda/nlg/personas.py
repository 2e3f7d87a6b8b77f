"""Personas, noise and locales: how a user speaks, never what it wants."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from mua_env.errors import ConfigError, did_you_mean
from mua_env.users.agenda.nlg.grammar import KEEP_CLOSE, KEEP_OPEN, Phrasings, expand, expand_part, keep, unmark


@dataclass(frozen=True, slots=True)
class Persona:
    """A manner of speaking.

    ``short`` picks the short, regular phrasings. ``before``/``after`` are templates put around a turn with the
    probability ``garnish``; ``opening`` ones go before the first turn. ``patience`` is the number of useless agent
    turns after which the user gives up. Of users with tools of their own, ``careless`` ones sometimes read off
    something else than what they see, and ``wary`` ones ask once whether something is needed before they do it.
    """

    name: str
    short: bool = False
    opening: str = ""
    before: str = ""
    after: str = ""
    garnish: float = 0.0
    patience: int = 4
    careless: bool = False
    wary: bool = False


_MOMENT = (
    "[||||||||||||||||Still |Back |Just |Only |Always |Already |Mostly |Again ][busy|free|here|home|away|awake|"
    "online|waiting|"
    "cooking|resting|alone|tired|outside|upstairs|downstairs|indoors|outdoors|idle|reading|studying|babysitting|"
    "commuting|walking|hurrying|rushing|swamped|around|reachable|knitting|baking|jogging|queueing|unwell|sleepless|"
    "napping|moving|decorating|sewing|drawing|practising] [until|till|since|before|after|from|past|around] [lunch|"
    "dinner|breakfast|brunch|supper|noon|midnight|dawn|dusk|sunrise|sunset|nightfall|bedtime|daybreak|teatime|work|"
    "school|church|choir|football|tennis|hockey|karate|ballet|judo|chess|bingo|physio|rehearsal|practice|rowing|"
    "swimming|sailing|fencing|rugby|cricket|handball|homework|kindergarten|daycare|college|exams|lectures|seminars|"
    "surgery|therapy|dialysis|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|yesterday|Easter|Christmas|"
    "carnival|harvest|rounds|inspection|maintenance|prayers|mass|playtime|curfew|halftime|overtime|siesta|sundown|"
    "coffee|dessert|chores|errands|laundry][:|.|;|,|!|...] "
)
"""What a terse person is at, in three or four words: it keeps openings for different goals apart."""

PERSONAS: Mapping[str, Persona] = {
    persona.name: persona
    for persona in (
        Persona("terse", short=True, opening=_MOMENT),
        Persona(
            "plain", opening="[Hello|Hi|Hey|Good morning|Good afternoon|Good evening|Hi there|Hello there][.|,|!] "
        ),
        Persona(
            "polite",
            opening="[Hello|Good morning|Good afternoon|Good evening|Hi there][, I hope you are [well|having a good "
            "day]|"
            ", thank you for [your time|taking my request]|]. ",
            before="[Thank you|Thanks|Thank you very much|Many thanks|Thanks for your help]. ",
            after=" [Thank you|Thanks|Many thanks|Thank you very much|I appreciate [it|your help]].",
            garnish=0.5,
        ),
        Persona(
            "chatty",
            opening="[Hi|Hey|Hello][ there|]! [It's been [a long|quite a|a busy] [day|week|month], |"
            "[My sister|My neighbor|A friend|My roommate] [told me|said] I should [just write in|contact you], so |"
            "I [was going through|am sorting out] my [mail|emails|shopping|things] [today|this morning|just now] and |"
            "I hope [this is quick|you can help], because ][honestly |well, |]",
            before="[Oh, right|Well|Ah, okay|Let me see|Hmm, let me look][!|,|...] ",
            after=" [I've been [meaning to do|putting off] this for [days|a week|a while]"
            "|You wouldn't believe the [week|day|month] I'm having|It's been one of those [days|weeks]"
            "|My [dog|cat|kid] keeps [distracting me|walking around here]|Anyway, that's the [story|situation]].",
            garnish=0.4,
        ),
        Persona(
            "confused",
            opening="[Um|Uh|Hmm|Er], [hello|hi][?|.|, is this the right place?] [I'm not sure how this works, but |]",
            before="[Um|Uh|Hmm|Let me think|Er|Let me see|Oh]... ",
            after=" [At least I think so|If that makes sense|I hope that's right|I get mixed up sometimes"
            "|Sorry, I'm not good with this].",
            garnish=0.4,
        ),
        Persona(
            "impatient",
            opening="[Listen|Look|Okay|Hi], [I'm in a hurry|I don't have much time|let's be quick|make this fast]. ",
            before="[Look|Fine|Come on|Okay, okay], ",
            after=" [Please hurry|Can we speed this up?|I don't have all day|Let's move on|Be quick, please][.|!]",
            garnish=0.35,
            patience=3,
        ),
        Persona(
            "careless",
            opening="[Hi|Hey|Hello][.|!|, quick question.] ",
            before="[Okay|Right|So|Alright], ",
            garnish=0.3,
            careless=True,
        ),
        Persona(
            "wary",
            opening="[Hello|Hi|Good day][.| there.] [I hope I'm at the right place. |]",
            after=" [If you say so|I hope that's right|I'd rather be careful].",
            garnish=0.25,
            wary=True,
        ),
    )
}


def persona(name: str) -> Persona:
    """The persona of that name.

    Raises:
        ConfigError: there is none.
    """
    try:
        return PERSONAS[name or "plain"]
    except KeyError:
        known = ", ".join(sorted(PERSONAS))
        raise ConfigError(f"unknown persona {name!r}; known: {known}.{did_you_mean(name, PERSONAS)}") from None


class Voice:
    """How one user speaks: a persona, the share of noisy utterances, and the seeded draws of one dialogue.

    What is drawn hangs on the seed and on what it is drawn for (:meth:`draw`), never on what was drawn before it: two
    agents that ask for the same things in another order hear the same user (common random numbers).
    """

    __slots__ = ("_rng", "_seed", "_times", "locale", "noise", "persona", "phrasings")

    def __init__(
        self,
        rng: Random,
        persona: Persona,
        noise: float = 0.0,
        locale: Locale | None = None,
        phrasings: Phrasings = "all",
    ) -> None:
        self._seed, self._rng, self._times = rng.getrandbits(64), rng, Counter[str]()
        self.persona = persona
        self.noise = noise
        self.locale = locale
        self.phrasings: Phrasings = phrasings

    @property
    def short(self) -> bool:
        """Whether the persona speaks in short, regular phrases."""
        return self.persona.short

    @property
    def rng(self) -> Random:
        """The generator of draws that have no name; these hang on how many of them came before."""
        return self.draw("")

    def draw(self, event: str) -> Random:
        """The generator of one event, by the seed, what the event is, and how often it came before.

        It is good until the next event.
        """
        self._times[event] += 1
        key = hashlib.blake2b(f"{self._seed}/{self._times[event]}/{event}".encode(), digest_size=8).digest()
        self._rng.seed(int.from_bytes(key, "big"))
        return self._rng

    def say(self, template: str, **values: str) -> str:
        """One variant of a template."""
        return expand_part(template, self.draw(template), values, self.phrasings)

    def keep(self, value: str) -> str:
        """A value that noise must leave as it is."""
        return keep(value)

    def speak(self, parts: list[str], *, opening: bool = False) -> str:
        """The parts of a turn as the text that the agent reads: garnished, noisy, tidy."""
        locale, persona = self.locale, self.persona
        first, before, after = (
            locale.manners[persona.name] if locale else (persona.opening, persona.before, persona.after)
        )
        text = (locale.space if locale else " ").join(part for part in parts if part)
        rng = self.draw(text)
        if opening and first:
            text = expand(first, rng, {}) + text
        elif persona.garnish and rng.random() < persona.garnish:
            if after and rng.random() < 0.5:
                text = text + expand(after, rng, {})
            elif before:
                lead = expand(before, rng, {})
                text = lead + (_decapital(text) if lead.endswith(", ") else text)
        if self.noise > 0 and rng.random() < self.noise:
            text = (locale.noise if locale else add_noise)(text, rng)
        return unmark(text.strip() if locale else _tidy(text))

    def fork(self) -> Voice:
        """A voice with the same future."""
        twin = Voice(Random(0), self.persona, self.noise, self.locale, self.phrasings)
        twin._seed, twin._times = self._seed, self._times.copy()
        return twin


_START = re.compile(r"(?:^|(?<=[.!?] ))([a-z])")
_APOSTROPHE = re.compile(r"(?<=\bI) (?='(?:d|m)\b)")


def _decapital(text: str) -> str:
    """The text as it goes on after a comma."""
    word = text.split(" ", 1)[0]
    return (
        text if word.startswith((KEEP_OPEN, "I")) and word not in ("It", "It's", "In") else text[:1].lower() + text[1:]
    )


def _tidy(text: str) -> str:
    text = _APOSTROPHE.sub("", text.strip())
    return _START.sub(lambda match: match[1].upper(), text)


_WORD = re.compile(r"[A-Za-z']{4,}")
_SPAN = re.compile(f"({KEEP_OPEN}[^{KEEP_CLOSE}]*{KEEP_CLOSE})")


def add_noise(text: str, rng: Random, rate: float = 0.15) -> str:
    """Typing errors (swapped, dropped, doubled letters) in unprotected words of four letters or more.

    ``rate`` is the probability for each word.
    """

    def spoil(match: re.Match[str]) -> str:
        word = match[0]
        if rng.random() >= rate:
            return word
        at = 1 + int(rng.random() * (len(word) - 2))
        kind = rng.random()
        if kind < 0.35:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if kind < 0.65:
            return word[:at] + word[at + 1 :]
        return word[:at] + word[at] + word[at:]

    spans = _SPAN.split(text)
    return "".join(span if span.startswith(KEEP_OPEN) else _WORD.sub(spoil, span) for span in spans)


@dataclass(frozen=True)
class Locale:
    """How users speak in another language than English.

    ``short`` and ``long`` are the phrasings by act; ``manners`` what personas put before the opening, before a turn
    and after it; ``space`` stands between sentences, ``comma`` and ``stop`` in a short list; ``noise`` adds typing
    errors outside of marked values.
    """

    code: str
    short: Mapping[str, str]
    long: Mapping[str, str]
    manners: Mapping[str, tuple[str, str, str]]
    noise: Callable[[str, Random], str]
    space: str = " "
    comma: str = ", "
    stop: str = "."
