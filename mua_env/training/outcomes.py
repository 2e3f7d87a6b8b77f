"""What a batch of dialogues came to, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mua_env.episode import End
from mua_env.training.advantages import GroupAdvantages
from mua_env.training.trajectory import TokenTrajectory


@dataclass(frozen=True)
class Outcome:
    """One dialogue in numbers, small enough to be sent to all processes."""

    reward: float | None
    ended_by: End | None
    turns: int
    tool_calls: int
    tokens: int
    completion_tokens: int
    agent_tokens: int

    @classmethod
    def of(cls, trajectory: TokenTrajectory) -> Outcome:
        """The outcome of a finished dialogue."""
        return cls(
            reward=trajectory.reward,
            ended_by=trajectory.ended_by,
            turns=trajectory.turns,
            tool_calls=trajectory.tool_calls,
            tokens=len(trajectory),
            completion_tokens=len(trajectory.completion_ids),
            agent_tokens=sum(trajectory.mask),
        )


def dialogue_metrics(outcomes: Sequence[Outcome], groups: Sequence[GroupAdvantages] = ()) -> dict[str, float]:
    """Means over the dialogues that count, and counts of those that do not.

    Keys: ``dialogue/success``, ``turns``, ``tool_calls``, ``tokens`` (prompt included), ``agent_tokens``,
    ``environment_fraction`` (masked share of the completions), ``truncated`` (share), ``faults`` (number); with
    groups also ``groups/all_equal``, ``groups/all_right``, ``groups/all_wrong`` (shares) and ``groups/empty``
    (number of groups in which every dialogue failed).
    """
    counted = [outcome for outcome in outcomes if outcome.reward is not None]
    completion = sum(outcome.completion_tokens for outcome in counted)
    agent = sum(outcome.agent_tokens for outcome in counted)
    metrics = {
        "success": _mean([float(outcome.reward == 1) for outcome in counted]),
        "turns": _mean([outcome.turns for outcome in counted]),
        "tool_calls": _mean([outcome.tool_calls for outcome in counted]),
        "tokens": _mean([outcome.tokens for outcome in counted]),
        "agent_tokens": _mean([outcome.agent_tokens for outcome in counted]),
        "environment_fraction": 1 - agent / completion if completion else 0.0,
        "truncated": _mean([float(o.ended_by in ("max_turns", "token_limit")) for o in counted]),
        "faults": float(len(outcomes) - len(counted)),
    }
    named = {f"dialogue/{name}": value for name, value in metrics.items()}
    if not groups:
        return named
    size = len(outcomes) // len(groups)
    equal = [number for number, group in enumerate(groups) if group.all_equal]
    right = sum(any(o.reward == 1 for o in outcomes[n * size : (n + 1) * size]) for n in equal)
    return {
        **named,
        "groups/all_equal": len(equal) / len(groups),
        "groups/all_right": right / len(groups),
        "groups/all_wrong": (len(equal) - right) / len(groups),
        "groups/empty": float(sum(group.valid == 0 for group in groups)),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
