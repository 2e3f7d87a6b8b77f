"""What happened in a dialogue besides its tokens: tool calls by name, refused ones, and what its user cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from mua_env.core.messages import AssistantMessage, ToolMessage

if TYPE_CHECKING:
    from mua_env.episode.session import Session


class Happenings(TypedDict):
    """Counts of one dialogue.

    calls: tool calls by name.
    refused: calls that a tool answered with an error.
    replies: the user's messages.
    usage: what the user simulator counted, as ``cost_usd`` and ``prompt_tokens``.
    """

    calls: dict[str, int]
    refused: int
    replies: int
    usage: dict[str, float]


def what_happened(session: Session) -> Happenings:
    """Count a session's present dialogue."""
    found: Happenings = {"calls": {}, "refused": 0, "replies": 0, "usage": {}}
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
