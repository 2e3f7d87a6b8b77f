"""Fixtures that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def tau1_dir() -> Path:
    """The public tau-bench data with recorded traces; tests that need it are skipped where it is not."""
    path = Path(os.environ.get("MUA_TAU1_DIR", ROOT.parent / "shared" / "tau1"))
    if not (path / "retail" / "tasks_test.json").exists():
        pytest.skip(f"no public tau-bench data in {path}; name it by MUA_TAU1_DIR")
    return path


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL server; tests that need it are skipped where there are no programs to start one."""
    from postgres_server import running_server

    from mua_env.episode import setting

    with running_server() as url:
        yield url
        # The server is about to end; its templates would be dropped at exit, when it is gone.
        for template in setting._templates.values():
            template.close()
        setting._templates.clear()
        setting._shared.cache_clear()


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """Each kind of database in turn: ``None`` is SQLite in memory."""
    return None if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
