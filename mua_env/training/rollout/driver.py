"""Many dialogues at once, token in and token out.

Model turns are batched; the replies of all users are awaited together, and a slow one keeps nobody waiting. A
dialogue whose user or database fails ends with the reward None and never stops the others.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from mua_env.core.outside import line
from mua_env.episode.episode import End
from mua_env.errors import ConfigError, MuaError
from mua_env.inference.backends.base import Backend, RemoteBackend
from mua_env.inference.backends.batching import Batcher
from mua_env.inference.backends.cache_engine import CacheEngine
from mua_env.inference.chat_template import Detail, system_prompt, with_new_tools
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.sampling import DecoderStats
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.token_trajectory import TokenTrajectory, begin
from mua_env.training.rollout.episode_statistics import what_happened

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from mua_env.core.messages import Message
    from mua_env.core.tasks import Task
    from mua_env.episode.session import Session, StepResult


@dataclass
class Dialogue:
    """One dialogue to be held.

    Attributes:
        session: a session that no other dialogue uses at the same time.
        task: what it is about.
        seed: of its user.
        policy: the policy document as the agent reads it; None for the session's own.
        shown: makes of messages what the agent reads; None leaves them as they are.
        begun: the tokens of a dialogue that is under way in its session, up to the agent's turn; None to begin one.
    """

    session: Session
    task: Task
    seed: int
    policy: str | None = None
    shown: Callable[[Sequence[Message]], Sequence[Message]] | None = None
    begun: TokenTrajectory | None = None

    def reads(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Messages as the agent reads them."""
        return messages if self.shown is None else self.shown(messages)


