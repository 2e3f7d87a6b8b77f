"""No tool that writes takes a number that nothing in its world can have."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from mua_env import load_setting
from mua_env.core.tasks import Task
from mua_env.domain.bounds import check_within
from mua_env.errors import ToolError

HUGE = [1e18, 2**63 - 1, 10**7, 3e9, -(2**62), -1e12]
TINY = [1e-320, 5e-324, 1e-12, -1e-300]


def _numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where numbers stand in arguments."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _numbers(part, (*path, key))


def _with(arguments: dict[str, Any], path: tuple[Any, ...], number: float) -> dict[str, Any]:
    changed = copy.deepcopy(arguments)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = number
    return changed


def _cases(world: Any, tasks: Any) -> Iterator[tuple[Task, int]]:
    """For each tool that writes and takes numbers, a task whose gold calls it, and where."""
    seen = set()
    for task in tasks:
        for place, action in enumerate(task.actions):
            spec = world.toolset.toolkit.specs.get(action.name)
            if spec is not None and spec.writes and action.name not in seen and any(_numbers(action.arguments)):
                seen.add(action.name)
                yield task, place


@pytest.mark.parametrize("mode", ["strict", "compat"])
@pytest.mark.parametrize(
    ("domain", "tools"),
    [
        ("airline", {"book_reservation", "update_reservation_baggages", "send_certificate"}),
        ("telecom", {"refuel_data"}),
    ],
)
def test_a_number_that_nothing_can_have_is_refused_and_changes_nothing(domain: str, tools: set[str], mode: Any) -> None:
    setting = load_setting(domain, "train", mode=mode)
    world = setting.make_world()
    tried = set()
    for task, place in _cases(world, setting.tasks):
        call = task.actions[place]
        tried.add(call.name)
        world.load(task)
        for action in task.actions[:place]:
            assert world.call(action.name, action.arguments, requestor=action.requestor).ok
        before = world.snapshot()
        for path in _numbers(call.arguments):
            for number in [*HUGE, *(TINY if mode == "strict" or domain == "telecom" else [])]:
                result = world.call(call.name, _with(call.arguments, path, number))
                assert not result.ok, (call.name, path, number)
                assert result.content.startswith("Error: ")
        assert world.snapshot() == before
        assert world.call(call.name, call.arguments).ok
    assert tried >= tools
    world.close()


@pytest.mark.parametrize(("value", "holds"), [(1, True), (100, True), (0, False), (101, False), (2**63 - 1, False)])
def test_the_ends_belong_to_the_bounds(value: int, holds: bool) -> None:
    if holds:
        check_within("a count", value, 1, 100)
    else:
        with pytest.raises(ToolError, match="between 1 and 100"):
            check_within("a count", value, 1, 100)
