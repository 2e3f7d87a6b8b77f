"""Many dialogues at once, token in and token out.

Model turns are batched; the replies of all users are awaited together. A dialogue whose user or database
fails ends with the reward None and never stops the others.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from mua_env.episode import End
from mua_env.errors import ConfigError, MuaError
from mua_env.training.chat import ChatTokens
from mua_env.training.config import LengthConfig
from mua_env.training.generation import DecoderStats, DialogueDecoder
from mua_env.training.template import Detail, system_prompt
from mua_env.training.trajectory import TokenTrajectory, begin

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from mua_env.session import Session, StepResult
    from mua_env.tasks import Task


@dataclass
class Dialogue:
    """One dialogue to be held.

    Attributes:
        session: a session that no other dialogue uses at the same time.
        task: what it is about.
        seed: of its user.
        policy: the policy document as the agent reads it; None for the session's own.
    """

    session: Session
    task: Task
    seed: int
    policy: str | None = None


class RolloutDriver:
    """Holds batches of dialogues between one model and the users of their sessions.

    Args:
        chat: the token view of dialogues.
        lengths: token limits; a dialogue that reaches one ends truncated.
        tools: how much of the tool schemas the agent is shown.

    Attributes:
        stats: work of the last batch.
        on_end: called as each dialogue ends, with its position in the batch, so that it can be written down.
    """

    def __init__(self, chat: ChatTokens, *, lengths: LengthConfig, tools: Detail = "full") -> None:
        self.chat, self.lengths, self.tools = chat, lengths, tools
        self.stats = DecoderStats()
        self.on_end: Callable[[int, Dialogue, TokenTrajectory], None] | None = None
        self._runner: asyncio.Runner | None = None

    def run(
        self,
        model: PreTrainedModel,
        dialogues: Sequence[Dialogue],
        *,
        generator: torch.Generator,
        temperature: float = 1.0,
    ) -> list[TokenTrajectory]:
        """Hold the dialogues; one trajectory each, in order. The model's mode (train, eval) is restored.

        One event loop serves all calls, so that the clients of users keep their connections.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        was_training = model.training
        model.train(False)
        try:
            return self._runner.run(self.arun(model, dialogues, generator=generator, temperature=temperature))
        finally:
            model.train(was_training)

    def close(self) -> None:
        """Close the event loop. May be called again."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    async def arun(
        self,
        model: PreTrainedModel,
        dialogues: Sequence[Dialogue],
        *,
        generator: torch.Generator,
        temperature: float = 1.0,
    ) -> list[TokenTrajectory]:
        """`run` on the caller's event loop."""
        decoder = DialogueDecoder(
            model,
            end_id=self.chat.end_id,
            pad_id=self.chat.pad_id,
            temperature=temperature,
            generator=generator,
        )
        self.stats = decoder.stats
        rows = await asyncio.gather(*(self._open(row, dialogue) for row, dialogue in enumerate(dialogues)))
        feeds = {row: state.feed for row, state in enumerate(rows) if not state.over}
        live = {row: rows[row] for row in feeds}
        while feeds:
            budgets = {row: self._budget(live[row].trajectory) for row in feeds}
            turns = decoder.sample(feeds, budgets)
            for row, turn in turns.items():
                live[row].trajectory.add_agent(turn.ids, turn.logprobs)
            await asyncio.gather(*(self._answer(live[row]) for row in turns))
            decoder.drop(row for row in turns if live[row].over)
            feeds = {row: live[row].feed for row in turns if not live[row].over}
        for state in rows:
            state.trajectory.check()
        return [state.trajectory for state in rows]

    async def _open(self, row: int, dialogue: Dialogue) -> _Live:
        """Start the session and encode the prompt. A failure leaves a trajectory of masked tokens."""
        session = dialogue.session
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
        policy = session.system_prompt if dialogue.policy is None else dialogue.policy
        shown = system_prompt(policy, session.tools, tool_detail=self.tools)
        ids, sources = self.chat.prompt(shown, result.messages)
        state = _Live(row, dialogue, begin(ids, sources), feed=ids)
        if len(ids) >= self.lengths.total:
            raise ConfigError(
                f"the prompt has {len(ids)} tokens, the limit for a whole dialogue is {self.lengths.total}"
            )
        return state

    def _budget(self, trajectory: TokenTrajectory) -> int:
        return min(self.lengths.turn, self.lengths.total - len(trajectory))

    async def _answer(self, state: _Live) -> None:
        """Hand the agent's turn to its session, and queue the tokens that answer it."""
        trajectory, session = state.trajectory, state.dialogue.session
        ids = trajectory.completion_ids[_last_turn(trajectory) :]
        if ids[-1] != self.chat.end_id:
            self._truncate(state, f"{len(ids)} tokens in a turn without an end")
            return
        message = self.chat.read_turn(ids, turn=trajectory.turns)
        trajectory.tool_calls += len(message.tool_calls)
        try:
            result = await session.asend(message)
        except Exception as error:  # as in _open
            self._fail(state, error)
            return
        if self._over(state, result):
            return
        suffix, sources = self.chat.suffix(result.messages)
        if len(trajectory) + len(suffix) >= self.lengths.total:
            self._truncate(state, f"{self.lengths.total} tokens")
            return
        trajectory.add_environment(suffix, sources)
        state.feed = suffix

    def _truncate(self, state: _Live, cause: str) -> None:
        self._over(state, state.dialogue.session.truncate(cause))

    def _fail(self, state: _Live, error: Exception) -> None:
        """End a dialogue whose session raised: reward None, whatever its database holds."""
        cause = f"{type(error).__name__}: {error}"
        with contextlib.suppress(MuaError):
            state.dialogue.session.fail(cause)
        self._end(state, "fault", cause, None)

    def _over(self, state: _Live, result: StepResult) -> bool:
        if result.done:
            episode = state.dialogue.session.episode
            reward = None if result.score is None else result.score.reward
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
