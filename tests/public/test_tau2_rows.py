"""Other people's tasks in tau2's shape, each row with a database of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import mua_env
from mua_env.domain.public.row_files import holds_rows
from mua_env.domain.public.tau2_rows import domain_of, reasons
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, TaskError
from mua_env.evaluation.audit import audit
from mua_env.evaluation.regrade import regrade

from .rows_fixture import row, write_rows

pytestmark = pytest.mark.filterwarnings("ignore:.*rows are left out")


@pytest.fixture(autouse=True)
def no_copy_of_tau2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAU2_DATA_DIR", raising=False)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "areal")


def calls(task: Any) -> dict[str, Any]:
    return {"tool_calls": [{"function": {"name": a.name, "arguments": a.arguments}} for a in task.actions]}


def gold_reward(setting: Setting, index: int) -> float | None:
    world = setting.make_world()
    task = setting.tasks[index]
    world.load(task)
    for action in task.actions:
        world.call(action.name, action.arguments)
    from mua_env.core.scores import Record

    score = setting.scorer.score(task, world, Record())
    world.close()
    return score.reward


@pytest.mark.parametrize("named", ["file", "folder"])
def test_each_task_is_set_in_its_own_database(rows: Path, named: str) -> None:
    source = str(rows if named == "file" else rows.parent)
    setting = load_setting("retail", source)
    assert [task.id for task in setting.tasks] == ["retail_1", "retail_2#2", "retail_3", "retail_2", "retail_4"]
    assert {task.scene["database"] for task in setting.tasks} == {"retail_db_1.json", "retail_db_2.json"}
    world = setting.make_world()
    found = []
    for name in ("retail_1", "retail_2", "retail_1"):  # there and back
        world.load(setting.tasks.by_id(name))
        found.append(world.call("get_order_details", {"order_id": "#W0000001"}).ok)
    assert found == [False, True, False]
    world.load(setting.tasks.by_id("retail_2"))
    gold = setting.tasks.by_id("retail_2").actions[0]
    world.call(gold.name, gold.arguments)
    twin = world.fork()
    for each in (world, twin):
        assert '"cancelled"' in each.call("get_order_details", {"order_id": "#W0000001"}).content
        each.close()
    assert [gold_reward(setting, index) for index in range(5)] == [1.0] * 5


def test_nothing_is_dropped_in_silence(rows: Path) -> None:
    with pytest.warns(UserWarning, match="4 of 9 rows are left out"):
        found = load_setting("retail", str(rows)).tasks.left_out
    assert list(found) == [f"tau2_rl_train.jsonl, line {number}" for number in (6, 7, 8, 9)]
    reason = list(found.values())
    assert reason[0] == "of the domain 'airline'"
    assert "no_such.json' is missing" in reason[1]
    assert "lies outside of the folder" in reason[2]
    assert reason[3].startswith("no JSON")
    assert reasons({"a": "x", "b": "x", "c": "y"}) == "2 x (as a); 1 y (as c)"


def test_audit_says_what_is_given_away_what_fails_and_what_needs_the_user(rows: Path) -> None:
    found = audit(load_setting("retail", str(rows)), run_baselines=False)
    totals = found.totals
    assert len(found.left_out) == 4
    assert totals.idle["task"] == ("retail_2#2", "retail_3", "retail_4")
    assert totals.failing == ("retail_2#2", "retail_4")
    assert totals.needs_user == ("retail_1", "retail_2#2", "retail_2", "retail_4")
    from mua_env.evaluation.audit.table import findings
    from mua_env.evaluation.reports.audit import render_html

    said = dict(findings(totals, left_out=found.left_out))
    assert said["won by doing nothing"] == "3 of 5 (60.0 %)"
    assert said["fail their own gold"] == "2 of 5 (40.0 %)"
    assert said["need the user"] == "4 of 5 (80.0 %)"
    assert said["rows left out: of the domain 'airline'"] == "1: tau2_rl_train.jsonl, line 6"
    assert "no_such.json" in render_html(found)


def test_values_are_looked_for_in_the_tasks_own_database(tmp_path: Path, rows: Path) -> None:
    """A product that only the second database has can be found there by tools alone."""
    place = rows.parent / "tau2_rl_database"
    shop = json.loads((place / "retail_db_2.json").read_text())
    product = next(iter(shop["products"].values()))
    shop["products"]["9999999999"] = {**product, "product_id": "9999999999", "name": "Zither"}
    (place / "retail_db_2.json").write_text(json.dumps(shop))
    read = {"name": "get_product_details", "arguments": {"product_id": "9999999999"}}
    names = ("tau2_rl_database/retail_db_1.json", "tau2_rl_database/retail_db_2.json")
    made = [row(f"retail_{n}", "retail", name, [read]) for n, name in enumerate(names)]
    rows.write_text("".join(json.dumps(each) + "\n" for each in made))
    found = audit(load_setting("retail", str(rows)), run_baselines=False)
    assert found.totals.needs_user == ("retail_0",)


def test_environment_and_vector_environment_run_them(rows: Path) -> None:
    env = gym.make("MUA/Retail-v1", tasks=str(rows))
    task = load_setting("retail", str(rows)).tasks.by_id("retail_2")
    env.reset(seed=1, options={"task_id": "retail_2"})
    messages, *_ = env.step(calls(task))
    assert '"cancelled"' in messages[0]["content"]
    env.close()
    envs = gym.make_vec("MUA/Retail-v1", num_envs=2, tasks=str(rows), user="agenda", vectorization_mode="sync")
    envs.close()


def test_policy_is_the_rows_own_where_they_have_one(rows: Path) -> None:
    assert load_setting("retail", str(rows)).tasks.variant == "own policy"
    (rows.parent / "policy.md").write_text("# Their rules\n")
    tasks = load_setting("retail", str(rows.parent)).tasks
    assert (tasks.policy, tasks.variant) == ("# Their rules\n", "policy of the rows")


def test_a_changed_folder_is_read_anew(rows: Path) -> None:
    before = load_setting("retail", str(rows.parent)).tasks.source_revision
    rows.write_text(rows.read_text().splitlines()[0] + "\n")
    after = load_setting("retail", str(rows.parent)).tasks
    assert len(after) == 1
    assert after.source_revision != before


def test_parquet_rows_read_as_those_of_json(rows: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    kept = [json.loads(line) for line in rows.read_text().splitlines()[:5]]
    parquet.write_table(pyarrow.Table.from_pylist(kept), rows.with_suffix(".parquet"))
    one, other = (load_setting("retail", str(rows.with_suffix(end))).tasks for end in (".jsonl", ".parquet"))
    assert [task.model_dump(exclude={"split"}) for task in one] == [
        task.model_dump(exclude={"split"}) for task in other
    ]


def test_a_file_in_tau2s_own_form_is_read_with_the_database_beside_it(rows: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "db.json").write_text((rows.parent / "tau2_rl_database" / "retail_db_1.json").read_text())
    one = json.loads(rows.read_text().splitlines()[0])
    del one["db_path"]
    one["evaluation_criteria"] = json.loads(one["evaluation_criteria"])
    (folder / "tasks.json").write_text(json.dumps([one]))
    assert gold_reward(load_setting("retail", str(folder)), 0) == 1.0
    (folder / "db.json").unlink()
    with pytest.raises(TaskError, match="names no database, none lies beside it"):
        load_setting("retail", str(folder))


def test_telecom_rows_have_a_phone_in_good_order(tmp_path: Path) -> None:
    (tmp_path / "telecom_db.toml").write_text("plans = []\nlines = []\n")
    asserted = {"env_type": "user", "func_name": "assert_airplane_mode_status", "arguments": {"expected_status": False}}
    made = row("telecom_1", "telecom", "telecom_db.toml", [], env_assertions=[asserted], reward_basis=["ENV_ASSERTION"])
    (tmp_path / "rows.jsonl").write_text(json.dumps(made) + "\n")
    setting = load_setting("telecom", str(tmp_path / "rows.jsonl"))
    assert gold_reward(setting, 0) == 1.0
    assert setting.user_tools


@pytest.mark.parametrize(
    ("made", "domain"),
    [
        ({"user_scenario": {"instructions": {"domain": "Retail"}}, "id": "airline_1"}, "retail"),
        ({"user_scenario": {"instructions": "Ask."}, "id": "airline_12"}, "airline"),
        ({"user_scenario": "x", "id": 3, "db_path": "snapshots/tau2_telecom_db.toml"}, "telecom"),
        ({"id": "7"}, None),
    ],
)
def test_domain_of_a_row(made: dict[str, Any], domain: str | None) -> None:
    assert domain_of(made) == domain


def test_what_is_no_file_of_rows_is_left_to_others(tmp_path: Path, rows: Path) -> None:
    assert not holds_rows("train")
    assert not holds_rows("tau2:test")
    (tmp_path / "own.jsonl").write_text('{"id": "1", "domain": "retail"}\n')
    assert not holds_rows(str(tmp_path / "own.jsonl"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(TaskError, match="no rows of the shape"):
        load_setting("retail", str(tmp_path / "empty"))
    with pytest.raises(ConfigError, match="no solo mode"):
        load_setting("retail", str(rows), solo=True)
    with pytest.raises(TaskError, match="none of 9 rows can be used"):
        load_setting("telecom", str(rows))


def test_dialogues_on_them_are_scored_anew(rows: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    mua_env.evaluate(agent="random", tasks=f"retail:{rows.parent}", count=1, max_turns=3, folder=run)
    (one,) = regrade(run)
    assert (one.was, one.now, one.data_changed, one.notes) == (0.0, 0.0, False, ())
