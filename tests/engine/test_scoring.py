from __future__ import annotations

from typing import Any

import pytest
from shop import ShopUser, shop

from engine.helpers import call, cancel
from mua_env.core.scores import Record, Score, check_reward
from mua_env.core.tasks import Action, Requirement, Task
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, TaskError
from mua_env.scoring.checks import said


def play(session: Session, task: Task, *turns: Any) -> Score:
    result = session.start(task)
    for turn in turns:
        result = session.send(turn)
    assert result.done
    assert result.score is not None
    return result.score


def test_gold_actions_score_one(session: Session) -> None:
    score = play(session, session.setting.tasks.by_id("train-1"), cancel(1), "It is done.")
    assert (score.reward, score.success) == (1.0, True)
    assert score.parts == {"database": 1.0, "requirements": None, "outputs": None}
    assert score.difference == ()
    assert score.basis == ("database", "requirements")


def test_doing_nothing_scores_zero_and_says_why(session: Session) -> None:
    score = play(session, session.setting.tasks.by_id("train-1"), "It is done.")
    assert (score.reward, score.success) == (0.0, False)
    (cell,) = score.difference
    assert (cell.table, cell.key, cell.column) == ("orders", "#1", "status")
    assert (cell.expected, cell.got) == ("cancelled (ordered by mistake)", "pending")


def test_one_row_too_many_scores_zero(session: Session) -> None:
    score = play(session, session.setting.tasks.by_id("train-1"), cancel(1), cancel(2), "It is done.")
    assert score.reward == 0.0
    assert [cell.key for cell in score.difference] == ["#2"]


def test_way_and_order_do_not_matter(session: Session) -> None:
    task = session.setting.tasks.by_id("train-1")
    detour = call("set_total", order_id="#1", total=99)
    back = call("set_total", order_id="#1", total=10)
    failed = call("cancel_order", order_id="#4")
    score = play(session, task, failed, detour, cancel(1), back, cancel(1), "It is done.")
    assert score.reward == 1.0


def test_refusal_counts_only_when_the_user_was_told(session: Session) -> None:
    task = session.setting.tasks.by_id("train-4")
    silent = play(session, task, "It is done.")
    assert silent.reward == 0.0
    assert silent.parts == {"database": 1.0, "requirements": 0.0, "outputs": None}
    (unmet,) = silent.unmet
    assert "the user was told that cancel is not possible" in unmet
    assert play(session, task, "I cannot cancel what has been sent.").reward == 1.0


def rewards(setting: Setting, task: Task, record: Record) -> dict[str, float | None]:
    world = setting.make_world()
    names = ("task", "outcome", "tau1", "tau1-no-outputs")
    found = {name: setting.scorer.score(task, world, record, reward=check_reward(name)).reward for name in names}
    world.close()
    return found


def test_each_reward_multiplies_its_own_parts(setting: Setting) -> None:
    task = Task(id="parts", domain="shop", outputs=("1000",), requirements=(Requirement(kind="told", value="sorry"),))
    ones = {"task": 1.0, "outcome": 1.0, "tau1": 1.0, "tau1-no-outputs": 1.0}
    assert rewards(setting, task, Record()) == {**ones, "task": 0.0, "tau1": 0.0}
    assert rewards(setting, task, Record(agent_texts=("It is 1,000.",))) == {**ones, "task": 0.0}
    assert rewards(setting, task, Record(agent_texts=("Sorry!",))) == {**ones, "tau1": 0.0}
    assert rewards(setting, task, Record(agent_texts=("Sorry, 1000!",))) == ones


def test_outputs_as_in_tau_bench() -> None:
    assert said("1000", ["It costs $1,000."])
    assert said("10", ["It costs 100."])
    assert not said("1,000", ["It costs $1,000."])  # commas leave the message only
    assert said("Blue Bird", ["a BLUE bird"])


def test_truncation_is_zero_with_the_parts_of_the_state(setting: Setting) -> None:
    session = Session(setting, ShopUser(), max_turns=2)
    score = play(session, setting.tasks.by_id("train-1"), cancel(1), "Anything else?")
    assert score.truncated
    assert (score.reward, score.success) == (0.0, False)
    assert score.parts["database"] == 1.0
    session.close()


def test_fault_has_no_reward(session: Session) -> None:
    score = play(session, session.setting.tasks.by_id("train-1"), cancel(1), "crash the user")
    assert (score.reward, score.success, score.fault) == (None, None, "user")
    assert score.parts["database"] == 1.0


def test_gold_that_fails_is_told(setting: Setting) -> None:
    gold = (
        Action(name="cancel_order", arguments={"order_id": "#4"}),
        Action(name="hand_over", arguments={"summary": "x"}),
    )
    found = setting.scorer.gold(Task(id="failing", domain="shop", actions=gold))
    assert found.changes == {}
    assert found.failures == ("cancel_order: Error: order #4 is sent and cannot be cancelled",)


def test_terminal_requirement(session: Session) -> None:
    task = Task(
        id="transfer",
        domain="shop",
        goal=session.setting.tasks[0].goal,
        requirements=(Requirement(kind="terminal_tool", name="hand_over"),),
    )
    assert play(session, task, call("hand_over", summary="x")).reward == 1.0
    assert play(session, task, "It is done.").reward == 0.0


def test_initial_actions_stand_on_both_sides(session: Session) -> None:
    base = session.setting.tasks.by_id("train-1")
    before = Action(name="set_total", arguments={"order_id": "#9", "total": 5})
    task = base.model_copy(update={"id": "with-initial", "initial_actions": (before,)})
    session.start(task)
    assert list(session.world.snapshot()) == [("orders", '["#9"]')]
    assert play(session, task, cancel(1), "It is done.").reward == 1.0
    assert play(session, base, cancel(1), "It is done.").reward == 1.0  # and the next episode knows nothing of it
    broken = base.model_copy(update={"initial_actions": (Action(name="cancel_order", arguments={}),)})
    with pytest.raises(TaskError, match=r"initial action cancel_order.* fails: Error: .*'order_id' is missing"):
        session.start(broken)


def test_compat_tells_whole_numbers_from_floats() -> None:
    gold = (Action(name="set_total", arguments={"order_id": "#1", "total": 25}),)
    task = shop.tasks("train")[1].model_copy(update={"id": "typed", "actions": gold})
    found = {}
    for mode in ("strict", "compat"):
        setting = load_setting(shop, "train", mode=mode)
        session = Session(setting, ShopUser())
        found[mode] = play(session, task, call("set_total", order_id="#1", total=25.0), "done").reward
        session.close()
    assert found == {"strict": 1.0, "compat": 0.0}


def test_unknown_reward_is_named() -> None:
    with pytest.raises(ConfigError, match="reward is 'best'; use one of 'task', 'outcome', 'tau1'"):
        check_reward("best")


def test_score_survives_json(session: Session) -> None:
    score = play(session, session.setting.tasks.by_id("train-1"), cancel(2), "It is done.")
    assert Score.model_validate_json(score.model_dump_json()) == score
