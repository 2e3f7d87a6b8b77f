"""``EnvOptions``: the types of what an environment can be asked for, where it is passed on by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from mua_env.core.scores import RewardName
from mua_env.core.task_sets import TaskSet
from mua_env.core.tools import Mode
from mua_env.scoring.judges import Judge
from mua_env.users.base import UserSimulator


class EnvOptions(TypedDict, total=False):
    """The arguments of :class:`mua_env.DialogueEnv` that many dialogues can share; it says what each means."""

    tasks: str | TaskSet
    tasks_path: str | Path | None
    user: str | UserSimulator
    user_options: dict[str, Any] | None
    reward: RewardName
    scoring: Mode | None
    max_turns: int
    database_url: str | None
    policy: str | None
    solo: bool
    judge: str | Judge | None
    judge_options: dict[str, Any] | None
