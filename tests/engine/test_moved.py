"""Old import paths still work, warn, and give the very same objects."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings

import pytest

from mua_env._moved import MODULES, PACKAGES

SHOWN = [
    ("mua_env.tools", "Toolkit"),
    ("mua_env.tasks", "Task"),
    ("mua_env.env", "DialogueEnv"),
    ("mua_env.language", "DialogueLanguage"),
    ("mua_env.judging", "Judge"),
    ("mua_env.refusals", "RefusalListener"),
    ("mua_env.rollout", "run_rollout"),
    ("mua_env.rollout_folder", "summarize"),
    ("mua_env.cards.measures", "agreements"),
    ("mua_env.cards.stops", "late_stop"),
    ("mua_env.llm.judge", "LLMJudge"),
    ("mua_env.agents.expert", "ScriptedExpert"),
    ("mua_env.agents.base", "Agent"),
    ("mua_env.training.settings", "read_settings"),
]
"""Import paths of the time before the move, with a name in each."""


STATEMENTS = [
    "from mua_env.agents.llm import LLMAgent",
    "from mua_env.domain import Domain",
    "from mua_env.env import DialogueEnv",
    "from mua_env.errors import MuaError",
    "from mua_env.language import Comparison, DialogueLanguage, Intent, Operation",
    "from mua_env.llm import make_client",
    "from mua_env.rollout import RolloutOptions, plan, run_rollout",
    "from mua_env.rollout_folder import RolloutFolder",
    "from mua_env.tasks import Action, Goal, Request, Task",
    "from mua_env.tools import Toolkit, ToolError, tool",
    "from mua_env.training.config import load_config",
    "from mua_env.users.llm import LLMUser",
    "from mua_env.users.local import LocalUser",
]
"""Every import that the README, the documents and the examples have shown before the move, of a module of ours."""


@pytest.mark.filterwarnings("ignore:.* has moved to:DeprecationWarning")
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_that_was_shown_still_runs(statement: str) -> None:
    exec(statement, {})


def warnings_of(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "always::DeprecationWarning:__main__", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize(("module", "name"), SHOWN, ids=[module for module, _ in SHOWN])
def test_a_module_of_old_is_the_module_at_its_new_place(module: str, name: str) -> None:
    sys.modules.pop(module, None)
    with pytest.warns(DeprecationWarning, match=rf"{module} has moved to mua_env\."):
        old = importlib.import_module(module)
    new = importlib.import_module("mua_env." + MODULES[module.removeprefix("mua_env.")])
    assert old is new
    assert getattr(old, name).__module__.startswith(new.__name__.rpartition(".")[0])


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("domain", "Domain"),
        ("domain", "load_domain"),
        ("episode", "Episode"),
        ("scoring", "check_reward"),
        ("scoring", "Scorer"),
        ("users.agenda", "AgendaUser"),
        ("users.llm", "LLMUser"),
        ("users.local", "LocalUser"),
        ("training.config", "TrainConfig"),
        ("training.config", "load_config"),
    ],
)
def test_names_of_a_module_that_became_a_package_are_found_in_it(module: str, name: str) -> None:
    package = importlib.import_module(f"mua_env.{module}")
    with pytest.warns(DeprecationWarning, match=f"mua_env.{module}.{name} has moved to mua_env.*.{name}"):
        old = getattr(package, name)
    assert old in [vars(importlib.import_module(f"mua_env.{home}")).get(name) for home in PACKAGES[module]]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense


def test_every_old_name_leads_to_a_module_that_is_there() -> None:
    homes = [(old, home) for old, found in PACKAGES.items() for home in found]
    for old, new in [*MODULES.items(), *homes]:
        found = importlib.util.find_spec(f"mua_env.{new}")
        assert found is not None, old
        assert found.name == f"mua_env.{new}", f"{new} has moved itself"


def test_a_statement_of_old_works_and_is_told_once_where_it_stands() -> None:
    said = warnings_of("from mua_env.database import Database; from mua_env.episode import Episode; print(Episode)")
    assert "<string>:1: DeprecationWarning: mua_env.database has moved to mua_env.core.database" in said
    assert "mua_env.episode.Episode has moved to mua_env.episode.episode.Episode" in said


@pytest.mark.parametrize("module", ["mua_env.training.user", "mua_env.serving", "mua_env.models.smollm2"])
def test_a_program_of_old_still_starts(module: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, timeout=120)
    assert "No module named" not in done.stderr
    assert "usage" in (done.stdout + done.stderr).lower()


def test_the_package_itself_uses_no_old_name() -> None:
    code = (
        "import warnings; warnings.filterwarnings('error', message='.* has moved to', category=DeprecationWarning)\n"
        "import gymnasium, mua_env\n"
        "for name in mua_env.__all__: getattr(mua_env, name)\n"
        "gymnasium.make('MUA/Retail-v1').close()\n"
    )
    assert "Error" not in warnings_of(code)


def test_a_name_that_never_was_is_not_found() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ModuleNotFoundError, match=r"mua_env\.nothing"):
            importlib.import_module("mua_env.nothing")


def test_names_of_before_are_found_and_say_what_they_are_now() -> None:
    import mua_env
    from mua_env import Toolset, load_domain
    from mua_env.users.agenda.language import DialogueLanguage

    with pytest.warns(DeprecationWarning, match="Kit has moved to mua_env.Toolset"):
        assert mua_env.Kit is Toolset
    with pytest.warns(DeprecationWarning, match=r"kit has moved to .*toolset"):
        assert load_domain("retail").kit() == load_domain("retail").toolset()
    there = object()
    with pytest.warns(DeprecationWarning, match=r"tongue has moved to .*locale"):
        written_before = type("Spoken", (DialogueLanguage,), {"tongue": there})
    assert written_before.locale is there
