from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mua_env import AgendaUser, DescribedDomain, Session, Task, import_domain, load_setting
from mua_env.agents.scripted.expert import ScriptedExpert

EXAMPLES = Path(__file__).parents[2] / "examples" / "domains"
HERE = Path(__file__).parent
FILES = [*sorted(EXAMPLES.glob("*.py")), HERE / "hotel.py", HERE / "teashop.py"]


def described(path: Path) -> DescribedDomain:
    """The domain of a file, imported once."""
    module = sys.modules.get(path.stem)
    domain = module.domain if module is not None and hasattr(module, "domain") else import_domain(str(path))
    assert isinstance(domain, DescribedDomain)
    return domain


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def domain(request: pytest.FixtureRequest) -> DescribedDomain:
    return described(request.param)


@pytest.fixture
def hotel() -> DescribedDomain:
    return described(HERE / "hotel.py")


@pytest.fixture
def teashop() -> DescribedDomain:
    return described(HERE / "teashop.py")


@pytest.fixture
def flats() -> DescribedDomain:
    return described(EXAMPLES / "flats.py")


@pytest.fixture
def unsolved() -> Callable[..., list[str]]:
    return _unsolved


def _unsolved(
    domain: DescribedDomain, level: int, count: int, *, noise: float | None = None, style: str = "plain", seed: int = 5
) -> list[str]:
    """The ids of tasks that the expert does not solve with the agenda user."""
    setting = load_setting(domain, f"generate:level={level}:seed={seed}:split=test")
    session = Session(setting, AgendaUser(noise=noise))
    failed = []
    for number in range(count):
        agent = domain.expert(style=style)
        assert isinstance(agent, ScriptedExpert)
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=number)
        task: Task = setting.tasks[number]
        result = session.start(task, seed=number)
        while not result.done:
            result = session.send(agent.act(result.messages))
        if result.score is None or result.score.reward != 1:
            failed.append(task.id)
    session.close()
    return failed
