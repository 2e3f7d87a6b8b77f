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

from mua_env._moved import NAMES as _NAMES
from mua_env._moved import install as _install
from mua_env._moved import warn_renamed as _warn_renamed
from mua_env.gym.registration import register_all as register_all

if TYPE_CHECKING:
    from mua_env.agents.make import agent_factory as agent_factory
    from mua_env.agents.scripted.expert import ScriptedExpert as ScriptedExpert
    from mua_env.core.agent import Agent as Agent
    from mua_env.core.agent import Slips as Slips
    from mua_env.core.database import Database as Database
    from mua_env.core.database import Rows as Rows
    from mua_env.core.database import open_template as open_template
    from mua_env.core.messages import AssistantMessage as AssistantMessage
    from mua_env.core.messages import FunctionCall as FunctionCall
    from mua_env.core.messages import Message as Message
    from mua_env.core.messages import ToolCall as ToolCall
    from mua_env.core.messages import ToolMessage as ToolMessage
    from mua_env.core.messages import UserMessage as UserMessage
    from mua_env.core.scores import Record as Record
    from mua_env.core.scores import RewardName as RewardName
    from mua_env.core.scores import Score as Score
    from mua_env.core.task_sets import TaskSet as TaskSet
    from mua_env.core.tasks import Action as Action
    from mua_env.core.tasks import Criteria as Criteria
    from mua_env.core.tasks import Goal as Goal
    from mua_env.core.tasks import MindChange as MindChange
    from mua_env.core.tasks import Request as Request
    from mua_env.core.tasks import Requirement as Requirement
    from mua_env.core.tasks import Task as Task
    from mua_env.core.tools import Mode as Mode
    from mua_env.core.tools import Toolkit as Toolkit
    from mua_env.core.tools import tool as tool
    from mua_env.core.toolsets import Toolset as Toolset
    from mua_env.core.trajectory import Trajectory as Trajectory
    from mua_env.core.trajectory import TrajectoryWriter as TrajectoryWriter
    from mua_env.core.trajectory import read_trajectories as read_trajectories
    from mua_env.domain.contract import Domain as Domain
    from mua_env.domain.contract import load_domain as load_domain
    from mua_env.domain.described import DescribedDomain as DescribedDomain
    from mua_env.domain.description import kinds as kinds
    from mua_env.domain.description.kinds import Caller as Caller
    from mua_env.domain.description.kinds import Choice as Choice
    from mua_env.domain.description.kinds import Count as Count
    from mua_env.domain.description.kinds import Date as Date
    from mua_env.domain.description.kinds import Email as Email
    from mua_env.domain.description.kinds import Key as Key
    from mua_env.domain.description.kinds import Kind as Kind
    from mua_env.domain.description.kinds import Mention as Mention
    from mua_env.domain.description.kinds import Money as Money
    from mua_env.domain.description.kinds import Name as Name
    from mua_env.domain.description.kinds import Named as Named
    from mua_env.domain.description.kinds import Own as Own
    from mua_env.domain.description.kinds import Part as Part
    from mua_env.domain.description.kinds import Phone as Phone
    from mua_env.domain.description.kinds import Place as Place
    from mua_env.domain.description.kinds import Text as Text
    from mua_env.domain.description.kinds import Time as Time
    from mua_env.domain.description.kinds import Variant as Variant
    from mua_env.domain.description.kinds import YesNo as YesNo
    from mua_env.domain.description.rules import Rule as Rule
    from mua_env.domain.description.rules import obeys as obeys
    from mua_env.domain.description.rules import rule as rule
    from mua_env.domain.description.scope import Scope as Scope
    from mua_env.domain.description.toolkit import DescribedToolkit as DescribedToolkit
    from mua_env.domain.description.wishes import Question as Question
    from mua_env.domain.description.wishes import Wish as Wish
    from mua_env.domain.discovery import environment_ids as environment_ids
    from mua_env.domain.generator import Level as Level
    from mua_env.domain.generator import TaskGenerator as TaskGenerator
    from mua_env.domain.importing import import_domain as import_domain
    from mua_env.domain.packaged import PackagedDomain as PackagedDomain
    from mua_env.domain.packaged import WorldsDomain as WorldsDomain
    from mua_env.domain.scaffold import new_domain as new_domain
    from mua_env.domain.verifier import Candidate as Candidate
    from mua_env.domain.verifier import Verifier as Verifier
    from mua_env.episode.dialogue import hold as hold
    from mua_env.episode.episode import Episode as Episode
    from mua_env.episode.session import Session as Session
    from mua_env.episode.session import StepResult as StepResult
    from mua_env.episode.setting import Setting as Setting
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
    from mua_env.evaluation.domain_check import check_domain as check_domain
    from mua_env.evaluation.rollouts import RolloutOptions as RolloutOptions
    from mua_env.evaluation.rollouts import run_rollout as run_rollout
    from mua_env.gym.env import DialogueEnv as DialogueEnv
    from mua_env.gym.vector import DialogueVectorEnv as DialogueVectorEnv
    from mua_env.scoring.judges import Judge as Judge
    from mua_env.scoring.judges import Judgement as Judgement
    from mua_env.users.agenda.language import Comparison as Comparison
    from mua_env.users.agenda.language import DialogueLanguage as DialogueLanguage
    from mua_env.users.agenda.language import Intent as Intent
    from mua_env.users.agenda.language import Operation as Operation
    from mua_env.users.agenda.language import Slot as Slot
    from mua_env.users.agenda.nlg.personas import Voice as Voice
    from mua_env.users.agenda.user import AgendaUser as AgendaUser
    from mua_env.users.base import UserReply as UserReply
    from mua_env.users.base import UserSession as UserSession
    from mua_env.users.base import UserSimulator as UserSimulator
    from mua_env.users.llm.user import LLMUser as LLMUser
    from mua_env.users.make import make_user as make_user

