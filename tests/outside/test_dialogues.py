"""Whatever agents, users and endpoints write, every dialogue ends in a line that can be read, and ends no other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from shop.domain import shop
from shop.user import ShopUser, ShopUserSession

from mua_env import Session, load_setting
from mua_env.core.agent import Agent
from mua_env.core.limits import LONGEST_HEARD, LONGEST_LINE, LONGEST_TEXT
from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall
from mua_env.core.outside import heard, kept, line, plain_value, shown
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory, TrajectoryWriter, read_trajectories
from mua_env.errors import UserFault
from mua_env.evaluation.rollout_folder import RolloutFolder
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.users.base import UserReply
from mua_env.users.replay import ReplayUser

from .hostile import OUTSIDE


class Writer(Agent):
    """Writes one text in one place: what it says, a call's name, id or arguments, its name, an error."""

    def __init__(self, where: str, text: str) -> None:
        self.where, self.text = where, text
        self.name = text if where == "its name" else "writer"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        self.turns = 0

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        self.turns += 1
        if self.turns > 1:
            return AssistantMessage(content="Done.")
        if self.where == "an error":
            raise ValueError(self.text)
        if self.where == "a message":
            return AssistantMessage(content=self.text)
        function = FunctionCall(
            name=self.text if self.where == "a tool" else "get_order",
            arguments=self.text if self.where == "arguments" else '{"order_id": "#1"}',
        )
        id = self.text if self.where == "an id" else "c"
        return AssistantMessage(tool_calls=(ToolCall(id=id, function=function),) * 2)

    def usage(self) -> dict[str, Any]:
        if self.where == "an account that fails":
            raise RuntimeError(self.text)
        return {"tokens": float("nan"), "note": self.text} if self.where == "an account" else {"tokens": 1.0}


class Speaker(ShopUser):
    """Writes one text in one place of its replies."""

    def __init__(self, where: str, text: str) -> None:
        super().__init__()
        self.where, self.text = where, text

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ShopUserSession:
        session = super().start(task, seed=seed)
        return SpeakerSession(self, session.goal, session.rng)

    def describe(self, task: Task) -> str:
        return self.text if self.where == "its name" else self.name


class SpeakerSession(ShopUserSession):
    def reply(self, agent_text: str | None) -> UserReply:
        assert isinstance(self.simulator, Speaker)
        text = self.simulator.text
        if agent_text is not None and self.simulator.where == "an error":
            raise UserFault(text)
        reply = super().reply(agent_text)
        changes: dict[str, Any] = {
            "a message": {"text": text},
            "a thought": {"thought": text},
            "an event": {"events": (text,)},
            "a fault": {"fault": text},
            "a note": {"meta": {text: [text, {"a": {1, 2}}, float("inf"), object()]}},
            "usage": {"usage": {"tokens": float("nan")}},
        }.get(self.simulator.where, {})
        return UserReply.model_validate({**reply.model_dump(), **changes})


WRITTEN = ("a message", "a tool", "an id", "arguments", "its name", "an error", "an account", "an account that fails")
SPOKEN = ("a message", "a thought", "an event", "a fault", "a note", "usage", "its name", "an error")


def rolled(folder: Path, agent: Agent, user: ShopUser) -> list[Trajectory]:
    setting = load_setting(shop, "train")
    writer = RolloutFolder(folder, {})
    try:
        options = RolloutOptions(concurrency=2, max_turns=4)
        run_rollout(
            setting, user, lambda: agent, plan(setting.tasks, limit=2), options=options, on_end=writer.writer.write
        )
        assert writer.summarize().episodes == 2
    finally:
        writer.close()
    return list(read_trajectories(folder / "trajectories.jsonl"))


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("where", WRITTEN)
def test_what_an_agent_writes_ends_no_run(where: str, text: str, tmp_path: Path) -> None:
    ended = rolled(tmp_path, Writer(where, text), ShopUser())
    assert len(ended) == 2
    for item in ended:
        if where == "an error":
            assert (item.ended_by, item.score and item.score.reward) == ("fault", None)
            assert len(item.cause or "") <= LONGEST_LINE
        else:
            assert item.score is not None
            assert item.score.fault is None
        assert len(item.model_dump_json()) < 4 * LONGEST_TEXT * 6 + 100_000


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("where", SPOKEN)
def test_what_a_user_writes_ends_no_run(where: str, text: str, tmp_path: Path) -> None:
    ended = rolled(tmp_path, Writer("", ""), Speaker(where, text))
    assert len(ended) == 2
    assert all((item.ended_by == "fault") is (where in ("a fault", "an error")) for item in ended)


def test_a_trajectory_that_cannot_be_written_is_a_fault_in_its_place(tmp_path: Path) -> None:
    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks[0])
    good = session.trajectory(id="good")
    session.close()
    cycle: list[Any] = []
    cycle.append(cycle)
    odd = {"a surrogate": {"x": "\ud800"}, "an object": {"x": object()}, "a circle": {"x": cycle}}
    with TrajectoryWriter(tmp_path / "t.jsonl") as writer:
        for name, meta in odd.items():
            writer.write(good.model_copy(update={"id": name, "meta": meta}))
        writer.write(good)
    read = list(read_trajectories(tmp_path / "t.jsonl"))
    assert [item.id for item in read] == [*odd, "good"]
    for item in read[:-1]:
        assert (item.ended_by, item.score, item.entries) == ("fault", None, [])
        assert (item.cause or "").startswith("unwritable: ")


def test_a_user_gets_beginning_and_end_of_a_text_that_is_over_the_bound() -> None:
    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks[0])
    text = "Which order? " + "x" * 5_000_000 + " The end."
    session.send(text)
    (got,) = session._line.user.heard  # type: ignore[union-attr]
    assert len(got) <= LONGEST_HEARD
    assert got.startswith("Which order? x")
    assert got.endswith("x The end.")
    said = session.episode.entries[-2].message
    assert len(said.content or "") <= LONGEST_TEXT
    session.close()


def test_a_text_of_eight_thousand_characters_is_heard_whole() -> None:
    text = "It is about the order. " * 348
    assert heard(text) == kept(text) == text


def test_a_recorded_dialogue_with_a_long_text_can_be_replayed() -> None:
    setting = load_setting(shop)
    session = Session(setting, ShopUser())
    session.start(setting.tasks[0], seed=3)
    session.send("Which order? " + "x" * 100_000)
    session.send("done")
    again = Session(setting, ReplayUser([session.trajectory(id="t")]))
    again.start(setting.tasks[0], seed=3)
    again.send("Which order? " + "x" * 100_000)
    assert again.send("done").terminated
    for one in (session, again):
        one.close()


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE)
def test_every_form_of_a_text_is_bounded_and_can_be_written(text: str) -> None:
    for form, limit in ((kept, LONGEST_TEXT), (heard, LONGEST_HEARD), (line, LONGEST_LINE), (shown, 300)):
        made = form(text)
        assert len(made) <= limit
        if form is not heard:  # of what is kept already
            made.encode()
        assert form(made) == made or form is shown
    assert "\n" not in line(text)
    assert "\x1b" not in line(text)


def test_values_of_any_kind_can_be_kept() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = {"a": deep}
    kept_value = plain_value({"deep": deep, "none": float("nan"), "big": 10**5000, 3: (1, {2}), "odd": object()})
    json.dumps(kept_value, allow_nan=False).encode()
    assert kept_value["none"] is None
    assert kept_value["3"] == [1, [2]]
