"""A model as judge of what a task states, against a real server."""

from __future__ import annotations

import asyncio
import json

import gymnasium as gym
import pytest
from loopback import Hang, Loopback, Say, Status

import mua_env  # noqa: F401 - registers the environments
from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall, ToolMessage, UserMessage
from mua_env.core.tasks import Criteria
from mua_env.domain.contract import load_domain
from mua_env.errors import ConfigError
from mua_env.llm import Ledger, LLMClient
from mua_env.scoring.judges import make_judge
from mua_env.scoring.llm_judge import LLMJudge, prompt_version, read_verdicts

DIALOGUE = [
    UserMessage(content="Is it black? {braces}"),
    AssistantMessage(content=None, tool_calls=(ToolCall(id="1", function=FunctionCall(name="look", arguments="{}")),)),
    ToolMessage(tool_call_id="1", name="look", content='{"colour": "red"}'),
    AssistantMessage(content="It is red."),
]
STATEMENTS = ("The user was told the colour.", "The agent looked twice.")
TRANSFER = {"tool_calls": [{"function": {"name": "transfer_to_human_agents", "arguments": '{"summary": "x"}'}}]}


def verdicts(*holds: bool) -> Say:
    entries = [{"number": at, "reason": f"reason {at}", "holds": value} for at, value in enumerate(holds, start=1)]
    return Say("```json\n" + json.dumps({"verdicts": entries}) + "\n```")


def judged_task(domain="retail", basis=("judged",)):
    task = load_domain(domain).task_set("test")[0]
    return task.model_copy(update={"actions": (), "criteria": Criteria(basis=basis, statements=STATEMENTS)})


def make(server, **options):
    settings = {"base_url": server.base_url, "timeout_s": 5.0, "deadline_s": 10.0, "attempts": 2}
    return gym.make("MUA/Retail-v1", tasks="test", judge="tiny", judge_options={**settings, **options})


def test_the_judge_reads_the_whole_dialogue_and_every_statement(settings_for):
    with Loopback([verdicts(True, False)]) as server:
        found = LLMJudge(LLMClient(settings_for(server))).judge(STATEMENTS, DIALOGUE, seed=7)
    assert found.verdicts == (True, False)
    assert found.reasons == ("reason 1", "reason 2")
    assert found.judge == f"tiny (prompt {prompt_version()})"
    assert found.usage["calls"] == 1
    asked = server.requests[0]
    assert asked["seed"] == 7
    for part in ("Is it black? {braces}", "look {}", '{"colour": "red"}', "It is red.", *STATEMENTS):
        assert part in asked["messages"][1]["content"]


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        '{"verdicts": []}',
        '{"verdicts": [{"number": 1, "holds": true}]}',
        '{"verdicts": [{"number": 1, "holds": true}, {"number": 1, "holds": true}]}',
        '{"verdicts": [{"number": 1, "holds": true}, {"number": 2, "holds": "no"}]}',
        '{"verdicts": [{"number": 1, "holds": true}, 2]}',
    ],
)
def test_an_answer_without_a_verdict_on_each_statement_is_asked_for_again(settings_for, answer):
    assert read_verdicts(answer, 2) is None
    with Loopback([Say(answer), verdicts(True, True)]) as server:
        found = LLMJudge(LLMClient(settings_for(server))).judge(STATEMENTS, DIALOGUE, seed=0)
    assert found.verdicts == (True, True)
    assert found.usage["calls"] == 2


def test_a_judge_without_a_readable_answer_gives_no_verdict_but_its_cost(settings_for):
    with Loopback(default=Say("I cannot say")) as server:
        found = LLMJudge(LLMClient(settings_for(server))).judge(STATEMENTS, DIALOGUE, seed=0)
    assert found.verdicts == ()
    assert "3 answers" in found.fault
    assert found.usage["calls"] == 3


@pytest.mark.parametrize(("holds", "reward"), [((True, True), 1.0), ((True, False), 0.0)])
def test_the_reward_hangs_on_the_verdicts(holds, reward):
    with Loopback([verdicts(*holds)]) as server:
        env = make(server)
        env.reset(seed=1, options={"task": judged_task()})
        _, got, terminated, _, info = env.step(TRANSFER)
        env.close()
    assert terminated
    assert got == reward
    assert info["score"]["parts"]["judged"] == reward
    assert info["score"]["tcr"] == sum(holds) / 2
    assert info["judgement"]["reasons"] == ["reason 1", "reason 2"]


