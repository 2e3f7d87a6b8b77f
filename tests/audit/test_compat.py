"""``compat`` scores as tau-bench does; ``scoring`` is recorded with every result."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from mua_env.core.database.difference import compare
from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.scores import Record
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, EpisodeError
from mua_env.gym.vector import DialogueVectorEnv
from mua_env.users.agenda.user import AgendaUser

ROW = ("orders", '["#1"]')


def read_traces(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "traces_test.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_database_part_is_the_equality_of_the_benchmarks_hashes(tau1_dir: Path, domain: str) -> None:
    """Recorded runs of right and of mutated action lists: reward 1 exactly where the benchmark's hashes agree."""
    setting = load_setting(domain, "tau1:test", path=tau1_dir)
    assert setting.mode == "compat"
    traces = read_traces(tau1_dir / domain)
    gold = {trace["task"]: trace["state_sha256"] for trace in traces if trace["kind"] == "gold"}
    world = setting.make_world()
    verdicts = []
    for trace in traces:
        task = setting.tasks.by_id(str(trace["task"]))
        world.load(task.initial_actions)
        for step in trace["steps"]:
            world.call(step["name"], step["arguments"])
        score = setting.scorer.score(task, world, Record(), reward="tau1-no-outputs")
        assert score.reward == float(trace["state_sha256"] == gold[trace["task"]]), (trace["task"], trace["kind"])
        verdicts.append(score.reward)
    world.close()
    assert 0.0 in verdicts
    assert verdicts.count(1.0) > len(gold)  # among the mutated lists, too, some lead to the right state


@pytest.mark.parametrize(
    ("expected", "got", "compat", "strict"),
    [
        ({"a": 100}, {"a": 100.0}, 1, 0),
        ({"a": 100}, {"a": "100"}, 1, 1),
        ({"a": 1}, {"a": True}, 1, 1),
        ({"a": 0.1 + 0.2}, {"a": 0.3}, 1, 0),
        ({"a": 3}, {"a": 3}, 0, 0),
        ({"set": ["x", "y"]}, {"set": ["y", "x"]}, 1, 0),
        ({"set": ["x", "y"]}, {"set": ["x", "x", "y"]}, 1, 1),
        ({"list": ["x", "y"]}, {"list": ["y", "x"]}, 2, 2),
        ({"a": {"p": 1, "q": 2}}, {"a": {"q": 2, "p": 1}}, 0, 0),
    ],
)
def test_number_types_and_list_order(expected: Any, got: Any, compat: int, strict: int) -> None:
    for mode, differences in (("compat", compat), ("strict", strict)):
        found = compare(
            {ROW: expected},
            {ROW: got},
            initial=lambda key: None,
            sets={"orders": frozenset({"set"})},
            mode=mode,  # type: ignore[arg-type]
        )
        assert bool(found) == bool(differences), (mode, found)


# outputs and the end of an episode, on public tasks


@pytest.fixture(scope="module")
def public(tau1_dir: Path) -> Setting:
    return load_setting("retail", "tau1:test", path=tau1_dir)


@pytest.mark.parametrize(
    ("output", "message", "reward"),
    [
        ("10", "There are 10 options.", 1.0),
        ("10", "It costs $100.", 1.0),  # a substring is enough
        ("1000", "That is $1,000.", 1.0),  # commas are taken out of the message
        ("1,000", "That is $1,000.", 0.0),  # but not out of the output
        ("Blue", "it is BLUE", 1.0),
        ("10", "There are ten.", 0.0),
    ],
)
def test_outputs_are_found_as_the_benchmark_finds_them(
    public: Setting, output: str, message: str, reward: float
) -> None:
    task = public.tasks[0].model_copy(update={"id": "outputs", "actions": (), "outputs": (output,)})
    world = public.make_world()
    record = Record(agent_texts=("Hello.", message))
    assert public.scorer.score(task, world, record, reward="tau1").reward == reward
    assert public.scorer.score(task, world, record, reward="tau1-no-outputs").reward == 1.0
    world.close()


