"""Answers count only where they are stated."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mua_env.core.scores import Record
from mua_env.core.tasks import Goal, Request, Requirement, Task
from mua_env.episode.setting import load_setting
from mua_env.scoring.numbers import stated
from mua_env.scoring.stated import said_whole, told

COLORS = ("red", "blue", "gray", "tan", "pink", "teal")
THINGS = ("lamp", "cup", "pot", "pan", "mug", "jug", "vase")


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
        ("12", "The difference is -12.", False),
        ("12", "You get \u221212 dollars.", False),
        ("12", "It is -$12.", False),
        ("-12", "The difference is -12 dollars.", True),
        ("-12", "The difference is 12 dollars.", False),
        ("12", "- 12 options", True),
        ("12", "共有12件商品。", True),
    ],
)
def test_told(value: str, text: str, holds: bool) -> None:
    assert told(value, ["Hello!", text]) is holds


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is 7kg, or in pounds 15.4 lbs", {"7", "15.4"}),
        ("EUR250", {"250"}),
        ("CA$40 and \u20ac41", {"40", "41"}),
        ("30% off, 3x, 64GB, 90 mins, 2bags", {"30", "3", "64", "90", "2"}),
        ("\uff13\uff10 dollars", {"30"}),
        ("A 30-day return window.", {"30"}),
        ("The sum is **$1,200**.", {"1200"}),
        ("1,200,300", {"1200300"}),
        ("共3件,每件30元", {"3", "30"}),
        ("30个月", {"30"}),
        ("from $30 to $25", {"30", "25"}),
        ("Lamp 4 - $30", {"4", "30"}),
        ("a lamp ($30)", {"30"}),
        ("The balance is ($30).", {"-30"}),
        ("\u201330 or so", {"-30"}),
        ("Change: \u2212 30", {"-30"}),
        ("The difference is - 30.", {"-30"}),
        ("minus 30 points, negative 4, 负5", {"-30", "-4", "-5"}),
        ("$-30", {"-30"}),
        ("- 30 lamps\n\u2013 31 cups", {"30", "31"}),
        ("the 30th", set()),
        ("It takes 3-30 days, 3\u201330 days, 3 to 30 days, 3~30 days", set()),
        ("3 or 30", set()),
        ("$3 - $30", set()),
        ("2023-09-30, 9/30, 30 Sep 2023, September 30, 9月30日", set()),
        ("at 7:30, 11.30.00, 7:30:30, 3pm, 8点", set()),
        ("v1.30.2, A-30, gate 30B, HAT030, #30, item_30", set()),
        ("1. red\n2. blue\n3) green", set()),
        ("Option 3: step 30, 第3页", set()),
        ("at least 30, more than 30, fewer than 30, up to 30, \u2265 30, 超过30", set()),
        ("not 30, isn't 30, cannot cost 30, not exactly 30, rather than 30, 不是30", set()),
        ("28, 29, 30", set()),
        ("28 / 29 / 30", set()),
        ("28\n29\n30", set()),
        ("28 and 29 and 30 and 31", set()),
        (" ".join(map(str, range(1000))), set()),
        ("It isn't 30, it is 31.", {"31"}),
    ],
)
def test_a_message_states_the_numbers_that_a_reader_takes_from_it(text: str, numbers: set[str]) -> None:
    assert stated(text) == set(map(Decimal, numbers))


@pytest.mark.parametrize(
    "texts",
    [
        [", ".join(map(str, range(start, start + 25))) for start in range(0, 200, 25)],
        [", ".join(map(str, range(1, 26)))],
        ["\n".join(f"- {number}" for number in range(20))],
        [" ".join(f"You have {number} bags." for number in range(20))],
        [f"It may be {number}." for number in range(20)],
        [f"There are {number} in {color}." for number, color in enumerate(COLORS, 5)],
        ["It is 7.", "Others: 1 here; 2 there; 3 above; 4 below; 5 behind; 6 before; 8 beside"],
        ["7 or 8 or 9", "6/7/8", "7-8"],
    ],
)
def test_counting_states_no_number(texts: list[str]) -> None:
    assert not told("7", texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["It is 7."],
        ["You have 3 orders.", "Order #W1 holds 7 items, for $12.50, $13.75, $20.00, $31.10 and $44.90."],
        ["1. Lamp: $10\n2. Cup: $15\n3. Pot: $20\n4. Pan: $25\n5. Mug: $30\nSo there are 7 left."],
        ["The flights leave at 06:00, 07:10 and 08:20 on 2024-05-16, from $101, $102, $103.", "You may take 7 bags."],
    ],
)
def test_an_answer_among_other_numbers_is_one(texts: list[str]) -> None:
    assert told("7", texts)


STATUSES = frozenset({"pending", "pending (item modified)", "processed", "delivered", "cancelled"})


def test_the_budget_of_numbers_is_of_the_whole_dialogue() -> None:
    few = [f"{name} costs ${price}." for price, name in enumerate(THINGS, 101)]
    many = [f"{chr(97 + price % 26) * (1 + price // 26)} is ${price + 200}." for price in range(60)]
    assert told("103", few)
    assert not told("103", [*few, *many])
    assert not told("230", [*few, *many])
    assert told("1030", [*few, "It is 1030.", *many])  # those of another length are no guesses at it


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
        ("delivered", ["It may be pending or delivered."], False),
        ("delivered", ["It could be pending, or maybe already delivered."], False),
        ("pending", ["It will be delivered soon; for now it is pending."], True),
        ("delivered", ["Order #W2 is delivered."], False),
        ("delivered", ["#W2: pending. #W3: processed. #W4: delivered."], False),
        ("12 Oak Road", ["12 Oak Road", "13 Oak Road"], True),  # no closed vocabulary
        ("pending", ["It has not yet been delivered, it is pending."], True),
        ("delivered", ["It is neither pending nor delivered."], False),
        ("processed", ["It has been pending, been processed, been delivered, been cancelled."], False),
        ("cancelled", ["It has been cancelled. It has been delivered."], False),
        ("pending", ["It is pending.", "It has been cancelled."], True),  # what was done since
        ("pending", ["It is pending and has been delivered."], False),
        ("pending", ["It has been delivered.", "It is pending."], False),
        ("delivered", ["It could be pending, be processed, be delivered, be cancelled."], False),
        ("delivered", ["It will be pending, be processed, be cancelled. It is delivered."], False),
        ("processed", ["It is being processed or being delivered."], False),
        ("delivered", ["It is delivered. It can be cancelled no more."], True),
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