def test_without_a_judge_the_score_says_that_nobody_has_judged():
    env = gym.make("MUA/Retail-v1", tasks="test")
    env.reset(seed=1, options={"task": judged_task(basis=("database", "judged"))})
    *_, info = env.step(TRANSFER)
    score = env.unwrapped.session.score
    env.close()
    assert info["score"]["parts"]["judged"] is None
    assert "judgement" not in info
    assert score.unjudged == 2
    assert score.reward == 1.0


@pytest.mark.parametrize("step", [Status(500), Hang(), Say("no verdict")])
def test_a_judge_that_fails_makes_the_episode_one_that_must_not_count(step):
    with Loopback(default=step) as server:
        env = make(server, timeout_s=0.3, deadline_s=1.0)
        env.reset(seed=1, options={"task": judged_task()})
        *_, info = env.step(TRANSFER)
        trajectory = env.unwrapped.session.trajectory(id="x")
        env.close()
    assert info["score"]["reward"] is None
    assert info["score"]["success"] is None
    assert trajectory.cause.startswith("judge: ")


def test_nothing_is_judged_that_does_not_count():
    with Loopback(default=verdicts(True, True)) as server:
        env = make(server)
        env.reset(seed=1, options={"task": judged_task(basis=("database",))})
        env.step(TRANSFER)
        env.close()
        short = gym.make(
            "MUA/Retail-v1", tasks="test", judge="tiny", judge_options={"base_url": server.base_url}, max_turns=1
        )
        short.reset(seed=1, options={"task": judged_task()})
        *_, truncated, info = short.step("Hello.")
        short.close()
        assert server.requests == []
    assert truncated
    assert info["score"]["reward"] == 0.0


def test_a_rollout_awaits_the_judge_records_it_and_counts_its_cost(tmp_path):
    from mua_env.core.agent import Agent
    from mua_env.episode.setting import load_setting
    from mua_env.evaluation.rollout_folder import summarize
    from mua_env.evaluation.rollouts import Planned, RolloutOptions, run_rollout
    from mua_env.users.make import make_user

    class Transfers(Agent):
        name = "transfers"

        def reset(self, *, system_prompt, tools, seed):
            """Nothing is kept."""

        def act(self, messages):
            return AssistantMessage.model_validate(TRANSFER)

    setting, ledger = load_setting("retail", "test"), Ledger()
    episodes = [Planned(str(at), judged_task().model_copy(update={"id": str(at)}), at) for at in range(3)]
    trajectories = []
    with Loopback(default=verdicts(True, False)) as server:
        options = {"base_url": server.base_url, "ledger": ledger, "cache": tmp_path}
        for _ in range(2):
            judge = make_judge("tiny", options)
            run_rollout(
                setting,
                make_user("agenda"),
                Transfers,
                episodes,
                options=RolloutOptions(judge=judge),
                on_end=trajectories.append,
            )
        asked = len(server.requests)
    assert asked == 3  # the second run reads what the first has recorded
    assert ledger.total.calls == 3
    assert [item.score.reward for item in trajectories] == [0.0] * 6
    assert trajectories[0].meta["judge"]["verdicts"] == [True, False]
    summary = summarize(trajectories[:3])
    assert summary.usage["judge/calls"] == 3
    assert (summary.tcr, summary.success, summary.unjudged) == (0.5, 0.0, 0)


def test_the_async_judge_finds_the_same(settings_for):
    with Loopback([verdicts(True, False)]) as server:
        judge = LLMJudge(LLMClient(settings_for(server)))
        found = asyncio.run(judge.ajudge(STATEMENTS, DIALOGUE, seed=0))
    assert found.verdicts == (True, False)


def test_options_without_a_models_name_and_unknown_ones_are_refused():
    with pytest.raises(ConfigError, match="judge_options go with"):
        make_judge(None, {"cache": "x"})
    with pytest.raises(ConfigError, match="tinyy"):
        make_judge("tiny", {"tinyy": 1})
