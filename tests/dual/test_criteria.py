"""Criteria, task completion rate, settling between two sides, and solo mode."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dual.lines import LINE, SECRET, Line, LinesDomain, OperatorTools, Router, RouterTools
from mua_env.core.database import Database
from mua_env.core.scores import Score
from mua_env.core.tasks import Action, ActionCheck, Assertion, Criteria, Task
from mua_env.core.tools import Mode, Toolkit, tool
from mua_env.core.toolsets import Toolset, solo_toolset
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, DomainError, EpisodeError, TaskError, ToolError
from mua_env.gym.env import DialogueEnv
from mua_env.scoring.checks import was_called


class Stage(Toolkit):
    @tool(writes=True)
    def break_label(self) -> None:
        """The label comes off."""
        self.db.update(Router, LINE, label="torn")

    @tool
    def power_is(self, power: str) -> bool:
        """Whether the router's switch stands so."""
        router = self.db.get(Router, LINE)
        return router is not None and router["power"] == power

    @tool
    def state_is(self, state: str) -> bool:
        """Whether the line is in a state."""
        line = self.db.get(Line, LINE)
        return line is not None and line["state"] == state

    @tool
    def power(self) -> str:
        """No assertion: it gives a word."""
        return "on"


def settle(database: Database, mode: Mode) -> None:
    """The router loads nothing while the line is suspended; a plan that nobody sells cannot be carried over."""
    line = database.get(Line, LINE)
    assert line is not None
    if line["plan"] == "impossible":
        raise ToolError("the router refuses this plan")
    if line["state"] != "active":
        database.update(Router, LINE, loaded="nothing")


CRITERIA = Criteria(
    basis=("assertions", "actions"),
    assertions=(
        Assertion(name="state_is", arguments={"state": "active"}),
        Assertion(name="power_is", arguments={"power": "off"}, expected=False),
    ),
    action_checks=(ActionCheck(action=Action(name="reboot_router", requestor="user")),),
    statements=("The agent was polite.",),
)


class StagedDomain(LinesDomain):
    stage = Stage
    settle = staticmethod(settle)
    policies = ("long", "short")

    def policy_variant(self, variant: str | None = None, *, solo: bool = False, compact: bool = False) -> str:
        return f"{variant} {'solo' if solo else 'together'}"

    def tasks(self, split: str) -> list[Task]:
        task = super().tasks(split)[0]
        broken = (Action(name="break_label", requestor="world"),)
        return [task.model_copy(update={"criteria": CRITERIA, "initial_actions": broken, "ticket": f"{LINE} is down."})]


staged = StagedDomain()


@pytest.fixture(scope="module")
def setting() -> Setting:
    return load_setting(staged)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}


def finished(*turns: Any, **options: Any) -> tuple[Score, dict[str, Any]]:
    env = DialogueEnv(staged, **options)
    env.reset(seed=0)
    for turn in turns:
        *_, terminated, truncated, info = env.step(turn)
        if terminated or truncated:
            return Score.model_validate(info["score"]), info
    raise AssertionError("the dialogue goes on")


def test_the_basis_is_the_tasks_own_and_each_check_counts_in_the_completion_rate() -> None:
    resume, restart = call("resume_line", number=LINE), "Please restart the router, and tell me about the light."
    score, _ = finished(resume, restart)
    assert (score.reward, score.tcr, score.initial_tcr) == (1.0, 1.0, 1 / 3)
    assert score.basis == ("assertions", "actions", "requirements")
    assert score.parts["judged"] is None
    assert score.criteria == ("assertions", "actions")
    score, _ = finished(resume, call("hand_over"))
    assert (score.reward, score.success, score.tcr) == (0.0, False, 2 / 3)
    assert score.unmet == ("the user called reboot_router()",)
    assert score.under("outcome") == 0.0


def test_a_truncated_episode_has_no_rate_but_one_for_the_state_it_was_left_in() -> None:
    score, _ = finished(call("resume_line", number=LINE), "Hello?", max_turns=2)
    assert (score.reward, score.tcr, score.tcr_at_end) == (0.0, 0.0, 2 / 3)


def test_only_the_tables_that_a_task_names_are_compared() -> None:
    task = staged.tasks("train")[0]
    for tables, expected in ((None, 0.0), (("lines",), 1.0)):
        criteria = Criteria(basis=("database",), tables=tables)
        env = DialogueEnv(staged)
        env.reset(seed=0, options={"task": task.model_copy(update={"criteria": criteria})})
        env.step(call("resume_line", number=LINE))
        _, reward, *_ = env.step(call("hand_over"))
        assert reward == expected


