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

from mua_env.registration import register_all as register_all

if TYPE_CHECKING:
    from mua_env.agents.base import Agent as Agent
    from mua_env.discovery import environment_ids as environment_ids
    from mua_env.domain import Domain as Domain
    from mua_env.domain import load_domain as load_domain
    from mua_env.env import DialogueEnv as DialogueEnv
    from mua_env.episode import Episode as Episode
    from mua_env.errors import ConfigError as ConfigError
    from mua_env.errors import DataError as DataError
    from mua_env.errors import DomainError as DomainError
    from mua_env.errors import EpisodeError as EpisodeError
    from mua_env.errors import MissingExtra as MissingExtra
    from mua_env.errors import MuaError as MuaError
    from mua_env.errors import TaskError as TaskError
    from mua_env.errors import ToolError as ToolError
    from mua_env.errors import UserFault as UserFault
    from mua_env.scoring import Score as Score
    from mua_env.session import Session as Session
    from mua_env.session import StepResult as StepResult
    from mua_env.setting import load_setting as load_setting
    from mua_env.task_set import TaskSet as TaskSet
    from mua_env.tasks import Action as Action
    from mua_env.tasks import Goal as Goal
    from mua_env.tasks import Request as Request
    from mua_env.tasks import Task as Task
    from mua_env.tools import Toolkit as Toolkit
    from mua_env.tools import tool as tool
    from mua_env.trajectory import Trajectory as Trajectory
    from mua_env.trajectory import TrajectoryWriter as TrajectoryWriter
    from mua_env.trajectory import read_trajectories as read_trajectories
    from mua_env.users.agenda import AgendaUser as AgendaUser
    from mua_env.users.base import UserReply as UserReply
    from mua_env.users.base import UserSession as UserSession
    from mua_env.users.base import UserSimulator as UserSimulator
    from mua_env.users.llm import LLMUser as LLMUser
    from mua_env.vector import DialogueVectorEnv as DialogueVectorEnv

__version__ = "0.1.0"

_HOME = {
    "Action": "tasks",
    "Agent": "agents.base",
    "AgendaUser": "users.agenda",
    "ConfigError": "errors",
    "DataError": "errors",
    "DialogueEnv": "env",
    "DialogueVectorEnv": "vector",
    "Domain": "domain",
    "DomainError": "errors",
    "Episode": "episode",
    "EpisodeError": "errors",
    "Goal": "tasks",
    "LLMUser": "users.llm",
    "MissingExtra": "errors",
    "MuaError": "errors",
    "Request": "tasks",
    "Score": "scoring",
    "Session": "session",
    "StepResult": "session",
    "Task": "tasks",
    "TaskError": "errors",
    "TaskSet": "task_set",
    "ToolError": "errors",
    "Toolkit": "tools",
    "Trajectory": "trajectory",
    "TrajectoryWriter": "trajectory",
    "UserFault": "errors",
    "UserReply": "users.base",
    "UserSession": "users.base",
    "UserSimulator": "users.base",
    "environment_ids": "discovery",
    "load_domain": "domain",
    "load_setting": "setting",
    "read_trajectories": "trajectory",
    "tool": "tools",
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


register_all()
