"""``DialogueVectorEnv``: many dialogues that wait for their users at the same time."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mua_env.core.messages import dump_all
from mua_env.core.scores import RewardName
from mua_env.core.task_sets import TaskSet
from mua_env.core.tools import Mode, PresentationName
from mua_env.domain.contract import Domain
from mua_env.episode.session import StepResult
from mua_env.errors import ConfigError, EpisodeError
from mua_env.gym.env import DialogueEnv, Observation, choose_task, make_info
from mua_env.scoring.judges import Judge
from mua_env.users.base import UserSimulator

_T = TypeVar("_T")


class EnvOptions(TypedDict, total=False):
    """The arguments of :class:`mua_env.DialogueEnv` that many dialogues can share; it says what each means."""

    tasks: str | TaskSet
    tasks_path: str | Path | None
    user: str | UserSimulator
    user_options: dict[str, Any] | None
    reward: RewardName | None
    scoring: Mode | None
    max_turns: int | None
    database_url: str | None
    policy: str | None
    solo: bool
    presentation: PresentationName | None
    judge: str | Judge | None
    judge_options: dict[str, Any] | None


class _Loop:
    """An event loop in a thread of its own, so that a step works inside a running loop (a notebook) as well.

    Threads do not survive a fork: a child gets a loop of its own when it first needs one.
    """

    def __init__(self) -> None:
        self._parents: list[asyncio.AbstractEventLoop] = []
        self._running: Future[Any] | None = None
        self._closing = False
        self._open()

    def _open(self) -> None:
        self._home = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="mua-vector", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(_cancel_others())  # what came between the cancellation and the stop

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """The result of a coroutine; one at a time.

        Raises:
            EpisodeError: another one is running, was running when this process was forked, or `close` ended it.
        """
        if self._running is not None:
            coroutine.close()
            raise EpisodeError(
                "another step of this environment is running in another thread"
                if self._home == os.getpid()
                else "this process was forked amid a step of this environment; make another one"
            )
        if self._home != os.getpid():
            self._parents.append(self._loop)  # kept: collecting it would close what is its parent's
            self._open()
        self._running = running = self._submit(coroutine)
        try:
            return running.result()
        except CancelledError:
            raise EpisodeError("this environment was closed during the step") from None
        except BaseException:  # an interrupt too: nothing may go on without its caller
            running.cancel()
            raise
        finally:
            self._running = None

    def _submit(self, coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
        running: Future[_T] | None = None
        with suppress(RuntimeError):  # the loop is closed
            if not self._closing:
                running = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        # Looked at again: nobody takes up what a loop gets after it was stopped, and a lock would not survive a fork.
        if running is not None and (running.done() or not self._closing):
            return running
        if running is None:
            coroutine.close()
        else:
            running.cancel()
        raise EpisodeError("this environment is closed")

    def close(self) -> None:
        """End what is running, and the thread."""
        self._closing = True
        # At the end of the interpreter the thread does nothing any more, and would be waited for in vain.
        if self._home != os.getpid() or sys.is_finalizing():
            return
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class DialogueVectorEnv(VectorEnv[Any, Any, Any]):
    """A batch of dialogues in one process; the replies of their users are awaited together.

    It belongs to one thread at a time. A forked child may go on with its copy, unless the databases are on a server.

    Observations are tuples of ``num_envs`` tuples of messages, actions a sequence of ``num_envs`` turns, rewards a
    float array of shape ``(num_envs,)``, terminations and truncations boolean arrays of that shape. After its end a
    dialogue is begun anew at the next step, whose action for it is ignored (autoreset mode NEXT_STEP).

    Args:
        domain: name of a domain, as ``"retail"``.
        num_envs: number of dialogues (default 1).
        debug: put the tasks into the infos.
        options: the other arguments of :class:`mua_env.DialogueEnv`, all but ``render_mode``.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
        TypeError: there is no such argument.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (declared so by Gymnasium)
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, domain: str | Domain, *, num_envs: int = 1, debug: bool = False, **options: Unpack[EnvOptions]
    ) -> None:
        if num_envs < 1:
            raise ConfigError(f"num_envs is {num_envs}; it must be at least 1")
        for name in options:
            if name not in EnvOptions.__annotations__:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")
        first = DialogueEnv(domain, **options)
        self.sessions = [first.session, *(first.session.sibling() for _ in range(num_envs - 1))]
        self.num_envs = num_envs
        self.single_action_space = first.action_space
        self.single_observation_space = first.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._debug = debug
        self._rngs: list[np.random.Generator] = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self._ended = np.zeros(num_envs, dtype=np.bool_)
        self._begun = False
        self._loop = _Loop()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[Observation, ...], dict[str, Any]]:
        """Begin every dialogue.

        Args:
            seed: one seed (dialogue ``i`` gets ``seed + i``), or one for each.
            options: as of :meth:`DialogueEnv.reset`, the same for all.
        """
        if self.closed:
            raise EpisodeError("this environment is closed")
        seeds = self._spread(seed)
        if len(seeds) != self.num_envs:
            raise ConfigError(f"{len(seeds)} seeds for {self.num_envs} dialogues")
        for i, value in enumerate(seeds):
            if value is not None:
                self._rngs[i] = seeding.np_random(value)[0]
        self._ended[:] = False
        self._begun = True
        results = self._loop.run(_gather(self._start(i, options) for i in range(self.num_envs)))
        return self._give(results, first=[True] * self.num_envs)

    def step(self, actions: Any) -> tuple[tuple[Observation, ...], Any, Any, Any, dict[str, Any]]:
        """Take one turn in every dialogue.

        Raises:
            ConfigError: not one action for each dialogue, or one is no assistant message (nothing has happened then).
            EpisodeError: before ``reset``.
        """
        if self.closed or not self._begun:
            raise EpisodeError("this environment is closed" if self.closed else "no episode was started; reset first")
        turns = list(actions)
        if len(turns) != self.num_envs:
            raise ConfigError(f"{len(turns)} actions for {self.num_envs} dialogues")
        self._check(turns)
        begun = [bool(ended) for ended in self._ended]
        results = self._loop.run(_gather(self._next(i, turns[i]) for i in range(self.num_envs)))
        rewards = np.array([result.reward for result in results], dtype=np.float64)
        terminated = np.array([result.terminated for result in results], dtype=np.bool_)
        truncated = np.array([result.truncated for result in results], dtype=np.bool_)
        self._ended = terminated | truncated
        observations, infos = self._give(results, first=begun)
        return observations, rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Release all sessions and the event loop; a step that is running in another thread raises EpisodeError."""
        self._loop.close()
        for session in self.sessions:
            session.close()

    def _spread(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        return [None] * self.num_envs if seed is None else list(seed)

    def _check(self, turns: list[Any]) -> None:
        for i, turn in enumerate(turns):
            if not self._ended[i] and turn not in self.single_action_space:
                raise ConfigError(f"action {i} is no assistant message: {turn!r:.120}")

    async def _start(self, i: int, options: dict[str, Any] | None) -> StepResult:
        task, user_seed = choose_task(self.sessions[i].setting.tasks, self._rngs[i], options)
        return await self.sessions[i].astart(task, seed=user_seed)

    async def _next(self, i: int, turn: Any) -> StepResult:
        if self._ended[i]:
            return await self._start(i, None)
        return await self.sessions[i].asend(turn)

    def _give(
        self, results: Sequence[StepResult], *, first: Sequence[bool]
    ) -> tuple[tuple[Observation, ...], dict[str, Any]]:
        infos: dict[str, Any] = {}
        for i, result in enumerate(results):
            info = make_info(self.sessions[i], result, first=first[i], debug=self._debug)
            infos = self._add_info(infos, {key: _boxed(value) for key, value in info.items()}, i)
        return tuple(dump_all(result.messages) for result in results), infos


def _boxed(value: Any) -> Any:
    # Gymnasium merges nested dictionaries of infos key by key; a score is one value of one dialogue.
    return [value] if isinstance(value, dict) else value


async def _gather(jobs: Any) -> list[StepResult]:
    # All come to an end before one's error is raised: none may go on by itself into the next step.
    ended = await asyncio.gather(*jobs, return_exceptions=True)
    for result in ended:
        if isinstance(result, BaseException):
            raise result
    return [result for result in ended if not isinstance(result, BaseException)]
