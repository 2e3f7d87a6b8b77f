"""``Verdict``: what a judge says of one episode, once its dialogue has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mua_env.core.messages import Message
from mua_env.core.scores import Record, RewardName
from mua_env.episode.episode import Episode
from mua_env.scoring.judges import Judge, Judgement, statements_that_count


@dataclass
class Verdict:
    """Asks the judge about an episode and keeps what it found.

    Attributes:
        judge: who is asked; ``None`` where nobody judges.
        found: what it found; ``None`` where nothing was judged.
    """

    judge: Judge | None
    found: Judgement | None = None

    def ask(self, episode: Episode, reward: RewardName, *, seed: int) -> None:
        """Have the statements judged on which the reward hangs, if there are any."""
        statements = statements_that_count(episode.task, reward)
        if self.judge is not None and statements:
            self.found = self.judge.judge(statements, _said(episode), seed=seed)

    async def aask(self, episode: Episode, reward: RewardName, *, seed: int) -> None:
        """:meth:`ask` for the event loop."""
        statements = statements_that_count(episode.task, reward)
        if self.judge is not None and statements:
            self.found = await self.judge.ajudge(statements, _said(episode), seed=seed)

    def on(self, record: Record) -> Record:
        """An episode's record with the verdicts in it; a judge that failed makes it one that must not count."""
        if self.found is None:
            return record
        if self.found.fault is not None:
            return record.model_copy(update={"fault": "environment"})
        return record.model_copy(update={"judged": self.found.verdicts})

    def cause(self, cause: str | None) -> str | None:
        """What ended the episode, or what failed in judging it."""
        return cause if self.found is None or self.found.fault is None else f"judge: {self.found.fault}"

    def meta(self) -> dict[str, Any]:
        """What a trajectory says of the judge."""
        return {} if self.found is None else {"judge": self.found.model_dump(mode="json")}


def _said(episode: Episode) -> list[Message]:
    return [entry.message for entry in episode.entries]
