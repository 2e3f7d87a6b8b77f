"""Rollouts: many dialogues at once, faults that stay in their episode, resuming."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from shop.domain import shop
from shop.user import ShopUser, ShopUserSession

from mua_env.agents.random import RandomAgent
from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, ToolMessage
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory, read_trajectories
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, TaskError
from mua_env.evaluation.rollout_folder import RolloutFolder, Summary, summarize
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.llm.ledger import Usage
from mua_env.users.base import UserReply
from mua_env.users.replay import ReplayUser


class Canceller(Agent):
    """Asks for the order, cancels it, and says so. `trouble` maps order ids to what happens there."""

    name = "canceller"

    def __init__(self, trouble: dict[str, Any] | None = None) -> None:
        self.trouble = trouble or {}

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        assert "Cancel" in system_prompt
        assert tools
        self.step = 0

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        self.step += 1
        if self.step == 1:
            return AssistantMessage(content="Which order?")
        if self.step == 2:
            order = str(messages[-1].content).removeprefix("It is ").removesuffix(".")
            self._meet(order)
            arguments = {"order_id": order, "reason": "ordered by mistake"}
            call = {"function": {"name": "cancel_order", "arguments": arguments}}
            return AssistantMessage.model_validate({"tool_calls": [call]})
        failed = isinstance(messages[-1], ToolMessage) and messages[-1].content.startswith("Error")
        return AssistantMessage(content="I cannot do that." if failed else "Done.")

    def _meet(self, order: str) -> None:
        trouble = self.trouble.get(order)
        if isinstance(trouble, Exception):
            raise trouble


@pytest.fixture(scope="module")
def setting():
    return load_setting(shop, "train")


def run(setting, agent=Canceller, *, user=None, episodes=None, **options) -> list[Trajectory]:
    ended: list[Trajectory] = []
    planned = plan(setting.tasks) if episodes is None else episodes
    run_rollout(setting, user or ShopUser(), agent, planned, options=RolloutOptions(**options), on_end=ended.append)
    return ended


def test_every_planned_episode_ends_once_with_its_score(setting):
    ended = run(setting, concurrency=4)
    assert sorted(item.id for item in ended) == sorted(f"train-{n}#0" for n in range(10))
    assert {item.score.reward for item in ended if item.score} == {1.0}
    assert {item.ended_by for item in ended} == {"user_stop"}
    assert {(item.agent, item.user) for item in ended} == {("canceller", "shopper")}


def test_a_plan_repeats_limits_and_seeds_by_content(setting):
    episodes = plan(setting.tasks, repeats=3, seed=4, limit=2)
    assert [item.id for item in episodes] == [f"train-{n}#{k}" for n in (0, 1) for k in range(3)]
    assert len({item.seed for item in episodes}) == 6
    assert plan(setting.tasks, repeats=1, seed=4)[1].seed == episodes[3].seed
    assert plan(setting.tasks, seed=5)[0].seed != episodes[0].seed


def test_equal_seeds_give_equal_trajectories_in_any_concurrency(setting):
    def ordered(concurrency):
        ended = run(setting, RandomAgent, concurrency=concurrency, max_turns=8)
        return [item.model_dump_json() for item in sorted(ended, key=lambda item: item.id)]

    assert ordered(1) == ordered(7)


class Meeting(ShopUser):
    """Users that say nothing until ten of them have been asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.met = 0, asyncio.Event()

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ShopUserSession:
        return MeetingSession(self, super().start(task, seed=seed, context=context))


class MeetingSession(ShopUserSession):
    def __init__(self, meeting: Meeting, alone: ShopUserSession) -> None:
        super().__init__(meeting, alone.goal, alone.rng)
        self.meeting = meeting

    async def areply(self, agent_text: str | None) -> UserReply:
        self.meeting.asked += 1
        if self.meeting.asked == 10:
            self.meeting.met.set()
        await asyncio.wait_for(self.meeting.met.wait(), 120)
        return await super().areply(agent_text)


def test_users_are_waited_for_together(setting):
    ended = run(setting, user=Meeting(), concurrency=10)
    assert [item.ended_by for item in ended] == ["user_stop"] * 10


def test_a_failing_agent_is_a_fault_of_its_episode_alone(setting):
    ended = run(setting, lambda: Canceller({"#3": ValueError("boom")}), concurrency=3)
    by_id = {item.task_id: item for item in ended}
    bad = by_id.pop("train-3")
    assert bad.ended_by == "fault"
    assert bad.cause == "ValueError: boom"
    assert bad.score is not None
    assert bad.score.reward is None
    assert bad.score.success is None
    assert {item.score.reward for item in by_id.values() if item.score} == {1.0}
    assert len(by_id) == 9


