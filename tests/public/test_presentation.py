"""``presentation="benchmark"``: tools, errors and key order as the user's own copy of a benchmark shows them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model
from typer.testing import CliRunner

from mua_env.cli.app import app
from mua_env.core.trajectory import read_trajectories
from mua_env.core.world import SQLWorld
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, DataError
from mua_env.gym.env import DialogueEnv

from .copies import TAU1_TOOLS, tables, tau1_checkout, tau2_checkout
from .users import LinesUser

SOURCES: dict[str, Callable[..., Path]] = {"tau1:test": tau1_checkout, "tau2:base": tau2_checkout}


@pytest.fixture
def tau1(tmp_path: Path) -> Setting:
    return load_setting("retail", "tau1:test", path=tau1_checkout(tmp_path))


@pytest.fixture
def tau2(tmp_path: Path) -> Setting:
    return load_setting("retail", "tau2:base", path=tau2_checkout(tmp_path))


def schemas(setting: Setting) -> dict[str, dict[str, Any]]:
    return {schema["function"]["name"]: schema["function"] for schema in setting.tools}


def answers(setting: Setting, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    world = setting.make_world()
    try:
        return [world.call(name, json.dumps(arguments)).content for name, arguments in calls]
    finally:
        world.close()


# which presentation a run has, and where that is said


@pytest.mark.parametrize("source", SOURCES)
def test_it_is_the_default_of_public_tasks_where_the_copy_has_it(tmp_path: Path, source: str) -> None:
    whole = SOURCES[source](tmp_path / "whole")
    data = SOURCES[source](tmp_path / "data alone", code=False)
    assert load_setting("retail", source, path=whole).presented.startswith("benchmark")
    assert load_setting("retail", source, path=data).presented == "own"
    own = load_setting("retail", source, path=whole, presentation="own")
    assert own.tools == own.sql.toolset.toolkit.schemas()
    with pytest.raises(ConfigError, match="holds data alone"):
        load_setting("retail", source, path=data, presentation="benchmark")
    assert not (tmp_path / "whole" / "ran").exists()


def test_own_tasks_have_their_own() -> None:
    assert load_setting("retail", "test").presented == "own"
    with pytest.raises(ConfigError, match="goes with tau1"):
        load_setting("retail", "test", presentation="benchmark")
    with pytest.raises(ConfigError, match="presentation is 'theirs'; use 'own' or 'benchmark'"):
        load_setting("retail", "test", presentation="theirs")  # type: ignore[arg-type]


@pytest.mark.parametrize("source", SOURCES)
def test_broken_code_is_an_error_where_it_was_asked_for_and_else_a_warning(tmp_path: Path, source: str) -> None:
    folder = SOURCES[source](tmp_path)
    path = next(
        path
        for path in sorted(folder.rglob("*.py"))
        if "def cancel" in path.read_text() or "Scrap(" in path.read_text()
    )
    path.write_text("def (")
    with pytest.raises(DataError, match="cannot be read as Python"):
        load_setting("retail", source, path=folder, presentation="benchmark")
    with pytest.warns(UserWarning, match="in this package's words"):
        assert load_setting("retail", source, path=folder).presented == "own"


def test_results_say_which_it_was(tmp_path: Path) -> None:
    folder = tau1_checkout(tmp_path / "copy")
    for wanted, shown in ((None, "benchmark"), ("own", "own")):
        env = DialogueEnv(
            "retail",
            tasks="tau1:test",
            tasks_path=folder,
            user=LinesUser("Hi.", "Bye."),
            presentation=wanted,  # type: ignore[arg-type]
        )
        _, info = env.reset(seed=0)
        assert info["presentation"].startswith(shown)
        assert info["tools"] == env.setting.tools
        assert env.session.trajectory(id="x").presentation == info["presentation"]
        env.close()


def test_the_command_line_takes_it_and_writes_it_down(tmp_path: Path) -> None:
    folder, run = tau2_checkout(tmp_path / "copy"), tmp_path / "run"
    command = ["rollout", str(run), "--domain", "retail", "--tasks", "tau2:base", "--path", str(folder)]
    agent = ["--agent", "random", "--max-turns", "2"]
    done = CliRunner().invoke(app, [*command, *agent, "--presentation", "benchmark"])
    assert done.exit_code == 0, done.output
    assert json.loads((run / "config.json").read_text())["presentation"].startswith("benchmark")
    (trajectory,) = read_trajectories(run / "trajectories.jsonl")
    assert trajectory.presentation.startswith("benchmark")
    assert CliRunner().invoke(app, [*command, "--presentation", "theirs"]).exit_code != 0


# tau-bench


def test_schemas_are_tau_benchs_literals_in_its_order_and_tools_it_lacks_come_after(tau1: Setting) -> None:
    names = [tool for tool, _, _ in TAU1_TOOLS.values()]
    assert list(schemas(tau1))[: len(names)] == names
    assert schemas(tau1)["get_order_details"] == {
        "name": "get_order_details",
        "description": "Words of a benchmark about get_order_details. In two strings.",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
        },
    }
    assert "think" in schemas(tau1)


def test_errors_are_tau_benchs_texts(tau1: Setting) -> None:
    order_id = next(key for key, row in tables()["orders"].items() if row["status"] == "pending")
    late = next(key for key, row in tables()["orders"].items() if row["status"] != "pending")
    cancel, address = (
        "cancel_pending_order",
        dict.fromkeys(("address1", "address2", "city", "state", "country", "zip"), ""),
    )
    assert answers(
        tau1,
        ("get_order_details", {"order_id": "#W0"}),
        (cancel, {"order_id": "#W0", "reason": "no longer needed"}),
        (cancel, {"order_id": late, "reason": "no longer needed"}),
        (cancel, {"order_id": order_id, "reason": "a whim"}),
        ("modify_user_address", {"user_id": "nobody", **address}),
        ("get_order_details", {}),
        (cancel, {}),
        ("modify_user_address", {"user_id": "nobody"}),
        ("get_order_details", {"order_id": "#W0", "more": 1}),
        ("no_such_tool", {}),
    ) == [
        "Error: nothing of that name",
        "Error: nothing of that name",
        "Error: too late",
        "Error: a reason of your own",
        "Error: who is that?",
        "Error: FindById.invoke() missing 1 required positional argument: 'order_id'",
        "Error: Scrap.invoke() missing 2 required positional arguments: 'order_id' and 'reason'",
        "Error: Move.invoke() missing 6 required positional arguments: "
        "'address1', 'address2', 'city', 'state', 'country', and 'zip'",
        "Error: FindById.invoke() got an unexpected keyword argument 'more'",
        "There is no no_such_tool here",
    ]


def test_errors_that_cannot_be_told_apart_keep_our_words_and_results_say_so(tau1: Setting) -> None:
    address = dict.fromkeys(("address1", "address2", "city", "state", "country", "zip"), "x")
    (text,) = answers(tau1, ("modify_pending_order_address", {"order_id": "#W0", **address}))
    assert "there is no order '#W0'" in text
    assert tau1.presented == "benchmark (errors of modify_pending_order_address in our words)"


def test_keys_come_in_the_order_of_the_files_and_of_what_tau_bench_writes(tau1: Setting) -> None:
    product_id, record = next(iter(tables()["products"].items()))
    user_id = next(iter(tables()["users"]))
    address = {"address1": "1 A", "address2": "é", "city": "B", "state": "CA", "country": "USA", "zip": "1"}
    product, user = answers(
        tau1,
        ("get_product_details", {"product_id": product_id}),
        ("modify_user_address", {"user_id": user_id, **address}),
    )
    assert product == json.dumps(record)
    assert list(json.loads(user)["address"]) == ["address1", "address2", "city", "state", "country", "zip"]
    assert "\\u00e9" in user  # as json.dumps writes it


# tau2-bench


class Mood(StrEnum):
    GOOD = "good"
    BAD = "bad"


class Item(BaseModel):
    """One of many."""

    model_config = ConfigDict(extra="forbid")

    size: Annotated[Literal["small", "large"], Field(description="How large")]
    mood: Mood = Field(default=Mood.GOOD, description="How it is")
    price: float | None = Field(None, description="What it costs")


def test_schemas_are_what_pydantic_makes_of_tau2s_signatures(tau2: Setting) -> None:
    assert list(schemas(tau2))[:3] == ["get_order_details", "cancel_pending_order", "get_product_details"]
    first, product = schemas(tau2)["get_order_details"], schemas(tau2)["get_product_details"]
    assert first["description"] == "Words of a benchmark.\n\nAnd more of them,\nin two lines."
    assert first["parameters"] == {
        "properties": {
            "order_id": {"description": "The name of it,\nwhich is long.", "title": "Order Id", "type": "string"}
        },
        "required": ["order_id"],
        "title": "parameters",
        "type": "object",
    }
    expected = create_model(
        "parameters",
        product_id=(str, ...),
        moods=(list[Mood | dict], ()),  # type: ignore[type-arg]
        item=(Item | None, None),
        limit=(int, Field(12, description="How many.")),
    )
    assert json.dumps(product["parameters"]) == json.dumps(expected.model_json_schema())


def test_errors_are_tau2s_texts_from_the_function_or_one_that_it_calls(tau2: Setting) -> None:
    order_id = next(key for key, row in tables()["orders"].items() if row["status"] == "pending")
    late = next(key for key, row in tables()["orders"].items() if row["status"] != "pending")
    cancel = "cancel_pending_order"
    assert answers(
        tau2,
        ("get_order_details", {"order_id": "#W0"}),
        (cancel, {"order_id": "#W0", "reason": "a whim"}),
        (cancel, {"order_id": late, "reason": "a whim"}),
        (cancel, {"order_id": order_id}),
        (cancel, {"order_id": order_id, "reason": "x", "y": 1}),
        ("no_such_tool", {}),
    ) == [
        "Error: nothing of that name",
        "Error: nothing of that name",
        "Error: too late",
        "Error: Shop.cancel_pending_order() missing 1 required positional argument: 'reason'",
        "Error: Shop.cancel_pending_order() got an unexpected keyword argument 'y'",
        "Error: There is no no_such_tool here",
    ]


def test_keys_come_in_the_order_of_tau2s_models(tau2: Setting) -> None:
    product_id = next(iter(tables()["products"]))
    (product,) = answers(tau2, ("get_product_details", {"product_id": product_id}))
    assert list(json.loads(product)) == ["name", "product_id", "variants"]


@pytest.mark.parametrize("source", SOURCES)
def test_scores_and_states_are_the_same_in_either_presentation(tmp_path: Path, source: str) -> None:
    folder = SOURCES[source](tmp_path)
    order_id = next(key for key, row in tables()["orders"].items() if row["status"] == "pending")
    states = []
    for presentation in ("own", "benchmark"):
        setting = load_setting("retail", source, path=folder, presentation=presentation)  # type: ignore[arg-type]
        world = setting.make_world()
        for reason in ("a whim", "no longer needed"):
            world.call("cancel_pending_order", {"order_id": order_id, "reason": reason})
        twin: SQLWorld = world.fork()
        assert twin.call("no_such_tool", {}).content == world.call("no_such_tool", {}).content
        states.append(world.snapshot())
        twin.close()
        world.close()
    assert states[0] == states[1] != {}


# beside the benchmark itself


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_every_text_is_what_tau_benchs_own_tools_give(tau_bench_dir: Path, domain: str) -> None:
    """Gold calls and calls with exchanged values, left out and unknown arguments, character by character."""
    from random import Random

    from tests.tau2 import public

    setting = load_setting(domain, "tau1:test", path=tau_bench_dir, presentation="benchmark")
    assert setting.presented == "benchmark"
    cases = []
    for task in setting.tasks:
        gold = [{"name": action.name, "arguments": action.arguments} for action in task.actions]
        found = public.mutations(gold, Random(f"{domain} {task.id}"))
        cases += [[[call["name"], call["arguments"]] for call in calls] for _, calls in found]
    odd = ["1 / 0", "5 % 3", "2 +", "1 + 1"]
    calls = [["calculate", {"expression": text}] for text in odd]
    cases.append([["nowhere", {}], ["think", {"thought": "x", "y": 1}], ["calculate", {}], *calls])
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("tau1_driver.py")), str(tau_bench_dir), domain],
        input="\n".join(map(json.dumps, cases)),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs, *lines = done.stdout.splitlines()
    assert json.dumps(setting.tools) == theirs
    world, different, errors = setting.make_world(), [], 0
    for case, expected in zip(cases, map(json.loads, lines), strict=True):
        world.load()
        for (name, arguments), there in zip(case, expected, strict=True):
            here = world.call(name, json.dumps(arguments)).content
            errors += there.startswith("Error")
            if here != there:
                different.append((name, arguments, there, here))
    world.close()
    assert different == []
    assert errors > 50