def test_each_output_may_be_said_in_another_message_but_not_beside_tool_calls(public: Setting) -> None:
    task = public.tasks[0].model_copy(update={"id": "two-outputs", "actions": (), "outputs": ("12", "34")})
    session = Session(public, AgendaUser(), reward="tau1")
    call = ToolCall(id="1", function=FunctionCall(name="think", arguments='{"thought": ""}'))
    for last, reward in ((AssistantMessage(content="And 34."), 1.0), (None, 0.0)):
        session.start(task)
        session.send("It is 12.")
        session.send(last or AssistantMessage(content="And 34.", tool_calls=(call,)))
        result = session.send(_transfer())
        assert result.score is not None
        assert result.score.reward == reward
    session.close()


def _transfer() -> AssistantMessage:
    call = FunctionCall(name="transfer_to_human_agents", arguments='{"summary": "a"}')
    return AssistantMessage(tool_calls=(ToolCall(id="1", function=call),))


def test_a_transfer_ends_the_episode_and_the_state_is_scored(public: Setting) -> None:
    session = Session(public, AgendaUser(), reward="tau1")
    empty = next(task for task in public.tasks if not public.scorer.gold(task).changes and not task.outputs)
    changing = next(task for task in public.tasks if public.scorer.gold(task).changes)
    for task, reward in ((empty, 1.0), (changing, 0.0)):
        session.start(task)
        result = session.send(_transfer())
        assert result.terminated
        assert not result.truncated
        assert session.episode.ended_by == "terminal_tool"
        assert result.score is not None
        assert result.score.reward == reward
        # The benchmark runs gold in place, so that a second end of the same episode turns 0 into 1: not here.
        with pytest.raises(EpisodeError):
            session.send(_transfer())
        assert session.score == result.score
    session.close()


def test_thirty_turns_without_an_end_are_zero(public: Setting) -> None:
    empty = next(task for task in public.tasks if not public.scorer.gold(task).changes and not task.outputs)
    session = Session(public, AgendaUser(), reward="tau1")
    result = session.start(empty)
    think = ToolCall(id="1", function=FunctionCall(name="think", arguments='{"thought": ""}'))
    turns = 0
    while not result.done:
        result = session.send(AssistantMessage(tool_calls=(think,)))
        turns += 1
    assert turns == 30
    assert result.truncated
    assert result.score is not None
    assert result.score.reward == 0.0
    session.close()


# what is recorded


@pytest.mark.parametrize("scoring", [None, "compat", "strict"])
def test_scoring_stands_in_every_result(tau1_dir: Path, scoring: str | None) -> None:
    env = gym.make("MUA/Retail-v1", tasks="tau1:test", tasks_path=str(tau1_dir), scoring=scoring, reward="tau1")
    expected = scoring or "compat"
    _, info = env.reset(seed=1)
    assert info["scoring"] == expected
    _, _, terminated, _, info = env.step(_transfer())
    assert terminated
    assert info["score"]["mode"] == expected
    assert info["score"]["reward_name"] == "tau1"
    trajectory = env.unwrapped.session.trajectory(id="x")  # type: ignore[attr-defined]
    assert trajectory.scoring == expected
    assert trajectory.score is not None
    assert trajectory.score.mode == expected
    env.close()


def test_own_tasks_are_strict_unless_asked_otherwise() -> None:
    for scoring, expected in ((None, "strict"), ("compat", "compat")):
        env = gym.make("MUA/Retail-v1", scoring=scoring)
        assert env.reset(seed=1)[1]["scoring"] == expected
        assert env.unwrapped.session.trajectory(id="x").scoring == expected  # type: ignore[attr-defined]
        env.close()


def test_scoring_stands_in_the_results_of_a_batch() -> None:
    env = DialogueVectorEnv("retail", num_envs=2, scoring="compat")
    _, infos = env.reset(seed=0)
    assert list(infos["scoring"]) == ["compat", "compat"]
    *_, infos = env.step([_transfer(), _transfer()])
    assert [box[0]["mode"] for box in infos["score"]] == ["compat", "compat"]
    env.close()


def test_an_unknown_scoring_is_refused() -> None:
    with pytest.raises(ConfigError, match="'lenient'"):
        gym.make("MUA/Retail-v1", scoring="lenient")


def test_a_task_with_the_id_of_another_has_its_own_gold() -> None:
    setting = load_setting("retail", "test")
    task = next(task for task in setting.tasks if setting.scorer.gold(task).changes)
    assert not setting.scorer.gold(task.model_copy(update={"actions": ()})).changes
    assert setting.scorer.gold(task).changes