__version__ = "0.1.0"

_HOME = {
    "Action": "core.tasks",
    "AgendaUser": "users.agenda.user",
    "Agent": "core.agent",
    "AssistantMessage": "core.messages",
    "Caller": "domain.description.kinds",
    "Candidate": "domain.verifier",
    "Choice": "domain.description.kinds",
    "Comparison": "users.agenda.language",
    "ConfigError": "errors",
    "Count": "domain.description.kinds",
    "Criteria": "core.tasks",
    "DataError": "errors",
    "Database": "core.database",
    "Date": "domain.description.kinds",
    "DescribedDomain": "domain.described",
    "DescribedToolkit": "domain.description.toolkit",
    "DialogueEnv": "gym.env",
    "DialogueLanguage": "users.agenda.language",
    "DialogueVectorEnv": "gym.vector",
    "Domain": "domain.contract",
    "DomainError": "errors",
    "Email": "domain.description.kinds",
    "Episode": "episode.episode",
    "EpisodeError": "errors",
    "FunctionCall": "core.messages",
    "Goal": "core.tasks",
    "Intent": "users.agenda.language",
    "Judge": "scoring.judges",
    "Judgement": "scoring.judges",
    "Key": "domain.description.kinds",
    "Kind": "domain.description.kinds",
    "LLMUser": "users.llm.user",
    "Level": "domain.generator",
    "Mention": "domain.description.kinds",
    "Message": "core.messages",
    "MindChange": "core.tasks",
    "MissingExtra": "errors",
    "Mode": "core.tools",
    "Money": "domain.description.kinds",
    "MuaError": "errors",
    "Name": "domain.description.kinds",
    "Named": "domain.description.kinds",
    "Operation": "users.agenda.language",
    "Own": "domain.description.kinds",
    "PackagedDomain": "domain.packaged",
    "Part": "domain.description.kinds",
    "Phone": "domain.description.kinds",
    "Place": "domain.description.kinds",
    "Question": "domain.description.wishes",
    "Record": "core.scores",
    "Request": "core.tasks",
    "Requirement": "core.tasks",
    "RewardName": "core.scores",
    "RolloutOptions": "evaluation.rollouts",
    "Rows": "core.database",
    "Rule": "domain.description.rules",
    "Scope": "domain.description.scope",
    "Score": "core.scores",
    "ScriptedExpert": "agents.scripted.expert",
    "Session": "episode.session",
    "Setting": "episode.setting",
    "Slips": "core.agent",
    "Slot": "users.agenda.language",
    "StepResult": "episode.session",
    "Task": "core.tasks",
    "TaskError": "errors",
    "TaskGenerator": "domain.generator",
    "TaskSet": "core.task_sets",
    "Text": "domain.description.kinds",
    "Time": "domain.description.kinds",
    "ToolCall": "core.messages",
    "ToolError": "errors",
    "ToolMessage": "core.messages",
    "Toolkit": "core.tools",
    "Toolset": "core.toolsets",
    "Trajectory": "core.trajectory",
    "TrajectoryWriter": "core.trajectory",
    "UserFault": "errors",
    "UserMessage": "core.messages",
    "UserReply": "users.base",
    "UserSession": "users.base",
    "UserSimulator": "users.base",
    "Variant": "domain.description.kinds",
    "Verifier": "domain.verifier",
    "Voice": "users.agenda.nlg.personas",
    "Wish": "domain.description.wishes",
    "WorldsDomain": "domain.packaged",
    "YesNo": "domain.description.kinds",
    "agent_factory": "agents.make",
    "check_domain": "evaluation.domain_check",
    "environment_ids": "domain.discovery",
    "hold": "episode.dialogue",
    "import_domain": "domain.importing",
    "kinds": "domain.description",
    "load_domain": "domain.contract",
    "load_setting": "episode.setting",
    "make_user": "users.make",
    "new_domain": "domain.scaffold",
    "obeys": "domain.description.rules",
    "open_template": "core.database",
    "read_trajectories": "core.trajectory",
    "rule": "domain.description.rules",
    "run_rollout": "evaluation.rollouts",
    "tool": "core.tools",
}

__all__ = sorted([*_HOME, "__version__", "register_all"])


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        _warn_renamed(f"mua_env.{name}", f"mua_env.{_NAMES[name]}", stacklevel=3)
        return __getattr__(_NAMES[name])
    if name not in _HOME:
        raise AttributeError(f"module 'mua_env' has no attribute {name!r}")
    value = getattr(import_module(f"mua_env.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)


_install()
register_all()
