"""Agent and user act on one world, each with tools of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from engine.helpers import call
from engine.test_leaks import fields

from dual.lines import LINE, SECRET, LinesDomain, Router, RouterTools, SoloDomain, lines
from mua_env.core.messages import FunctionCall, ToolCall, ToolMessage
from mua_env.core.task_files import task_line
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import tool
from mua_env.core.trajectory import Trajectory
from mua_env.episode.episode import USER_ROUNDS, Episode
from mua_env.episode.session import Session, StepResult
from mua_env.episode.setting import load_setting
from mua_env.errors import DomainError, EpisodeError
from mua_env.gym.env import DialogueEnv
from mua_env.gym.vector import DialogueVectorEnv
from mua_env.training.data.demonstrations import messages_of
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.base import UserReply, UserSession, UserSimulator
from mua_env.users.human import HumanUser
from mua_env.users.replay import ReplayUser

SETTING = load_setting(lines, lines.task_set("train"))
GUIDED: tuple[Any, ...] = (
    "Sorry about that. What is your line number?",
    call("resume_line", number=LINE),
    "Thank you, the line is active again. Please restart your router, then tell me what colour the light is.",
)
UNGUIDED: tuple[Any, ...] = (*GUIDED[:2], *["Good news: your internet works again. Anything else?"] * 5)


def play(session: Session, turns: Sequence[Any], *, task: int = 0, seed: int = 0) -> StepResult:
    result = session.start(SETTING.tasks[task], seed=seed)
    for turn in turns:
        if not result.done:
            result = session.send(turn)
    return result


def acts(session: Session) -> list[tuple[str, str]]:
    """What the user did, with what it came to."""
    rounds = [round for entry in session.episode.entries for round in entry.user_acts]
    return [
        (made.function.name, result.content)
        for round in rounds
        for made, result in zip(round.tool_calls, round.results, strict=True)
    ]


def said(result: StepResult) -> str:
    return " ".join(str(message.content) for message in result.messages)


def use(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(function=FunctionCall(name=name, arguments=json.dumps(arguments)))


class Scripted(UserSimulator):
    """Gives prepared replies, and keeps what it was shown."""

    name = "scripted"

    def __init__(self, *replies: UserReply) -> None:
        self.replies = replies

    def start(self, task: Task, *, seed: int, context: Any = None) -> ScriptedSession:
        return ScriptedSession(list(self.replies))


class ScriptedSession(UserSession):
    def __init__(self, replies: list[UserReply]) -> None:
        self.replies = replies
        self.shown: list[str] = []

    def reply(self, agent_text: str | None) -> UserReply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        self.shown += [result.content for result in results]
        return self.reply(None)

    def fork(self) -> ScriptedSession:
        return ScriptedSession(list(self.replies))


# the world


def test_a_change_on_one_side_shows_on_the_other() -> None:
    world = SETTING.make_world()
    world.load()
    assert world.call("look_at_light", {}, requestor="user").content == "red"
    world.call("resume_line", {"number": LINE})
    assert world.call("reboot_router", {}, requestor="user").ok
    assert world.call("look_at_light", {}, requestor="user").content == "green"
    assert json.loads(world.call("get_line", {"number": LINE}).content)["router_runs_on"] == "basic"
    world.call("change_plan", {"number": LINE, "plan": "fibre"})
    assert world.call("look_at_light", {}, requestor="user").content == "red"
    world.close()


def test_neither_has_the_tools_of_the_other() -> None:
    world = SETTING.make_world()
    world.load()
    assert "'reboot_router' is a tool of the user's" in world.call("reboot_router", {}).content
    assert "unknown tool 'resume_line'" in world.call("resume_line", {"number": LINE}, requestor="user").content
    assert not world.snapshot()
    world.close()


def test_a_failed_call_of_the_user_changes_nothing() -> None:
    world = SETTING.make_world()
    world.load()
    result = world.call("reboot_router", {}, requestor="user")  # it writes, then finds no line
    assert (result.ok, world.snapshot()) == (False, world.snapshot().__class__())
    row = world.database.get(Router, LINE)
    assert row is not None
    assert row["loaded"] == "old"
    world.close()


def test_a_terminal_tool_of_the_user_is_refused() -> None:
    class Hangs(RouterTools):
        @tool(terminal=True)
        def hang_up(self) -> str:
            """Hang up."""
            return ""

    class Wrong(LinesDomain):
        user_toolkit = Hangs

    with pytest.raises(DomainError, match="'hang_up' is terminal"):
        load_setting(Wrong(), lines.task_set("train"))


def test_actions_say_whose_they_are_only_where_it_is_the_users() -> None:
    assert task_line(Task(id="x", domain="lines", actions=(Action(name="a"),))).count("requestor") == 0
    task = SETTING.tasks[0]
    assert json.loads(task_line(task))["actions"][1] == {"name": "reboot_router", "requestor": "user"}
    assert Task.model_validate_json(task.model_dump_json()) == task


# the agenda user


def test_right_guidance_scores_one() -> None:
    session = Session(SETTING, AgendaUser())
    result = play(session, GUIDED)
    assert acts(session) == [("reboot_router", "It has started"), ("look_at_light", "green")]
    assert "light is green" in said(result)
    assert result.terminated
    assert result.score is not None
    assert result.score.reward == 1.0
    session.close()


def test_no_guidance_scores_zero() -> None:
    session = Session(SETTING, AgendaUser())
    result = play(session, UNGUIDED)
    assert acts(session) == []
    assert result.done
    assert result.score is not None
    assert result.score.reward == 0.0
    assert {cell.table for cell in result.score.difference} == {"routers"}
    session.close()


def test_guidance_in_the_wrong_order_shows_the_failure() -> None:
    session = Session(SETTING, AgendaUser())
    result = play(session, ["Please restart your router."])
    assert acts(session)[0][1].startswith("Error: the router finds no line")
    assert "the router finds no line and starts again and again" in said(result)
    result = session.send("What colour is the light now?")
    assert "light is red" in said(result)
    assert not result.done
    session.close()


def test_initial_actions_may_be_the_users_and_named_values_become_arguments() -> None:
    session = Session(SETTING, AgendaUser())
    play(session, ["What colour is the light?", "Can you turn your router on, please?"], task=1)
    assert acts(session) == [("look_at_light", "dark"), ("set_power", "on")]
    session.send("Please turn the router sideways.")
    assert acts(session)[-1][1] == "Error: there is no sideways on the switch"
    session.close()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Please restart your router.", ["reboot_router"]),
        ("Could you please reboot the router and tell me what the light shows?", ["reboot_router", "look_at_light"]),
        ("1. **Restart your router**\n2. Look at the light", ["reboot_router", "look_at_light"]),
        ("Next, restart the router.", ["reboot_router"]),
        ("You will need to reboot your router now.", ["reboot_router"]),
        ("I'd like you to restart your router.", ["reboot_router"]),
        ("If you don't mind, please restart your router.", ["reboot_router"]),
        ("Let me know if the light is green.", ["look_at_light"]),
        ("Is the light green?", ["look_at_light"]),
        ("Do not restart your router yet.", []),
        ("Please don't reboot the router.", []),
        ("If the light is red, restart your router.", []),
        ("Restarting your router usually helps.", []),
        ("I have restarted your router from here.", []),
        ("I will now reboot your router.", []),
        ("Shall we restart your router?", []),
        ("Did you already restart your router?", []),
        ("The light shows whether there is a connection.", []),
        ("Your line is active.", []),
    ],
)
def test_the_agenda_user_acts_only_as_guided(text: str, wanted: list[str]) -> None:
    session = Session(SETTING, AgendaUser())
    session.start(SETTING.tasks[0], seed=1)
    session.send(text)
    assert [name for name, _ in acts(session)] == wanted
    session.close()


def test_sync_and_async_are_alike() -> None:
    async def dialogue() -> Trajectory:
        session = Session(SETTING, AgendaUser())
        await session.astart(SETTING.tasks[0], seed=3)
        for turn in GUIDED:
            await session.asend(turn)
        return session.trajectory(id="x")

    session = Session(SETTING, AgendaUser())
    play(session, GUIDED, seed=3)
    assert asyncio.run(dialogue()) == session.trajectory(id="x")
    session.close()


def test_a_fork_has_a_router_of_its_own() -> None:
    session = Session(SETTING, AgendaUser())
    play(session, [*GUIDED[:2], "Turn your router off, please."])
    twin = session.fork()
    assert "It is on" in said(twin.send("Turn your router on, please."))
    assert "light is red" in said(twin.send("What colour is the light?"))
    assert "light is dark" in said(session.send("What colour is the light?"))
    session.close()
    twin.close()


# what the agent is given


def test_the_agent_sees_only_what_the_user_says() -> None:
    reading = UserReply(text="beside", thought=SECRET, tool_calls=(use("read_label"), use("set_power", power=SECRET)))
    user = Scripted(UserReply(text="Help."), reading, UserReply(text="I looked."))
    env = DialogueEnv(lines, user=user, render_mode="ansi")
    given: list[Any] = [env.reset(seed=0), env.render()]
    given.append((env.step("Please read the label to yourself."), env.render()))
    batch = DialogueVectorEnv(lines, num_envs=2, user=user)
    given += [batch.reset(seed=0), batch.step(["Please read it."] * 2)]
    for path, text in fields(given):
        for hidden in (SECRET, "read_label", "set_power", "look_at_light", "beside"):
            assert hidden not in text, path
    trajectory = env.session.trajectory(id="x")
    assert SECRET in trajectory.model_dump_json()  # the record holds it; what is trained on does not
    env.step("Fine.")
    seen = messages_of(env.session.trajectory(id="x"))
    assert [message.role for message in seen] == ["user", "assistant", "user", "assistant"]
    assert SECRET not in str(seen)
    env.close()
    batch.close()


# the turn machine


def test_rounds_are_bounded_and_one_more_is_the_users_fault() -> None:
    restless = UserReply(text="", tool_calls=(use("look_at_light"),), usage={"tokens": 2})
    session = Session(SETTING, Scripted(UserReply(text="Help."), restless))
    result = play(session, ["Look at the light."])
    assert (result.truncated, session.episode.fault) == (True, "user")
    assert "without a word" in str(session.episode.cause)
    assert result.score is not None
    assert result.score.reward is None
    assert len(acts(session)) == USER_ROUNDS
    assert session.trajectory(id="x").usage == {"tokens": 2 * (USER_ROUNDS + 1)}
    session.close()


def test_rounds_add_up_in_the_entry_of_what_the_user_says() -> None:
    first = UserReply(text="", tool_calls=(use("look_at_light"),), usage={"tokens": 2}, events=("a",))
    last = UserReply(text="Red.", usage={"tokens": 1, "calls": 1}, events=("b",), meta={"v": 1})
    session = Session(SETTING, Scripted(UserReply(text="Help."), first, first, last))
    play(session, ["Look at the light."])
    entry = session.episode.entries[-1]
    assert entry.hidden["usage"] == {"tokens": 5, "calls": 1}
    assert (entry.hidden["events"], entry.hidden["meta"]) == (["a", "a", "b"], {"v": 1})
    assert [len(round.results) for round in entry.user_acts] == [1, 1]
    assert len({round.tool_calls[0].id for round in entry.user_acts}) == 2
    assert session.episode.turns == 1
    session.close()


def test_calls_must_be_run_before_the_turn_is_taken() -> None:
    world = SETTING.make_world()
    world.load()
    episode = Episode(SETTING.tasks[0], world)
    with pytest.raises(EpisodeError, match="user_acts"):
        episode.user_turn(UserReply(text="", tool_calls=(use("look_at_light"),)))
    assert episode.user_acts(UserReply(text="Hello")) == []
    episode.user_turn(UserReply(text="Hello"))
    with pytest.raises(EpisodeError, match="the agent's turn"):
        episode.user_acts(UserReply(text="", tool_calls=(use("look_at_light"),)))
    world.close()


def test_a_fault_after_calls_keeps_what_was_done() -> None:
    failing = UserReply(text="", fault="gone")
    reading = UserReply(text="", tool_calls=(use("read_label"),))
    session = Session(SETTING, Scripted(UserReply(text="Help."), reading, failing))
    result = play(session, ["Read the label."])
    assert result.score is not None
    assert (result.score.reward, result.score.fault) == (None, "user")
    assert [name for name, _ in acts(session)] == ["read_label"]
    session.close()


# records, people, solo


def test_a_record_is_replayed_on_the_world() -> None:
    session = Session(SETTING, AgendaUser())
    play(session, GUIDED, seed=4)
    recorded = Trajectory.model_validate_json(session.trajectory(id="x").model_dump_json())
    again = Session(SETTING, ReplayUser([recorded]))
    result = play(again, GUIDED, seed=4)
    assert result.score is not None
    assert result.score.reward == 1.0
    assert again.trajectory(id="x").entries == recorded.entries
    other = play(again, [GUIDED[0], GUIDED[2]], seed=4)  # without the operator's part
    assert (other.truncated, again.episode.fault) == (True, "user")
    session.close()
    again.close()


def test_a_replayed_user_notices_that_its_tools_show_something_else() -> None:
    session = Session(SETTING, AgendaUser())
    play(session, GUIDED, seed=4)
    again = Session(SETTING, ReplayUser([session.trajectory(id="x")]))
    play(again, [GUIDED[0], call("get_line", number=LINE), GUIDED[2]], seed=4)
    assert "the user's tools gave" in str(again.episode.cause)
    session.close()
    again.close()


def test_a_person_uses_the_tools() -> None:
    typed = iter(["Help!", "look_at_light", 'set_power {"power": "off"}', "set_power {power", "It is off.", "/stop"])
    shown: list[str] = []
    session = Session(SETTING, HumanUser(ask=lambda text: next(typed), show=shown.append))
    result = play(session, ["Switch it off, please."])
    assert said(result) == "It is off."
    assert "look_at_light, read_label, reboot_router, set_power" in shown[1]
    assert shown[2:4] == ["look_at_light: red", "set_power: off"]
    assert shown[4].startswith("set_power: Error: set_power: the arguments are not valid JSON")
    session.close()


def test_alone_the_agent_has_both_pairs_of_hands() -> None:
    solo = SoloDomain()
    env = DialogueEnv(solo, user=Scripted(UserReply(text="My internet is down."), UserReply(text="", stop=True)))
    _, info = env.reset(seed=0, options={"task_index": 0})
    assert {tool["function"]["name"] for tool in info["tools"]} >= {"resume_line", "reboot_router"}
    env.step(call("resume_line", number=LINE))
    env.step(call("reboot_router"))
    assert env.step("It works.")[1] == 1.0
    env.close()
