"""Generated tasks: reproducible, sound, and as hard as their level says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mua_env.cli.splits import SIZES, make_split
from mua_env.core.database import Rows, Template
from mua_env.core.outcomes import settled
from mua_env.core.task_files import write_tasks
from mua_env.core.tasks import Action, Request, Task
from mua_env.domain.contract import load_domain
from mua_env.domain.verifier import Candidate, Verifier
from mua_env.envs.retail import domain
from mua_env.envs.retail.generate import LEVELS, RetailGenerator, generate_tasks
from mua_env.errors import TaskError


@pytest.fixture(scope="module")
def generator(rows: Rows, template: Template) -> Iterator[RetailGenerator]:
    generator = RetailGenerator(rows, template)
    yield generator
    generator.close()


def take(rows: Rows, count: int, **options: Any) -> list[Task]:
    return list(generate_tasks(rows, limit=count, **options))


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_equal_seeds_give_equal_bytes(rows: Rows, level: int) -> None:
    first, second = (take(rows, 12, level=level, seed=5) for _ in range(2))
    assert [task.model_dump_json() for task in first] == [task.model_dump_json() for task in second]
    other = take(rows, 12, level=level, seed=6)
    assert {task.model_dump_json(exclude={"id"}) for task in first}.isdisjoint(
        task.model_dump_json(exclude={"id"}) for task in other
    )


def test_a_task_depends_on_its_position_alone(generator: RetailGenerator, rows: Rows) -> None:
    stream = take(rows, 6, level=4, seed=9)
    again = [generator.task(level=4, seed=9, split="train", index=index) for index in (5, 0, 3)]
    assert again == [stream[5], stream[0], stream[3]]


@pytest.mark.parametrize("split", sorted(SIZES))
def test_the_shipped_split_is_what_the_generator_makes(split: str, tmp_path: Path) -> None:
    import mua_env.envs.retail as package

    write_tasks(tmp_path / "made.jsonl", make_split(domain, split))
    shipped = Path(package.__file__ or "").with_name("data") / f"{split}.jsonl"
    assert (tmp_path / "made.jsonl").read_bytes() == shipped.read_bytes()


def test_shipped_splits_share_no_user_and_hold_all_levels() -> None:
    domain = load_domain("retail")
    train, test = domain.task_set("train"), domain.task_set("test")
    assert (len(train), len(test)) == (500, 250)
    assert {task.user_id for task in train}.isdisjoint({task.user_id for task in test})
    for tasks in (train, test):
        assert set(Counter(task.level for task in tasks).values()) == {len(tasks) // 5}
        assert len({task.id for task in tasks}) == len(tasks)
        assert len({task.instruction for task in tasks}) == len(tasks)
    assert len(domain.task_set("train:level=2")) == 100


def test_all_shipped_gold_verifies(generator: RetailGenerator) -> None:
    domain = load_domain("retail")
    for split in ("train", "test"):
        for task in domain.task_set(split):
            assert generator.verifier.check(task) == [], task.id


def test_level_1_is_one_plain_request(rows: Rows) -> None:
    for task in take(rows, 40, level=1, seed=3):
        assert task.goal is not None
        (request,) = task.goal.requests
        assert request.fallback is None
        assert request.change is None
        assert not request.unknown
        assert task.goal.noise == 0


def test_level_5_holds_every_kind(rows: Rows) -> None:
    tasks = take(rows, 60, level=5, seed=3)
    requests = [request for task in tasks if task.goal for request in task.goal.requests]
    assert all(task.goal and 3 <= len(task.goal.requests) <= 4 for task in tasks)
    assert any(request.fallback for request in requests)
    assert any(request.change for request in requests)
    assert any(request.unknown for request in requests)
    assert {"done", "refused", "transferred", "answered"} <= {settled(request).outcome for request in requests}
    assert len({request.intent for request in requests}) == 8
    assert len({task.goal.persona for task in tasks if task.goal}) == 6


def test_refusals_ask_for_more_than_an_unchanged_database(rows: Rows) -> None:
    refusals = 0
    for level in (2, 3, 4, 5):
        for task in take(rows, 40, level=level, seed=4):
            assert task.goal is not None
            for request in map(settled, task.goal.requests):
                kinds = {(item.kind, item.intent) for item in task.requirements}
                if request.outcome == "refused":
                    refusals += 1
                    assert ("refusal", request.intent) in kinds
                if request.outcome == "transferred":
                    assert ("terminal_tool", None) in kinds
                    assert task.actions[-1].name == "transfer_to_human_agents"
                    assert any(settled(other).outcome == "done" for other in task.goal.requests)
    assert refusals > 20


def test_the_instruction_holds_what_the_user_must_say(rows: Rows) -> None:
    for level in LEVELS:
        for task in take(rows, 20, level=level, seed=8):
            assert task.goal is not None
            said = task.instruction
            assert all(str(value) in said for value in task.goal.facts.values())
            assert ("email" in task.goal.facts) == ("@" in said)
            for request in task.goal.requests:
                _check_said(request, said)


def _check_said(request: Request, said: str) -> None:
    if "order_id" in request.unknown:
        assert request.slots["order_id"] not in said
        assert all(name in said for name in request.slots["order_hint"])
    elif "order_id" in request.slots:
        assert request.slots["order_id"] in said
    for item in request.slots.get("items", ()):
        assert item["name"] in said
        assert item["item_id"] not in said, "a user names no item ids"
    if "address" in request.slots:
        assert request.slots["address"]["address1"] in said
    if "answer" in request.slots and request.slots["topic"] in ("tracking_number", "order_total"):
        assert request.slots["answer"] not in said
    if request.fallback:
        _check_said(request.fallback, said)


def test_an_order_hint_points_to_one_order(rows: Rows) -> None:
    orders = {order["order_id"]: order for order in rows["orders"]}
    users = {user["user_id"]: user for user in rows["users"]}
    hints = 0
    for task in take(rows, 60, level=3, seed=2):
        assert task.goal is not None
        for request in task.goal.requests:
            if "order_id" not in request.unknown:
                continue
            hints += 1
            names = set(request.slots["order_hint"])
            fitting = [
                order_id
                for order_id in users[task.user_id or ""]["orders"]
                if names <= {item["name"] for item in orders[order_id]["items"]}
            ]
            assert fitting == [request.slots["order_id"]]
    assert hints > 3


def test_tasks_can_be_made_over_public_data(tau1_dir: Path) -> None:
    from mua_env.domain.public.tau1 import Layout, read_tables

    public = read_tables(Layout.find("retail", tau1_dir), domain.tables)
    tasks = take(public, 10, level=4, seed=1, split="test")
    assert len({task.user_id for task in tasks}) > 1


def test_wrong_options_are_named(rows: Rows) -> None:
    with pytest.raises(TaskError, match="level is 9"):
        take(rows, 1, level=9, seed=0)
    with pytest.raises(TaskError, match="'dev'"):
        take(rows, 1, level=1, seed=0, split="dev")


# The verifier must be able to say no.


@pytest.fixture(scope="module")
def verifier(generator: RetailGenerator) -> Verifier:
    return generator.verifier


@pytest.fixture(scope="module")
def sound(rows: Rows) -> Task:
    return next(
        task for task in take(rows, 60, level=1, seed=3) if task.goal and task.goal.requests[0].intent == "cancel_order"
    )


def test_a_sound_task_has_no_problems(verifier: Verifier, sound: Task) -> None:
    assert verifier.check(sound) == []


def test_failing_gold_is_found(verifier: Verifier, sound: Task) -> None:
    twice = sound.model_copy(update={"actions": (*sound.actions, sound.actions[-1])})
    assert "gold fails: cancel_pending_order" in verifier.check(twice)[0]


def test_empty_gold_is_found(verifier: Verifier, sound: Task) -> None:
    idle = sound.model_copy(update={"actions": sound.actions[:-1]})
    assert verifier.check(idle) == ["gold changes nothing", "an agent that does nothing would succeed"]


def test_order_dependent_gold_is_found(verifier: Verifier, rows: Rows, sound: Task) -> None:
    order_id = sound.actions[-1].arguments["order_id"]
    address = {"address1": "1 A", "address2": "", "city": "B", "state": "CA", "country": "USA", "zip": "90001"}
    move = Action(name="modify_pending_order_address", arguments={"order_id": order_id, **address})
    task = sound.model_copy(update={"actions": (move, sound.actions[-1])})
    assert "gold in another order fails" in verifier.check(task)[0]
    elsewhere = Action(name="modify_pending_order_address", arguments={**move.arguments, "city": "C"})
    task = sound.model_copy(update={"actions": (move, elsewhere)})
    assert verifier.check(task) == ["gold in another order reaches another state"]


def test_known_secrets_are_found(verifier: Verifier, rows: Rows, sound: Task) -> None:
    order = json.loads(
        json.dumps(next(o for o in rows["orders"] if o["order_id"] == sound.actions[-1].arguments["order_id"]))
    )
    leaked = Candidate(sound, private=frozenset({order["address"]["address1"]}))
    assert "known to the user alone" in verifier.problems(leaked)[0]
    assert verifier.problems(Candidate(sound, private=frozenset({"1 Nowhere"}))) == []
    public = next(iter(rows["products"][0]["variants"]))
    goal = sound.goal and sound.goal.model_copy(update={"facts": {**sound.goal.facts, "email": public}})
    assert "known to the user alone" in verifier.check(sound.model_copy(update={"goal": goal}))[0]


def test_claims_that_do_not_hold_are_found(verifier: Verifier, sound: Task) -> None:
    allowed = Candidate(sound, must_fail=((sound.actions[-1],),))
    assert "should be refused but succeeds" in verifier.problems(allowed)[0]
    broken = Action(name="cancel_pending_order", arguments={"order_id": "#W0", "reason": "no longer needed"})
    assert "an alternative fails" in verifier.problems(Candidate(sound, must_run=((broken,),)))[0]
    idle_refusal = sound.model_copy(
        update={"goal": sound.goal and sound.goal.model_copy(update={"requests": ()}), "requirements": ()}
    )
    assert verifier.check(idle_refusal) == ["gold changes something, but nothing is to be done"]
