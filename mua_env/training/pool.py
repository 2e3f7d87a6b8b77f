"""Sessions for many dialogues at once, reused from batch to batch."""

from __future__ import annotations

from collections.abc import Sequence

from mua_env.scoring import RewardName
from mua_env.session import Session
from mua_env.setting import Setting, load_setting
from mua_env.tasks import Task
from mua_env.training.config import EnvironmentConfig
from mua_env.training.rollout import Dialogue
from mua_env.training.template import Detail
from mua_env.users.base import UserSimulator
from mua_env.users.make import make_user


class DialoguePool:
    """Gives each dialogue of a batch a session of its own.

    Args:
        setting: domain and tasks.
        user: makes the users.
        reward: what a dialogue is scored by.
        max_turns: turns after which a dialogue is truncated.
        policy: how the agent reads the policy document.
    """

    def __init__(
        self,
        setting: Setting,
        user: UserSimulator,
        *,
        reward: RewardName = "outcome",
        max_turns: int = 30,
        policy: Detail = "full",
    ) -> None:
        self.setting, self.user = setting, user
        self._reward: RewardName = reward
        self._max_turns = max_turns
        self._sessions: list[Session] = []
        self.policy = _policy(setting, policy)

    def dialogues(self, tasks: Sequence[Task], seeds: Sequence[int]) -> list[Dialogue]:
        """A dialogue for each task and user's seed; those of the last call are given up."""
        while len(self._sessions) < len(tasks):
            self._sessions.append(Session(self.setting, self.user, reward=self._reward, max_turns=self._max_turns))
        return [
            Dialogue(session, task, seed, self.policy)
            for session, task, seed in zip(self._sessions, tasks, seeds, strict=False)
        ]

    def close(self) -> None:
        """Release the sessions. May be called again."""
        for session in self._sessions:
            session.close()
        self._sessions.clear()


def make_pool(
    environment: EnvironmentConfig, *, held_out: bool = False, user: UserSimulator | None = None
) -> DialoguePool:
    """The pool for the training tasks of a configuration, or for its held-out ones.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
    """
    source = environment.held_out if held_out else environment.tasks
    return DialoguePool(
        load_setting(environment.id, source, path=environment.path),
        user or make_user(environment.user, environment.user_options or None),
        reward=environment.held_out_reward if held_out else environment.reward,
        max_turns=environment.max_turns,
        policy=environment.policy,
    )


def _policy(setting: Setting, detail: Detail) -> str:
    if detail == "none":
        return ""
    return setting.domain.policy(compact=True) if detail == "compact" else setting.tasks.policy
