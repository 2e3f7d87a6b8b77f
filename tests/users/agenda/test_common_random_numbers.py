"""Two agents that ask for the same things in another order meet the same user."""

from __future__ import annotations

from itertools import permutations

import pytest

from mua_env.core.tasks import Goal, Request, Task
from mua_env.domain.contract import load_domain
from mua_env.users.agenda.nlg.personas import PERSONAS
from mua_env.users.agenda.user import AgendaSession, AgendaUser

QUESTIONS = (
    "Could you tell me your email address, please?",
    "What is your zip code?",
    "What is the order number?",
    "Why do you want to cancel it?",
)


def user(persona: str, seed: int, *, noise: float = 0.6) -> AgendaSession:
    facts = {"email": "ann.lee@example.com", "first_name": "Ann", "last_name": "Lee", "zip": "10115"}
    slots = {"order_id": "#W4601797", "reason": "no longer needed"}
    goal = Goal(facts=facts, requests=(Request(intent="cancel_order", slots=slots),), persona=persona, noise=noise)
    task = Task(id="t", domain="retail", level=1, user_id="u", instruction="", actions=(), goal=goal)
    session = AgendaUser().start(task, seed=seed, context={"domain": load_domain("retail")})
    session.reply(None)
    return session


@pytest.mark.parametrize("persona", sorted(PERSONAS))
def test_what_a_user_answers_hangs_on_the_question_and_not_on_those_before(persona: str) -> None:
    for seed in range(3):
        heard: dict[str, set[str]] = {question: set() for question in QUESTIONS}
        for order in permutations(QUESTIONS):
            session = user(persona, seed)
            for question in order:
                heard[question].add(session.reply(question).text)
        assert {question: len(answers) for question, answers in heard.items()} == dict.fromkeys(QUESTIONS, 1)


def test_users_of_other_seeds_answer_otherwise() -> None:
    answers = {user("chatty", seed).reply(QUESTIONS[0]).text for seed in range(8)}
    assert len(answers) > 4


def test_the_same_question_again_is_another_event() -> None:
    for seed in range(8):
        session = user("plain", seed, noise=0.0)
        assert session.reply(QUESTIONS[0]).text != session.reply(QUESTIONS[0]).text


def test_a_fork_goes_on_as_its_original() -> None:
    for seed in range(5):
        session = user("chatty", seed)
        session.reply(QUESTIONS[0])
        twin = session.fork()
        told = [session.reply(question).text for question in QUESTIONS]
        assert [twin.reply(question).text for question in QUESTIONS] == told
