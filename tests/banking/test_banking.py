"""What must hold of the bank, on one written here."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

pytest.importorskip("rank_bm25", reason="needs the [banking] extra")

import mua_env
from mua_env import Session, load_setting
from mua_env.cli.app import app
from mua_env.core.scores import Record
from mua_env.core.tasks import Action
from mua_env.domain.contract import load_domain
from mua_env.envs.banking.scenario import read_scenario
from mua_env.errors import ConfigError, DataError, MuaError, TaskError
from mua_env.users.base import UserSession, UserSimulator
from tests.banking import bank
from tests.banking.desk import calling, serve

ID = "MUA/Banking-v1"


def setting_of(root: Path, source: str = "base", **options: Any) -> Any:
    return load_setting("banking", source, path=root, **options)


def loaded(setting: Any, task_id: str) -> tuple[Any, Any]:
    world, task = setting.make_world(), setting.tasks.by_id(task_id)
    world.load(task)
    return world, task


def rewarded(setting: Any, task_id: str, *actions: Action, **record: Any) -> Any:
    world, task = loaded(setting, task_id)
    for action in actions:
        world.call(action.name, action.arguments, requestor=action.requestor)
    return setting.scorer.score(task, world, Record(calls=actions, **record))


@pytest.mark.parametrize("mode", ["compat", "strict"])
@pytest.mark.parametrize("task_id", [task["id"] for task in bank.TASKS])
def test_gold_is_won_and_nothing_done_is_not(checkout: Path, task_id: str, mode: str) -> None:
    setting = setting_of(checkout, mode=mode)
    task = setting.tasks.by_id(task_id)
    assert rewarded(setting, task_id, *task.actions).reward == 1.0
    assert setting.scorer.gold(task).failures == ()
    changes = task_id != "task_006"  # its gold changes nothing here
    assert rewarded(setting, task_id).reward == float(not changes)


def test_a_wrong_value_is_named_where_it_stands(checkout: Path) -> None:
    setting = setting_of(checkout)
    *before, close = setting.tasks.by_id("task_001").actions
    arguments = {**close.arguments, "arguments": json.dumps({"account_id": "chk_1", "fee": 30})}
    score = rewarded(setting, "task_001", *before, close.model_copy(update={"arguments": arguments}))
    (cell,) = score.difference
    assert (cell.table, cell.key, cell.column, cell.expected, cell.got) == ("accounts", "chk_1", "fee", 25.0, 30.0)
    assert score.tcr == 0.0


def test_whole_and_broken_numbers_differ_in_compat_mode_alone(checkout: Path) -> None:
    for mode, reward in (("compat", 0.0), ("strict", 1.0)):
        setting = setting_of(checkout, mode=mode)
        (apply,) = setting.tasks.by_id("task_003").actions
        said = apply.model_copy(update={"arguments": {**apply.arguments, "annual_income": 50000.0}})
        assert rewarded(setting, "task_003", said).reward == reward


@pytest.mark.parametrize(
    ("reason", "reward"), [("fraud", 1.0), ("other", 0.0), (None, 0.0)], ids=["right", "wrong", "none"]
)
def test_a_call_that_must_have_been_made_is_compared_on_the_arguments_named(
    checkout: Path, reason: str | None, reward: float
) -> None:
    arguments = {"summary": "something else"} | ({} if reason is None else {"reason": reason})
    made = Action(name="transfer_to_human_agents", arguments=arguments)
    assert rewarded(setting_of(checkout), "task_004", made).reward == reward


def test_a_read_leaves_a_mark_only_where_gold_reads(checkout: Path) -> None:
    setting = setting_of(checkout)
    reads = [
        Action.model_validate({k: v for k, v in each.items() if k in ("name", "arguments")})
        for each in bank.called("get_account_5678", account_id="chk_0")
    ]
    gold = setting.tasks.by_id("task_005")
    assert rewarded(setting, "task_005", gold.actions[0]).parts["database"] == 0.0
    close = setting.tasks.by_id("task_001").actions
    assert rewarded(setting, "task_001", *reads, *close).parts["database"] == 1.0


def test_judged_statements_count_once_they_are_judged(checkout: Path) -> None:
    setting = setting_of(checkout)
    actions = setting.tasks.by_id("task_005").actions
    assert rewarded(setting, "task_005", *actions).unjudged == 1
    assert rewarded(setting, "task_005", *actions, judged=(False,)).reward == 0.0
    assert rewarded(setting, "task_005", *actions, judged=(True,)).reward == 1.0


def test_a_fault_is_no_score(checkout: Path) -> None:
    assert rewarded(setting_of(checkout), "task_001", fault="user").reward is None
    assert rewarded(setting_of(checkout), "task_006", truncated=True).reward == 0.0


@pytest.mark.parametrize("requestor", ["agent", "user"])
def test_tools_of_the_other_side_are_none_of_ours(checkout: Path, requestor: Any) -> None:
    names = {"agent": "apply_for_credit_card", "user": "get_user"}
    for mode in ("compat", "strict"):
        world, _ = loaded(setting_of(checkout, mode=mode), "task_003")
        result = world.call(names[requestor], {}, requestor=requestor)
        assert not result.ok
        assert names[requestor] in result.content


def test_a_tool_that_nobody_was_shown_runs_in_compat_mode_alone(checkout: Path) -> None:
    for mode, ok in (("compat", True), ("strict", False)):
        world, _ = loaded(setting_of(checkout, mode=mode), "task_001")
        assert world.call("close_account_1234", {"account_id": "chk_0"}).ok is ok
        assert not world.call("set_read_log_allowlist", {"allowlist": []}).ok


def test_an_error_changes_nothing_in_strict_mode(checkout: Path) -> None:
    for mode, half in (("compat", True), ("strict", False)):
        world, _ = loaded(setting_of(checkout, mode=mode), "task_001")
        assert not world.call("half_done", {"user_id": "u1"}).ok
        assert ("half" in world.snapshot()["hands"]["users"]["data"]["u1"]) is half


@pytest.mark.parametrize(
    "arguments", ["", "{", "[]", '{"user_id": 5}', "{}", {"user_id": ["a"]}, {"x": 1}, '{"user_id": "\\u0000"}']
)
def test_bad_arguments_are_answered(checkout: Path, arguments: Any) -> None:
    world, _ = loaded(setting_of(checkout), "task_001")
    assert isinstance(world.call("get_user", arguments).content, str)


def test_worlds_know_nothing_of_each_other(checkout: Path) -> None:
    setting = setting_of(checkout)
    one, task = loaded(setting, "task_001")
    other, _ = loaded(setting, "task_001")
    for action in task.actions[:2]:
        one.call(action.name, action.arguments)
    assert "u1" not in other.snapshot()["hands"]["verified"]["data"]
    twin = one.fork()
    assert twin.call(task.actions[2].name, task.actions[2].arguments).content == "Closed chk_1."
    assert one.snapshot()["hands"]["accounts"]["data"]["chk_1"]["status"] == "OPEN"
    assert twin.snapshot()["hands"]["verified"]["data"]["u1"]["on"] == "11/14/2025"
    one.load(task)
    refused = one.call(task.actions[2].name, task.actions[2].arguments).content
    assert "has not been unlocked" in refused


def test_64_threads_get_what_one_gets(checkout: Path) -> None:
    setting = setting_of(checkout)
    found: list[float] = []

    def play(task: Any) -> None:
        found.append(rewarded(setting, task.id, *task.actions).reward)

    threads = [threading.Thread(target=play, args=(setting.tasks[i % len(setting.tasks)],)) for i in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1.0] * 64


def test_searches_rank_documents_and_keep_their_order_where_they_are_equal(checkout: Path) -> None:
    world, _ = loaded(setting_of(checkout), "task_001")
    lines = world.call("KB_search", {"query": "gold card"}).content.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["Cards", "Cards again"]
    assert lines[-1] == "[0ms]"
    assert world.call("grep", {"pattern": "no fee"}).content.endswith(": 2")
    assert world.call("KB_search", {"query": "  "}).content == "[0ms]"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("BRACES {x} are", 1), ("(", 0), ("$5", 0), ("\\$5", 2), ("c{1}ard", 2), ("[a-c]ard", 2), ("", 0), ("{", 1)],
)
def test_patterns_are_pythons_and_what_is_none_is_looked_for_as_it_stands(
    checkout: Path, pattern: str, found: int
) -> None:
    world, _ = loaded(setting_of(checkout), "task_001")
    assert len(world.call("grep", {"pattern": pattern}).content.splitlines()) == found


def test_a_pattern_without_end_is_stopped(tmp_path: Path) -> None:
    root = bank.write(tmp_path / "tau2-bench")
    documents = root / "data" / "tau2" / "domains" / "banking_knowledge" / "documents"
    long = {"id": "doc_f", "title": "Long", "content": "a" * 60 + "!"}
    (documents / "doc_f.json").write_text(json.dumps(long))
    world, _ = loaded(setting_of(root), "task_001")
    result = world.call("grep", {"pattern": "(a|aa|a?)+$"})
    assert not result.ok
    assert "simpler" in result.content


@pytest.mark.parametrize(
    ("policy", "searches"),
    [(None, {"KB_search", "grep"}), ("bm25", {"KB_search"}), ("grep_only", {"grep"}), ("full_kb", set())],
)
def test_variant_gives_tools_and_policy(checkout: Path, policy: str | None, searches: set[str]) -> None:
    setting = setting_of(checkout, policy=policy)
    names = {tool["function"]["name"] for tool in setting.tools}
    assert names & {"KB_search", "grep"} == searches
    assert "close_account_1234" not in names
    assert setting.tasks.policy.startswith("# The bank's rules")
    assert ("The Gold Card has a fee" in setting.tasks.policy) is (policy == "full_kb")
    assert setting.tasks.variant == (policy or "bm25_grep")


def test_schemas_are_made_of_the_copys_signatures_and_docstrings(checkout: Path) -> None:
    tools = {tool["function"]["name"]: tool["function"] for tool in setting_of(checkout).tools}
    transfer = tools["transfer_to_human_agents"]["parameters"]["properties"]
    assert transfer["reason"]["enum"] == ["fraud", "other"]
    assert transfer["summary"]["description"] == "What it is about."


def test_customer_has_the_tools_that_its_task_names(checkout: Path) -> None:
    setting = setting_of(checkout)
    names = {
        task.id: [tool["function"]["name"] for tool in setting.worlds.user_schemas(task)] for task in setting.tasks
    }
    assert names["task_001"] == []
    assert names["task_002"] == ["call_discoverable_user_tool"]
    assert len(setting.user_tools) == 3


class Listener(UserSimulator):
    """Keeps what a session gives users."""

    name = "listener"

    def __init__(self) -> None:
        self.tools: list[str] = []

    def start(self, task: mua_env.Task, *, seed: int, context: Any = None) -> UserSession:
        self.tools = [tool["function"]["name"] for tool in context["tools"]]
        raise TaskError("nobody is there")


@pytest.mark.parametrize("number", range(len(bank.TASKS)))
def test_any_users_model_is_offered_the_tools_of_the_task(checkout: Path, number: int) -> None:
    setting, user = setting_of(checkout), Listener()
    with pytest.raises(TaskError, match="nobody"):
        Session(setting, user).start(setting.tasks[number])
    assert user.tools == bank.TASKS[number]["user_tools"]


def test_scripted_customers_lead_an_agent_that_knows_to_the_goal(checkout: Path) -> None:
    setting = setting_of(checkout, "scripted")
    assert [task.id for task in setting.tasks] == ["task_001", "task_002", "task_003", "task_005"]
    for task in setting.tasks:
        session = Session(setting, setting.tasks.user)
        result = serve(session, task)
        assert result.terminated
        assert result.score is not None
        assert result.score.reward == 1.0, result.score.difference
        session.close()


def test_scripted_customer_answers_from_its_scenario(checkout: Path) -> None:
    setting = setting_of(checkout, "scripted")
    user = setting.tasks.user.start(setting.tasks.by_id("task_001"), seed=0)
    assert user.reply(None).text == "Hi, please close my old account."
    told = user.reply("May I have your full name, and your date of birth or your address, please?").text
    assert "Ann Lee" in told
    assert "01/02/1990" in told
    assert "I don't have my address" in told
    assert user.reply("Closing has a fee.").text == "I would rather pay no fee at all."
    assert user.fork().reply("Anything else?").stop


def test_scripted_customer_takes_the_agent_at_its_word(checkout: Path) -> None:
    setting = setting_of(checkout, "scripted")
    task = setting.tasks.by_id("task_002")
    session = Session(setting, setting.tasks.user)
    session.start(task)
    session.send(calling(*task.actions[:2]))
    assert "Yes" in session.send("I see. May I go on?").messages[-1].content
    session.send("Then use dispute_0589 for txn_2.")  # it is the wrong one
    assert set(session.world.snapshot()["hands"]["disputes"]["data"]) == {"txn_2"}
    session.close()


@pytest.mark.parametrize(("task_id", "why"), [("task_004", "no first line"), ("task_006", "request_human")])
def test_what_cannot_be_scripted_is_said(checkout: Path, task_id: str, why: str) -> None:
    setting = setting_of(checkout, "scripted")
    task = setting_of(checkout).tasks.by_id(task_id)
    assert why in str(read_scenario(task))
    with pytest.raises(TaskError, match="language model"):
        setting.tasks.user.start(task, seed=0)


def test_no_agenda_user_plays_there(checkout: Path) -> None:
    env = gym.make(ID, tasks="base", tasks_path=checkout)
    with pytest.raises(MuaError, match="tau2:scripted"):
        env.reset(seed=0)


def test_agent_is_never_given_gold_or_instruction(checkout: Path) -> None:
    env = gym.make(ID, tasks="scripted", tasks_path=checkout)
    for seed in range(8):
        messages, info = env.reset(seed=seed)
        seen = json.dumps([messages, info], default=str)
        assert "task_00" in seen
        for secret in ("When asked about a fee", "Your name is Ann", "txn_1", "logged_reads", "close_account_1234"):
            assert secret not in seen
    env.close()


def test_vector_environment_runs_them_side_by_side(checkout: Path) -> None:
    envs = gym.make_vec(ID, num_envs=3, tasks="scripted", tasks_path=checkout)
    observations, _ = envs.reset(seed=0)
    assert len(observations) == 3
    calls = [calling(Action(name="get_user", arguments={"user_id": "u1"}))] * 3
    observations, *_ = envs.step([call.model_dump(mode="json") for call in calls])
    assert "Ann Lee" in json.dumps(observations, default=str)
    envs.close()


def test_commands_take_them(checkout: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    run, out = CliRunner().invoke, str(tmp_path / "run")
    options = ["--path", str(checkout)]
    asked = ["rollout", out, "-d", "banking", "--tasks", "tau2:scripted", "--agent", "random", *options]
    for words in (
        asked,
        ["view", out],
        ["tasks", "list", "banking:tau2:base", *options],
        ["tasks", "show", "banking:tau2:base", "task_002", *options],
    ):
        result = run(app, words)
        assert result.exit_code == 0, result.output
    recorded = json.loads((tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()[0])
    assert recorded["user"] == "scripted (derived)"
    assert recorded["variant"] == "bm25_grep"


def test_revision_is_told_by_content(tmp_path: Path) -> None:
    one = setting_of(bank.write(tmp_path / "one")).tasks
    other = setting_of(bank.write(tmp_path / "two", bank.TASKS[:3])).tasks
    assert one.source_revision != other.source_revision
    assert "v1.0.1" not in one.source_revision


@pytest.mark.parametrize(
    "line",
    ["import os", "from subprocess import run", "open('/etc/passwd')", "eval('1')", "().__class__", "from . import x"],
)
def test_code_that_reaches_outside_is_not_run(checkout: Path, tmp_path: Path, line: str) -> None:
    path = checkout / "src" / "tau2" / "domains" / "banking_knowledge" / "tools.py"
    marker = tmp_path / "ran"
    path.write_text(f"{path.read_text()}\n{line}\nopen({str(marker)!r}, 'w')\n")
    with pytest.raises(DataError, match="not executed"):
        setting_of(checkout)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("src/tau2/domains/banking_knowledge/tools.py", "tau2's code"),
        ("src/tau2/domains/banking_knowledge/utils.py", "utils.py"),
        ("data/tau2/domains/banking_knowledge/db.json", "db.json"),
        ("data/tau2/domains/banking_knowledge/tasks.json", "banking_knowledge data"),
        ("data/tau2/domains/banking_knowledge/prompts/classic_rag_bm25.md", "classic_rag_bm25"),
    ],
)
def test_a_copy_that_is_not_whole_is_named(checkout: Path, missing: str, error: str) -> None:
    (checkout / missing).unlink()
    with pytest.raises(DataError, match=error):
        setting_of(checkout)


def test_what_there_is_not_is_said(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAU2_DATA_DIR", raising=False)
    monkeypatch.setattr("mua_env.envs.banking.copies.find_spec", lambda name: None)
    with pytest.raises(TaskError, match="git clone"):
        gym.make(ID)
    monkeypatch.setenv("TAU2_DATA_DIR", str(checkout / "data"))
    assert len(load_domain("banking").task_set("train")) == 4
    with pytest.raises(TaskError, match="Did you mean"):
        setting_of(checkout, "tau2:scripte")
    for options, text in (
        ({"solo": True}, "solo"),
        ({"policy": "alltools"}, "bm25_grep"),
        ({"policy": "bm52"}, "Did you mean"),
        ({"database_url": "postgresql://x"}, "database_url"),
    ):
        with pytest.raises(ConfigError, match=text):
            setting_of(checkout, **options)


def test_a_missing_library_is_named_with_its_command(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rank_bm25", None)
    with pytest.raises(mua_env.errors.MissingExtra, match=r"\[banking\]"):
        setting_of(checkout)
    assert setting_of(checkout, policy="grep_only").tools
