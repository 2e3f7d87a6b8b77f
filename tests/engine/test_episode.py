from __future__ import annotations

from collections.abc import Iterator

import pytest
from shop import shop
from shop.tools import ShopTools

from engine.helpers import call, cancel, turn
from mua_env.core.database import open_template
from mua_env.core.messages import parse_agent_turn
from mua_env.core.world import SQLWorld
from mua_env.episode.episode import Episode
from mua_env.errors import EpisodeError
from mua_env.users.base import UserReply

TASK = shop.tasks("train")[1]


@pytest.fixture
def world() -> Iterator[SQLWorld]:
    world = SQLWorld(open_template(shop.models, shop.data()), ShopTools)
    yield world
    world.close()


@pytest.fixture
def episode(world: SQLWorld) -> Episode:
    episode = Episode(TASK, world)
    episode.user_turn(UserReply(text="Hello"))
    return episode


def contents(episode: Episode, source: str) -> list[str | None]:
    return [entry.message.content for entry in episode.entries if entry.source == source]


def test_the_user_opens(world: SQLWorld) -> None:
    episode = Episode(TASK, world)
    with pytest.raises(EpisodeError, match="no turn of the agent is due: the user's turn comes next"):
        episode.agent_turn(parse_agent_turn("Hello"))
    (opening,) = episode.user_turn(UserReply(text="Hello"))
    assert opening.content == "Hello"
    with pytest.raises(EpisodeError, match="no turn of the user is due: the agent's turn comes next"):
        episode.user_turn(UserReply(text="Hello again"))


def test_text_asks_the_user(episode: Episode) -> None:
    step = episode.agent_turn(parse_agent_turn("Which order?"))
    assert (step.messages, step.ask_user) == ([], "Which order?")
    with pytest.raises(EpisodeError, match="the user's turn comes next"):
        episode.agent_turn(parse_agent_turn("Hello?"))


def test_several_calls_run_in_order(episode: Episode, world: SQLWorld) -> None:
    order = ("get_order", {"order_id": "#1"})
    step = episode.agent_turn(parse_agent_turn(turn(order, ("cancel_order", {"order_id": "#1"}), order, ("nix", {}))))
    assert step.ask_user is None
    assert [message.tool_call_id for message in step.messages] == ["c0", "c1", "c2", "c3"]  # type: ignore[union-attr]
    first, _, third, fourth = [str(message.content) for message in step.messages]
    assert '"pending"' in first
    assert "cancelled" in third
    assert fourth.startswith("Error: unknown tool 'nix'")
    assert episode.turns == 1


def test_calls_after_a_terminal_tool_are_not_run(episode: Episode, world: SQLWorld) -> None:
    step = episode.agent_turn(
        parse_agent_turn(turn(("hand_over", {"summary": "x"}), ("cancel_order", {"order_id": "#1"})))
    )
    assert [message.content for message in step.messages] == [
        "handed over",
        "Error: cancel_order was not run: hand_over has ended the dialogue",
    ]
    assert world.snapshot() == {}
    assert (episode.terminated, episode.truncated, episode.ended_by) == (True, False, "terminal_tool")
    with pytest.raises(EpisodeError, match="it has ended; reset before the next step"):
        episode.agent_turn(parse_agent_turn("Hello?"))


def test_terminal_tool_that_fails_does_not_end(episode: Episode) -> None:
    step = episode.agent_turn(parse_agent_turn(turn(("hand_over", {"summary": ""}), ("get_order", {"order_id": "#1"}))))
    assert step.messages[0].content == "Error: the summary is empty"
    assert "pending" in str(step.messages[1].content)
    assert not episode.ended


def test_text_beside_calls_stays_with_the_agent(episode: Episode) -> None:
    step = episode.agent_turn(parse_agent_turn(call("get_order", order_id="#1", text="Let me see.")))
    assert step.ask_user is None
    assert contents(episode, "agent") == ["Let me see."]
    assert episode.record().agent_texts == ()
    episode.agent_turn(parse_agent_turn("It is pending."))
    assert episode.record().agent_texts == ("It is pending.",)