def test_changes_are_carried_to_the_other_side_and_a_refusal_undoes_the_call(setting: Setting) -> None:
    world = setting.make_world()
    world.load()
    row = world.database.get(Router, LINE)
    assert row is not None
    assert row["loaded"] == "nothing"
    refused = world.call("change_plan", {"number": LINE, "plan": "impossible"})
    assert not refused.ok
    assert "refuses this plan" in refused.content
    line = world.database.get(Line, LINE)
    assert line is not None
    assert line["plan"] == "basic"
    assert world.call("change_plan", {"number": LINE, "plan": "impossible"}, settle=False).ok
    world.close()


def test_the_stage_is_offered_to_nobody(setting: Setting) -> None:
    offered = {schema["function"]["name"] for schema in setting.tools + setting.user_tools}
    assert not offered & Stage.specs.keys()
    world = setting.make_world()
    world.load(staged.tasks("train")[0])
    assert world.call("read_label", {}, requestor="user").content == "torn"
    assert not world.call("break_label", {}).ok
    with pytest.raises(TaskError, match="no truth value"):
        world.holds(Assertion(name="power"))
    with pytest.raises(TaskError, match="Did you mean 'power_is'"):
        world.holds(Assertion(name="power_si"))
    world.close()


def test_calls_are_compared_strictly_or_as_tau2_does() -> None:
    gold = Action(name="pay", arguments={"bill": "B1", "amount": 3}, requestor="user")
    by_user, by_agent = (Action(name="pay", arguments=gold.arguments, requestor=who) for who in ("user", "agent"))
    empty, half = Action(name="pay", requestor="user"), Action(name="pay", arguments={"bill": "B1"}, requestor="user")
    whole = ActionCheck(action=gold)
    assert was_called(whole, [by_user])
    assert not was_called(whole, [by_agent])
    assert not was_called(whole, [half])
    assert all(was_called(whole, [call], mode="compat") for call in (by_user, by_agent, empty, half))
    assert was_called(ActionCheck(action=gold, compare=("bill",)), [half])
    assert was_called(ActionCheck(action=gold, compare=()), [empty])
    assert not was_called(ActionCheck(action=gold, compare=("amount",)), [half])
    assert not was_called(whole, [Action(name="play", arguments=gold.arguments, requestor="user")], mode="compat")


def test_alone_with_the_ticket() -> None:
    env = DialogueEnv(staged, solo=True, policy="short")
    observation, info = env.reset(seed=0)
    assert observation == ({"role": "user", "content": f"{LINE} is down."},)
    assert (info["variant"], info["system_prompt"], info["user"]) == ("short-solo", "short solo", "solo")
    assert SECRET not in json.dumps([observation, info])
    names = {schema["function"]["name"] for schema in info["tools"]}
    assert names == OperatorTools.specs.keys() | RouterTools.specs.keys() | {"done"}
    observation, *_ = env.step("Is anybody there?")
    assert "Nobody is on the line" in observation[0]["content"]
    for turn in (call("resume_line", number=LINE), call("reboot_router")):
        env.step(turn)
    _, _, terminated, _, info = env.step(call("done"))
    assert terminated
    assert info["score"]["parts"]["assertions"] == 1.0


def test_what_has_no_solo_mode_or_no_such_policy_says_so() -> None:
    assert load_setting(staged, policy="short").tasks.variant == "short"
    assert load_setting(staged).tasks.variant == "long"
    with pytest.raises(ConfigError, match="lines has no policy 'shrt'; it has 'long', 'short'"):
        load_setting(staged, policy="shrt")
    with pytest.raises(ConfigError, match="retail has no policy 'short'; it has one policy document"):
        load_setting("retail", policy="short")
    with pytest.raises(DomainError, match="no solo mode here"):
        load_setting("retail", solo=True)
    with pytest.raises(ConfigError, match="belong to a task source"):
        load_setting(staged, staged.task_set(), solo=True)
    with pytest.raises(DomainError, match="both have a tool 'change_plan'"):
        solo_toolset(Toolset(OperatorTools, user_toolkit=OperatorTools))
    env = DialogueEnv(LinesDomain(), solo=True)
    with pytest.raises(TaskError, match="has no ticket"):
        env.reset(seed=0)
    with pytest.raises(EpisodeError):
        env.step("Hello?")
