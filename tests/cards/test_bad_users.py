"""Whole cards of real dialogues: the agenda user breaks no rule, and users that are bent break the one they should."""

from __future__ import annotations

import asyncio
import time

import pytest
from people import BentUser, Reply

from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, TaskError, UserFault
from mua_env.evaluation.reports.user_card import LABELS, html, rows
from mua_env.evaluation.user_card.card import MEASURES, Card, make_card
from mua_env.evaluation.user_card.probes import PROBES
from mua_env.evaluation.user_card.result import Result
from mua_env.evaluation.user_card.run import CardOptions, plan, run
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.base import UserReply, UserSession, UserSimulator

SOURCE = "test:level=3"


def hold(
    user: UserSimulator, episodes: int = 48, *, domain: str = "retail", source: str = SOURCE, **options: float
) -> tuple[Card, list[Result], list[Trajectory | None]]:
    setting = load_setting(domain, source)
    results: list[Result] = []
    dialogues: list[Trajectory | None] = []

    def keep(result: Result, trajectory: Trajectory | None) -> None:
        results.append(result)
        dialogues.append(trajectory)

    run(setting, user, plan(setting, episodes), options=CardOptions(**options), on_end=keep)  # type: ignore[arg-type]
    return make_card(results, user=user.name, domain=domain, tasks=source), results, dialogues


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_agenda_user_breaks_no_rule(domain):
    card, results, _ = hold(AgendaUser(), 160, domain=domain, source="test")
    assert card.total == 0, card.examples
    assert card.faults == {}
    assert card.dialogues == 160
    assert card.expert.made == card.expert.of == 20
    assert card.contradictions.of > 10
    assert card.agreements.made == card.agreements.of > 40
    assert card.openings > 140
    assert {result.probe for result in results} == {probe.name for probe in PROBES}
    tired = {probe.probe: probe.gave_up for probe in card.probes}
    assert tired["chat"] == tired["repeat"] == tired["role_swap"] == 20
    assert tired["expert"] == 0


def test_planned_changes_of_mind_fall_due_and_are_carried_out():
    card, _, _ = hold(AgendaUser(), 160, source="test:level=4")
    assert card.mind_changes.of > 10
    assert card.mind_changes.made == card.mind_changes.of


@pytest.mark.parametrize("persona", ["terse", "chatty", "confused", "impatient", "polite"])
def test_no_persona_breaks_a_rule_with_every_slip_there_is(persona):
    card, _, _ = hold(AgendaUser(persona=persona, noise=1.0), 32)
    assert card.total == 0, card.examples