def test_text_beside_calls_reaches_the_user_where_the_domain_says_so(world: SQLWorld) -> None:
    episode = Episode(TASK, world, text_with_calls_reaches_user=True)
    episode.user_turn(UserReply(text="Hello"))
    step = episode.agent_turn(parse_agent_turn(call("get_order", order_id="#1", text="Let me see.")))
    assert step.ask_user == "Let me see."
    assert len(step.messages) == 1
    episode.user_turn(UserReply(text="Fine."))
    assert episode.record().agent_texts == ("Let me see.",)


def test_thirty_turns_by_default(episode: Episode) -> None:
    for i in range(15):
        episode.agent_turn(parse_agent_turn(call("get_order", order_id="#1")))
        assert not episode.ended, i
        episode.agent_turn(parse_agent_turn("Well?"))
        episode.user_turn(UserReply(text="Hm."))
    assert (episode.turns, episode.ended_by, episode.cause) == (30, "max_turns", "30 turns")
    assert (episode.terminated, episode.truncated) == (False, True)


def test_stop_in_the_last_turn_is_a_stop(world: SQLWorld) -> None:
    episode = Episode(TASK, world, max_turns=1)
    episode.user_turn(UserReply(text="Hello"))
    episode.agent_turn(parse_agent_turn("Done."))
    episode.user_turn(UserReply(text="Bye", stop=True))
    assert episode.terminated


def test_silent_stop_gives_no_message(episode: Episode) -> None:
    episode.agent_turn(parse_agent_turn("Done."))
    assert episode.user_turn(UserReply(text="", stop=True)) == []
    assert episode.ended_by == "user_stop"


def test_fault_of_the_user(episode: Episode) -> None:
    episode.agent_turn(parse_agent_turn("Well?"))
    assert episode.user_turn(UserReply(text="half a", fault="cut off")) == []
    assert (episode.truncated, episode.fault, episode.cause) == (True, "user", "cut off")


def test_token_limit_of_the_driver(episode: Episode) -> None:
    episode.truncate("8192 tokens")
    assert (episode.ended_by, episode.truncated, episode.fault) == ("token_limit", True, None)
    with pytest.raises(EpisodeError, match="already ended"):
        episode.truncate("again")


def test_calls_without_ids_get_some(episode: Episode) -> None:
    message = call("get_order", order_id="#1")
    message["tool_calls"][0]["id"] = ""
    message["tool_calls"].append({**message["tool_calls"][0], "id": "mine"})
    step = episode.agent_turn(parse_agent_turn(message))
    first, second = [message.tool_call_id for message in step.messages]  # type: ignore[union-attr]
    assert first
    assert second == "mine"
    assert episode.entries[-3].message.tool_calls[0].id == first  # type: ignore[union-attr]


def test_what_the_user_thinks_is_hidden(episode: Episode) -> None:
    episode.agent_turn(parse_agent_turn("Well?"))
    (heard,) = episode.user_turn(UserReply(text="Yes.", thought="I hope so", usage={"tokens": 3}))
    assert "hope" not in heard.model_dump_json()
    assert episode.entries[-1].hidden == {"thought": "I hope so", "usage": {"tokens": 3}}


def test_fork_goes_its_own_way(episode: Episode, world: SQLWorld) -> None:
    other = world.fork()
    twin = episode.fork(other)
    episode.agent_turn(parse_agent_turn(cancel(1)))
    assert (episode.turns, twin.turns) == (1, 0)
    assert len(twin.entries) == 1
    assert other.snapshot() == {}
    twin.agent_turn(parse_agent_turn(call("hand_over", summary="x")))
    assert twin.ended
    assert not episode.ended
    other.close()
