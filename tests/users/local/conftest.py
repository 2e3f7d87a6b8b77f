"""A user trained from nothing in seconds: weak, but everything around it is the real thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("transformers")
pytest.importorskip("litellm")

from mua_env.core.tasks import Task
from mua_env.episode.setting import Setting, load_setting

if TYPE_CHECKING:
    from mua_env.inference.serving.local_model import LocalModel


def small_config(folder: Path, **changes: Any) -> Any:
    from mua_env.training.user_model.train import load_user_config

    return load_user_config(
        {
            "folder": str(folder),
            "model": {"scratch": {"hidden": 64, "layers": 2, "vocabulary": 1200, "positions": 1024}},
            "dialogues": {
                "tasks": ["train:level=1"],
                "held_out": ["test:level=1"],
                "count": 60,
                "styles": ["compact"],
                "slips": 0.0,
                "distracted": 0.0,
                "idle": 0.0,
            },
            "cold_start": {"batch": 8, "micro_batch": 8, "epochs": 4, "learning_rate": 4e-3, "warmup": 0.1},
            "measured": 4,
            **changes,
        }
    )


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mua_env.training.run.console import Reporter
    from mua_env.training.user_model.train import train_user

    return train_user(small_config(tmp_path_factory.mktemp("user-runs")), reporter=Reporter(quiet=True))


@pytest.fixture(scope="session")
def folder(run: Path) -> Path:
    return run / "model"


@pytest.fixture(scope="session")
def engine(folder: Path) -> Iterator[LocalModel]:
    from mua_env.inference.serving.local_model import LocalModel

    model = LocalModel(folder)
    yield model
    model.close()


@pytest.fixture(scope="session")
def setting() -> Setting:
    return load_setting("retail", "test:level=1")


@pytest.fixture(scope="session")
def task(setting: Setting) -> Task:
    return setting.tasks[0]
