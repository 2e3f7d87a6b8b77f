"""Rewards by name: those of the package, an entry point's, or a function of anybody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from mua_env.core.scores import RewardName
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.errors import ConfigError
from mua_env.inference.party import read_party

GROUP = "mua_env.rewards"

Reward = Callable[[Task, Trajectory], float | None]
"""Gives a finished dialogue its reward: 1 or more is success, None keeps it out of all figures. The trajectory has its
score, with every part of it; what is not scored, for a fault, is not asked about."""


def find_reward(reward: str | Reward | None) -> tuple[RewardName | None, Reward | None]:
    """A reward's name, or the function that gives it instead; two None for the task source's own.

    Raises:
        ConfigError: there is no such reward, or it cannot be called.
    """
    if reward is None or reward in get_args(RewardName):
        return reward, None  # type: ignore[return-value]  # one of the names
    if not isinstance(reward, str):
        made: object = reward
    else:
        made = read_party(reward, who="reward", builtin=get_args(RewardName), group=GROUP).made
    if not callable(made):
        raise ConfigError(f"reward {reward!r} is a {type(made).__name__}, and no function of a task and a trajectory")
    return None, made


def rescored(trajectory: Trajectory, task: Task, reward: Reward) -> Trajectory:
    """A trajectory with the reward that a function gives it; one that raises makes the dialogue a fault."""
    score = trajectory.score
    if score is None or score.reward is None:
        return trajectory
    name = getattr(reward, "__name__", type(reward).__name__)
    try:
        value = reward(task, trajectory)
        value = None if value is None else float(value)
    except Exception as error:  # somebody else's function: its failure is no dialogue's
        cause = f"reward: {type(error).__name__}: {error}"
        return trajectory.model_copy(update={"score": None, "ended_by": "fault", "cause": cause})
    told = {"reward": value, "success": None if value is None else value >= 1, "reward_name": name}
    return trajectory.model_copy(update={"score": score.model_copy(update=told)})