class RolloutDriver:
    """Holds batches of dialogues between one model and the users of their sessions.

    Every dialogue goes its own way: none waits for another's user. Turns that are due at the same time are sampled
    together by the backend.

    Args:
        chat: the token view of dialogues.
        lengths: token limits; a dialogue that reaches one ends truncated.
        tools: how much of the tool schemas the agent is shown.
        backend: samples the turns instead of the model that `run` is given, as a vLLM server; None for the model.
        autocast: the model computes in bfloat16 though its weights are in float32, as it does while it is trained.

    Attributes:
        stats: work of the last batch.
        on_end: called as each dialogue ends, with its position in the batch, so that it can be written down.
        on_turn: called likewise before each turn of the agent but the first, so that dialogues can be forked.
    """

    def __init__(
        self,
        chat: ChatTokens,
        *,
        lengths: LengthConfig,
        tools: Detail = "full",
        backend: RemoteBackend | None = None,
        autocast: bool = False,
    ) -> None:
        self.chat, self.lengths, self.tools, self.backend = chat, lengths, tools, backend
        self._autocast = autocast
        self.stats = DecoderStats()
        self.on_end: Callable[[int, Dialogue, TokenTrajectory], None] | None = None
        self.on_turn: Callable[[int, Dialogue, TokenTrajectory], None] | None = None
        self._runner: asyncio.Runner | None = None

    def update_weights(self, model: torch.nn.Module) -> None:
        """Hand a changed model to the backend, if it has weights of its own. All processes call it together."""
        if self.backend is None:
            return
        from accelerate import PartialState  # type: ignore[import-untyped]

        state = PartialState()
        if state.is_main_process or not self.backend.shared:
            self.backend.load(model)
        state.wait_for_everyone()

    def run(
        self,
        model: PreTrainedModel,
        dialogues: Sequence[Dialogue],
        *,
        seeds: Sequence[int],
        temperature: float = 1.0,
    ) -> list[TokenTrajectory]:
        """Hold the dialogues; one trajectory each, in order. The model's mode (train, eval) is restored.

        What a dialogue samples depends on its own seed of ``seeds``, so that a batch can be held in parts.

        One event loop serves all calls, so that the clients of users keep their connections.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        was_training = model.training
        model.train(False)
        try:
            return self._runner.run(self.arun(model, dialogues, seeds=seeds, temperature=temperature))
        finally:
            model.train(was_training)

    def close(self) -> None:
        """Close the backend and the event loop. May be called again."""
        if self._runner is not None:
            if self.backend is not None:
                self._runner.run(self.backend.aclose())
            self._runner.close()
            self._runner = None

    async def arun(
        self,
        model: PreTrainedModel,
        dialogues: Sequence[Dialogue],
        *,
        seeds: Sequence[int],
        temperature: float = 1.0,
    ) -> list[TokenTrajectory]:
        """`run` on the caller's event loop."""
        backend: Backend
        if self.backend is None:
            engine = CacheEngine(model, end_id=self.chat.end_ids, pad_id=self.chat.pad_id, autocast=self._autocast)
            backend = Batcher(engine)
        else:
            backend = self.backend
        try:
            return await self.hold(backend, dialogues, seeds=seeds, temperature=temperature)
        finally:
            if self.backend is None:
                await backend.aclose()

    async def hold(
        self,
        backend: Backend,
        dialogues: Sequence[Dialogue],
        *,
        seeds: Sequence[int],
        temperature: float = 1.0,
    ) -> list[TokenTrajectory]:
        """`arun` with turns from any backend."""
        backend.begin(temperature=temperature, seeds=seeds)
        self.stats = backend.stats
        tasks = [asyncio.create_task(self._hold(backend, row, dialogue)) for row, dialogue in enumerate(dialogues)]
        try:
            trajectories = await asyncio.gather(*tasks)
        finally:
            for task in tasks:  # those that still run when one has raised
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for trajectory in trajectories:
            trajectory.check()
        return trajectories

    async def _hold(self, backend: Backend, row: int, dialogue: Dialogue) -> TokenTrajectory:
        """One dialogue from its opening to its end."""
        state = await self._open(row, dialogue)
        while not state.over:
            turn = await backend.sample(row, state.feed, self._budget(state.trajectory))
            state.trajectory.add_agent(turn.ids, turn.logprobs)
            await self._answer(state)
        backend.drop(row)
        return state.trajectory

    async def _open(self, row: int, dialogue: Dialogue) -> _Live:
        """Start the session and encode the prompt. A failure leaves a trajectory of masked tokens."""
        session = dialogue.session
        if dialogue.begun is not None:
            return _Live(row, dialogue, dialogue.begun, feed=dialogue.begun.ids)
        unopened = _Live(row, dialogue, begin([self.chat.end_id], ["template"]))
        try:
            result = await session.astart(dialogue.task, seed=dialogue.seed)
        except MuaError:
            raise  # a task or an option that cannot be: the run is wrong, not the episode
        except Exception as error:  # a user or a database of the caller's: any failure is the episode's own
            self._fail(unopened, error)
            return unopened
        if self._over(unopened, result):
            return unopened
        own = session.system_prompt if dialogue.policy is None else dialogue.policy
        policy = dialogue.task.policy or own
        shown = system_prompt(policy, session.tools, tool_detail=self.tools)
        ids, sources = self.chat.prompt(shown, dialogue.reads(result.messages))
        state = _Live(row, dialogue, begin(ids, sources), feed=ids)
        if len(ids) >= self.lengths.total:
            long = ConfigError(
                f"the prompt has {len(ids)} tokens, the limit for a whole dialogue is {self.lengths.total}"
            )
            if session.tools == session.setting.tools:
                raise long
            # Where tasks have tools of their own, some prompts are longer than others: one need not stop them all.
            self._fail(state, long)
        return state

    def _budget(self, trajectory: TokenTrajectory) -> int:
        return min(self.lengths.turn, self.lengths.total - len(trajectory))

    async def _answer(self, state: _Live) -> None:
        """Hand the agent's turn to its session, and queue the tokens that answer it."""
        trajectory, session = state.trajectory, state.dialogue.session
        ids = trajectory.completion_ids[_last_turn(trajectory) :]
        if ids[-1] not in self.chat.end_ids:
            self._truncate(state, f"{len(ids)} tokens in a turn without an end")
            return
        message = self.chat.read_turn(ids, turn=trajectory.turns, before=state.feed, tools=session.tools)
        trajectory.tool_calls += len(message.tool_calls)
        try:
            result = await session.asend(message)
        except Exception as error:  # as in _open
            self._fail(state, error)
            return
        if self._over(state, result):
            return
        heard = with_new_tools(state.dialogue.reads(result.messages), result.new_tools, self.tools)
        suffix, sources = self.chat.suffix(heard, end=ids[-1])
        if len(trajectory) + len(suffix) >= self.lengths.total:
            self._truncate(state, f"{self.lengths.total} tokens")
            return
        trajectory.add_environment(suffix, sources)
        state.feed = suffix
        if self.on_turn is not None:
            self.on_turn(state.row, state.dialogue, trajectory)

    def _truncate(self, state: _Live, cause: str) -> None:
        self._over(state, state.dialogue.session.truncate(cause))

    def _fail(self, state: _Live, error: Exception) -> None:
        """End a dialogue whose session raised: reward None, whatever its database holds."""
        cause = line(f"{type(error).__name__}: {error}")
        with contextlib.suppress(MuaError):
            state.dialogue.session.fail(cause)
        self._end(state, "fault", cause, None)

    def _over(self, state: _Live, result: StepResult) -> bool:
        if result.done:
            episode = state.dialogue.session.episode
            reward = None if result.score is None else result.score.reward
            state.trajectory.info.update(what_happened(state.dialogue.session))
            self._end(state, episode.ended_by, episode.cause, reward)
        return result.done

    def _end(self, state: _Live, by: End | None, cause: str | None, reward: float | None) -> None:
        trajectory = state.trajectory
        trajectory.ended_by, trajectory.cause, trajectory.reward = by, cause, reward
        if not trajectory.completion_ids:  # trainers cannot take an empty completion
            trajectory.add_environment([self.chat.end_id], ["template"])
        state.over = True
        if self.on_end is not None:
            self.on_end(state.row, state.dialogue, trajectory)


@dataclass
class _Live:
    row: int
    dialogue: Dialogue
    trajectory: TokenTrajectory
    feed: list[int] = field(default_factory=list)
    over: bool = False


def _last_turn(trajectory: TokenTrajectory) -> int:
    """Where the agent's last turn begins among the completion ids."""
    return trajectory.spans[-1].start - len(trajectory.prompt_ids)
