"""The message-level core: one environment slot in which dialogues run one after another.

Every shell (the Gymnasium environments, the rollout drivers, the adapters to other trainers) is a thin layer over
``start`` and ``send``, or their async siblings ``astart`` and ``asend``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mua_env.core.database import BROKEN
from mua_env.core.messages import AssistantMessage, Message, ToolMessage, parse_agent_turn
from mua_env.core.scores import RewardName, Score
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.core.world import NoWorld, World
from mua_env.episode.episode import AgentStep, Episode
from mua_env.episode.setting import Setting
from mua_env.episode.user_channel import UserChannel
from mua_env.episode.verdict import Verdict
from mua_env.errors import EpisodeError
from mua_env.scoring.judges import Judge, Judgement
from mua_env.users.base import UserReply, UserSimulator
from mua_env.users.fixed_lines import SoloUser


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step gives the agent: ``messages`` are new since the last one; ``score`` is set at the end.

    ``new_tools`` are the schemas of tools that the step has given the agent; all that it has are the session's.
    """

    messages: list[Message] = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False
    score: Score | None = None
    new_tools: tuple[dict[str, Any], ...] = ()

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated

    @property
    def reward(self) -> float:
        """The reward of the step: 0.0 until the end, and where the score counts for nothing."""
        return 0.0 if self.score is None or self.score.reward is None else self.score.reward


