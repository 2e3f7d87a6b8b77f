"""Judges of a task's statements: sentences about a dialogue that no program can check (source: tau2's NL_ASSERTION)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mua_env.core.messages import Message
from mua_env.core.scores import RewardName, basis_of
from mua_env.core.tasks import Task
from mua_env.errors import ConfigError


class Judgement(BaseModel):
    """What a judge found.

    Attributes:
        judge: who judged, with the version of the prompt.
        verdicts: for each statement, in order, whether it holds.
        reasons: why, for each.
        usage: what the model has used.
        fault: why there are no verdicts, if there are none.
    """

    model_config = ConfigDict(frozen=True)

    judge: str
    verdicts: tuple[bool, ...] = ()
    reasons: tuple[str, ...] = ()
    usage: dict[str, float] = Field(default_factory=dict)
    fault: str | None = None


class Judge(ABC):
    """Judges finished dialogues; one judge serves many episodes at once."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Who judges, as results say it."""

    @abstractmethod
    def judge(self, statements: Sequence[str], dialogue: Sequence[Message], *, seed: int) -> Judgement:
        """Whether each statement holds of a dialogue. A failure is part of the result, never raised.

        Raises:
            LLMError: of the kind ``budget`` alone: the run's limit is reached.
        """

    @abstractmethod
    async def ajudge(self, statements: Sequence[str], dialogue: Sequence[Message], *, seed: int) -> Judgement:
        """:meth:`judge` for the event loop."""


def make_judge(judge: str | Judge | None, options: dict[str, Any] | None = None) -> Judge | None:
    """A judge.

    Args:
        judge: name of a model, a judge (returned as it is), or ``None`` for none.
        options: for a model's name, those of :class:`mua_env.scoring.llm_judge.LLMJudge`.

    Raises:
        ConfigError: an option is not known, or options came without a model's name.
        MissingExtra: the [llm] extra is not installed.
    """
    if not isinstance(judge, str):
        if options:
            raise ConfigError("judge_options go with a judge that is given by a model's name")
        return judge
    from mua_env.scoring.llm_judge import LLMJudge

    try:
        return LLMJudge(judge, **(options or {}))
    except TypeError as error:
        raise ConfigError(f"judge {judge!r}: {error}") from None


def statements_that_count(task: Task, reward: RewardName) -> tuple[str, ...]:
    """The statements on which a task's reward hangs; none where the reward leaves them out."""
    criteria = task.criteria
    if criteria is None or "judged" not in basis_of(reward, criteria.basis):
        return ()
    return criteria.statements
