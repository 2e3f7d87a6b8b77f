"""How a model family writes a turn of the agent: its thoughts, its words, its calls, and what ends it.

A `Dialect` is one of the forms of calls (`json_calls`, `tagged_calls`, `literal_calls`) and what stands around them;
`addressed_turns` has the families whose turns are several messages, and `families` knows them all.
"""

from __future__ import annotations

from dataclasses import dataclass

from mua_env.core.messages import AssistantMessage
from mua_env.core.thoughts import THINK, Tags, leaves_open
from mua_env.inference.chat_formats.argument_types import Tools
from mua_env.inference.chat_formats.json_calls import HERMES_FORM
from mua_env.inference.tool_call_text import CallForm, parse_turn, says_something


@dataclass(frozen=True)
class Dialect:
    """Reads and writes the turns of a model family.

    Attributes:
        name: for messages and settings.
        form: of its calls.
        in_template: whether the chat template renders tool calls by itself.
        tags: of its thoughts.
        stops: tokens that end a turn besides the tokenizer's ``eos_token``.
        openers: those of them that begin the next message at the same time.
        closers: tokens that end a turn in a history, though the model itself ends it with another.
        most_calls: calls that fit in a turn.
        joint: what stands between words and the first call.
        trail: what stands after the last call.
        python: whether constants are spelled as in Python, where values are plain text.
    """

    name: str
    form: CallForm = HERMES_FORM
    in_template: bool = True
    tags: Tags = THINK
    stops: tuple[str, ...] = ()
    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    most_calls: int | None = None
    joint: str = "\n"
    trail: str = ""
    python: bool = False

    def parse(self, text: str, turn: int = 0, *, tools: Tools = (), opened: bool = False) -> AssistantMessage:
        """The message of a turn's text; never fails, see `parse_turn`.

        Args:
            text: the turn without its end.
            turn: number of the turn, for the ids of its calls.
            tools: OpenAI function schemas, which type values that are written as plain text.
            opened: whether the turn's header had opened a thought.
        """
        return parse_turn(text, turn=turn, opened=opened, form=self.form, tags=self.tags, tools=tools)

    def render(self, message: AssistantMessage, tools: Tools = ()) -> str:
        """The text that `parse` reads back."""
        content = message.content or ""
        if not message.tool_calls:
            return content
        calls = self.form.write([call.function for call in message.tool_calls], tools, python=self.python)
        return content + (self.joint if says_something(content, self.tags) else "") + calls + self.trail

    def leaves_thought_open(self, header: str) -> bool:
        """Whether a thought is open after the header of a turn."""
        return leaves_open(header, self.tags)
