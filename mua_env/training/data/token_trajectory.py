"""One dialogue as tokens: ids, loss mask, log-probabilities and the source of each token.

The sequence is built as it happens and never re-encoded: the prompt once, then in turns what the agent
sampled (mask 1) and what the environment and the chat template add (mask 0).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mua_env.core.messages import Source
from mua_env.episode.episode import End


@dataclass(frozen=True)
class Span:
    """A run of tokens with one source: positions ``start`` to ``end`` (exclusive) of prompt + completion."""

    start: int
    end: int
    source: Source


@dataclass
class TokenTrajectory:
    """The tokens of one dialogue, and how it ended.

    Attributes:
        prompt_ids: system prompt, the user's opening, and the header of the agent's first turn.
        completion_ids: everything after it, up to the agent's last end-of-turn token.
        mask: 1 for the tokens that the agent sampled, 0 for all others; one per completion token.
        logprobs: log-probability of each sampled token under the sampling distribution; 0.0 where mask is 0.
        spans: sources of the whole sequence, in order, without gaps.
        turns: the agent's turns.
        tool_calls: tool calls the agent made.
        reward: 1.0 or 0.0; None where the episode failed for a reason that is not the agent's.
        ended_by: as the episode's; None while it runs.
        cause: in words, where a limit or a failure ended it.
    """

    prompt_ids: list[int]
    completion_ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    turns: int = 0
    tool_calls: int = 0
    reward: float | None = None
    ended_by: End | None = None
    cause: str | None = None
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def ids(self) -> list[int]:
        """Prompt and completion, as the model sees them."""
        return self.prompt_ids + self.completion_ids

    def __len__(self) -> int:
        """Number of tokens, the prompt included."""
        return len(self.prompt_ids) + len(self.completion_ids)

    @property
    def truncated(self) -> bool:
        """Whether a limit ended it."""
        return self.ended_by in ("max_turns", "token_limit")

    def add_agent(self, ids: Sequence[int], logprobs: Sequence[float]) -> None:
        """Append what the agent sampled in one turn, its end-of-turn token included."""
        if len(ids) != len(logprobs):
            raise AssertionError(f"{len(ids)} sampled tokens but {len(logprobs)} log-probabilities")
        self._mark(["agent"] * len(ids), start=len(self))
        self.completion_ids.extend(ids)
        self.mask.extend([1] * len(ids))
        self.logprobs.extend(logprobs)
        self.turns += 1

    def add_environment(self, ids: Sequence[int], sources: Sequence[Source]) -> None:
        """Append tokens that the agent did not sample: template tokens and what users and tools said."""
        if len(ids) != len(sources):
            raise AssertionError(f"{len(ids)} tokens but {len(sources)} sources")
        self._mark(sources, start=len(self))
        self.completion_ids.extend(ids)
        self.mask.extend([0] * len(ids))
        self.logprobs.extend([0.0] * len(ids))

    def _mark(self, sources: Sequence[Source], *, start: int) -> None:
        for source, run in itertools.groupby(sources):
            end = start + sum(1 for _ in run)
            last = self.spans[-1] if self.spans else None
            if last is not None and last.end == start and last.source == source:
                self.spans[-1] = Span(last.start, end, source)
            else:
                self.spans.append(Span(start, end, source))
            start = end

    def check(self) -> None:
        """Assert what must always hold.

        Raises:
            AssertionError: lengths differ, spans leave gaps, or the mask is not exactly the agent's spans.
        """
        lengths = (len(self.completion_ids), len(self.mask), len(self.logprobs))
        if len(set(lengths)) != 1:
            raise AssertionError(f"completion ids, mask and logprobs differ in length: {lengths}")
        ends = [0, *(span.end for span in self.spans)]
        if [span.start for span in self.spans] != ends[:-1] or ends[-1] != len(self):
            raise AssertionError(f"the spans do not cover the {len(self)} tokens without gaps: {self.spans}")
        sampled = [int(s.source == "agent") for s in self.spans for _ in range(s.start, s.end)]
        if sampled[len(self.prompt_ids) :] != self.mask or any(sampled[: len(self.prompt_ids)]):
            raise AssertionError("the mask is not exactly the agent's spans")


def begin(prompt_ids: Sequence[int], sources: Sequence[Source]) -> TokenTrajectory:
    """A trajectory that holds its prompt only."""
    trajectory = TokenTrajectory(prompt_ids=list(prompt_ids))
    if len(prompt_ids) != len(sources):
        raise AssertionError(f"{len(prompt_ids)} prompt tokens but {len(sources)} sources")
    trajectory._mark(sources, start=0)
    return trajectory