class Sleeper(Canceller):
    """Never answers about order #2."""

    async def aact(self, messages: Sequence[Message]) -> AssistantMessage:
        turn = self.act(messages)
        if turn.tool_calls and "#2" in turn.tool_calls[0].function.arguments:
            await asyncio.sleep(3600)
        return turn


def test_no_episode_outlasts_its_deadline(setting):
    ended = run(setting, Sleeper, concurrency=2, deadline_s=3)
    (bad,) = [item for item in ended if item.ended_by == "fault"]
    assert bad.task_id == "train-2"
    assert bad.cause == "deadline: more than 3 s"
    assert bad.score is not None
    assert bad.score.reward is None
    assert len(ended) == 10


class Hopeful(ShopUser):
    """A user that needs what no task has."""

    def start(self, task: Task, *, seed: int, context: Any = None) -> Any:
        raise TaskError(f"task {task.id!r} lacks hope")


def test_what_no_episode_can_begin_with_ends_the_run_with_its_reason(setting):
    with pytest.raises(TaskError, match="lacks hope"):
        run(setting, user=Hopeful())


def test_a_session_goes_on_after_a_fault(setting):
    ended = run(setting, lambda: Canceller({"#0": ValueError("boom")}), concurrency=1)
    assert [item.score.reward for item in ended if item.score] == [None] + [1.0] * 9


def test_stop_lets_running_episodes_end_and_begins_no_more(setting):
    ended: list[Trajectory] = []
    options = RolloutOptions(concurrency=1, stop=lambda: len(ended) >= 3)
    count = run_rollout(setting, ShopUser(), Canceller, plan(setting.tasks), options=options, on_end=ended.append)
    assert count == len(ended) == 3


def test_a_folder_resumes_where_a_run_was_cut(setting, tmp_path):
    episodes = plan(setting.tasks)
    first = RolloutFolder(tmp_path, {"tasks": "train", "seed": 0})
    run_rollout(setting, ShopUser(), Canceller, episodes[:4], on_end=first.writer.write)
    first.close()
    with (tmp_path / "trajectories.jsonl").open("a") as file:
        file.write('{"half a li')
    second = RolloutFolder(tmp_path, {"tasks": "train", "seed": 0})
    assert second.done == {item.id for item in episodes[:4]}
    rest = [item for item in episodes if item.id not in second.done]
    run_rollout(setting, ShopUser(), Canceller, rest, on_end=second.writer.write)
    summary = second.summarize()
    assert (summary.episodes, summary.scored, summary.success) == (10, 10, 1.0)
    assert Summary.model_validate_json((tmp_path / "summary.json").read_text()) == summary
    second.close()
    with pytest.raises(ConfigError, match="seed was 0, now 1"):
        RolloutFolder(tmp_path, {"tasks": "train", "seed": 1})


def test_a_task_with_a_long_id_is_not_held_again(setting, tmp_path):
    tasks = [task.model_copy(update={"id": "x" * 300 + task.id}) for task in setting.tasks[:2]]
    episodes = plan(tasks, repeats=2)
    folder = RolloutFolder(tmp_path, {})
    run_rollout(setting, ShopUser(), Canceller, episodes, on_end=folder.writer.write)
    folder.close()
    again = RolloutFolder(tmp_path, {})
    assert again.left(episodes) == []
    assert len(again.done) == 4
    again.close()


def test_a_folder_in_which_nothing_ended_takes_another_run(tmp_path):
    RolloutFolder(tmp_path, {"seed": 0}).close()
    folder = RolloutFolder(tmp_path, {"seed": 1})
    assert folder.done == frozenset()
    assert '"seed": 1' in (tmp_path / "config.json").read_text()
    folder.close()


def test_two_runs_never_write_to_one_folder(tmp_path):
    first = RolloutFolder(tmp_path, {"seed": 0})
    with pytest.raises(ConfigError, match="is being written by another run"):
        RolloutFolder(tmp_path, {"seed": 0})
    first.close()
    RolloutFolder(tmp_path, {"seed": 0}).close()


def test_what_cannot_be_written_ends_the_run_as_itself(setting, tmp_path):
    def full(trajectory):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        run_rollout(setting, ShopUser(), lambda: RandomAgent(), plan(setting.tasks), on_end=full)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot make the folder"):
        RolloutFolder(tmp_path / "file" / "run", {})


