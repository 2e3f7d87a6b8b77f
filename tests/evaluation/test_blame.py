"""The turn that lost a dialogue is named, by continuations from every state that it went through."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Say

from mua_env import (
    AgendaUser,
    AssistantMessage,
    Message,
    Session,
    Setting,
    TrajectoryWriter,
    load_setting,
    read_trajectories,
)
from mua_env.agents.make import agent_factory
from mua_env.core.agent import Agent
from mua_env.core.messages import ToolMessage, UserMessage, parse_agent_turn
from mua_env.episode.dialogue import hold
from mua_env.errors import ConfigError, EpisodeError
from mua_env.evaluation.blame.change_point import change_point
from mua_env.evaluation.blame.result import Value, lost_at
from mua_env.evaluation.blame.run import BLAME, BlameOptions, ablame, blame, read_blame
from mua_env.evaluation.rollouts import plan


def values(*wins: int, of: int = 4) -> list[Value]:
    return [Value(turn=turn, successes=count, of=of) for turn, count in enumerate(wins)]


@pytest.mark.parametrize(
    ("wins", "lost", "steepest"),
    [
        ((4, 4, 4, 0, 0), 3, 3),
        ((4, 3, 0, 4, 0, 0, 0), 4, 4),  # one success shows that the third state was not lost
        ((4, 4, 4, 4, 0, 1, 0, 0, 0), 6, 4),
        ((0, 0, 0), None, None),
        ((4, 4, 4), None, None),
        ((4,), None, None),
    ],
)
def test_lost_is_what_no_continuation_brings_back(
    wins: tuple[int, ...], lost: int | None, steepest: int | None
) -> None:
    assert lost_at(values(*wins)) == lost
    assert change_point(values(*wins)) == steepest


class Wrongdoer(Agent):
    """An expert that, at one turn, does something else."""

    name = "wrongdoer"

    def __init__(self, expert: Agent, turn: int, instead: dict[str, Any]) -> None:
        self.expert, self.at, self.instead = expert, turn, instead

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        self.expert.reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self.turn = 0

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        self.turn += 1
        own = self.expert.act(messages)
        return parse_agent_turn(self.instead) if self.turn == self.at else own


def transfer() -> dict[str, Any]:
    function = {"name": "transfer_to_human_agents", "arguments": json.dumps({"summary": "?"})}
    return {"content": None, "tool_calls": [{"id": "x", "function": function}]}


@pytest.fixture(scope="module")
def setting() -> Setting:
    return load_setting("retail", "test:level=2")


def write(folder: Path, setting: Setting, make: Any, count: int = 4, user: AgendaUser | None = None) -> Path:
    session = Session(setting, user or AgendaUser())
    with TrajectoryWriter(folder / "trajectories.jsonl", sync=False) as file:
        for episode in plan(setting.tasks, limit=count):
            hold(session, make(), episode.task, seed=episode.seed)
            file.write(session.trajectory(id=episode.id, agent="test"))
    session.close()
    return folder


@pytest.mark.parametrize("style", ["plain", "compact"])
@pytest.mark.parametrize("turn", [2, 3])
def test_an_early_transfer_is_named(setting: Setting, tmp_path: Path, style: str, turn: int) -> None:
    run = write(tmp_path, setting, lambda: Wrongdoer(setting.domain.expert(style=style), turn, transfer()))
    found = blame(run, options=BlameOptions(continuations=2))
    assert [(one.verdict, one.turn, one.steepest) for one in found] == [("lost", turn, turn)] * 4
    assert all("transfer_to_human_agents" in one.text for one in found)
    assert all(len(one.values) == turn + 1 for one in found)


def test_results_lie_in_the_folder_and_are_not_found_twice(setting: Setting, tmp_path: Path) -> None:
    run = write(tmp_path, setting, lambda: Wrongdoer(setting.domain.expert(), 2, transfer()), count=2)
    told: list[str] = []
    first = blame(run, options=BlameOptions(continuations=1, count=1), on_found=lambda one: told.append(one.id))
    every = blame(run, options=BlameOptions(continuations=1), on_found=lambda one: told.append(one.id))
    assert [one.id for one in every] == told
    assert every[:1] == first == list(read_blame(run))[:1]
    line = json.loads((run / BLAME).read_text(encoding="utf-8").splitlines()[0])
    assert line["values"][-1] == {"turn": 2, "successes": 0, "of": 1}


def test_dialogues_that_did_not_fail_are_left_alone(setting: Setting, tmp_path: Path) -> None:
    assert blame(write(tmp_path, setting, setting.domain.expert)) == []


def test_a_dialogue_that_was_cut_while_success_was_in_reach_has_no_fatal_turn(setting: Setting, tmp_path: Path) -> None:
    session = Session(setting, AgendaUser(), max_turns=3)
    with TrajectoryWriter(tmp_path / "trajectories.jsonl", sync=False) as file:
        episode = plan(setting.tasks, limit=1)[0]
        hold(session, setting.domain.expert(), episode.task, seed=episode.seed)
        file.write(session.trajectory(id=episode.id, agent="test"))
    session.close()
    (found,) = asyncio.run(ablame(tmp_path, options=BlameOptions(continuations=2)))
    assert (found.verdict, found.turn) == ("cut", None)
    assert [value.share for value in found.values] == [1.0] * 4


def test_a_dialogue_that_goes_otherwise_now_is_not_judged(setting: Setting, tmp_path: Path) -> None:
    run = write(tmp_path, setting, lambda: Wrongdoer(setting.domain.expert(), 2, transfer()), count=1)
    file = run / "trajectories.jsonl"
    kept = json.loads(file.read_text(encoding="utf-8"))
    kept["seed"] += 1
    file.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    (found,) = blame(run, options=BlameOptions(continuations=1))
    assert found.verdict == "unknown"
    assert "answered otherwise" in found.why


def test_users_that_may_say_something_else_are_refused(setting: Setting, tmp_path: Path) -> None:
    run = write(tmp_path, setting, lambda: Wrongdoer(setting.domain.expert(), 2, transfer()), count=1)
    (run / "config.json").write_text(json.dumps({"user": "llm"}), encoding="utf-8")
    with pytest.raises(ConfigError, match="only dialogues of offline users"):
        blame(run)
    with pytest.raises(ConfigError, match="continuations: at least 1, got 0"):
        BlameOptions(continuations=0)


def histories(setting: Setting, agent: Agent, seed: int = 3) -> tuple[list[Message], Session]:
    session = Session(setting, AgendaUser())
    hold(session, agent, setting.tasks[0], seed=seed)
    return [entry.message for entry in session.episode.entries], session


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_an_expert_goes_on_where_it_would_have_done_the_same(domain: str) -> None:
    setting = load_setting(domain, "test:level=1")
    messages, session = histories(setting, setting.domain.expert())
    places = [at for at, message in enumerate(messages) if isinstance(message, AssistantMessage)]
    for place in places:
        first = max((at for at in places if at < place), default=-1) + 1
        expert = setting.domain.expert()
        expert.reset(system_prompt=session.system_prompt, tools=session.tools, seed=3)
        expert.resume(messages[:first])
        own = expert.act(messages[first:place])
        spoken = messages[place]
        assert isinstance(spoken, AssistantMessage)
        assert own.content == spoken.content
        assert [c.function for c in own.tool_calls] == [c.function for c in spoken.tool_calls]


@pytest.mark.parametrize("name", ["random", "expert"])
def test_agents_take_over_a_foreign_dialogue(setting: Setting, name: str) -> None:
    agent = agent_factory(name, setting.domain)()
    agent.reset(system_prompt="", tools=setting.tools, seed=1)
    agent.resume([UserMessage(content="I want to cancel an order."), AssistantMessage(content="Hm.")])
    assert isinstance(agent.act([ToolMessage(tool_call_id="1", name="t", content="{}")]), AssistantMessage)


def test_a_language_model_is_told_what_was_said_before_it_took_over(setting: Setting, tmp_path: Path) -> None:
    pytest.importorskip("litellm")
    run = write(tmp_path, setting, lambda: Wrongdoer(setting.domain.expert(), 2, transfer()), count=1)
    with Loopback(default=Say("I cannot help you with that.")) as server:
        model = {"model": "openai/tiny", "base_url": server.base_url, "api_key": "x"}
        options = BlameOptions(reference="llm", reference_options=model, continuations=1)
        (found,) = blame(run, options=options)
    assert found.verdict == "out of reach"
    roles = [message["role"] for message in server.requests[0]["messages"]]
    assert roles == ["system", "user"]
    (kept,) = read_trajectories(run / "trajectories.jsonl")
    said = [entry.message.content for entry in kept.entries if entry.source == "agent"]
    later = [[m.get("content") for m in asked["messages"]] for asked in server.requests]
    assert said[0] is not None
    assert any(said[0] in texts for texts in later)


def test_an_agent_that_can_only_begin_says_so() -> None:
    with pytest.raises(EpisodeError, match="cannot take over a dialogue"):
        Wrongdoer(load_setting("retail", "test").domain.expert(), 1, {}).resume([])
