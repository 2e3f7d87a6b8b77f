"""The trained user in process: the seam, sampling, guards, recordings, the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from loopback import Loopback, Say
from typer.testing import CliRunner

from mua_env.agents.make import agent_factory
from mua_env.cli.app import app
from mua_env.core.tasks import Goal, Request, Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import Setting
from mua_env.errors import ConfigError, TaskError
from mua_env.evaluation.rollouts import plan, run_rollout
from mua_env.inference.serving.local_client import RETRY_TEMPERATURE
from mua_env.llm import Ledger, LLMClient, LLMSettings
from mua_env.users.base import GREETING, UserReply
from mua_env.users.llm.guards import ALL_GUARDS, Ground
from mua_env.users.llm.prompts import system_prompt
from mua_env.users.local.user import LocalUser, LocalUserSession
from mua_env.users.make import make_user

if TYPE_CHECKING:
    from mua_env.inference.serving.local_model import LocalModel

TURNS = (None, "What is your email, or your name and zip code?", "Confirm (yes/no)?")


def replies(user: LocalUser, task: Task, seed: int = 0) -> list[UserReply]:
    dialogue = user.start(task, seed=seed)
    return [dialogue.reply(text) for text in TURNS]


def test_users_with_tools_of_their_own_are_refused(engine: LocalModel, task: Task) -> None:
    schema = {"type": "function", "function": {"name": "read_status_bar", "parameters": {}}}
    with pytest.raises(ConfigError, match="use the agenda user"):
        LocalUser(engine).start(task, seed=0, context={"tools": [schema]})


def test_it_opens_as_it_was_trained_to(engine: LocalModel, task: Task) -> None:
    opening = LocalUser(engine).start(task, seed=0).reply(None)
    assert opening.text.startswith("I want to ")
    assert opening.fault is None
    assert opening.usage["completion_tokens"] >= 2
    assert opening.usage["prompt_tokens"] > opening.usage["completion_tokens"]
    assert opening.meta["prompt_version"].startswith("brief/")


def test_the_seed_decides_what_is_sampled(engine: LocalModel, task: Task) -> None:
    user = LocalUser(engine, temperature=1.5, guards=False, max_tokens=20)
    first, again, other = (replies(user, task, seed) for seed in (1, 1, 70))
    assert [reply.text for reply in first] == [reply.text for reply in again]
    assert [reply.text for reply in first] != [reply.text for reply in other]


def test_a_fork_has_the_same_future(engine: LocalModel, task: Task) -> None:
    dialogue = LocalUser(engine, temperature=1.0, guards=False).start(task, seed=4)
    dialogue.reply(None)
    twin = dialogue.fork()
    assert isinstance(twin, LocalUserSession)
    assert [dialogue.reply(t).text for t in TURNS[1:]] == [twin.reply(t).text for t in TURNS[1:]]


def scripted(server: Loopback, instruction: str) -> LocalUserSession:
    """A local user's session whose lines are scripted, so that its guard can be seen at work."""
    client = LLMClient(LLMSettings("m", base_url=server.base_url))
    return LocalUserSession(client, "brief", instruction, 0, ALL_GUARDS)


@pytest.mark.parametrize(
    ("wrong", "right", "heard", "guard"),
    [
        ("Order #W1234567", "Order #W4075833", "Which order?", "invents"),
        ("Odette Winter", "Odette Winther", "What is your name?", "invents"),
        ("Yes.", "No. Order #W4075833", "Cancel order #W4075832. Confirm (yes/no)?", "agrees_wrongly"),
    ],
)
def test_a_value_from_nowhere_is_asked_for_once_more_and_then_a_fault(
    wrong: str, right: str, heard: str, guard: str
) -> None:
    briefing = "You are Odette Winther. You want to cancel order #W4075833."
    with Loopback([Say("Cancel it."), Say(wrong), Say(right), Say(wrong), Say(wrong)]) as server:
        dialogue = scripted(server, briefing)
        dialogue.reply(None)
        mended, faulty = dialogue.reply(heard), dialogue.reply(heard)
    assert (mended.text, mended.fault, mended.events) == (right, None, (f"guard:{guard}",))
    assert faulty.text == ""
    assert faulty.fault is not None
    assert "the briefing does not hold" in faulty.fault
    assert faulty.events == (f"guard:{guard}", f"guard:{guard}")


@pytest.mark.parametrize(
    ("heard", "wrong"),
    [
        ("Cancel order #W4075833, reason: no longer needed. Confirm (yes/no)?", False),
        ("Cancel order #W4075833, reason: ordered by mistake. Confirm (yes/no)?", True),
        ("Cancel order #W4075839, reason: no longer needed. Confirm (yes/no)?", True),
    ],
)
def test_a_yes_is_held_against_the_goal_and_asked_for_anew_as_a_no(heard: str, wrong: bool, setting: Setting) -> None:
    slots = {"order_id": "#W4075833", "reason": "no longer needed"}
    goal = Goal(facts={}, requests=(Request(intent="cancel_order", slots=slots),))
    task = Task(id="t", domain="retail", instruction="Cancel order #W4075833; you no longer need it.", goal=goal)
    ground = Ground.of(task, {"domain": setting.domain})
    with Loopback([Say("Cancel it."), Say("Yes."), Say("No. It is wrong.")]) as server:
        client = LLMClient(LLMSettings("m", base_url=server.base_url))
        dialogue = LocalUserSession(client, "brief", task.instruction, 0, ALL_GUARDS, ground=ground)
        dialogue.reply(None)
        reply = dialogue.reply(heard)
    if not wrong:
        assert (reply.text, reply.events) == ("Yes.", ())
        return
    assert (reply.text, reply.events) == ("No. It is wrong.", ("guard:agrees_wrongly",))
    assert server.requests[-1]["messages"][-1] == {"role": "assistant", "content": "No."}


