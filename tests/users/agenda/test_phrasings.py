"""The two parts of the phrasings, of which one is kept for measuring."""

from __future__ import annotations

import re
from random import Random

import pytest

from mua_env.core.tasks import Goal, Task
from mua_env.envs.retail import domain
from mua_env.envs.retail.language.slots import SLOTS
from mua_env.errors import ConfigError
from mua_env.users.agenda.nlg.grammar import Phrasings, expand_part, variants
from mua_env.users.agenda.nlg.phrases import LONG, SHORT
from mua_env.users.agenda.user import AgendaUser

from .people import FACTS, cancel

TEMPLATES = [*SHORT.values(), *LONG.values(), *(slot.short for slot in SLOTS.values())]


class _Names(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def drawn(template: str, phrasings: Phrasings, times: int = 150) -> set[str]:
    rng = Random(f"{template}{phrasings}")
    return {expand_part(template, rng, _Names(), phrasings) for _ in range(times)}


@pytest.mark.parametrize("template", [t for t in TEMPLATES if variants(t) > 1])
def test_the_parts_of_a_template_share_nothing(template: str) -> None:
    seen, unseen = drawn(template, "seen"), drawn(template, "unseen")
    assert seen
    assert unseen
    assert not seen & unseen


def test_both_parts_together_are_the_whole() -> None:
    template = SHORT["confirm"]
    both = drawn(template, "seen", 600) | drawn(template, "unseen", 600)
    assert both == drawn(template, "all", 2000)
    assert 4 * len(drawn(template, "unseen", 600)) == len(both)


def test_the_words_of_what_is_unseen_are_mostly_seen() -> None:
    for act in ("confirm", "open", "end"):
        known = set(re.findall(r"[\w']+", " ".join(drawn(SHORT[act], "seen", 600))))
        words = set(re.findall(r"[\w']+", " ".join(drawn(SHORT[act], "unseen", 600))))
        assert len(words - known) <= 0.1 * len(words)


def test_a_template_without_variants_is_of_both_parts() -> None:
    assert drawn("cancel an order", "seen") == drawn("cancel an order", "unseen") == {"cancel an order"}


def test_users_of_the_two_parts_never_open_alike() -> None:
    task = Task(id="t", domain="retail", user_id="u", instruction="", goal=Goal(facts=FACTS, requests=(cancel(),)))

    def openings(phrasings: Phrasings) -> set[str]:
        user = AgendaUser(persona="terse", noise=0, phrasings=phrasings)
        return {user.start(task, seed=s, context={"domain": domain}).reply(None).text for s in range(120)}

    seen, unseen = openings("seen"), openings("unseen")
    assert len(seen) > 20
    assert len(unseen) > 5
    assert not seen & unseen


def test_a_fork_keeps_to_its_part() -> None:
    task = Task(id="t", domain="retail", user_id="u", instruction="", goal=Goal(facts=FACTS, requests=(cancel(),)))
    session = AgendaUser(persona="terse", noise=0, phrasings="unseen").start(task, seed=1, context={"domain": domain})
    assert session.fork().reply(None) == session.reply(None)


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(ConfigError, match="'seen'"):
        AgendaUser(phrasings="some")  # type: ignore[arg-type]
