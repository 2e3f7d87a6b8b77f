from __future__ import annotations

import asyncio
import itertools
import threading
from typing import Any

import pytest
from shop import ShopUser
from shop.models import Order

from engine.helpers import call, cancel
from mua_env.episode.session import Session, StepResult
from mua_env.episode.setting import Setting
from mua_env.errors import ConfigError, EpisodeError

TURNS: list[Any] = ["What is your email?", "Which order?", cancel(1), "Well then?", "It is done."]


def test_dialogue_from_hello_to_score(session: Session) -> None:
    result = session.start(session.setting.tasks.by_id("train-1"), seed=3)
    assert result.messages[0].role == "user"
    assert not result.done
    replies = [session.send(turn) for turn in TURNS]
    assert [reply.messages[0].content for reply in replies[:2]] == ["person1@example.com", "It is #1."]
    assert replies[-1].terminated
    assert replies[-1].score is not None
    assert replies[-1].score.reward == 1.0
    assert session.score is replies[-1].score


def test_async_is_the_same_dialogue(setting: Setting) -> None:
    task = setting.tasks.by_id("train-1")
    sync, other = Session(setting, ShopUser()), Session(setting, ShopUser())

    async def play() -> list[StepResult]:
        results = [await other.astart(task, seed=11)]
        for turn in TURNS:
            results.append(await other.asend(turn))
        return results

    expected = [sync.start(task, seed=11), *(sync.send(turn) for turn in TURNS)]
    assert asyncio.run(play()) == expected
    assert sync.trajectory(id="x") == other.trajectory(id="x")
    sync.close()
    other.close()


def test_seed_fixes_the_user(session: Session) -> None:
    task = session.setting.tasks.by_id("train-1")

    def said(seed: int) -> list[str | None]:
        results = [session.start(task, seed=seed), *(session.send("Hm?") for _ in range(8))]
        return [result.messages[0].content for result in results]

    assert said(1) == said(1)
    assert len({tuple(said(seed)) for seed in range(5)}) > 1


def test_the_time_of_the_user_is_counted_by_episode(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "mua_env.episode.user_channel.time.perf_counter", itertools.count().__next__
    )  # a second for each reply
    task = session.setting.tasks.by_id("train-1")
    assert session.user_seconds == 0
    session.start(task, seed=1)
    session.send("Hm?")
    assert session.user_seconds == 2
    twin = session.fork()
    twin.send("Hm?")
    assert (twin.user_seconds, session.user_seconds) == (3, 2)
    twin.close()
    session.start(task, seed=1)
    assert session.user_seconds == 1
    session.close()
    assert session.user_seconds == 0


def test_order_of_calls(session: Session) -> None:
    with pytest.raises(EpisodeError, match="no episode was started"):
        session.send("Hello")
    session.start(session.setting.tasks[1])
    with pytest.raises(ConfigError, match="an action is a string or an assistant message"):
        session.send(3)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="role 'assistant', got 'user'"):
        session.send({"role": "user", "content": "x"})
    assert session.episode.turns == 0  # nothing has happened
    session.send("It is done.")
    with pytest.raises(EpisodeError, match="it has ended"):
        session.send("Hello")
    session.close()
    session.close()
    session.start(session.setting.tasks[1])
    session.close()
    with pytest.raises(EpisodeError, match="closed"):
        session.send("Hello")


def test_content_none_is_an_empty_message(session: Session) -> None:
    session.start(session.setting.tasks[1])
    result = session.send({"role": "assistant", "content": None})
    assert result.messages[0].role == "user"


def test_next_episode_starts_clean(session: Session) -> None:
    session.start(session.setting.tasks[1])
    session.send(cancel(1))
    session.start(session.setting.tasks[1])
    assert session.world.snapshot() == {}
    assert session.score is None
    assert (session.world.database.get(Order, "#1") or {})["status"] == "pending"


def test_score_in_mid_dialogue_changes_nothing(session: Session) -> None:
    session.start(session.setting.tasks[1])
    assert session.score_now().reward == 0.0
    session.send(cancel(1))
    assert session.score_now().reward == 1.0
    assert session.score is None
    assert session.send("It is done.").terminated


def test_driver_can_end_it(session: Session) -> None:
    session.start(session.setting.tasks[1])
    session.send(cancel(1))
    result = session.truncate("4096 tokens")
    assert result.truncated
    assert result.score is not None
    assert (result.score.reward, result.score.parts["database"]) == (0.0, 1.0)
    session.start(session.setting.tasks[1])
    result = session.fail("the model server is gone")
    assert result.score is not None
    assert (result.score.reward, result.score.fault) == (None, "environment")
    assert session.episode.cause == "the model server is gone"


def test_broken_database_is_no_failure_of_the_agent(session: Session) -> None:
    session.start(session.setting.tasks[1])
    world = session.world
    world.database._connection.exec_driver_sql("DROP TABLE lines")
    result = session.send(call("get_order", order_id="#1"))
    assert (result.truncated, session.episode.ended_by) == (True, "fault")
    assert result.score is not None
    assert (result.score.reward, result.score.fault) == (None, "environment")
    assert str(session.episode.cause).startswith("the database failed: ")
    session.start(session.setting.tasks[1])
    assert session.world is not world
    assert '"lines": [{' in str(session.send(call("get_order", order_id="#1")).messages[0].content)


def test_one_dialogue_branches_eight_ways(session: Session) -> None:
    session.start(session.setting.tasks.by_id("train-1"), seed=5)
    session.send("What is your email?")
    session.send(call("set_total", order_id="#1", total=10.0))
    ways: list[list[Any]] = [
        [cancel(1), "It is done."],
        ["It is done."],
        [cancel(2), "It is done."],
        [cancel(1), cancel(2), "It is done."],
        [call("hand_over", summary="?")],
        [cancel(1), call("hand_over", summary="ok")],
        ["I cannot."],
        ["Which order?", cancel(1), "Thank you.", "It is done."],
    ]
    branches = [session.fork() for _ in ways]
    scores = []
    for branch, turns in zip(branches, ways, strict=True):
        for turn in turns:
            result = branch.send(turn)
        assert result.done
        assert result.score is not None
        scores.append(result.score.reward)
    assert scores == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    assert not session.episode.ended
    assert list(session.world.snapshot()) == [("orders", '["#1"]')]
    for branch in branches:
        assert branch.trajectory(id="b").entries[:5] == session.trajectory(id="b").entries
        branch.close()
    session.send(cancel(1))
    last = session.send("It is done.").score
    assert last is not None
    assert last.reward == 1.0


def test_equal_actions_lead_to_equal_futures(session: Session) -> None:
    session.start(session.setting.tasks.by_id("train-1"), seed=5)
    session.send("Hm?")
    twin = session.fork()
    ours, theirs = [[s.send("Hm?") for _ in range(10)] for s in (session, twin)]
    assert ours == theirs
    twin.close()


def test_threads_share_a_setting(setting: Setting) -> None:
    rewards: dict[int, float | None] = {}

    def play(number: int) -> None:
        session = Session(setting, ShopUser())
        task = setting.tasks[number].model_copy(update={"id": f"threaded-{number}"})
        session.start(task)
        session.send(cancel(number))
        score = session.send("It is done.").score
        rewards[number] = None if score is None else score.reward
        session.close()

    threads = [threading.Thread(target=play, args=(number,)) for number in (0, 1, 2, 3, 5, 6, 7, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rewards == dict.fromkeys((0, 1, 2, 3, 5, 6, 7, 8), 1.0)
