"""Holds the dialogues of a folder, in one part or several: what `mua-env rollout` and `mua-env eval` share.

Language models are asked one word first, what they use counts against the folder's budget, and dialogues that end by
the same fault one after another stop the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mua_env.agents.llm import LLMAgent
from mua_env.agents.make import AgentFactory
from mua_env.core.trajectory import Trajectory
from mua_env.episode.run_checks import check_users
from mua_env.episode.setting import Setting
from mua_env.evaluation.fault_watch import FaultWatch
from mua_env.evaluation.rollout_folder import RolloutFolder
from mua_env.evaluation.rollouts import Planned, RolloutOptions, rollout
from mua_env.llm.admission import Admission
from mua_env.llm.client import LLMClient
from mua_env.llm.ledger import Ledger
from mua_env.llm.make import probe
from mua_env.users.base import UserSimulator


@dataclass(frozen=True)
class Part:
    """Dialogues of one setting with one user."""

    setting: Setting
    user: UserSimulator
    make_agent: AgentFactory
    episodes: Sequence[Planned]
    options: RolloutOptions


async def hold_parts(
    parts: Sequence[Part],
    folder: RolloutFolder,
    ledger: Ledger,
    clients: Mapping[str, LLMClient],
    *,
    on_end: Callable[[Trajectory], None] = lambda trajectory: None,
) -> str | None:
    """Hold what is left of a run's dialogues, and write each to the folder as it ends.

    Args:
        parts: held one after another.
        folder: what is in it is not held again, but for faults.
        ledger: the models'; goes on from what the folder has used.
        clients: of the models, by who they are for; each is asked one word first, where anything is left to be held.
        on_end: called with each dialogue after it was written.

    Returns:
        The fault for which no further dialogue was begun; None where all were, or the budget is used up.

    Raises:
        ConfigError: a model does not answer, or a user cannot play a task.
        OSError: a dialogue could not be written.
    """
    watch = FaultWatch()
    ledger.carry_on(folder.spent(), folder.spending.add)
    admission = Admission(ledger, folder.used)
    admission.close_if_full()
    left = [replace(part, episodes=folder.left(part.episodes)) for part in parts]
    for part in left:  # all of them before the first begins, so that none is held for nothing
        check_users(part.setting, part.user, (episode.task for episode in part.episodes))
    if any(part.episodes for part in left) and not ledger.exhausted:
        # The probe waits for an answer by itself, so it has a thread.
        await asyncio.to_thread(_ask_all, clients, parts[0])

    def ended(trajectory: Trajectory) -> None:
        folder.writer.write(trajectory)
        on_end(trajectory)

    for part in left:
        how = replace(part.options, stop=lambda: ledger.exhausted, watch=watch, admission=admission)
        if part.episodes and watch.cause is None:
            await rollout(part.setting, part.user, part.make_agent, part.episodes, options=how, on_end=ended)
    return watch.cause


def _ask_all(clients: Mapping[str, LLMClient], part: Part) -> None:
    for who, client in clients.items():
        agent = part.make_agent() if who == "agent" else None
        # A model that has its calls in its text may be one that takes no schemas.
        probe(client, who, part.setting.tools[:1] if isinstance(agent, LLMAgent) and agent.sends_tools else ())
