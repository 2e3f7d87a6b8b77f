"""The settings of an evaluation, as a YAML file, a command line or Python gives them."""

from __future__ import annotations

import os
from typing import Any

from pydantic import ConfigDict, Field, field_validator, model_validator

from mua_env.core.settings import Settings, read_settings
from mua_env.evaluation.presets import preset, task_sources
from mua_env.evaluation.summary import Counting


class EvalConfig(Settings):
    """What is evaluated, on what, with whom, and how it counts.

    Agent, users and reward may be anything that `mua_env.inference.party` tells of; in Python also an agent's class or
    a function that makes one, a user simulator, and a function that gives a reward.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent: Any = Field("expert", description="who acts")
    agent_options: dict[str, Any] = Field(default_factory=dict, description="further arguments of the agent")
    tasks: tuple[str, ...] = Field(("retail:test",), description="sources, as retail:test:level=1, or tau1, tau2, ...")
    path: str | dict[str, str] | None = Field(
        None, description="where a public benchmark's files lie; by benchmark or domain where there are several"
    )
    users: tuple[Any, ...] = Field(("agenda",), description="who the agent talks with; each task with each of them")
    user_options: dict[str, Any] = Field(default_factory=dict, description="further arguments of every user")
    reward: Any = Field(None, description="task, outcome, tau1, tau1-no-outputs, or a reward of somebody's")
    judge: str | None = Field(None, description="model that judges what tasks state about a dialogue (tau2)")
    judge_options: dict[str, Any] = Field(default_factory=dict, description="further arguments of the judge")
    preset: str | None = Field(None, description="tau1, tau2 or paper: the settings of a benchmark")
    trials: int = Field(1, ge=1, description="dialogues of each task with each user")
    count: int | None = Field(None, ge=1, description="the first so many tasks of each source; None for all")
    seed: int = Field(0, description="of everything random; equal seeds meet equal users, whoever acts")
    counting: Counting = Field("scored", description="scored (faults are left out) or tau-bench (a fault is a failure)")
    temperature: float | None = Field(None, ge=0, description="of a model that acts; None for its own, which is 0")
    thinking: bool | None = Field(None, description="whether a model that acts may think first; None for its own way")
    scoring: str | None = Field(None, description="strict or compat; None for the source's own")
    policy: str | None = Field(None, description="policy document, where a domain has several")
    solo: bool = Field(False, description="the agent has the user's tools too, and nobody is on the line")
    presentation: str | None = Field(None, description="own or benchmark; None for the source's own")
    database: str | None = Field(None, description="PostgreSQL server; None for SQLite in memory")
    max_turns: int | None = Field(None, ge=1, description="None for the agent's own limit, or the domain's")
    concurrency: int = Field(16, ge=1, description="dialogues at the same time")
    deadline_s: float | None = Field(900.0, gt=0, description="of one dialogue, in seconds; None for no limit")
    max_usd: float | None = Field(None, ge=0, description="most that models may cost, over all runs on the folder")
    max_tokens: int | None = Field(None, ge=1, description="most tokens that they may use")

    @field_validator("tasks", "users", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        return value if isinstance(value, list | tuple) else (value,)

    @model_validator(mode="before")
    @classmethod
    def _user_is_users(cls, data: Any) -> Any:
        if isinstance(data, dict) and "user" in data:
            user = data.pop("user") if "users" not in data else data["user"]
            return {**data, "users": user}
        return data

    def settled(self) -> EvalConfig:
        """With the preset's settings where none were given, and task sources written out.

        Raises:
            ConfigError: there is no such preset, or no source is named.
        """
        given = {} if self.preset is None else preset(self.preset)
        missing = {name: value for name, value in given.items() if name not in self.model_fields_set}
        made = self.model_copy(update=missing)
        return made.model_copy(update={"tasks": task_sources(made.tasks)})


def read_eval_config(source: str | os.PathLike[str] | dict[str, Any]) -> EvalConfig:
    """Read a YAML file, or a mapping; what it leaves out has the default.

    Raises:
        ConfigError: the file is missing or no mapping, or a setting is unknown or has a wrong value.
    """
    return read_settings(EvalConfig, source)