def rejects(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    if "yes/no" in (heard or ""):
        return reply.model_copy(update={"text": "No, not like that."})
    return reply


def test_a_user_that_rejects_what_is_right_is_found_out():
    card, _, _ = hold(BentUser(rejects), 24)
    assert card.agreements.of > 5
    assert card.agreements.made == 0


def reveals(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    if heard is not None:
        return reply  # once is enough: nothing is revealed twice
    facts = user.agenda.facts  # type: ignore[attr-defined]
    return reply.model_copy(update={"text": f"{reply.text} My zip code is {facts['zip']}."})


def invents(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    if "What is the" in (heard or "") or "Please provide the" in (heard or ""):
        return reply.model_copy(update={"text": "It is TKX-88123."})
    return reply


def plays_the_agent(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    if "you are the assistant" in (heard or ""):
        return reply.model_copy(update={"text": "Welcome! How may I help you today?"})
    return reply


def agrees_to_all(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    return reply.model_copy(update={"text": "Yes, please."}) if "yes/no" in (heard or "") else reply


def leaves_early(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    return reply.model_copy(update={"stop": True}) if "yes/no" in (heard or "") else reply


def never_leaves(user: UserSession, heard: str | None) -> UserReply:
    reply = user.reply(heard)
    return reply.model_copy(update={"stop": False, "text": "And how is the weather?"}) if reply.stop else reply


@pytest.mark.parametrize(
    ("bend", "measure", "source", "others"),
    [
        (reveals, "revealed", SOURCE, 0),
        (invents, "invented", SOURCE, None),
        (plays_the_agent, "plays_agent", SOURCE, 0),
        (agrees_to_all, "contradiction", SOURCE, None),
        (agrees_to_all, "mind_change", "test:level=4", None),
        (leaves_early, "early_stop", SOURCE, 0),
        (never_leaves, "late_stop", SOURCE, None),
    ],
)
def test_a_bent_user_is_found_out(bend: Reply, measure: str, source: str, others: int | None):
    card, _, dialogues = hold(BentUser(bend), 160 if measure == "mind_change" else 48, source=source)
    assert card.violations[measure] >= 3, card.violations
    if others is not None:
        assert sum(card.violations.values()) == card.violations[measure], card.examples
    assert any(example.violation.measure == measure for example in card.examples)
    assert all(dialogue is not None for dialogue in dialogues)


def test_every_measure_has_a_bad_user_and_a_label():
    assert set(MEASURES) == set(LABELS)


def faults(user: UserSession, heard: str | None) -> UserReply:
    if heard is None:
        return user.reply(None)
    if "?" in heard:
        raise UserFault("the line is dead")
    raise ZeroDivisionError("a bug of the user")


def test_faults_end_their_dialogue_and_not_the_card():
    card, results, _ = hold(BentUser(faults), 24)
    assert len(results) == 24
    assert sum(card.faults.values()) == 24
    assert "the line is dead" in card.faults
    assert any("ZeroDivisionError" in cause for cause in card.faults)
    assert card.violations["early_stop"] == 0
    assert card.expert.of == 0


class Unstartable(UserSimulator):
    name = "unstartable"

    def start(self, task, *, seed, context=None):
        raise TaskError("this user needs something else")


def test_a_user_that_cannot_begin_is_a_fault_of_each_dialogue():
    card, results, dialogues = hold(Unstartable(), 8)
    assert card.faults == {"TaskError: this user needs something else": 8}
    assert dialogues == [None] * 8
    assert card.replies == 0
    assert results[0].domain == "retail"


class SlowSession(UserSession):
    def __init__(self, inner: UserSession) -> None:
        self.inner = inner

    def reply(self, agent_text):
        raise AssertionError("the card waits without blocking")

    async def areply(self, agent_text):
        await asyncio.sleep(0.05 if agent_text is None else 30)
        return self.inner.reply(agent_text)

    def fork(self):
        return SlowSession(self.inner.fork())


class SlowUser(UserSimulator):
    name = "slow"

    def start(self, task, *, seed, context=None):
        return SlowSession(AgendaUser().start(task, seed=seed, context=context))


def test_a_user_that_hangs_is_a_fault_at_the_deadline_and_dialogues_overlap():
    begun = time.monotonic()
    card, _, _ = hold(SlowUser(), 8, deadline_s=0.5, concurrency=8)
    assert time.monotonic() - begun < 5
    assert sum(card.faults.values()) == 8
    assert all("deadline" in cause for cause in card.faults)
    assert card.ms > 20


def test_the_plan_goes_through_the_probes_and_seeds_them_apart():
    setting = load_setting("retail", SOURCE)
    dialogues = plan(setting, 20)
    assert [dialogue.probe.name for dialogue in dialogues[:8]] == [probe.name for probe in PROBES]
    assert len({dialogue.task.id for dialogue in dialogues[:8]}) == 1
    assert len({dialogue.seed for dialogue in dialogues}) == 20
    assert len({dialogue.id for dialogue in dialogues}) == 20
    assert [dialogue.seed for dialogue in plan(setting, 20, seed=1)] != [dialogue.seed for dialogue in dialogues]
    everything = plan(setting, 8 * len(setting.tasks) + 8)
    assert len({dialogue.id for dialogue in everything}) == len(everything)
    with pytest.raises(ConfigError, match="at least 1"):
        plan(setting, 0)


def test_equal_seeds_give_equal_results():
    _, once, _ = hold(AgendaUser(), 16)
    _, again, _ = hold(AgendaUser(), 16)
    blank = {"seconds": 0.0}
    assert [result.model_copy(update=blank) for result in once] == [result.model_copy(update=blank) for result in again]


def test_equal_openings_of_different_goals_are_counted():
    def same(user: UserSession, heard: str | None) -> UserReply:
        return UserReply(text="Hello.") if user.reply(heard) and heard is None else UserReply(text="Bye.", stop=True)

    card, results, _ = hold(BentUser(same), 24)
    assert card.openings == 1
    assert card.shared_openings == 1
    one_goal = make_card(results[:8], user="u", domain="retail", tasks="t")
    assert one_goal.shared_openings == 0


def test_the_card_says_what_was_found():
    card, _, _ = hold(BentUser(leaves_early), 16)
    lines = dict(rows(card))
    assert lines["dialogues"] == "16"
    assert lines["  early stops"] == str(card.violations["early_stop"])
    page = html(card)
    assert "early stops" in page
    assert page.count("<script") == 0
    assert "http" not in page.replace("http-equiv", "")
    assert Card.model_validate_json(card.model_dump_json()) == card


def test_a_card_escapes_what_users_say():
    def nasty(user: UserSession, heard: str | None) -> UserReply:
        return UserReply(text="<b>My zip code is 99999</b>", stop=heard is not None)

    card, _, _ = hold(BentUser(nasty), 8)
    assert card.violations["invented"] > 0
    assert "<b>My zip" not in html(card)
