"""Tasks that follow from a description: sound, varied, equal for equal options; no two splits share a user."""

from __future__ import annotations

from itertools import islice

import pytest

from mua_env import DescribedDomain, Request, Task, load_setting
from mua_env.core.outcomes import chain
from mua_env.errors import TaskError


def tasks(domain: DescribedDomain, level: int, count: int, split: str = "train", seed: int = 0) -> list[Task]:
    return list(islice(domain.generate(level=level, seed=seed, split=split), count))


def requests(found: list[Task]) -> list[Request]:
    return [part for task in found if task.goal for request in task.goal.requests for part in chain(request)]


def test_every_task_verifies(domain: DescribedDomain) -> None:
    for level in domain.levels:
        for task in tasks(domain, level, 8):
            assert domain.generator.verifier.check(task) == []
            assert task.instruction


def test_equal_options_give_equal_tasks_and_splits_share_no_user(domain: DescribedDomain) -> None:
    train, test = tasks(domain, 3, 12), tasks(domain, 3, 12, split="test")
    assert train == tasks(domain, 3, 12)
    assert not {task.user_id for task in train} & {task.user_id for task in test}


def test_levels_grow_from_one_plain_request_to_several_with_twists(hotel: DescribedDomain) -> None:
    sizes = {level: [len(task.goal.requests) for task in tasks(hotel, level, 20) if task.goal] for level in (1, 3, 5)}
    assert (set(sizes[1]), set(sizes[3]), set(sizes[5])) == ({1}, {2}, {3, 4})
    assert all(request.outcome == "done" and request.change is None for request in requests(tasks(hotel, 1, 20)))
    hard = requests(tasks(hotel, 4, 40))
    assert any(request.change for request in hard)
    assert any(request.fallback for request in hard)
    assert any(request.outcome == "refused" and not request.fallback for request in hard)


def test_a_user_that_does_not_know_the_code_tells_the_contents(teashop: DescribedDomain) -> None:
    unknown = [request for request in requests(tasks(teashop, 2, 60)) if request.unknown]
    assert unknown
    for request in unknown:
        (slot,) = request.unknown
        assert request.slots[f"{slot}:hint"]


def test_what_must_be_looked_up_is_part_of_the_gold(teashop: DescribedDomain) -> None:
    swaps = [task for task in tasks(teashop, 1, 30) if task.goal and task.goal.requests[0].intent == "swap_items"]
    assert swaps
    for task in swaps:
        names = [action.name for action in task.actions]
        assert names[:2] == ["find_customer", "get_order"]
        assert {"get_tea", "swap_items"} <= set(names)


def test_no_instruction_holds_what_the_user_does_not_know(domain: DescribedDomain) -> None:
    for task in tasks(domain, 2, 30):
        for request in task.goal.requests if task.goal else ():
            for slot in request.unknown:
                assert str(request.slots[slot]) not in task.instruction


def test_more_reads_can_be_asked_for(teashop: DescribedDomain) -> None:
    setting = load_setting(teashop, "generate:level=2:reads=4")
    writes = {name for name, spec in teashop.toolkit.specs.items() if spec.writes}
    for task in islice(setting.tasks, 10):
        assert sum(action.name not in writes for action in task.actions) >= 4


def test_a_level_that_the_domain_does_not_have_is_refused(teashop: DescribedDomain) -> None:
    with pytest.raises(TaskError, match="level is 5; there are 1, 2, 3, 4"):
        next(iter(teashop.generate(level=5, seed=0)))


def test_rows_that_cannot_hold_a_level_say_what_to_do(hotel: DescribedDomain) -> None:
    class Small(type(hotel)):  # type: ignore[misc]
        def data(self) -> dict[str, list[dict[str, object]]]:
            rows = super().data()
            return {**rows, "guests": rows["guests"][:4], "bookings": rows["bookings"][:3]}

    with pytest.raises(TaskError, match="give users more records"):
        list(islice(Small().generate(level=5, seed=0), 3))
