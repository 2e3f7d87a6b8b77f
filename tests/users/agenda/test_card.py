from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mua_env.envs.retail import domain
from mua_env.tasks import Task
from mua_env.users.agenda import AgendaSession, AgendaUser
from mua_env.users.base import UserReply, UserSession, UserSimulator
from mua_env.users.card import measure

CONTEXT = {"domain": domain}


def tasks(level: int, count: int) -> list[Task]:
    return list(domain.task_set(f"generate:level={level}:seed=9").tasks[:count])


def test_the_agenda_user_breaks_no_rule() -> None:
    for level in range(1, 6):
        # Noise, part of the highest level, may hold back the beginning of a number when it is first asked for.
        card = measure(AgendaUser(noise=0.0), tasks(level, 40), context=CONTEXT)
        assert card.dialogues == 80
        assert card.violations == 0, card.summary()
        assert card.withheld == 0
        assert card.right_rejected == 0
        assert card.refusals_registered == card.refusals
        assert card.wrong_proposed > 15
        assert len(card.openings) >= 36


def test_noise_and_every_persona_too() -> None:
    for persona in ("terse", "chatty", "confused", "impatient", "polite"):
        card = measure(AgendaUser(persona=persona, noise=1.0), tasks(3, 15), context=CONTEXT)
        assert card.violations == 0, (persona, card.summary())


class _Careless(UserSession):
    """Says everything at once, agrees to everything, and leaves."""

    def __init__(self, inner: AgendaSession) -> None:
        self.inner = inner

    def reply(self, agent_text: str | None) -> UserReply:
        facts = self.inner.agenda.facts
        if agent_text is None:
            return UserReply(text="Hi.")
        if "yes/no" in agent_text:
            return UserReply(text="Yes, go ahead.", stop=True)
        return UserReply(text=f"I am {facts['first_name']} {facts['last_name']}, {facts['zip']}. My code is 99887766.")

    def fork(self) -> _Careless:
        return _Careless(self.inner.fork())


class _CarelessUser(UserSimulator):
    name = "careless"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        return _Careless(AgendaUser().start(task, seed=seed, context=context))


def test_a_careless_user_is_found_out() -> None:
    card = measure(_CarelessUser(), tasks(2, 20), context=CONTEXT)
    assert card.revealed > 10
    assert card.invented > 10
    assert card.withheld > 10
    assert card.wrong_accepted == card.wrong_proposed > 5
    assert card.early_stops > 5
    assert card.violations > 40
    assert card.summary()["openings"] == 1
