from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import gymnasium as gym
import pytest
from shop import shop

import mua_env
from mua_env.core.task_files import read_tasks, write_tasks
from mua_env.core.task_sets import TaskSet, parse_source
from mua_env.core.tasks import Requirement
from mua_env.domain import contract as domain_module
from mua_env.domain import discovery
from mua_env.domain.contract import load_domain
from mua_env.episode.setting import load_setting
from mua_env.errors import DomainError, MissingExtra, MuaError, TaskError, missing_extra

HEAVY = ("torch", "trl", "litellm", "vllm", "transformers", "datasets", "matplotlib", "psycopg", "accelerate", "peft")


@pytest.mark.parametrize("code", ["import mua_env", "import mua_env; mua_env.DialogueEnv; mua_env.DialogueVectorEnv"])
def test_import_is_light(code: str) -> None:
    program = f"{code}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.strip() == "[]"


def test_import_loads_no_domain() -> None:
    program = "import mua_env, sys\nprint([name for name in sys.modules if name.startswith('mua_env.envs')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.strip() == "[]"


def test_every_public_name_resolves() -> None:
    for name in mua_env.__all__:
        assert getattr(mua_env, name) is not None, name
        assert name in dir(mua_env)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        mua_env.nonsense  # noqa: B018


def test_names_for_type_checkers_are_those_at_run_time() -> None:
    tree = ast.parse(Path(mua_env.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {
        str(alias.asname): str(node.module).removeprefix("mua_env.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == mua_env._HOME
    for name, home in mua_env._HOME.items():
        assert getattr(importlib.import_module(f"mua_env.{home}"), name) is getattr(mua_env, name)


def test_environments_are_registered_from_metadata() -> None:
    assert {"MUA/Retail-v1", "MUA/Airline-v1"} <= set(gym.registry)
    assert mua_env.environment_ids()["retail"] == "MUA/Retail-v1"
    mua_env.register_all()  # again is no harm


def test_unknown_domain_is_answered_with_the_nearest() -> None:
    with pytest.raises(DomainError, match=r"no domain 'retial' is installed. Did you mean 'retail'\? Installed: "):
        load_domain("retial")
    assert load_domain(shop) is shop


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no_such_module:domain", "cannot be imported: No module named 'no_such_module'"),
        ("shop:nothing", "cannot be imported: module 'shop' has no attribute 'nothing'"),
        ("shop:ShopUser", "is a ABCMeta, not a mua_env.Domain instance"),
    ],
)
def test_broken_entry_points_are_named(monkeypatch: pytest.MonkeyPatch, target: str, said: str) -> None:
    entry = EntryPoint(name="Broken-v1", value=target, group="mua_env.domains")
    monkeypatch.setattr(domain_module, "domain_entries", lambda: {"broken": entry})
    domain_module._load.cache_clear()
    with pytest.raises(DomainError, match=said):
        load_domain("MUA/Broken-v1")
    domain_module._load.cache_clear()


def test_missing_extra_says_how_to_install() -> None:
    error = missing_extra("llm", needed_by="LLMUser")
    assert isinstance(error, MissingExtra)
    assert isinstance(error, MuaError)
    assert isinstance(error, ImportError)
    assert str(error) == "LLMUser needs the optional dependencies of [llm]: pip install 'mua-env[llm]'"


def test_task_sources() -> None:
    assert parse_source("tau1:test") == ("tau1:test", {})
    assert parse_source("generate:level=2:seed=7") == ("generate", {"level": "2", "seed": "7"})
    assert {task.level for task in shop.task_set("train:level=2")} == {2}
    assert shop.task_set("test").by_id("test-12").split == "test"
    with pytest.raises(TaskError, match="'tau1'"):
        shop.task_set("tau1:test")
    with pytest.raises(TaskError, match=r"unknown task source 'tset' for shop. Did you mean 'test'\?"):
        shop.task_set("tset")


def test_revision_follows_the_tasks() -> None:
    train = shop.task_set("train")
    assert train.revision == shop.task_set("train").revision
    assert train.revision != shop.task_set("test").revision


def test_equal_arguments_share_a_setting() -> None:
    assert load_setting(shop, "train") is load_setting(shop, "train")
    assert load_setting(shop, "train").template is load_setting(shop, "test").template
    own = TaskSet("mine", "shop", shop.tasks("train")[:2], shop.data, "policy", "shop:own")
    assert len(load_setting(shop, own).tasks) == 2


def test_tasks_survive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    tasks = list(shop.tasks("train"))
    write_tasks(path, tasks)
    assert read_tasks(path) == tasks
    assert list(shop.task_set(str(path))) == tasks
    first = path.read_bytes()
    write_tasks(path, tasks)
    assert path.read_bytes() == first
    path.write_text('{"id": "1", "domain": "shop"}\n{"id": "2", "domain": "shop", "levle": 1}\n')
    with pytest.raises(TaskError, match="line 2: levle: Extra inputs"):
        read_tasks(path)
    with pytest.raises(TaskError, match="cannot read tasks"):
        read_tasks(tmp_path / "none.jsonl")


def test_a_file_of_tasks_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    odd = shop.tasks("train")[0].model_copy(update={"instruction": "one\u2028two\x85three\r\nfour"})
    write_tasks(path, [odd])
    assert read_tasks(path) == [odd]
    path.write_text("\n")
    with pytest.raises(TaskError, match="holds no tasks"):
        read_tasks(path)
    write_tasks(path, [odd, odd])
    with pytest.raises(TaskError, match="line 2: id: 'train-0' is the id of an earlier task"):
        read_tasks(path)
    write_tasks(path, [odd.model_copy(update={"domain": "hotel"})])
    with pytest.raises(TaskError, match="task 'train-0' is of the domain 'hotel', not of 'shop'"):
        shop.task_set(str(path))


def test_generated_tasks_are_the_same_in_any_order() -> None:
    forward, backward = (shop.task_set("generate:level=3:seed=5:count=100") for _ in range(2))
    positions = [0, 1, 15, 16, 17, 40, 99]
    last_first = [backward[i] for i in reversed(positions)]
    assert [forward[i] for i in positions] == last_first[::-1]
    assert len(forward) == 100
    assert forward[0].level == 3
    assert forward[-1] == forward[99]
    assert [task.id for task in forward.tasks[3:6]] == [forward[i].id for i in (3, 4, 5)]
    assert shop.task_set("generate:seed=6")[0] != shop.task_set("generate:seed=5")[0]
    with pytest.raises(IndexError):
        forward[100]
    with pytest.raises(TaskError, match="unknown option 'lvl'; there are level, seed, split, count"):
        shop.task_set("generate:lvl=2")
    with pytest.raises(TaskError, match="level, seed and count are whole numbers"):
        shop.task_set("generate:level=two")


def test_a_malformed_entry_point_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [EntryPoint("hotel", "a:b", discovery.GROUP), EntryPoint("Hotel-v2", "c:d", discovery.GROUP)]
    monkeypatch.setattr(discovery, "entry_points", lambda group: entries)
    discovery.domain_entries.cache_clear()
    try:
        with pytest.warns(UserWarning, match="'hotel'.*left out"):
            assert discovery.environment_ids() == {"hotel": "MUA/Hotel-v2"}
    finally:
        discovery.domain_entries.cache_clear()


def test_what_cannot_be_a_task_source_is_named() -> None:
    with pytest.raises(MuaError, match="got NoneType"):
        load_setting("retail", None)  # type: ignore[arg-type]
    with pytest.raises(TaskError, match="count is 0"):
        load_setting("retail", "generate:count=0")


@pytest.mark.parametrize(("kind", "needed"), [("refusal", "intent"), ("terminal_tool", "name"), ("told", "value")])
def test_a_requirement_says_what_it_is_about(kind: str, needed: str) -> None:
    with pytest.raises(ValueError, match=needed):
        Requirement.model_validate({"kind": kind})
    assert Requirement.model_validate({"kind": kind, needed: "x"})