def test_a_summary_leaves_faults_out_and_names_them(setting):
    ended = run(setting, lambda: Canceller({"#3": ValueError("boom")}))
    summary = summarize(ended)
    assert (summary.episodes, summary.scored, summary.success) == (10, 9, 1.0)
    assert summary.faults == {"ValueError": 1}
    assert summary.ended_by == {"fault": 1, "user_stop": 9}
    assert summary.usage["user/tokens"] == sum(item.usage["tokens"] for item in ended)


def test_a_recorded_user_says_the_same_again(setting):
    recorded = run(setting)
    again = run(setting, user=ReplayUser(recorded))
    assert [item.entries for item in again] == [item.entries for item in recorded]
    other = run(setting, RandomAgent, user=ReplayUser(recorded), max_turns=5)
    faults = [item for item in other if item.ended_by == "fault"]
    assert faults
    assert all(item.score is not None and item.score.reward is None for item in faults)
    assert all(str(item.cause).startswith("replay: the agent said") for item in faults)


def test_replay_needs_the_recorded_task_and_seed(setting):
    session = Session(setting, ReplayUser(run(setting, episodes=plan(setting.tasks, limit=1))))
    with pytest.raises(TaskError, match="with seed 999"):
        session.start(setting.tasks[0], seed=999)
    session.close()


def test_agents_that_block_do_so_side_by_side(setting):
    inside, together = itertools.count(1), threading.Event()

    class Blocker(Canceller):
        blocking = True

        def act(self, messages: Sequence[Message]) -> AssistantMessage:
            if next(inside) == 2:
                together.set()
            assert together.wait(120)  # the first is let go by the second
            return super().act(messages)

    ended = run(setting, Blocker, concurrency=10)
    assert [item.ended_by for item in ended] == ["user_stop"] * 10


@pytest.mark.parametrize("options", [{"concurrency": 0}, {"deadline_s": 0}])
def test_impossible_options_are_refused(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        RolloutOptions(**options)


def test_what_loads_before_the_first_reply_is_no_episodes_time(setting):
    class Heavy(ShopUser):
        async def aready(self) -> None:
            await asyncio.sleep(1.0)

    ended = run(setting, user=Heavy(), episodes=plan(setting.tasks, limit=2), deadline_s=0.9)
    assert [item.ended_by for item in ended] == ["user_stop"] * 2


def test_a_rerun_takes_up_faults_under_ids_of_their_own(setting, tmp_path):
    episodes = plan(setting.tasks)
    first = RolloutFolder(tmp_path, {"seed": 0})
    faulty = {"#3": ValueError("boom"), "#5": ValueError("boom")}
    run_rollout(setting, ShopUser(), lambda: Canceller(faulty), first.left(episodes), on_end=first.writer.write)
    first.close()
    second = RolloutFolder(tmp_path, {"seed": 0})
    left = second.left(episodes)
    assert [item.attempt for item in left] == [2, 2]
    run_rollout(setting, ShopUser(), lambda: Canceller({"#3": OSError("again")}), left, on_end=second.writer.write)
    summary = second.summarize()
    assert (summary.episodes, summary.scored, summary.retaken) == (10, 9, 2)
    assert summary.faults == {"OSError": 1}
    second.close()
    third = RolloutFolder(tmp_path, {"seed": 0})
    (last,) = third.left(episodes)
    run_rollout(setting, ShopUser(), Canceller, [last], on_end=third.writer.write)
    assert third.summarize().scored == 10
    third.close()
    ids = [item.id for item in read_trajectories(tmp_path / "trajectories.jsonl")]
    assert len(ids) == len(set(ids)) == 13
    assert f"{last.id}.3" in ids


def test_the_account_of_a_folder_outlives_a_killed_command(tmp_path):
    used = Usage(1, 100, 10, 0.5)
    folder = RolloutFolder(tmp_path, {"seed": 0})
    assert folder.spent() == Usage()
    folder.spending.add(used)
    folder.spending.add(used)
    folder.close()
    with (tmp_path / "spending.jsonl").open("a") as file:
        file.write('{"calls": 1, "prom')
    folder = RolloutFolder(tmp_path, {"seed": 0})
    assert folder.spent() == Usage(2, 200, 20, 1.0)
    folder.close()


def test_what_the_callers_own_code_raises_comes_as_it_is(setting):
    def broken() -> Canceller:
        raise LookupError("no such agent")

    with pytest.raises(LookupError, match="no such agent"):
        run_rollout(setting, ShopUser(), broken, plan(setting.tasks, limit=1))
