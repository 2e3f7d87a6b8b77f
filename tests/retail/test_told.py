"""Answers count only where they are stated."""

from __future__ import annotations

import pytest

from mua_env.core.scores import Record
from mua_env.core.tasks import Goal, Request, Requirement, Task
from mua_env.episode.setting import load_setting
from mua_env.scoring.stated import said_whole, told


@pytest.mark.parametrize(
    ("value", "text", "holds"),
    [
        ("4", "There are 4 options.", True),
        ("4", "4", True),
        ("4", "You can choose among 4, all in stock.", True),
        ("4", "Order #W4444444 is on its way.", False),
        ("4", "It costs 3.4 or 4.5 dollars.", False),
        ("4", "The Stock Pot (4l) in 14 colors, zip 44444.", False),
        ("12.5", "The total is $12.50.", True),
        ("1117.2", "You paid $1,117.20 in total.", True),
        ("1117.2", "You paid $1,117.25 in total.", False),
        ("357962501027", "Tracking number: 357962501027.", True),
        ("delivered", "It was Delivered yesterday.", True),
        ("12 Oak Road", "It goes to 12 oak road, Reno.", True),
        ("12 Oak Road", "It goes to 21 Oak Road.", False),
        ("12 Oak Road", "It goes to 112 Oak Road.", False),
        ("pending", "It cannot be cancelled, as it is not pending.", False),
        ("pending", "It isn't pending.", False),
        ("pending", "It isn't delivered, it is pending.", True),
        ("delivered", "It is undelivered.", False),
        ("12", " ".join(map(str, range(100))), False),
        ("12", ", ".join(map(str, range(25))), True),
        ("12", "The difference is -12.", False),
        ("12", "You get \u221212 dollars.", False),
        ("12", "It is -$12.", False),
        ("-12", "The difference is -12 dollars.", True),
        ("-12", "The difference is 12 dollars.", False),
        ("12", "It takes 10-12 days.", True),
        ("12", "- 12 options", True),
        ("12", "共有12件商品。", True),
    ],
)
def test_told(value: str, text: str, holds: bool) -> None:
    assert told(value, ["Hello!", text]) is holds


STATUSES = frozenset({"pending", "pending (item modified)", "processed", "delivered", "cancelled"})


def test_the_budget_of_numbers_is_of_the_whole_dialogue() -> None:
    pages = [", ".join(map(str, range(start, start + 25))) for start in range(0, 200, 25)]
    assert told("12", pages)  # the first 25 are said once
    assert not told("30", pages)
    assert not told("199", pages)
    # What was answered before stays answered, whatever numbers come after.
    assert told("199", ["It is 199.", *pages])
    assert not told("199", [*pages[:1], "It is 199."])


@pytest.mark.parametrize(
    ("value", "texts", "holds"),
    [
        ("pending", ["It is pending."], True),
        ("pending", ["pending, processed, delivered, cancelled"], False),
        ("pending", ["It is pending.", "It is delivered."], False),
        ("pending", ["It is processed.", "No, it is pending."], False),
        ("pending", ["It isn't delivered, it is pending."], True),
        ("delivered", ["Only pending orders can be cancelled. Yours is delivered."], True),
        ("delivered", ["It has been delivered."], True),
        ("pending", ["Your order is pending (item modified)."], False),
        ("pending (item modified)", ["Your order is pending (item modified)."], True),
        ("delivered", ["Order #W1 is delivered.", "Order #W2 is pending.", "It has been cancelled."], True),
        ("delivered", ["Order #W1 is delivered and pending."], False),
        ("delivered", ["Order #W2 is delivered."], False),
        ("delivered", ["#W2: pending. #W3: processed. #W4: delivered."], False),
        ("12 Oak Road", ["12 Oak Road", "13 Oak Road"], True),  # no closed vocabulary
    ],
)
def test_of_a_closed_vocabulary_a_second_member_voids(value: str, texts: list[str], holds: bool) -> None:
    assert told(value, texts, vocabularies=(STATUSES,), about={"#W1"}) is holds


@pytest.mark.parametrize("together", [True, False])
def test_an_agent_that_lists_all_statuses_answers_no_question_of_the_shipped_tasks(together: bool) -> None:
    setting = load_setting("retail", "test")
    world = setting.make_world()
    words = ["pending", "processed", "delivered", "cancelled", *map(str, range(60))]
    record = Record(agent_texts=(", ".join(words),) if together else tuple(words))
    asked = [task for task in setting.tasks if any(item.kind == "told" for item in task.requirements)]
    assert len(asked) > 20
    for task in asked:
        values = {item.value for item in task.requirements if item.kind == "told"}
        reward = setting.scorer.score(task, world, record).reward
        if together or values & set(words[:4]):
            assert reward == 0.0, values
    world.close()


def test_a_session_knows_which_order_was_asked_about_and_what_statuses_there_are() -> None:
    setting = load_setting("retail", "test")
    slots = {"topic": "order_status", "order_id": "#W1", "answer": "delivered"}
    task = Task(
        id="status",
        domain="retail",
        goal=Goal(requests=(Request(intent="ask", slots=slots, outcome="answered"),)),
        requirements=(Requirement(kind="told", value="delivered"),),
    )
    world = setting.make_world()

    def reward(*texts: str) -> float | None:
        return setting.scorer.score(task, world, Record(agent_texts=texts)).reward

    assert reward("Order #W1 is delivered.") == 1.0
    assert reward("Order #W1 is delivered.", "Order #W2 is processed.") == 1.0
    assert reward("Order #W1 is delivered or processed.") == 0.0
    world.close()


@pytest.mark.parametrize(
    ("output", "text", "compat", "strict"),
    [
        ("10", "It costs $100.", True, False),
        ("10", "There are 10.", True, True),
        ("1000", "That is $1,000.", True, True),
        ("1,000", "That is $1,000.", False, True),
        ("54.04", "You get 154.04 dollars.", True, False),
        ("12", "That is -12.", True, False),
        ("12.5", "It is 12.50.", True, True),
        ("Blue", "it is BLUE", True, True),
    ],
)
def test_outputs_that_are_numbers_are_found_as_numbers_in_strict(
    output: str, text: str, compat: bool, strict: bool
) -> None:
    task = Task(id=output, domain="retail", outputs=(output,))
    for mode, holds in (("compat", compat), ("strict", strict)):
        setting = load_setting("retail", "test", mode=mode)  # type: ignore[arg-type]
        world = setting.make_world()
        score = setting.scorer.score(task, world, Record(agent_texts=(text,)), reward="tau1")
        assert score.parts["outputs"] == float(holds), mode
        world.close()
    assert said_whole(output, [text]) is strict
