"""A turn of the agent: sampled text -> an assistant message, and back.

Whatever the format of calls (`CallForm`): thoughts are dropped by the one rule of `mua_env.core.thoughts`, and nothing
is repaired. A call that cannot be read is passed on with the raw text as its arguments, so that the environment
answers with its own clear error and the agent can learn from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.thoughts import THINK, Calls, Tags, after_thoughts, join, split_aloud
from mua_env.inference.chat_formats.argument_types import Tools
from mua_env.inference.chat_formats.json_calls import HERMES_FORM


class CallForm(Protocol):
    """How calls are written within a text."""

    @property
    def opening(self) -> str:
        """Pattern of what a call begins with, without groups that have names."""

    def read(self, text: str, start: int, tools: Tools) -> tuple[int, list[FunctionCall]]:
        """Read what begins at ``start``; where it ends, and the calls. Never fails."""

    def write(self, calls: Sequence[FunctionCall], tools: Tools, *, python: bool = False) -> str:
        """Text that `read` reads back; ``python`` spells constants as Python does, where values are plain text."""


def parse_turn(
    text: str,
    *,
    turn: int = 0,
    opened: bool = False,
    form: CallForm = HERMES_FORM,
    tags: Tags = THINK,
    tools: Tools = (),
) -> AssistantMessage:
    """Read one turn of the agent.

    Args:
        text: the decoded turn, without its end-of-turn marker.
        turn: number of the turn in the dialogue; it makes the ids of the tool calls unique.
        opened: whether the turn's header had opened a thought.
        form: of the calls; that of Hermes and Qwen by default.
        tags: of thoughts.
        tools: OpenAI function schemas, which type values that are written as plain text.

    Returns:
        An assistant message. Text around the calls is joined into ``content`` (an empty string where there is none
        and no call either). A call that is cut in half, or that has no name, comes back as a call whose
        ``arguments`` are the raw text. Thoughts are dropped, with whatever stands in them.
    """
    calls = Calls(form.opening, lambda whole, start: form.read(whole, start, tools))
    said, functions = split_aloud(text, opened=opened, tags=tags, calls=calls)
    return message_of(join(said), functions, turn)


def message_of(content: str, functions: Sequence[FunctionCall], turn: int) -> AssistantMessage:
    """The message of a turn that says ``content`` and makes calls."""
    calls = tuple(ToolCall(id=f"call_{turn}_{number}", function=call) for number, call in enumerate(functions))
    return AssistantMessage(content=content or (None if calls else ""), tool_calls=calls)


def render_turn(message: AssistantMessage) -> str:
    """The text that `parse_turn` reads back, with calls in the form of Hermes and Qwen.

    Arguments that are valid JSON are written compactly; anything else goes as it is.
    """
    calls = HERMES_FORM.write([call.function for call in message.tool_calls], ())
    content = message.content or ""
    return content + ("\n" if calls and says_something(content) else "") + calls


def says_something(content: str, tags: Tags = THINK) -> bool:
    """Whether a text holds more than thoughts: after those alone the first call needs no line break."""
    return bool(after_thoughts(content, tags).strip("\n"))
