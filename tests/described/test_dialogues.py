"""Dialogues of the derived expert with the offline user, and what that user takes for a reason."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from described.conftest import EXAMPLES, described
from mua_env import AgendaUser, ConfigError, DescribedDomain, Session, load_setting
from mua_env.evaluation.user_card.card import make_card
from mua_env.evaluation.user_card.result import Result
from mua_env.evaluation.user_card.run import CardOptions, plan, run

Unsolved = Callable[..., list[str]]


def test_the_expert_solves_tasks_of_every_level(domain: DescribedDomain, unsolved: Unsolved) -> None:
    for level in domain.levels:
        assert unsolved(domain, level, 8) == []


def test_noise_does_not_keep_it_from_that(domain: DescribedDomain, unsolved: Unsolved) -> None:
    assert unsolved(domain, 3, 15, noise=0.2) == []


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_front_desk_is_solved_without_exception(
    hotel: DescribedDomain, unsolved: Unsolved, level: int, noise: float
) -> None:
    assert unsolved(hotel, level, 100, noise=noise) == []


def test_short_regular_phrasing_does_as_well(domain: DescribedDomain, unsolved: Unsolved) -> None:
    assert unsolved(domain, 2, 12, style="compact") == []


def test_an_expert_that_slips_fails(hotel: DescribedDomain) -> None:
    setting = load_setting(hotel, "generate:level=1")
    session = Session(setting, AgendaUser())
    for number in range(6):
        agent = hotel.expert(slips=1.0)
        agent.reset(system_prompt="", tools=session.tools, seed=number)
        result = session.start(setting.tasks[number], seed=number)
        while not result.done:
            result = session.send(agent.act(result.messages))
        assert result.score is not None
        assert result.score.reward == 0


def test_the_card_finds_no_violation(domain: DescribedDomain) -> None:
    setting = load_setting(domain, "generate:level=3:seed=2")
    results: list[Result] = []
    run(
        setting,
        AgendaUser(),
        plan(setting, 120),
        options=CardOptions(max_turns=40),
        on_end=lambda r, _: results.append(r),
    )
    card = make_card(results, user="agenda", domain=domain.name, tasks="generate")
    assert [violation for result in results for violation in result.violations] == []
    assert card.agreements.made >= 0.9 * card.agreements.of > 0


FALSE_REASONS = (
    "I'm sorry, I cannot do that, because bananas are yellow. Anything else?",
    "I can't recommend hotels, because of our policy.",
    "Unfortunately that is not possible because our policy does not allow it.",
    "I cannot do that because it was past, is not available, belongs to another customer and is the same type already.",
)


@pytest.mark.parametrize("text", FALSE_REASONS)
def test_an_agent_that_never_works_is_not_rewarded_for_its_reasons(hotel: DescribedDomain, text: str) -> None:
    setting = load_setting(hotel, "generate:level=2:seed=3")
    session = Session(setting, AgendaUser())
    refused = 0
    for number, task in enumerate(islice(setting.tasks, 60)):
        refused += bool(task.requirements)
        result = session.start(task, seed=number)
        while not result.done:
            result = session.send(text)
        assert result.score is not None
        assert result.score.reward == 0, task.id
    assert refused > 5


def test_a_false_reason_is_questioned_then_disputed_then_the_user_leaves(hotel: DescribedDomain) -> None:
    setting = load_setting(hotel, "generate:level=2:seed=3")
    task = next(
        t
        for t in setting.tasks
        if t.goal and t.goal.requests[0].outcome == "refused" and not t.goal.requests[0].fallback
    )
    session = Session(setting, AgendaUser(persona="plain", noise=0))
    session.start(task, seed=1)
    heard = []
    for _ in range(5):
        result = session.send("I'm sorry, I cannot do that, because bananas are yellow.")
        heard.append(result.messages[0].content or "")
        if result.done:
            break
    assert "?" in heard[0]
    assert result.done
    assert result.score is not None
    assert result.score.reward == 0


def test_the_user_speaks_and_hears_the_language_of_the_description(flats: DescribedDomain) -> None:
    setting = load_setting(flats, "generate:level=1")
    session = Session(setting, AgendaUser(persona="plain", noise=0))
    opening = session.start(setting.tasks[0], seed=0).messages[0].content or ""
    assert any("\u4e00" <= char <= "\u9fff" for char in opening)
    answer = session.send("请提供您的手机号。").messages[0].content or ""
    assert str(setting.tasks[0].goal.facts["phone"]) in answer  # type: ignore[union-attr]


def test_a_translated_description_is_served_in_the_other_language(hotel: DescribedDomain) -> None:
    setting = load_setting(hotel, "generate:level=3:seed=7")
    session = Session(setting, AgendaUser(language="zh"))
    for number in range(20):
        agent = hotel.expert(language="zh")
        agent.reset(system_prompt="", tools=session.tools, seed=number)
        result = session.start(setting.tasks[number], seed=number)
        while not result.done:
            result = session.send(agent.act(result.messages))
        assert result.score is not None
        assert result.score.reward == 1, setting.tasks[number].id


def test_a_language_without_a_translation_is_refused(hotel: DescribedDomain) -> None:
    with pytest.raises(ConfigError, match="'fr'"):
        hotel.expert(language="fr")
    with pytest.raises(ConfigError, match="no translation into 'en'"):
        described(EXAMPLES / "flats.py").expert(language="en")
