"""tau2's telecom tasks as task sets, and the figures that are known of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import mean

import pytest

from mua_env.core.scores import Record, Score
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import Mode
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, TaskError

from .public import tau2_data

TRANSFER = Action(name="transfer_to_human_agents", arguments={"summary": "I cannot help."})


def _setting(split: str, mode: Mode | None = None, *, policy: str | None = None, solo: bool = False) -> Setting:
    return load_setting("telecom", f"tau2:{split}", path=tau2_data(), mode=mode, policy=policy, solo=solo)


def _scores(setting: Setting, *, gold: bool = False, transfer: bool = False) -> Iterator[tuple[Task, Score]]:
    world = setting.make_world()
    for task in setting.tasks:
        world.load(task.initial_actions)
        calls = task.actions if gold else (TRANSFER,) if transfer else ()
        for call in calls:
            result = world.call(call.name, call.arguments, requestor=call.requestor)
            assert result.ok, result.content
        yield task, setting.scorer.score(task, world, Record(calls=calls))
    world.close()


def test_splits() -> None:
    sizes = {split: len(_setting(split).tasks) for split in ("base", "train", "test", "small", "full")}
    assert sizes == {"base": 114, "train": 74, "test": 40, "small": 20, "full": 2285}
    ids = {split: {task.id for task in _setting(split).tasks} for split in sizes}
    assert ids["train"] | ids["test"] == ids["base"]
    assert not ids["train"] & ids["test"]
    assert ids["base"] | ids["small"] <= ids["full"]
    families = Counter(task_id[1 : task_id.index("]")] for task_id in ids["full"])
    assert families == {"service_issue": 47, "mobile_data_issue": 254, "mms_issue": 1984}
    with pytest.raises(TaskError, match="no split 'dev'"):
        _setting("dev")


def test_defaults_are_tau2s() -> None:
    setting = _setting("base")
    assert (setting.mode, setting.tasks.variant) == ("compat", "manual")
    assert len(setting.tools) == 13
    assert len(setting.user_tools) == 30
    assert not setting.make_world().is_terminal("transfer_to_human_agents")


def test_policy_documents() -> None:
    variants = {
        (policy, solo): _setting("small", policy=policy, solo=solo).tasks
        for policy in ("manual", "workflow")
        for solo in (False, True)
    }
    assert [tasks.variant for tasks in variants.values()] == ["manual", "manual-solo", "workflow", "workflow-solo"]
    assert len({tasks.policy for tasks in variants.values()}) == 4
    assert {tasks.source_revision for tasks in variants.values()} == {_setting("base").tasks.source_revision}
    with pytest.raises(ConfigError, match="no policy 'booklet'"):
        _setting("small", policy="booklet")


@pytest.mark.parametrize(("mode", "won"), [("compat", 20), ("strict", 0)])
def test_known_figures(mode: Mode, won: int) -> None:
    setting = _setting("base", mode)
    idle = [score for _, score in _scores(setting)]
    per_task = Counter(len(score.checks) for score in idle)
    assert per_task == {1: 19, 2: 75, 3: 20}
    assert sum(count * tasks for count, tasks in per_task.items()) == 229
    assert mean(score.initial_tcr or 0.0 for score in idle) == pytest.approx(0.101, abs=5e-4)
    assert sum(score.reward or 0.0 for score in idle) == 0
    transferred = [score.reward for _, score in _scores(setting, transfer=True)]
    assert transferred.count(1.0) == won


@pytest.mark.parametrize(("mode", "equal"), [("compat", 114 - 71), ("strict", 114)])
def test_gold_scores_and_its_database(mode: Mode, equal: int) -> None:
    """tau2 does not settle between gold actions, so the database after 71 gold runs differs from that after others."""
    scores = [score for _, score in _scores(_setting("base", mode), gold=True)]
    assert {score.reward for score in scores} == {1.0}
    assert {score.tcr for score in scores} == {1.0}
    assert sum(score.parts["database"] or 0.0 for score in scores) == equal


@pytest.mark.parametrize("mode", ["compat", "strict"])
def test_solo_gold_scores(mode: Mode) -> None:
    setting = _setting("base", mode, solo=True)
    # Agent's, user's and done.
    assert len(setting.tools) == 13 + 30 + 1
    assert all(task.ticket for task in setting.tasks)
    world = setting.make_world()
    for task in setting.tasks:
        world.load(task.initial_actions)
        calls = tuple(call.model_copy(update={"requestor": "agent"}) for call in task.actions)
        assert all(world.call(call.name, call.arguments).ok for call in calls)
        assert setting.scorer.score(task, world, Record(calls=calls)).reward == 1.0
    world.close()


@pytest.mark.slow
def test_every_task_can_be_solved() -> None:
    scores = {task.id: score.reward for task, score in _scores(_setting("full"), gold=True)}
    assert len(scores) == 2285
    assert set(scores.values()) == {1.0}


def test_instruction_tells_situation_and_persona() -> None:
    tasks = _setting("base").tasks
    personas = {name: [task for task in tasks if task.id.endswith(f"[PERSONA:{name}]")] for name in ("None", "Hard")}
    assert all("phone number 555-123-2002" in task.instruction for task in tasks)
    assert all("Who you are:" in task.instruction for task in personas["Hard"])
    assert not any("Who you are:" in task.instruction for task in personas["None"])
