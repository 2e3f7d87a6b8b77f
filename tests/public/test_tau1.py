"""The reader of tau-bench's files: both layouts, and errors that say what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tau1_hash import StateHasher

from mua_env.core.database import Rows
from mua_env.core.tasks import Goal, Task
from mua_env.domain.contract import load_domain
from mua_env.domain.public.tau1 import Layout, read_policy, read_tables, read_tasks, task_set
from mua_env.errors import ConfigError, DataError, TaskError

TABLES = {"users": "user_id", "orders": "order_id"}
TASK_FILE = """
from tau_bench.types import Action, Task

COUNT = 2
TASKS_TEST = [
    Task(
        annotator="someone",
        user_id="ada_1",
        instruction="You are Ada, "
        "and you want to cancel #W1.",
        actions=[
            Action(
                name="cancel_pending_order",
                kwargs={"order_id": "#W1", "reason": "no longer needed"},
            ),
            Action(name="list_all_product_types", kwargs={}),
        ],
        outputs=["10", "54.04"],
    ),
    Task(annotator="x", user_id="bob_2", instruction="Say -1.5 and stop.", actions=[], outputs=[]),
]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of tau-bench, made up: the same folders, our own content."""
    folder = tmp_path / "tau_bench" / "envs" / "retail"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "users.json").write_text(json.dumps({"ada_1": {"email": "ada@example.com"}}))
    (folder / "data" / "orders.json").write_text(json.dumps({"#W1": {"order_id": "#W1", "price": 3.0}}))
    (folder / "wiki.md").write_text("# Rules\n")
    (folder / "tasks_test.py").write_text(TASK_FILE)
    return tmp_path


def read(path: Path) -> list[Task]:
    return read_tasks(Layout.find("retail", path), "test")


def rewrite(checkout: Path, old: str, new: str) -> None:
    file = checkout / "tau_bench" / "envs" / "retail" / "tasks_test.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_python_task_files_are_read_as_literals(checkout: Path) -> None:
    first, second = read(checkout)
    assert (first.id, first.user_id, first.outputs) == ("0", "ada_1", ("10", "54.04"))
    assert first.instruction == "You are Ada, and you want to cancel #W1."
    assert [action.name for action in first.actions] == ["cancel_pending_order", "list_all_product_types"]
    assert first.actions[0].arguments == {"order_id": "#W1", "reason": "no longer needed"}
    assert (second.id, second.actions) == ("1", ())


def test_task_files_are_never_run(checkout: Path) -> None:
    target = checkout / "ran"
    rewrite(checkout, "COUNT = 2", f"COUNT = open({str(target)!r}, 'w')")
    assert len(read(checkout)) == 2
    assert not target.exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"#W1", "reason"', 'str(1), "reason"', "line 14: a call of 'str'"),
        ("outputs=[]", "outputs=[COUNT]", "line 20: 'COUNT' is not a literal"),
        ('annotator="x", ', '"x", ', r"line 20: Task\(...\) with arguments that have no name"),
        ("TASKS_TEST = [", "TASKS_TEST = [[", "not valid Python"),
        ("    Task(\n", "    Job(\n", "line 6: a call of 'Job'"),
        ('user_id="bob_2", instruction', 'user_id="bob_2", instructions', "task 1 has no field 'instruction'"),
        ('instruction="Say -1.5 and stop."', "instruction=-1.5", "task 1: instruction: Input should be a valid string"),
        ("actions=[], ", "actions=[3], ", "task 1 is not an object"),
    ],
)
def test_broken_task_files_are_named_with_the_place(checkout: Path, old: str, new: str, message: str) -> None:
    rewrite(checkout, old, new)
    with pytest.raises(TaskError, match=message) as caught:
        read(checkout)
    assert "tasks_test.py" in str(caught.value)


def test_a_file_without_tasks_says_so(checkout: Path) -> None:
    (checkout / "tau_bench" / "envs" / "retail" / "tasks_test.py").write_text("X = []\n")
    with pytest.raises(TaskError, match=r"no list of Task\(...\) calls"):
        read(checkout)


def test_a_task_set_has_its_own_world(checkout: Path) -> None:
    seen: list[str] = []

    def derive(task: Task, rows: Rows) -> Goal:
        seen.append(task.id)
        assert rows["users"][0]["user_id"] == "ada_1"
        return Goal(derived=True)

    tasks = task_set("retail", "test", tables=TABLES, path=checkout, derive=derive)
    assert (tasks.name, tasks.mode, len(tasks), seen) == ("tau1:test", "compat", 2, ["0", "1"])
    assert tasks[0].goal == Goal(derived=True)
    assert tasks.policy == "# Rules\n"
    assert tasks.data() == {
        "users": [{"user_id": "ada_1", "email": "ada@example.com"}],
        "orders": [{"order_id": "#W1", "price": 3.0}],
    }
    (checkout / "tau_bench" / "envs" / "retail" / "data" / "orders.json").write_text("{}")
    assert task_set("retail", "test", tables=TABLES, path=checkout).world != tasks.world


def test_the_folder_may_be_named_by_the_environment(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAU_BENCH_DIR", str(checkout))
    assert len(read_tasks(Layout.find("retail"), "test")) == 2
    monkeypatch.delenv("TAU_BENCH_DIR")
    with pytest.raises(ConfigError, match=r"git clone .*TAU_BENCH_DIR"):
        Layout.find("retail")


def test_missing_and_broken_files_are_named(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not hold tau-bench's airline data"):
        Layout.find("airline", checkout)
    layout = Layout.find("retail", checkout)
    with pytest.raises(TaskError, match="no split 'final'; it has test, train, dev"):
        read_tasks(layout, "final")
    with pytest.raises(TaskError, match=r"no tasks_dev.json and no tasks_dev.py"):
        read_tasks(layout, "dev")
    layout.wiki.unlink()
    with pytest.raises(DataError, match=r"wiki.md is missing"):
        read_policy(layout)
    for text, message in (("{", "not valid JSON at line 1"), ("[]", "one object per key"), ('{"a": 1}', "one object")):
        (layout.data / "orders.json").write_text(text)
        with pytest.raises(DataError, match=message) as caught:
            read_tables(layout, TABLES)
        assert "orders.json" in str(caught.value)


@pytest.mark.parametrize(("split", "count"), [("test", 115), ("train", 500), ("dev", 20)])
def test_public_retail_splits(tau1_dir: Path, split: str, count: int) -> None:
    tasks = load_domain("retail").task_set(f"tau1:{split}", path=tau1_dir)
    assert len(tasks) == count
    assert tasks.mode == "compat"
    assert all(task.instruction and task.user_id for task in tasks)
    rows = tasks.data()
    assert {name: len(table) for name, table in rows.items()} == {"users": 500, "orders": 1000, "products": 50}


def test_public_airline_tasks(tau1_dir: Path) -> None:
    tables = {"users": "user_id", "flights": "flight_number", "reservations": "reservation_id"}
    tasks = task_set("airline", "test", tables=tables, path=tau1_dir)
    assert len(tasks) == 50
    assert {name: len(rows) for name, rows in tasks.data().items()} == {
        "users": 500,
        "flights": 300,
        "reservations": 2000,
    }


def test_python_and_json_task_files_give_equal_tasks(tau1_dir: Path, tmp_path: Path) -> None:
    """The public tasks, written as the checkout has them, read the same by both paths."""
    source = tau1_dir / "retail"
    raw: list[dict[str, Any]] = json.loads((source / "tasks_test.json").read_text())
    lines = [
        f"    Task(annotator='x', user_id={task['user_id']!r}, instruction={task['instruction']!r}, actions=["
        + ", ".join(f"Action(name={action['name']!r}, kwargs={action['arguments']!r})" for action in task["actions"])
        + f"], outputs={task['outputs']!r}),"
        for task in raw
    ]
    folder = tmp_path / "tau_bench" / "envs" / "retail"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "users.json").write_text("{}")
    (folder / "tasks_test.py").write_text("TASKS_TEST = [\n" + "\n".join(lines) + "\n]\n")
    assert read(tmp_path) == read_tasks(Layout.find("retail", source), "test")


def test_the_state_hash_tells_types_and_order_apart() -> None:
    base = {"a": {"x": {"v": 100, "l": [1, 2]}}, "b": {"y": {"v": None}, "z": {"w": True}}}
    hasher = StateHasher(base)
    same = hasher.digest({})
    assert hasher.digest({"a": {"x": {"l": [1, 2], "v": 100}}}) == same
    others = [{"v": 100.0, "l": [1, 2]}, {"v": "100", "l": [1, 2]}, {"v": 100, "l": [2, 1]}, None]
    digests = {hasher.digest({"a": {"x": record}}) for record in others}
    assert len(digests | {same}) == 5
    assert StateHasher({"a": {"x": base["a"]["x"]}, "b": {"z": {"w": True}}}).digest({}) == hasher.digest(
        {"b": {"y": None}}
    )
