from __future__ import annotations

from collections.abc import Iterator

import pytest
from shop import ShopUser, shop
from shop.tools import ShopTools

from mua_env.core.database import Database, Template, open_template
from mua_env.core.world import SQLWorld
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting


@pytest.fixture(scope="session")
def setting(database_url: str | None) -> Setting:
    return load_setting(shop, "train", database_url=database_url)


@pytest.fixture(scope="session")
def template(database_url: str | None) -> Iterator[Template]:
    template = open_template(shop.models, shop.data(), url=database_url)
    yield template
    template.close()


@pytest.fixture
def db(template: Template) -> Iterator[Database]:
    database = template.clone()
    yield database
    database.close()


@pytest.fixture
def world(template: Template) -> Iterator[SQLWorld]:
    world = SQLWorld(template, ShopTools)
    yield world
    world.close()


@pytest.fixture
def session(setting: Setting) -> Iterator[Session]:
    session = Session(setting, ShopUser())
    yield session
    session.close()
