"""Gymnasium environments, and a GRPO trainer, for agents that talk with a user while they work with tools.

    import gymnasium as gym
    import mua_env

    env = gym.make("MUA/Retail-v1")
    messages, info = env.reset(seed=0)
    messages, reward, terminated, truncated, info = env.step("Could you tell me your email address?")

Importing the package registers ``MUA/<Domain>-v<N>`` for every installed domain. Names are imported when they are
first used, so that ``import mua_env`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mua_env._moved import install as _install
from mua_env.gym.registration import register_all as register_all

if TYPE_CHECKING:
    from mua_env.core.agent import Agent as Agent
    from mua_env.core.scores import Score as Score
    from mua_env.core.task_sets import TaskSet as TaskSet
    from mua_env.core.tasks import Action as Action
    from mua_env.core.tasks import Goal as Goal
    from mua_env.core.tasks import Request as Request
    from mua_env.core.tasks import Task as Task
    from mua_env.core.tools import Toolkit as Toolkit
    from mua_env.core.tools import tool as tool
    from mua_env.core.trajectory import Trajectory as Trajectory
    from mua_env.core.trajectory import TrajectoryWriter as TrajectoryWriter
    from mua_env.core.trajectory import read_trajectories as read_trajectories
    from mua_env.domain.contract import Domain as Domain
    from mua_env.domain.contract import load_domain as load_domain
    from mua_env.domain.discovery import environment_ids as environment_ids
    from mua_env.episode.episode import Episode as Episode
    from mua_env.episode.session import Session as Session
    from mua_env.episode.session import StepResult as StepResult
    from mua_env.episode.setting import load_setting as load_setting
    from mua_env.errors import ConfigError as ConfigError
    from mua_env.errors import DataError as DataError
    from mua_env.errors import DomainError as DomainError
    from mua_env.errors import EpisodeError as EpisodeError
    from mua_env.errors import MissingExtra as MissingExtra
    from mua_env.errors import MuaError as MuaError
    from mua_env.errors import TaskError as TaskError
    from mua_env.errors import ToolError as ToolError
    from mua_env.errors import UserFault as UserFault
    from mua_env.gym.env import DialogueEnv as DialogueEnv
    from mua_env.gym.vector import DialogueVectorEnv as DialogueVectorEnv
    from mua_env.users.agenda.user import AgendaUser as AgendaUser
    from mua_env.users.base import UserReply as UserReply
    from mua_env.users.base import UserSession as UserSession
    from mua_env.users.base import UserSimulator as UserSimulator
    from mua_env.users.llm.user import LLMUser as LLMUser

__version__ = "0.1.0"

_HOME = {
    "Action": "core.tasks",
    "Agent": "core.agent",
    "AgendaUser": "users.agenda.user",
    "ConfigError": "errors",
    "DataError": "errors",
    "DialogueEnv": "gym.env",
    "DialogueVectorEnv": "gym.vector",
    "Domain": "domain.contract",
    "DomainError": "errors",
    "Episode": "episode.episode",
    "EpisodeError": "errors",
    "Goal": "core.tasks",
    "LLMUser": "users.llm.user",
    "MissingExtra": "errors",
    "MuaError": "errors",
    "Request": "core.tasks",
    "Score": "core.scores",
    "Session": "episode.session",
    "StepResult": "episode.session",
    "Task": "core.tasks",
    "TaskError": "errors",
    "TaskSet": "core.task_sets",
    "ToolError": "errors",
    "Toolkit": "core.tools",
    "Trajectory": "core.trajectory",
    "TrajectoryWriter": "core.trajectory",
    "UserFault": "errors",
    "UserReply": "users.base",
    "UserSession": "users.base",
    "UserSimulator": "users.base",
    "environment_ids": "domain.discovery",
    "load_domain": "domain.contract",
    "load_setting": "episode.setting",
    "read_trajectories": "core.trajectory",
    "tool": "core.tools",
}

__all__ = sorted([*_HOME, "__version__", "register_all"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'mua_env' has no attribute {name!r}")
    value = getattr(import_module(f"mua_env.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)


_install()
register_all()
