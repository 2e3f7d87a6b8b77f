"""What dialogues came to, in numbers: the statistics of one episode, and the metrics of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from mua_env.core.messages import AssistantMessage, ToolMessage
from mua_env.episode.episode import End
from mua_env.errors import RunStopped
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.advantages import GroupAdvantages

if TYPE_CHECKING:
    from mua_env.episode.session import Session


class EpisodeStatistics(TypedDict):
    """Counts of one dialogue.

    calls: tool calls by name.
    refused: calls that a tool answered with an error.
    replies: the user's messages.
    usage: what the user simulator counted, as ``cost_usd`` and ``prompt_tokens``.
    upper_bound: the reward is 1 and hangs on statements that nobody has judged.
    """

    calls: dict[str, int]
    refused: int
    replies: int
    usage: dict[str, float]
    upper_bound: bool


def what_happened(session: Session) -> EpisodeStatistics:
    """Count a session's present dialogue."""
    bound = session.score is not None and session.score.upper_bound
    found: EpisodeStatistics = {"calls": {}, "refused": 0, "replies": 0, "usage": {}, "upper_bound": bound}
    for entry in session.episode.entries:
        message = entry.message
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                name = call.function.name
                found["calls"][name] = found["calls"].get(name, 0) + 1
        elif isinstance(message, ToolMessage):
            found["refused"] += int((message.content or "").startswith("Error"))
        found["replies"] += int(entry.source == "user")
        for name, amount in entry.hidden.get("usage", {}).items():
            found["usage"][name] = found["usage"].get(name, 0) + amount
    return found


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
    cause: str | None = None
    calls: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    replies: int = 0
    usage: dict[str, float] = field(default_factory=dict)
    upper_bound: bool = False

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
            cause=trajectory.cause,
            **trajectory.info,
        )


def check_faults(outcomes: Sequence[Outcome], limit: float, *, what: str) -> None:
    """Stop a run whose users or databases fail.

    Raises:
        RunStopped: more than the share ``limit`` of the dialogues failed for reasons that are not the agent's.
    """
    causes = [outcome.cause or "no cause given" for outcome in outcomes if outcome.reward is None]
    if causes and len(causes) > limit * len(outcomes):
        raise RunStopped(
            f"{len(causes)} of {len(outcomes)} dialogues of {what} failed for reasons that are not the agent's, "
            f"the last with: {causes[-1]}. They will be held again. The share that is let pass is safety.faults, "
            f"{limit:g}"
        )


def dialogue_metrics(outcomes: Sequence[Outcome], groups: Sequence[GroupAdvantages] = ()) -> dict[str, float]:
    """Means over the dialogues that count, and counts of those that do not.

    Keys, each a mean a dialogue unless said otherwise: ``dialogue/success`` (share with reward 1), ``reward``,
    ``turns``, ``tool_calls``, ``tokens`` (prompt included), ``agent_tokens`` (the paper's response length),
    ``environment_fraction`` (masked share of the completions), ``truncated`` (share that a limit ended),
    ``max_turns`` and ``token_limit`` (the same by limit), ``faults`` (number), ``upper_bounds`` (number of successes
    that hang on statements nobody has judged; left out where there is none);
    ``tools/<name>`` (calls of each tool), ``tools/refused`` (share of the calls that a tool answered with an error);
    ``user/replies``, ``user/cost`` (US dollars of the whole batch; failed dialogues cost, too);
    with groups also ``groups/all_equal``, ``groups/all_right``, ``groups/all_wrong`` (shares) and ``groups/empty``
    (number of groups in which every dialogue failed).
    """
    counted = [outcome for outcome in outcomes if outcome.reward is not None]
    dialogue = {f"dialogue/{name}": value for name, value in _dialogue(counted).items()}
    dialogue["dialogue/faults"] = float(len(outcomes) - len(counted))
    if bounds := sum(outcome.upper_bound for outcome in counted):
        dialogue["dialogue/upper_bounds"] = float(bounds)
    return {**dialogue, **_tools(counted), **_user(outcomes, counted), **_groups(outcomes, groups)}


def _dialogue(counted: Sequence[Outcome]) -> dict[str, float]:
    completion = sum(outcome.completion_tokens for outcome in counted)
    agent = sum(outcome.agent_tokens for outcome in counted)
    ends = {end: _mean([float(o.ended_by == end) for o in counted]) for end in ("max_turns", "token_limit")}
    return {
        "success": _mean([float(outcome.reward == 1) for outcome in counted]),
        "reward": _mean([outcome.reward or 0.0 for outcome in counted]),
        "turns": _mean([outcome.turns for outcome in counted]),
        "tool_calls": _mean([outcome.tool_calls for outcome in counted]),
        "tokens": _mean([outcome.tokens for outcome in counted]),
        "agent_tokens": _mean([outcome.agent_tokens for outcome in counted]),
        "environment_fraction": 1 - agent / completion if completion else 0.0,
        "truncated": sum(ends.values()),
        **ends,
    }


def _tools(counted: Sequence[Outcome]) -> dict[str, float]:
    names = sorted({name for outcome in counted for name in outcome.calls})
    calls = sum(sum(outcome.calls.values()) for outcome in counted)
    refused = sum(outcome.refused for outcome in counted)
    by_name = {f"tools/{name}": _mean([o.calls.get(name, 0) for o in counted]) for name in names}
    return {**by_name, "tools/refused": refused / calls if calls else 0.0}


def _user(outcomes: Sequence[Outcome], counted: Sequence[Outcome]) -> dict[str, float]:
    cost = sum(outcome.usage.get("cost_usd", 0.0) for outcome in outcomes)
    return {"user/replies": _mean([outcome.replies for outcome in counted]), "user/cost": cost}


def _groups(outcomes: Sequence[Outcome], groups: Sequence[GroupAdvantages]) -> dict[str, float]:
    if not groups:
        return {}
    size = len(outcomes) // len(groups)
    equal = [number for number, group in enumerate(groups) if group.all_equal]
    right = sum(any(o.reward == 1 for o in outcomes[n * size : (n + 1) * size]) for n in equal)
    return {
        "groups/all_equal": len(equal) / len(groups),
        "groups/all_right": right / len(groups),
        "groups/all_wrong": (len(equal) - right) / len(groups),
        "groups/empty": float(sum(group.valid == 0 for group in groups)),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