def test_without_the_guard_a_wrong_yes_passes(setting: Setting, engine: LocalModel) -> None:
    assert LocalUser(engine).guards == ALL_GUARDS
    assert "agrees_wrongly" not in LocalUser(engine, guards=["invents"]).guards


def test_a_reply_can_be_begun(engine: LocalModel, task: Task) -> None:
    chat = [
        {"role": "system", "content": system_prompt("brief", task.instruction)},
        {"role": "user", "content": GREETING},
    ]
    whole = engine.complete(chat).text
    assert whole.startswith("I want to ")
    assert engine.submit(chat, begin=whole).result().text == whole
    begun = engine.submit(chat, begin="No. ").result()
    assert begun.text.startswith("No. ")
    assert begun.prompt_tokens > engine.complete(chat).prompt_tokens


def test_a_greedy_model_is_asked_again_at_another_temperature(
    engine: LocalModel, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second greedy attempt would only repeat the first."""
    asked: list[float] = []
    submit = engine.submit

    def listen(messages: Any, sampling: Any = None, **options: Any) -> Any:
        asked.append(sampling.temperature)
        return submit(messages, sampling, **options)

    monkeypatch.setattr(engine, "submit", listen)
    monkeypatch.setattr("mua_env.users.local.user.unheld_value", lambda text, known: "Xo")
    reply = LocalUser(engine).start(task, seed=0).reply(None)
    assert reply.events == ("guard:invents", "guard:invents")
    assert reply.usage["calls"] == 2
    assert asked == [0.0, RETRY_TEMPERATURE]


def test_episodes_with_the_expert_end_and_faults_are_not_scored(engine: LocalModel, setting: Setting) -> None:
    done: list[Trajectory] = []
    make = agent_factory("expert", setting.domain, {"style": "compact"})
    run_rollout(setting, LocalUser(engine), make, plan(setting.tasks, limit=6), on_end=done.append)
    assert len(done) == 6
    assert any(one.turns > 1 for one in done)
    for one in done:
        assert one.user == LocalUser(engine).name
        assert one.score is not None
        assert (one.score.reward is None) == (one.ended_by == "fault")
        assert one.score.fault == ("user" if one.ended_by == "fault" else None)


def test_a_recording_replays_from_another_folder_without_the_model_being_asked(
    folder: Path, tmp_path: Path, task: Task
) -> None:
    first = LocalUser(folder, cache=tmp_path / "tape", cache_mode="record")
    recorded = replies(first, task)
    first.close()
    moved = tmp_path / folder.name
    shutil.copytree(folder, moved)
    second = LocalUser(moved, cache=tmp_path / "tape", cache_mode="replay", ledger=Ledger(max_tokens=0))
    second.close()  # whatever would ask the model now fails
    assert [r.model_dump_json() for r in replies(second, task)] == [r.model_dump_json() for r in recorded]


def test_a_ledger_stops_a_local_user_too(engine: LocalModel, task: Task) -> None:
    ledger = Ledger(max_tokens=50)
    dialogue = LocalUser(engine, ledger=ledger).start(task, seed=0)
    assert dialogue.reply(None).fault is None
    assert ledger.total.tokens > 50
    assert str(dialogue.reply("Which order?").fault).startswith("budget:")


def test_a_dialogue_that_is_too_long_is_a_fault_with_its_reason(engine: LocalModel, task: Task) -> None:
    reply = LocalUser(engine).start(task, seed=0).reply("word " * 1200)
    assert str(reply.fault).startswith("context:")
    assert "1024 positions" in str(reply.fault)


def test_by_name_with_options(folder: Path, task: Task) -> None:
    user = make_user("local", {"model": str(folder), "temperature": 0.5, "guards": ["early_stop"]})
    assert isinstance(user, LocalUser)
    assert user.guards == ("early_stop",)
    assert user.name.startswith("local:model@")
    with pytest.raises(TaskError, match="no instruction"):
        user.start(Task(id="x", domain="retail"), seed=0)
    user.close()
    with pytest.raises(ConfigError, match="temperature"):
        make_user("local", {"model": str(folder), "temperature": -1})
    with pytest.raises(ConfigError, match="cannot load a model"):
        make_user("local", {"model": "/no/such/folder"})


def test_on_the_command_line(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [
        "rollout",
        str(out),
        "--tasks",
        "test:level=1",
        "--count",
        "2",
        "--user",
        "local",
        "-U",
        f"model={folder}",
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (out / "trajectories.jsonl").read_text().splitlines()]
    assert {row["user"].partition("@")[0] for row in rows} == {"local:model"}
