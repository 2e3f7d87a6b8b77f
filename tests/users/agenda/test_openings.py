"""No two dialogues with different goals open with the same words, and terse users are short all the same."""

from __future__ import annotations

from itertools import islice

import pytest

from mua_env.envs.retail import domain
from mua_env.users.agenda.user import AgendaUser


@pytest.mark.parametrize("persona", ["plain", "chatty", "terse"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_thousand_openings_differ(persona: str, language: str) -> None:
    user = AgendaUser(persona=persona, language=language)
    tasks = list(islice(domain.generate(level=1, seed=3), 100))
    seen: dict[str, str] = {}
    # Each turn through the tasks has seeds of its own, so that 100 goals stand for 2,000 dialogues.
    for number in range(2000):
        task = tasks[number % len(tasks)]
        text = user.start(task, seed=number, context={"domain": domain}).reply(None).text
        assert seen.setdefault(text, task.id) == task.id
    assert len(seen) >= 1990


def test_terse_openings_stay_short() -> None:
    user = AgendaUser(persona="terse", noise=0.0)
    for number, task in enumerate(islice(domain.generate(level=1, seed=3), 50)):
        assert len(user.start(task, seed=number, context={"domain": domain}).reply(None).text.split()) <= 14
