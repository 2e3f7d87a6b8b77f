"""Sessions for many dialogues at once, reused from batch to batch, on the tasks of one source or of a mix."""

from __future__ import annotations

from collections.abc import Sequence

from mua_env.core.messages import Message, ToolMessage
from mua_env.core.scores import RewardName
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.run_checks import check_users_of_file
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.inference.chat_template import Detail, SystemPrompt, system_prompt
from mua_env.scoring.judges import Judge, make_judge
from mua_env.training.config.train import EnvironmentConfig, Results
from mua_env.training.data.mixing import Mix, Place
from mua_env.training.rollout.driver import Dialogue
from mua_env.users.base import UserSimulator
from mua_env.users.make import make_user


class DialoguePool:
    """Gives each dialogue of a batch a session of its own.

    Args:
        setting: domain and tasks.
        user: makes the users.
        reward: what a dialogue is scored by; None for the task set's own.
        max_turns: turns after which a dialogue is truncated.
        policy: how the agent reads the policy document.
        results: how the agent reads what tools return.
        judge: judges what tasks state about their dialogues; None leaves that unjudged.
    """

    def __init__(
        self,
        setting: Setting,
        user: UserSimulator,
        *,
        reward: RewardName | None = "outcome",
        max_turns: int = 30,
        policy: Detail = "full",
        results: Results = "full",
        judge: Judge | None = None,
    ) -> None:
        self.setting, self.user = setting, user
        self._reward = reward
        self._max_turns = max_turns
        self._sessions: list[Session] = []
        self.policy = _policy(setting, policy)
        self._results: Results = results
        self._judge = judge

    def system(self, tools: Detail) -> SystemPrompt:
        """What the agent is shown before a dialogue."""
        return system_prompt(self.policy, self.setting.tools, tool_detail=tools)

    def system_of(self, trajectory: Trajectory, task: Task, tools: Detail) -> SystemPrompt:
        """What the agent is shown before a dialogue whose task has tools or a policy document of its own."""
        late = {name for turn in task.script for name in turn.reveals}
        first = [tool for tool in trajectory.tools if tool["function"]["name"] not in late]
        return system_prompt(task.policy or self.policy, first, tool_detail=tools)

    def dialogues(self, tasks: Sequence[Task], seeds: Sequence[int]) -> list[Dialogue]:
        """A dialogue for each task and user's seed; those of the last call are given up."""
        # Kept from batch to batch: a session owns a clone of the database, and going back by rollback is far cheaper.
        while len(self._sessions) < len(tasks):
            session = Session(
                self.setting, self.user, reward=self._reward, max_turns=self._max_turns, judge=self._judge
            )
            self._sessions.append(session)
        return [
            Dialogue(session, task, seed, self.policy, self.shown)
            for session, task, seed in zip(self._sessions, tasks, seeds, strict=False)
        ]

    def shown(self, messages: Sequence[Message]) -> list[Message]:
        """Messages as the agent reads them."""
        if self._results == "full":
            return list(messages)
        brief = self.setting.domain.brief
        return [
            message.model_copy(update={"content": brief(message.name, message.content)})
            if isinstance(message, ToolMessage)
            else message
            for message in messages
        ]

    def close(self) -> None:
        """Release the sessions. May be called again."""
        for session in self._sessions:
            session.close()
        self._sessions.clear()


class MixedPool:
    """Pools of several sources as one. A single source is a mix of one.

    Args:
        parts: a pool for each source, in order.
        shares: how often each is drawn, relative to the others; None for the number of its tasks.

    Raises:
        ConfigError: a source has no tasks.
    """

    def __init__(self, parts: Sequence[DialoguePool], shares: Sequence[float | None] | None = None) -> None:
        self.parts = list(parts)
        self.mix = Mix([len(part.setting.tasks) for part in parts], shares)

    def __len__(self) -> int:
        return len(self.mix)

    @property
    def name(self) -> str:
        """The sources in words."""
        return " + ".join(f"{part.setting.domain.name} {part.setting.tasks.name}" for part in self.parts)

    def part(self, place: Place) -> DialoguePool:
        """The pool of a task's source."""
        return self.parts[place.source]

    def task(self, place: Place) -> Task:
        """A task."""
        return self.part(place).setting.tasks[place.index]

    def at(self, places: Sequence[Place], seeds: Sequence[int]) -> list[Dialogue]:
        """A dialogue for each place and user's seed; those of the last call are given up."""
        found: dict[int, Dialogue] = {}
        for source, part in enumerate(self.parts):
            mine = [number for number, place in enumerate(places) if place.source == source]
            made = part.dialogues([self.task(places[n]) for n in mine], [seeds[n] for n in mine])
            found.update(zip(mine, made, strict=True))
        return [found[number] for number in range(len(places))]

    def close(self) -> None:
        """Release the sessions. May be called again."""
        for part in self.parts:
            part.close()


def make_mixed_pool(
    environment: EnvironmentConfig, *, held_out: bool = False, user: UserSimulator | None = None
) -> MixedPool:
    """The pool for the training tasks of a configuration, or for its held-out ones, of all its sources.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
    """
    parts = [make_pool(each, held_out=held_out, user=user) for each in environment.each()]
    return MixedPool(parts, [source.share for source in environment.sources] or None)


def make_pool(
    environment: EnvironmentConfig, *, held_out: bool = False, user: UserSimulator | None = None
) -> DialoguePool:
    """The pool of one source, for the training tasks of a configuration, or for its held-out ones.

    Raises:
        DomainError, TaskError, ConfigError: what was asked for cannot be had.
    """
    source = environment.held_out if held_out else environment.tasks
    options = environment.options_of_users(held_out=held_out)
    setting = load_setting(environment.id, source, path=environment.path, presentation=environment.presentation)
    simulator = user or make_user(environment.user, options or None)
    check_users_of_file(setting, simulator)
    return DialoguePool(
        setting,
        simulator,
        reward=environment.held_out_reward if held_out else environment.reward,
        max_turns=environment.max_turns,
        policy=environment.policy,
        results=environment.results,
        judge=make_judge(environment.judge, environment.judge_options or None) if held_out else None,
    )


def _policy(setting: Setting, detail: Detail) -> str:
    if detail == "none":
        return ""
    return setting.domain.policy(compact=True) if detail == "compact" else setting.tasks.policy
