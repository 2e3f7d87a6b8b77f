"""Generated airline tasks: reproducible, sound, and as hard as their level says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

import mua_env.envs.airline as package
from mua_env.cli.splits import SIZES, make_split
from mua_env.core.outcomes import chain, settled
from mua_env.core.task_files import write_tasks
from mua_env.core.tasks import Action, Request, Task
from mua_env.domain.verifier import Candidate
from mua_env.envs.airline import domain
from mua_env.envs.airline.generate import LEVELS, AirlineGenerator
from mua_env.envs.airline.goals import FORBIDDEN
from mua_env.envs.airline.rules import RULES, cancellation, compensable
from mua_env.envs.airline.search import NOW
from mua_env.envs.airline.world_data import tables
from mua_env.episode.setting import load_setting
from mua_env.errors import TaskError

RESERVATIONS = {row["reservation_id"]: row for row in tables()["reservations"]}
USERS = {row["user_id"]: row for row in tables()["users"]}


def take(generator: AirlineGenerator, count: int, level: int, seed: int, split: str = "train") -> list[Task]:
    return list(islice(generator.stream(level=level, seed=seed, split=split), count))


def requests_of(tasks: list[Task]) -> Iterator[tuple[Task, Request]]:
    for task in tasks:
        assert task.goal is not None
        for request in task.goal.requests:
            yield from ((task, link) for link in chain(request))


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_equal_seeds_give_equal_bytes(generator: AirlineGenerator, level: int) -> None:
    own = AirlineGenerator(tables())
    first, second = take(generator, 10, level, seed=5), take(own, 10, level, seed=5)
    own.close()
    assert [task.model_dump_json() for task in first] == [task.model_dump_json() for task in second]
    other = take(generator, 10, level, seed=6)
    assert {task.model_dump_json(exclude={"id"}) for task in first}.isdisjoint(
        task.model_dump_json(exclude={"id"}) for task in other
    )


@pytest.mark.parametrize("split", sorted(SIZES))
def test_the_shipped_split_is_what_the_generator_makes(split: str, tmp_path: Path) -> None:
    write_tasks(tmp_path / "made.jsonl", make_split(domain, split))
    shipped = Path(package.__file__ or "").with_name("data") / f"{split}.jsonl"
    assert (tmp_path / "made.jsonl").read_bytes() == shipped.read_bytes()


def test_shipped_splits_share_no_user_and_hold_all_levels() -> None:
    train, test = domain.task_set("train"), domain.task_set("test")
    assert (len(train), len(test)) == (500, 250)
    assert {task.user_id for task in train}.isdisjoint({task.user_id for task in test})
    for tasks in (train, test):
        assert set(Counter(task.level for task in tasks).values()) == {len(tasks) // 5}
        assert len({task.id for task in tasks}) == len(tasks)
    assert len(domain.task_set("train:level=2")) == 100


def test_all_shipped_gold_verifies(generator: AirlineGenerator) -> None:
    for split in SIZES:
        for task in domain.task_set(split):
            # A certificate for a delay follows its cancellation: reversed, tools alone do not mind.
            assert generator.verifier.check(task) == [], task.id


def test_levels_grow(generator: AirlineGenerator) -> None:
    for task, request in requests_of(take(generator, 40, 1, seed=3)):
        assert task.goal is not None
        assert len(task.goal.requests) == 1
        assert (request.fallback, request.change, request.unknown) == (None, None, ())
        assert task.goal.noise == 0
    tasks = take(generator, 80, 5, seed=3)
    found = [request for _, request in requests_of(tasks)]
    assert all(task.goal and len(task.goal.requests) >= 3 for task in tasks)
    assert any(request.fallback for request in found)
    assert any(request.change for request in found)
    assert any(request.unknown for request in found)
    assert {"done", "refused", "transferred", "answered"} == {request.outcome for request in found}
    assert len({task.goal.persona for task in tasks if task.goal}) == 6
    intents = {request.intent for level in (3, 4) for _, request in requests_of(take(generator, 80, level, seed=3))}
    assert intents >= {"book_flight", "compensation", "change_flights", *FORBIDDEN}


def test_outcomes_follow_the_policy_document(generator: AirlineGenerator) -> None:
    checked: Counter[str] = Counter()
    for level in (1, 2, 3, 4, 5):
        for task, request in requests_of(take(generator, 60, level, seed=4)):
            slots = request.slots
            row = RESERVATIONS.get(slots.get("reservation_id", ""))
            if row is None:
                continue
            assert row["user_id"] == task.user_id
            statuses = generator.fleet.statuses(row)
            if request.intent == "cancel_reservation":
                really = slots["reason"] == "airline_cancelled" and "cancelled" in statuses
                verdict = cancellation(row, slots["reason"], NOW, flight_cancelled=really)
                assert request.outcome == {"allowed": "done", "refused": "refused", "transfer": "transferred"}[verdict]
            elif request.intent == "compensation" and slots["complaint"] == "cancelled_flight":
                fair = compensable(USERS[row["user_id"]], row) and "cancelled" in statuses
                assert request.outcome == ("done" if fair else "refused")
            elif request.intent == "change_flights":
                assert (request.outcome == "refused") == (row["cabin"] == "basic_economy")
            else:
                assert (request.outcome == "refused") == (request.intent in FORBIDDEN)
            checked[f"{request.intent}:{request.outcome}"] += 1
    assert min(checked[f"cancel_reservation:{name}"] for name in ("done", "refused", "transferred")) >= 5
    assert min(checked[f"compensation:{name}"] for name in ("done", "refused")) >= 5


def test_refusals_and_transfers_ask_for_more_than_an_unchanged_database(generator: AirlineGenerator) -> None:
    for task, request in requests_of(take(generator, 80, 4, seed=7)):
        kinds = {(item.kind, item.intent) for item in task.requirements}
        if request.outcome == "refused":
            assert ("refusal", request.intent) in kinds
        if request.outcome == "transferred":
            assert ("terminal_tool", None) in kinds
            assert task.actions[-1].name == "transfer_to_human_agents"
            assert task.goal is not None
            assert any(settled(other).outcome == "done" for other in task.goal.requests)


def test_the_instruction_holds_what_the_user_must_say(generator: AirlineGenerator) -> None:
    for level in LEVELS:
        for task, request in requests_of(take(generator, 20, level, seed=8)):
            said = task.instruction
            assert task.user_id is not None
            assert task.user_id in said
            slots = request.slots
            if not request.unknown and "reservation_id" in slots and slots["reservation_id"] not in said:
                # A fallback after a trip of unknown id is about the same trip.
                assert "route" in slots
            for person in [slots.get("new_passenger"), *slots.get("passengers", ())]:
                assert person is None or person["dob"] in said
            if "answer" in slots and slots["topic"] == "total_paid":
                assert not re.search(rf"\b{slots['answer']}\b", said)


def test_unknown_reservations_are_told_by_their_trip(generator: AirlineGenerator) -> None:
    found = 0
    for _, request in requests_of(take(generator, 80, 2, seed=9)):
        if not request.unknown:
            continue
        found += 1
        row = RESERVATIONS[request.slots["reservation_id"]]
        routes = [
            [RESERVATIONS[name]["origin"], RESERVATIONS[name]["destination"]]
            for name in USERS[row["user_id"]]["reservations"]
        ]
        assert routes.count(request.slots["route"]) == 1
    assert found > 5


def test_wrong_options_are_named(generator: AirlineGenerator) -> None:
    with pytest.raises(TaskError, match="level is 9"):
        take(generator, 1, 9, seed=0)
    with pytest.raises(TaskError, match="'dev'"):
        take(generator, 1, 1, seed=0, split="dev")


def test_an_unsound_task_is_found(generator: AirlineGenerator) -> None:
    task = next(task for task in take(generator, 60, 1, seed=3) if task.actions[-1].name == "cancel_reservation")
    check = generator.verifier.problems
    assert check(Candidate(task)) == []
    twice = task.model_copy(update={"actions": (*task.actions, task.actions[-1])})
    assert "gold fails" in check(Candidate(twice))[0]
    idle = task.model_copy(update={"actions": task.actions[:1]})
    assert "gold changes nothing" in check(Candidate(idle))
    known = frozenset({USERS[task.user_id or ""]["dob"]})
    assert "known to the user alone" in check(Candidate(task, private=known))[0]
    fine = ((Action(name="get_user_details", arguments={"user_id": task.user_id}),),)
    assert "should be refused but succeeds" in check(Candidate(task, must_fail=fine))[0]


def test_binding_rules_are_named() -> None:
    setting = load_setting("airline", "train")
    world = setting.make_world()
    found: Counter[str] = Counter()
    for task in setting.tasks:
        world.load(task.initial_actions)
        found.update(domain.binding_rules(task, world.database))
    world.close()
    assert set(found) == set(RULES)
