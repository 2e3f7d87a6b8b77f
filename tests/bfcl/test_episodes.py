from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from typer.testing import CliRunner

import mua_env
from mua_env import AgendaUser, Session, load_setting
from mua_env.cli.app import app
from mua_env.core.messages import AssistantMessage, ToolCall
from mua_env.core.tasks import Action, Task
from mua_env.errors import ConfigError, TaskError

ID = "MUA/BFCLMultiTurn-v1"


def calling(*actions: Action) -> AssistantMessage:
    calls = [{"id": str(i), "function": {"name": a.name, "arguments": a.arguments}} for i, a in enumerate(actions)]
    return AssistantMessage(tool_calls=tuple(map(ToolCall.model_validate, calls)))


def play_gold(session: Session, task: Task) -> Any:
    """The gold calls of each turn, one message each, then a word."""
    result = session.start(task)
    for turn in task.script:
        for action in turn.actions:
            result = session.send(calling(action))
        result = session.send("Done.")
    return result


def session_of(category: str) -> Session:
    return Session(load_setting("bfclmultiturn", category), AgendaUser())


def test_gold_wins_every_episode_of_a_category(category: str) -> None:
    session = session_of(category)
    for task in list(session.setting.tasks)[::10]:
        result = play_gold(session, task)
        assert result.terminated
        assert result.score is not None
        assert result.score.reward == 1.0, (task.id, result.score.unmet, result.score.difference)
    session.close()


def test_silence_wins_nothing(category: str) -> None:
    session = session_of(category)
    for task in list(session.setting.tasks)[:20]:
        result = session.start(task)
        while not result.done:
            result = session.send("I am afraid I cannot do that.")
        assert result.score is not None
        assert result.score.reward == 0.0
        assert result.score.unmet[0].endswith("no call was made")
    session.close()


def test_user_says_the_entrys_lines_in_order_and_then_ends() -> None:
    session = session_of("base")
    task = session.setting.tasks[0]
    heard = session.start(task).messages
    for _ in task.script:
        heard += session.send("Next.").messages
    assert [message.content for message in heard] == [turn.text for turn in task.script]
    assert session.episode.ended_by == "user_stop"
    assert session.user.describe(task) == "scripted"
    session.close()


def test_withheld_tools_come_with_their_turn() -> None:
    env = gym.make(ID, tasks="miss_func")
    task = env.unwrapped.setting.tasks[0]  # type: ignore[attr-defined]
    _, info = env.reset(options={"task_id": task.id})
    withheld = {name for turn in task.script for name in turn.reveals}
    assert withheld
    assert not withheld & names(info)
    for turn in task.script[1:]:
        _, _, _, _, info = env.step("Go on.")
        assert ("tools" in info) is bool(turn.reveals)
        if turn.reveals:
            assert set(turn.reveals) <= names(info)
    env.close()


def names(info: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in info["tools"]}


def test_too_many_steps_in_a_turn_cut_the_episode() -> None:
    session = session_of("base")
    session.start(session.setting.tasks[0])
    for _ in range(20):
        assert not session.send(calling(Action(name="pwd"))).done
    result = session.send(calling(Action(name="pwd")))
    assert result.truncated
    assert result.score is not None
    assert result.score.reward == 0.0
    session.close()


def test_errors_are_answered_and_go_on() -> None:
    session = session_of("base")
    session.start(session.setting.tasks[0])
    for name, arguments in [
        ("no_such_tool", "{}"),
        ("cd", "{"),
        ("cd", "[]"),
        ("cd", "{}"),
        ("cd", '{"folder": 1, "x": 2}'),
        ("_load_scenario", "{}"),
        ("__class__", "{}"),
    ]:
        call = ToolCall.model_validate({"id": "1", "function": {"name": name, "arguments": arguments}})
        result = session.send(AssistantMessage(tool_calls=(call,)))
        assert not result.done
        assert result.messages[0].content.startswith("Error during execution"), name
    session.close()


def test_fork_goes_its_own_way() -> None:
    session = session_of("base")
    session.start(session.setting.tasks[0])
    session.send(calling(Action(name="cd", arguments={"folder": "document"})))
    before = copy.deepcopy(session.world.snapshot())
    twin = session.fork()
    twin.send(calling(Action(name="mkdir", arguments={"dir_name": "only_here"})))
    assert session.world.snapshot() == before
    assert twin.world.snapshot() != before
    session.close()
    twin.close()


def test_checker_has_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(ID).unwrapped
        check_env(env)
        env.close()


def test_vector_environment_runs_them_side_by_side() -> None:
    envs = gym.make_vec(ID, num_envs=4, tasks="miss_param")
    _, infos = envs.reset(seed=0)
    assert len(set(infos["task_id"])) > 1
    for _ in range(12):
        envs.step(["Go on."] * 4)
    envs.close()


def test_agent_is_never_given_the_gold() -> None:
    env = gym.make(ID, tasks="base").unwrapped
    for index in range(20):
        given: list[Any] = [env.reset(options={"task_index": index}), env.step("Hm.")]
        task = env.session.task  # type: ignore[attr-defined]
        said = json.dumps(given, default=str)
        for turn in task.script[2:]:
            assert turn.text not in said
        assert "actions" not in given[0][1]
        assert "scene" not in given[0][1]
    env.close()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"tasks": "bass"}, TaskError),
        ({"database_url": "postgresql://x"}, ConfigError),
        ({"solo": True}, ConfigError),
        ({"policy": "manual"}, ConfigError),
    ],
)
def test_what_there_is_not_is_said(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        gym.make(ID, **options)


def test_rollout_and_view_take_them(tmp_path: Path) -> None:
    run = tmp_path / "run"
    asked = ["rollout", "-d", "bfclmultiturn", "--tasks", "miss_func", "--agent", "random", "--count", "5"]
    done = CliRunner().invoke(app, [*asked, str(run)])
    assert done.exit_code == 0, done.output
    trajectories = list(mua_env.read_trajectories(run / "trajectories.jsonl"))
    assert len(trajectories) == 5
    assert all(t.user == "scripted" and t.source_revision == "bfcl-eval 2026.3.23" for t in trajectories)
    page = tmp_path / "page.html"
    assert CliRunner().invoke(app, ["view", str(run), "--out", str(page)]).exit_code == 0
    assert "miss_func" in page.read_text(encoding="utf-8")
