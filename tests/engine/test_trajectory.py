from __future__ import annotations

import json
from pathlib import Path

import pytest
from shop import ShopUser, shop

from engine.helpers import call, cancel
from mua_env.core.messages import dump, parse_agent_turn, parse_message
from mua_env.core.trajectory import SCHEMA_VERSION, Trajectory, TrajectoryWriter, read_trajectories
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, DataError


@pytest.fixture
def trajectory() -> Trajectory:
    session = Session(load_setting(shop), ShopUser())
    session.start(session.setting.tasks.by_id("train-1"), seed=4)
    for turn in ("Your email, please?", cancel(1), "It is done."):
        session.send(turn)
    made = session.trajectory(id="t0", agent="tester", meta={"note": "Zoë"})
    session.close()
    return made


def test_a_trajectory_tells_everything(trajectory: Trajectory) -> None:
    sources = [entry.source for entry in trajectory.entries]
    assert sources == ["user", "agent", "user", "agent", "tool", "agent", "user"]
    assert [entry.turn for entry in trajectory.entries] == [0, 1, 1, 2, 2, 3, 3]
    assert (trajectory.task_id, trajectory.seed, trajectory.turns) == ("train-1", 4, 3)
    assert (trajectory.user, trajectory.agent, trajectory.ended_by) == ("shopper", "tester", "user_stop")
    assert trajectory.usage == {"tokens": 8}
    assert trajectory.score is not None
    assert trajectory.score.reward == 1.0


def test_written_and_read(tmp_path: Path, trajectory: Trajectory) -> None:
    path = tmp_path / "run" / "trajectories.jsonl"
    for _ in range(2):
        with TrajectoryWriter(path) as writer:
            writer.write(trajectory)
    assert list(read_trajectories(path)) == [trajectory, trajectory]


@pytest.mark.parametrize("cut", [1, 40, 70_000])
def test_half_written_last_line_is_cut(tmp_path: Path, trajectory: Trajectory, cut: int) -> None:
    path = tmp_path / "t.jsonl"
    with TrajectoryWriter(path) as writer:
        writer.write(trajectory)
    whole = path.read_bytes()
    path.write_bytes(whole + (whole * (1 + cut // len(whole)))[:cut].replace(b"\n", b" "))
    assert list(read_trajectories(path)) == [trajectory]
    with TrajectoryWriter(path) as writer:
        writer.write(trajectory)
    assert path.read_bytes() == whole * 2


def test_file_that_is_only_half_a_line(tmp_path: Path, trajectory: Trajectory) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"schema_version": 1, "id"')
    assert list(read_trajectories(path)) == []
    with TrajectoryWriter(path) as writer:
        writer.write(trajectory)
    assert list(read_trajectories(path)) == [trajectory]


def test_newer_schema_is_refused(tmp_path: Path, trajectory: Trajectory) -> None:
    path = tmp_path / "t.jsonl"
    newer = {**json.loads(trajectory.model_dump_json()), "schema_version": SCHEMA_VERSION + 1}
    path.write_text(json.dumps(newer) + "\n")
    with pytest.raises(DataError, match=r"line 1: schema version \d is newer than \d; update mua-env"):
        list(read_trajectories(path))


def test_spoiled_line_is_named(tmp_path: Path, trajectory: Trajectory) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(trajectory.model_dump_json() + "\n" + '{"id": 3}\n')
    with pytest.raises(DataError, match="line 2: "):
        list(read_trajectories(path))
    with pytest.raises(DataError, match=r"cannot read trajectories from .*nowhere"):
        list(read_trajectories(tmp_path / "nowhere"))


def test_messages_keep_their_openai_form() -> None:
    message = call("get_order", order_id="#1", text="Wait.")
    assert dump(parse_agent_turn(message)) == message
    assert dump(parse_agent_turn("Hello")) == {"role": "assistant", "content": "Hello"}
    assert dump(parse_agent_turn({"content": None, "tool_calls": None})) == {"role": "assistant", "content": None}
    assert dump(parse_message({"role": "user", "content": "x"})) == {"role": "user", "content": "x"}


def test_arguments_are_kept_as_written_and_mappings_dumped() -> None:
    malformed = call("get_order", '{"order_id": ')
    assert parse_agent_turn(malformed).tool_calls[0].function.arguments == '{"order_id": '
    mapping = {"tool_calls": [{"function": {"name": "f", "arguments": {"a": "é"}}}]}
    assert parse_agent_turn(mapping).tool_calls[0].function.arguments == '{"a": "é"}'


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"content": 3}, "content"),
        ({"tool_calls": [{"function": {}}]}, "tool_calls.0.function.name"),
        ({"tool_calls": "get_order"}, "tool_calls"),
        ({"role": "tool", "content": "x"}, "'tool'"),
        (None, "NoneType"),
    ],
)
def test_what_is_no_turn_is_refused_by_field(action: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_agent_turn(action)


def test_half_a_surrogate_pair_can_be_written() -> None:
    message = parse_agent_turn("caf\ud800 \ud83d\ude00 茶")
    assert message.content == "caf\ufffd 😀 茶"
    assert "茶" in message.model_dump_json()
