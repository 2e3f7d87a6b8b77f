"""``DialogueEnv``: a dialogue with a user and tools as a Gymnasium environment."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from pydantic import ValidationError

from mua_env.core.messages import Source, dump_all, source_of
from mua_env.core.scores import RewardName, check_reward
from mua_env.core.task_sets import TaskSet, shown_id
from mua_env.core.tasks import Task
from mua_env.core.tools import Mode, PresentationName
from mua_env.domain.contract import Domain
from mua_env.episode.run_checks import check_users_of_file
from mua_env.episode.session import Session, StepResult
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, EpisodeError, first_fault
from mua_env.gym.spaces import AgentTurnSpace, MessagesSpace
from mua_env.scoring.judges import Judge, make_judge
from mua_env.users.base import UserSimulator
from mua_env.users.make import make_user

Observation = tuple[dict[str, Any], ...]
"""The messages that are new since the last step, in OpenAI form: a user message, or one tool message per call."""


class DialogueEnv(gym.Env[Observation, Any]):
    """One dialogue at a time about a task of a domain.

    An action is an assistant message in OpenAI form (``content`` and/or ``tool_calls``, several allowed) or a plain
    string (a message to the user). Text goes to the user, whose reply is the observation; tool calls are run in
    order, and the observation is one tool message for each.

    ``info`` of ``reset`` holds ``system_prompt`` (the policy document), ``tools`` (function schemas), ``task_id`` (its
    hash where the id tells what the task is about), ``sources`` (who each message of the observation is from), ``turn``
    and what the results hang on (``user``, ``tasks``, ``scoring``, ``reward``, ``presentation``, ``revision``).
    ``tools`` comes again where a step has given the agent further ones. At the end ``info["score"]`` holds the score
    with its parts and its explanation, and ``ended_by``. The user's instruction and the gold actions are never part of
    it.

    ``terminated``: the user stopped, or a terminal tool was called. ``truncated``: turn limit, or a failure that is
    not the agent's (``info["score"]["reward"]`` is then ``None``, and the step's reward 0.0 must not be learned from).

    Args:
        domain: name of a domain, as ``"retail"``.
        tasks: ``"train"`` (default), ``"test"``, either with a level (``"train:level=2"``), ``"generate:level=2"``,
            ``"tau1:test"``, a JSON Lines file, or a :class:`TaskSet`.
        tasks_path: where the files of a public benchmark lie.
        user: ``"agenda"`` (default, offline), ``"llm"``, ``"human"``, or a :class:`UserSimulator`.
        user_options: options of a user that is given by name, as ``{"model": "gpt-4o"}``.
        reward: ``"task"`` (database and the task's requirements), ``"outcome"`` (the paper's, database alone),
            ``"tau1"`` (database and outputs), ``"tau1-no-outputs"``; ``None`` (default) for the task source's own:
            ``"tau1"`` for tau-bench's tasks, else ``"task"``.
        scoring: ``"strict"``, ``"compat"``, or ``None`` (default) for the task source's own.
        max_turns: turns before truncation; ``None`` (default) for the domain's own, 30 where it says nothing else.
        database_url: PostgreSQL server; ``None`` (default) is SQLite in memory.
        presentation: how tools are shown: ``"own"``, ``"benchmark"``, or ``None`` (default); see
            :func:`mua_env.load_setting`.
        policy: which policy document, where the domain has several (Telecom: ``"manual"`` or ``"workflow"``).
        solo: the agent has the user's tools too and works on a ticket alone; ``user`` is not used.
        judge: name of a model that judges what a task states about the dialogue (tau2's NL_ASSERTION), or a
            :class:`mua_env.scoring.judges.Judge`; ``None`` (default) leaves it unjudged, and scores say so.
        judge_options: options of a judge that is given by name, as ``{"cache": "judged"}``.
        debug: put the task, with instruction and gold actions, into ``info["task"]``.
        render_mode: ``"ansi"`` (``render`` returns the dialogue as text) or ``None``.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (declared so by Gymnasium)

    def __init__(
        self,
        domain: str | Domain,
        *,
        tasks: str | TaskSet = "train",
        tasks_path: str | Path | None = None,
        user: str | UserSimulator = "agenda",
        user_options: dict[str, Any] | None = None,
        reward: RewardName | None = None,
        scoring: Mode | None = None,
        max_turns: int | None = None,
        database_url: str | None = None,
        policy: str | None = None,
        solo: bool = False,
        presentation: PresentationName | None = None,
        judge: str | Judge | None = None,
        judge_options: dict[str, Any] | None = None,
        debug: bool = False,
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        if max_turns is not None and (not isinstance(max_turns, int) or max_turns < 1):
            raise ConfigError(f"max_turns is {max_turns!r}; it must be a whole number, at least 1")
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode is {render_mode!r}; use 'ansi' or None")
        setting = load_setting(
            domain,
            tasks,
            path=tasks_path,
            mode=scoring,
            database_url=database_url,
            policy=policy,
            solo=solo,
            presentation=presentation,
        )
        simulator = make_user(user, user_options)
        check_users_of_file(setting, simulator)
        self._set_up(
            Session(
                setting,
                simulator,
                reward=None if reward is None else check_reward(reward),
                max_turns=max_turns,
                judge=make_judge(judge, judge_options),
            ),
            debug=debug,
            render_mode=render_mode,
        )

    def _set_up(self, session: Session, *, debug: bool, render_mode: str | None) -> None:
        self.session = session
        self.render_mode = render_mode
        self._debug = debug
        self._closed = False
        self.action_space = AgentTurnSpace(session.tools)
        self.observation_space = MessagesSpace()

    @property
    def setting(self) -> Setting:
        """The domain with its tasks, shared by all environments of this kind in the process."""
        return self.session.setting

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a dialogue; the observation is the user's opening message.

        Args:
            seed: seeds the choice of tasks and everything random in the user.
            options: ``{"task_id": "..."}`` or ``{"task_index": 3}`` to choose the task, or ``{"task": Task(...)}``.

        Raises:
            TaskError: there is no such task.
            ConfigError: an unknown option, or a wrong value.
        """
        super().reset(seed=seed)
        if self._closed:
            raise EpisodeError("this environment is closed")
        task, user_seed = choose_task(self.setting.tasks, self.np_random, options)
        return self._give(self.session.start(task, seed=user_seed), first=True)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a turn of the agent.

        Args:
            action: an assistant message, or a string for the user. Malformed tool calls are answered by an error
                message to the agent.

        Raises:
            ConfigError: the action is no assistant message at all; nothing has happened then.
            EpisodeError: before ``reset``, or after the end.
        """
        result = self.session.send(action)
        observation, info = self._give(result)
        return observation, result.reward, result.terminated, result.truncated, info

    def fork(self) -> DialogueEnv:
        """An independent environment with the same history, state and user, in mid-dialogue.

        Equal actions lead to equal futures in both. Close it when done.

        Raises:
            EpisodeError: before ``reset``, or after ``close``.
        """
        if self._closed:
            raise EpisodeError("this environment is closed")
        twin = object.__new__(type(self))
        twin._set_up(self.session.fork(), debug=self._debug, render_mode=self.render_mode)
        twin.spec = self.spec
        twin._np_random = np.random.default_rng()
        twin._np_random.bit_generator.state = self.np_random.bit_generator.state
        return twin

    def render(self) -> str | None:
        """The dialogue so far as text, for ``render_mode="ansi"``."""
        if self.render_mode is None:
            return None
        lines = []
        for entry in self.session.episode.entries:
            message = entry.message
            calls = [f"{call.function.name}({call.function.arguments})" for call in getattr(message, "tool_calls", ())]
            lines.append(f"{entry.source}: {' '.join([*filter(None, [message.content]), *calls])}")
        return "\n".join(lines)

    def close(self) -> None:
        """Release the database clone and the user. May be called again."""
        if not self._closed:
            self._closed = True
            self.session.close()

    def _give(self, result: StepResult, *, first: bool = False) -> tuple[Observation, dict[str, Any]]:
        return dump_all(result.messages), make_info(self.session, result, first=first, debug=self._debug)


def choose_task(tasks: TaskSet, rng: np.random.Generator, options: dict[str, Any] | None) -> tuple[Task, int]:
    """The task of the next episode, and the seed of its user."""
    wanted = dict(options or {})
    unknown = sorted(wanted.keys() - {"task_id", "task_index", "task"})
    if unknown:
        raise ConfigError(f"reset option {unknown[0]!r} is not known; there are 'task_id', 'task_index' and 'task'")
    index = int(rng.integers(len(tasks)))
    user_seed = int(rng.integers(2**31))
    if "task" in wanted:
        return _given_task(wanted["task"], tasks.domain), user_seed
    if "task_id" in wanted:
        return tasks.by_id(wanted["task_id"]), user_seed
    if "task_index" in wanted:
        index = _whole_number(wanted["task_index"])
        if not 0 <= index < len(tasks):
            raise ConfigError(f"task_index is {index}; {tasks.name!r} has {len(tasks)} tasks")
        return tasks[index], user_seed
    return tasks.drawn(index), user_seed


def _given_task(value: Any, domain: str) -> Task:
    try:
        task = Task.model_validate(value)
    except ValidationError as error:
        raise ConfigError(first_fault(error, of="reset option 'task'")) from None
    if task.domain != domain:
        raise ConfigError(f"reset option 'task': task {task.id!r} is of the domain {task.domain!r}, not of {domain!r}")
    return task


def _whole_number(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ConfigError(f"task_index is {value!r}; it must be a whole number") from None


def make_info(session: Session, result: StepResult, *, first: bool, debug: bool) -> dict[str, Any]:
    """What stands beside an observation; nothing in it tells the agent what the user wants."""
    episode = session.episode
    sources: tuple[Source, ...] = tuple(source_of(message) for message in result.messages)
    info: dict[str, Any] = {"task_id": shown_id(episode.task.id), "turn": episode.turns, "sources": sources}
    if first:
        info["system_prompt"] = session.system_prompt
        info["tools"] = session.tools
        info["tasks"] = session.setting.tasks.name
        info["user"] = session.user.describe(episode.task)
        info["scoring"] = session.setting.mode
        info["reward"] = session.reward
        info["presentation"] = session.setting.presented
        info["revision"] = session.setting.revision
        info["variant"] = session.setting.tasks.variant
        info["source_revision"] = session.setting.tasks.source_revision
    elif result.new_tools:
        info["tools"] = session.tools
    if debug:
        info["task"] = episode.task.model_dump(mode="json")
    if result.done:
        info["ended_by"] = episode.ended_by
        info["score"] = None if result.score is None else result.score.model_dump(mode="json")
        if session.judgement is not None:
            info["judgement"] = session.judgement.model_dump(mode="json")
        if episode.cause is not None:
            info["cause"] = episode.cause
    return info
