"""The audit of telecom tasks: the own ones are sound, long ids stand below the tables, a scene is part of a task."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from mua_env.core.tasks import Task
from mua_env.episode.setting import Setting, load_setting
from mua_env.evaluation.audit import Audit, audit
from mua_env.evaluation.audit.table import render
from mua_env.evaluation.reports.audit import render_html

LONG = "[service_issue]" + "|".join(f"fault_number_{number}" for number in range(9))


def shown(found: Audit, width: int, *, every_task: bool = False) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(render(found, every_task=every_task))
    return capture.get().splitlines()


def renamed(setting: Setting, tasks: list[Task]) -> Setting:
    return Setting(setting.domain, replace(setting.tasks, tasks=tasks, _index={}))


@pytest.fixture(scope="module")
def twins(setting: Setting) -> Setting:
    """Three tasks of long names, of which the first two are the same."""
    one, other = setting.tasks[40], setting.tasks[41]
    named = [one, one, other]
    return renamed(setting, [task.model_copy(update={"id": f"{LONG}[{n}]"}) for n, task in enumerate(named)])


@pytest.mark.parametrize("split", ["train", "test"])
def test_own_tasks_are_sound(split: str) -> None:
    totals = audit(load_setting("telecom", split), run_baselines=False).totals
    assert totals.tasks == {"train": 500, "test": 250}[split]
    assert (totals.failing, totals.same_wish, totals.same_effect, totals.idle["task"]) == ((), (), (), ())
    assert totals.user_only == 0.0
    assert all(count > 0 for count in totals.rules.values())


def test_agents_without_skill_score_nothing_on_own_tasks(setting: Setting) -> None:
    totals = audit(setting).totals
    assert set(totals.baseline_episodes.values()) == {250}
    assert {name: rewards["task"] for name, rewards in totals.baselines.items()} == {
        "do nothing": 0.0,
        "transfer at once": 0.0,
        "random": 0.0,
    }


@pytest.mark.parametrize("width", [80, 120])
def test_long_ids_stand_below_the_tables(width: int, twins: Setting) -> None:
    lines = shown(audit(twins, run_baselines=False), width)
    assert max(map(len, lines)) <= width
    inside = [line for line in lines if line.startswith("│")]
    assert any("#1 = #2" in line for line in inside)
    assert not any("fault_number" in line for line in inside)
    key = "".join(line.strip() for line in lines[lines.index(next(line for line in lines if "by number" in line)) :])
    assert f"#1 {LONG}[0]" in key
    assert f"#2 {LONG}[1]" in key
    assert "#3" not in key


def test_every_task_is_named_where_all_are_listed(twins: Setting) -> None:
    lines = shown(audit(twins, run_baselines=False), 120, every_task=True)
    assert [number for number in ("#1", "#2", "#3") if any(line.startswith(f"{number} [") for line in lines)] == [
        "#1",
        "#2",
        "#3",
    ]


def test_short_ids_stand_in_the_tables(setting: Setting) -> None:
    two = renamed(setting, [setting.tasks[0].model_copy(update={"id": name}) for name in ("one", "two")])
    lines = shown(audit(two, run_baselines=False), 80)
    assert any("one = two" in line for line in lines)
    assert not any("by number" in line or "#1" in line for line in lines)


def test_the_policy_document_is_named(setting: Setting) -> None:
    found = audit(renamed(setting, [setting.tasks[0]]), run_baselines=False)
    assert found.variant == "manual"
    assert "(policy manual, strict scoring)" in shown(found, 120)[0]


def test_the_page_has_the_whole_ids(twins: Setting) -> None:
    page = render_html(audit(twins, run_baselines=False))
    assert f'<td class="long">{LONG}[0]</td>' in page


def test_another_scene_is_another_task(setting: Setting) -> None:
    """Two phones, broken in different ways and repaired, look the same; they are not the same task."""
    task = next(task for task in setting.tasks if task.level == 1 and any(a.requestor == "user" for a in task.actions))
    scene = (*task.initial_actions, task.initial_actions[0])
    pair = [task.model_copy(update={"id": "a"}), task.model_copy(update={"id": "b", "initial_actions": scene})]
    totals = audit(renamed(setting, pair), run_baselines=False).totals
    assert (totals.same_wish, totals.same_effect, totals.empty) == ((), (), ())
    same = [pair[0], task.model_copy(update={"id": "b"})]
    assert audit(renamed(setting, same), run_baselines=False).totals.same_effect == (("a", "b"),)


def test_gold_that_only_looks_and_hands_over_changes_nothing(setting: Setting) -> None:
    """What the scene changed before is not the gold's doing."""
    tasks = [
        task for task in setting.tasks if all(action.name.startswith(("get_", "transfer")) for action in task.actions)
    ]
    assert tasks
    assert len(audit(renamed(setting, tasks[:3]), run_baselines=False).totals.empty) == len(tasks[:3])
