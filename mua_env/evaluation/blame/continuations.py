"""A recorded dialogue held again, forked after each turn of its agent, and continued by a reference agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.session import Session, StepResult
from mua_env.errors import DataError
from mua_env.evaluation.blame.result import Value
from mua_env.evaluation.rollouts import episode_seed


@dataclass(frozen=True)
class State:
    """A dialogue after a turn of its agent: the session, what it gave the agent last, and what was before that."""

    turn: int
    session: Session
    result: StepResult

    @property
    def history(self) -> list[Message]:
        """All messages but those that the agent's next turn answers."""
        messages = [entry.message for entry in self.session.episode.entries]
        return messages[: len(messages) - len(self.result.messages)]


async def states(session: Session, task: Task, trajectory: Trajectory) -> AsyncIterator[State]:
    """The dialogue of a trajectory, held again turn by turn: the same user meets the same words.

    A state is good until the next one is asked for. The limit of turns is moved, so that one that was cut goes on.

    Raises:
        DataError: user or tools answer otherwise than they did.
    """
    recorded = [(entry.source, entry.message.content) for entry in trajectory.entries]
    turns = [entry.message for entry in trajectory.entries if isinstance(entry.message, AssistantMessage)]
    result = await session.astart(task, seed=trajectory.seed)
    limits = session.episode.limits
    session.episode.limits = limits.model_copy(update={"turns": len(turns) + limits.turns})
    yield State(0, session, result)
    for number, message in enumerate(turns, 1):
        result = await session.asend(message)
        said = [(entry.source, entry.message.content) for entry in session.episode.entries]
        if said != recorded[: len(said)]:
            raise DataError(f"turn {number} is answered otherwise than it was; the run is of another version")
        yield State(number, session, result)
        if result.done:
            return


async def value_of(state: State, make_agent: Callable[[], Agent], trajectory: Trajectory, *, count: int) -> Value:
    """How many of some continuations succeed.

    The first is held with the dialogue's own seed, so that a scripted reference that would have done the same so far
    simply goes on; each further one with a seed of its own. The user is the same in all.
    """
    if state.result.done:
        score = state.session.score
        known = score is not None and score.success is not None
        return Value(turn=state.turn, successes=count * bool(known and score and score.success), of=count * known)
    outcomes = [await _continued(state, make_agent(), _seed(trajectory, number)) for number in range(count)]
    counted = [outcome for outcome in outcomes if outcome is not None]
    return Value(turn=state.turn, successes=sum(counted), of=len(counted))


def _seed(trajectory: Trajectory, number: int) -> int:
    return trajectory.seed if number == 0 else episode_seed(trajectory.seed, trajectory.task_id, number)


async def _continued(state: State, agent: Agent, seed: int) -> bool | None:
    session = state.session.fork()
    # A continuation has all the turns that a dialogue has, however late it begins: what was lost, not how much time.
    limits = session.episode.limits
    session.episode.limits = limits.model_copy(
        update={"turns": session.episode.turns + session.setting.domain.limits.turns}
    )
    try:
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
        agent.resume(state.history)
        result = state.result
        while not result.done:
            if result.new_tools:
                agent.equip(session.tools)
            result = await session.asend(await agent.aact(result.messages))
        return None if session.score is None else session.score.success
    finally:
        session.close()