class Session:
    """One environment slot: a database clone and a user, reused from episode to episode.

    Args:
        setting: the domain with its tasks, shared by many sessions.
        user: makes the users, shared by many sessions. In solo mode nobody is on the line, and some
            public tasks bring their user with them: it is not used then.
        reward: ``"task"``, ``"outcome"``, ``"tau1"`` or ``"tau1-no-outputs"``; ``None`` (default) for the task source's
            own, which is ``"tau1"`` for tau-bench's tasks and else ``"task"``.
        max_turns: turns after which an episode is truncated; ``None`` (default) for the domain's own, which is 30
            where it says nothing else.
        judge: judges what a task states about the dialogue, once it has ended (default: nobody does, and scores say
            so). A judge that fails makes the episode one that must not count.
    """

    def __init__(
        self,
        setting: Setting,
        user: UserSimulator,
        *,
        reward: RewardName | None = None,
        max_turns: int | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.setting = setting
        self.user = own_user(setting) or user
        self.reward: RewardName = reward or setting.tasks.reward
        self.max_turns = max_turns
        limits = setting.domain.limits
        self._limits = limits if max_turns is None else limits.model_copy(update={"turns": max_turns})
        self.judge = judge
        self._verdict = Verdict(judge)
        self._world: World | None = None
        self._line: UserChannel | None = None
        self._episode: Episode | None = None
        self._score: Score | None = None
        self._ended_at_once: StepResult | None = None
        self._seed = 0
        self._revealed: frozenset[str] = frozenset()
        self._closed = False
        self._lost: str | None = None

    @property
    def system_prompt(self) -> str:
        """The policy document: the running task's own, or that of all tasks."""
        own = "" if self._episode is None else self._episode.task.policy
        return own or self.setting.tasks.policy

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Function schemas of the tools that the agent has now; before an episode, of all that there are."""
        return self.setting.tools if self._episode is None or self._world is None else self._world.schemas()

    @property
    def episode(self) -> Episode:
        """The running or last episode.

        Raises:
            EpisodeError: none was started.
        """
        if self._episode is None:
            raise EpisodeError("no episode was started; call start (or reset) first")
        return self._episode

    @property
    def task(self) -> Task:
        """The task of the running or last episode (hidden from the agent)."""
        return self.episode.task

    @property
    def user_seconds(self) -> float:
        """Seconds that the user took for its replies in the running or last episode; 0.0 once the session is closed."""
        return 0.0 if self._line is None else self._line.seconds

    @property
    def world(self) -> World:
        """The world of this slot.

        Raises:
            EpisodeError: the session is closed, and no episode was begun since.
        """
        if self._closed:
            raise _closed()
        if self._world is None:
            self._world = self.setting.make_world()
        return self._world

    def start(self, task: Task, *, seed: int = 0) -> StepResult:
        """Begin an episode; the result holds the user's opening message.

        An episode that was still running is dropped.
        """
        begun = self._begin(task, seed)
        return self._opened(self._talk(None) if begun else self._result([]))

    async def astart(self, task: Task, *, seed: int = 0) -> StepResult:
        """:meth:`start` for the event loop."""
        begun = self._begin(task, seed)
        return self._opened(await self._atalk(None) if begun else self._result([]))

    def send(self, message: AssistantMessage | dict[str, Any] | str) -> StepResult:
        """Take a turn of the agent.

        Where the user failed at the opening, the first turn is answered by that end once more: Gymnasium's
        ``reset`` has no way to say that an episode is over.

        Raises:
            ConfigError: it is no message of an assistant; nothing has happened then.
            EpisodeError: no episode is running.
        """
        if (ended := self._take_end()) is not None:
            return ended
        step = self._act(message)
        if step.ask_user is None:
            return self._result(step.messages)
        return self._talk(step.ask_user, step)

    async def asend(self, message: AssistantMessage | dict[str, Any] | str) -> StepResult:
        """:meth:`send` for the event loop: other dialogues go on while the user thinks."""
        if (ended := self._take_end()) is not None:
            return ended
        step = self._act(message)
        if step.ask_user is None:
            return await self._aresult(step.messages)
        return await self._atalk(step.ask_user, step)

    def truncate(self, cause: str) -> StepResult:
        """End the episode at a limit that the driver keeps (tokens)."""
        self.episode.truncate(cause)
        return self._result([])

    def fail(self, cause: str) -> StepResult:
        """End the episode by a failure that is not the agent's: truncated, never scored."""
        self.episode.fail("environment", cause)
        return self._result([])

    @property
    def score(self) -> Score | None:
        """The score of the episode; ``None`` while it runs."""
        return self._score

    def score_now(self) -> Score:
        """The score that the present state would get, in mid-dialogue too."""
        record = self._verdict.on(self.episode.record())
        return self.setting.scorer.score(self.task, self.world, record, reward=self.reward)

    @property
    def judgement(self) -> Judgement | None:
        """What the judge found; ``None`` where nothing was judged."""
        return self._verdict.found

    def trajectory(self, *, id: str, agent: str = "", meta: dict[str, Any] | None = None) -> Trajectory:
        """What happened so far, as it is written to a run's file."""
        episode = self.episode
        usage: dict[str, float] = {}
        for entry in episode.entries:
            for name, value in entry.hidden.get("usage", {}).items():
                usage[name] = usage.get(name, 0) + value
        return Trajectory(
            id=id,
            domain=self.setting.domain.name,
            tasks=self.setting.tasks.name,
            scoring=self.setting.mode,
            presentation=self.setting.presented,
            revision=self.setting.revision,
            variant=self.setting.tasks.variant,
            source_revision=self.setting.tasks.source_revision,
            task_id=episode.task.id,
            seed=self._seed,
            agent=agent,
            user=self.user.describe(episode.task),
            system_prompt=self.system_prompt,
            tools=self.tools,
            entries=list(episode.entries),
            turns=episode.turns,
            ended_by=episode.ended_by,
            cause=self._lost or self._verdict.cause(episode.cause),
            score=self._score,
            usage=usage,
            meta=dict(meta or {}) | self._verdict.meta(),
        )

    def sibling(self) -> Session:
        """Another session of the same kind, in which nothing has begun; it shares setting, user and judge."""
        return Session(self.setting, self.user, reward=self.reward, max_turns=self.max_turns, judge=self.judge)

    def fork(self) -> Session:
        """An independent session in the same state: dialogue, database and user."""
        episode = self.episode
        twin = self.sibling()
        twin._verdict = replace(self._verdict)
        twin._world = self.world.fork()
        twin._episode = episode.fork(twin._world)
        twin._line = None if self._line is None else self._line.fork()
        twin._score, twin._seed = self._score, self._seed
        twin._ended_at_once = self._ended_at_once
        return twin

    def close(self) -> None:
        """Release the database clone and the user. May be called again.

        A step that is running in another thread raises EpisodeError when it next needs them.
        """
        self._closed = True
        line, self._line = self._line, None
        world, self._world = self._world, None
        if line is not None:
            line.close()
        if world is not None:
            world.close()

    def _begin(self, task: Task, seed: int) -> bool:
        """Begin an episode; False if there is no database to be had, and it has ended as a fault."""
        self._closed = False
        if self._line is not None:
            self._line.close()
        self._line = UserChannel.open(self.user, self.setting, task, seed=seed)
        failed: Exception | None = None
        try:
            self._load(task)
        except BROKEN as error:
            failed = error
        self._seed, self._score, self._lost, self._verdict = seed, None, None, Verdict(self.judge)
        self._episode = Episode(
            task,
            NoWorld() if failed is not None else self.world,
            limits=self._limits,
            text_with_calls_reaches_user=self.setting.domain.text_with_calls_reaches_user,
        )
        if failed is not None:
            self._lose_world(failed)
        return failed is None

    def _load(self, task: Task) -> None:
        try:
            self.world.load(task)
        except BROKEN:  # the connection was lost between two episodes
            self._drop_world()
            self.world.load(task)

    def _opened(self, result: StepResult) -> StepResult:
        self._ended_at_once = replace(result, messages=[]) if result.done else None
        return result

    def _take_end(self) -> StepResult | None:
        ended, self._ended_at_once = self._ended_at_once, None
        return ended

    def _act(self, message: object) -> AgentStep:
        turn = parse_agent_turn(message)
        if self._world is None and not self.episode.ended:
            raise _closed()
        try:
            return self.episode.agent_turn(turn)
        except BROKEN as error:
            self._lose_world(error)
            return AgentStep()

    def _act_for_user(self, reply: UserReply) -> list[ToolMessage]:
        try:
            return self.episode.user_acts(reply)
        except BROKEN as error:
            self._lose_world(error)
            return []

    def _lose_world(self, error: Exception) -> None:
        # A database that broke is not the agent's failure; the next episode gets a fresh clone.
        self.episode.fail("environment", _cause(error))
        self._score = self.setting.scorer.unscored(self.episode.record(), reward=self.reward)
        self._drop_world()

    def _drop_world(self) -> None:
        world, self._world = self._world, None
        if world is not None:
            world.close()

    @property
    def _open_line(self) -> UserChannel:
        if self._line is None:
            raise _closed()
        return self._line

    def _talk(self, text: str | None, step: AgentStep | None = None) -> StepResult:
        """Let the user answer; it may act with its own tools first."""
        line = self._open_line
        reply = line.ask(text, calls=self.episode.calls_since_user)
        while results := self._act_for_user(reply):
            reply = line.ask(text, results)
        return self._result(self._hear(line, reply, step))

    async def _atalk(self, text: str | None, step: AgentStep | None = None) -> StepResult:
        line = self._open_line
        reply = await line.aask(text, calls=self.episode.calls_since_user)
        while results := self._act_for_user(reply):
            reply = await line.aask(text, results)
        return await self._aresult(self._hear(line, reply, step))

    def _hear(self, line: UserChannel, reply: UserReply, step: AgentStep | None) -> list[Message]:
        if self.episode.ended:  # the database broke under the user's hands
            return []
        said, before = (None, []) if step is None else (step.ask_user or "", step.messages)
        # What comes with the opening is among the tools that the agent begins with.
        self._revealed = frozenset() if step is None else frozenset(reply.reveals)
        return [*before, *self.episode.user_turn(line.with_refusals(reply, said))]

    async def _aresult(self, messages: list[Message]) -> StepResult:
        if self._may_be_judged:
            await self._verdict.aask(self.episode, self.reward, seed=self._seed)
        return self._scored(messages)

    def _result(self, messages: list[Message]) -> StepResult:
        if self._may_be_judged:
            self._verdict.ask(self.episode, self.reward, seed=self._seed)
        return self._scored(messages)

    @property
    def _may_be_judged(self) -> bool:
        return self.episode.terminated and self._score is None

    def _scored(self, messages: list[Message]) -> StepResult:
        episode = self.episode
        if episode.ended and self._score is None:
            try:
                self._score = self.score_now()
            except BROKEN as error:  # what was reached is not known any more
                self._lost = _cause(error)
                self._drop_world()
                record = episode.record().model_copy(update={"fault": "environment"})
                self._score = self.setting.scorer.unscored(record, reward=self.reward)
        return StepResult(messages, episode.terminated, episode.truncated, self._score, self._take_revealed())

    def _take_revealed(self) -> tuple[dict[str, Any], ...]:
        names, self._revealed = self._revealed, frozenset()
        return tuple(tool for tool in self.tools if tool["function"]["name"] in names) if names else ()


def _closed() -> EpisodeError:
    return EpisodeError("the environment is closed")


def _cause(error: Exception) -> str:
    return f"the database failed: {getattr(error, 'orig', error)}"


def own_user(setting: Setting) -> UserSimulator | None:
    """The user that a setting's tasks bring with them."""
    if setting.worlds.solo:
        return SoloUser()
    own: UserSimulator | None = setting.tasks.user
    return own
