"""The airline world's generator, set up once."""

from __future__ import annotations

import pytest

from mua_env.envs.airline.generate import AirlineGenerator, shared_generator


@pytest.fixture(scope="session")
def generator() -> AirlineGenerator:
    return shared_generator()
