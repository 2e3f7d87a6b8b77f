from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from mua_env.envs.retail.language.intents import WISHES
from mua_env.envs.retail.language.slots import SLOTS
from mua_env.errors import ConfigError
from mua_env.users.agenda.nlg.grammar import expand, keep, parse, variants
from mua_env.users.agenda.nlg.personas import PERSONAS, add_noise
from mua_env.users.agenda.nlg.phrases import LONG, SHORT

from .people import FACTS, cancel, exchange, fresh, redirect, user


@pytest.mark.parametrize("act", sorted(SHORT))
def test_every_act_has_at_least_twenty_phrasings(act: str) -> None:
    assert LONG.keys() == SHORT.keys()
    assert variants(LONG[act]) >= 20
    assert variants(SHORT[act]) >= 20
    values = {"wish": "W", "fix": "F", "noun": "N", "tail": "T", "wrong": "X", "value": "V", "why": "Y"}
    assert len({expand(LONG[act], Random(seed), values) for seed in range(400)}) >= 20


def test_every_slot_can_be_given_in_several_ways() -> None:
    for slot in SLOTS.values():
        assert variants(slot.template(short=True)) >= 2
        assert variants(slot.template(short=False)) >= 4
        assert "{value}" in slot.piece


def test_templates_are_balanced() -> None:
    for template in [*WISHES.values(), *SHORT.values(), *LONG.values()]:
        parse(template)
    for broken in ("[a|b", "a]b", "{value"):
        with pytest.raises(ConfigError):
            parse(broken)


def test_openings_are_many() -> None:
    for persona, least in (("terse", 12), ("plain", 150), ("chatty", 900), ("polite", 600)):
        texts = {fresh(cancel(), persona=persona, seed=seed).reply(None).text for seed in range(1000)}
        assert len(texts) >= least, persona


def test_terse_users_are_short_and_regular() -> None:
    for seed in range(50):
        session = user(cancel(), seed=seed)
        for text in ("Your email?", "What is the order number?", "What is the reason?", "Cancel #W1234567 (yes/no)?"):
            reply = session.reply(text).text
            assert len(reply.split()) <= 9
            assert reply[0].isupper() or reply[0] in "#'" or reply.startswith(("clara", "no longer", "order", "zip"))


@pytest.mark.parametrize("persona", sorted(PERSONAS))
def test_noise_and_personas_leave_values_whole(persona: str) -> None:
    for seed in range(60):
        session = user(cancel(), redirect(), persona=persona, noise=1.0, seed=seed)
        assert FACTS["email"] in session.reply("What is your email?").text
        text = session.reply("What is the order number?").text
        # A noisy user may have no more than the end of it at hand, at first.
        assert "4567" in text
        assert "#W1234567" in text or "#W1234567" in session.reply("What is the whole order number?").text
        assert "no longer needed" in session.reply("What is the reason?").text


def test_noise_changes_words_but_nothing_marked() -> None:
    text = f"I would really like to return something from {keep('order-#W1234567 zip code 21276')} please"
    noisy = [add_noise(text, Random(seed), rate=0.5) for seed in range(50)]
    assert len(set(noisy)) > 30
    assert all("order-#W1234567 zip code 21276" in line for line in noisy)
    assert all(add_noise(text, Random(seed), rate=0.0) == text for seed in range(5))


def test_sentences_are_tidy() -> None:
    problems: Counter[str] = Counter()
    script = [
        None,
        "Your email, or name and zip code?",
        "Order number and items?",
        "Which new options, and which payment method?",
        "Return the Pillow (yes/no)?",
        "I cannot do that.",
        "Anything else?",
        "",
    ]
    for persona in sorted(PERSONAS):
        for seed in range(40):
            session = fresh(exchange(), cancel(), persona=persona, seed=seed)
            for text in script:
                reply = session.reply(text).text
                for name, pattern in BAD.items():
                    problems[name] += bool(re.search(pattern, reply))
    assert not +problems


BAD = {
    "double space": r"  ",
    "space before punctuation": r" [,.;!?]",
    "torn contraction": r"\bI '[dm]\b",
    "two stops": r"(?<!\.)\.\.(?!\.)",
    "unfilled": r"[{}\[\]|]",
    "mark": r"[\x02\x03]",
}
