"""One loop that holds a dialogue: an agent and a session, from the user's opening to the end."""

from __future__ import annotations

from collections.abc import Callable

from mua_env.core.agent import Agent
from mua_env.core.tasks import Task
from mua_env.episode.session import Session, StepResult


def hold(
    session: Session,
    agent: Agent,
    task: Task,
    *,
    seed: int,
    on_step: Callable[[StepResult], None] = lambda result: None,
) -> StepResult:
    """Hold one dialogue to its end.

    Args:
        session: with the user.
        agent: is begun anew.
        task: what the dialogue is about.
        seed: of user and agent.
        on_step: called with what each step gave the agent, the opening first.

    Returns:
        The last step, with the score.
    """
    result = session.start(task, seed=seed)
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
    on_step(result)
    while not result.done:
        result = session.send(agent.act(result.messages))
        on_step(result)
    return result


async def ahold(session: Session, agent: Agent, task: Task, *, seed: int) -> StepResult:
    """:func:`hold` on an event loop, where users and agents wait beside those of other dialogues."""
    result = await session.astart(task, seed=seed)
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
    while not result.done:
        result = await session.asend(await agent.aact(result.messages))
    return result
