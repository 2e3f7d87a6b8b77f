"""The retail world, loaded once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mua_env.core.database import Rows, Template, open_template
from mua_env.core.world import SQLWorld
from mua_env.envs.retail.models import Base
from mua_env.envs.retail.tools import RetailTools
from mua_env.envs.retail.world_data import generate_data


@pytest.fixture(scope="session")
def rows() -> Rows:
    return generate_data()


@pytest.fixture(scope="session")
def template(rows: Rows) -> Iterator[Template]:
    template = open_template(Base, rows)
    yield template
    template.close()


@pytest.fixture
def world(template: Template) -> Iterator[SQLWorld]:
    world = SQLWorld(template, RetailTools)
    yield world
    world.close()


@pytest.fixture
def compat(template: Template) -> Iterator[SQLWorld]:
    world = SQLWorld(template, RetailTools, mode="compat")
    yield world
    world.close()
