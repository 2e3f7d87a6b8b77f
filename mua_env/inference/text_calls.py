"""Calls in plain text, for models that no function calling is to be had of: how they are asked for, written and read.

Any endpoint and any chat template can carry such a dialogue, since it is made of system, user and assistant messages
alone: the tools stand in the system prompt, results come in a message of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

from mua_env.core.messages import AssistantMessage, Message, ToolMessage
from mua_env.errors import ConfigError, did_you_mean
from mua_env.inference.chat_formats.call_lists import LIST_FORM
from mua_env.inference.chat_formats.dialect import Dialect
from mua_env.inference.chat_formats.tagged_calls import XML_FORM
from mua_env.inference.chat_template import tools_as_text, with_new_tools

CallStyle = Literal["native", "python", "hermes", "xml"]
"""``native`` is the model's own function calling. The others are text: ``[f(a=1)]``, JSON as Hermes and Qwen write it
(``<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>``), and ``<tool_call><function=f>...</tool_call>``."""

TEXT_DIALECTS: Final = {
    "python": Dialect("python", LIST_FORM, in_template=False),
    "hermes": Dialect("hermes as text", in_template=False),
    "xml": Dialect("xml as text", XML_FORM, in_template=False),
}
RESULTS: Final = (
    "Several calls may stand in one message. Their results come in the next message, each between "
    "<tool_response> and </tool_response>. A message without a call goes to the user."
)


def text_dialect(style: str) -> Dialect | None:
    """How calls are written; ``None`` for the model's own function calling.

    Raises:
        ConfigError: there is no such style.
    """
    if style == "native":
        return None
    if style not in TEXT_DIALECTS:
        known = get_args(CallStyle)
        raise ConfigError(f"calls is {style!r}; use one of {', '.join(known)}.{did_you_mean(style, known)}")
    return TEXT_DIALECTS[style]


class TextCalls:
    """A dialogue of text for one agent.

    Args:
        dialect: how calls are written.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._turn = 0
        self._tools: list[dict[str, Any]] = []
        self._new: list[dict[str, Any]] = []

    def begin(self, system_prompt: str, tools: list[dict[str, Any]]) -> str:
        """The system prompt of a dialogue: the policy document, the tools, how they are called."""
        self._turn, self._tools, self._new = 0, tools, []
        told = f"{tools_as_text(tools, self._dialect.form)}\n{RESULTS}" if tools else ""
        return "\n\n".join(filter(None, [system_prompt, told]))

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Tell of the tools that are new before the user's next words."""
        known = {tool["function"]["name"] for tool in self._tools}
        self._new += [tool for tool in tools if tool["function"]["name"] not in known]
        self._tools = tools

    def heard(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """New messages for the model: results and words together in one message of the user's."""
        told = with_new_tools(messages, self._new, "full")
        self._new = self._new if told is messages else []
        return [{"role": "user", "content": "\n".join(map(_as_text, told))}] if told else []

    def read(self, text: str | None) -> AssistantMessage:
        """The turn that a text is. Calls that cannot be read come back with the text as their arguments."""
        self._turn += 1
        return self._dialect.parse(text or "", self._turn, tools=self._tools)

    def write(self, message: AssistantMessage) -> str:
        """The text of a turn that came as function calls after all."""
        return self._dialect.render(message, self._tools)


def _as_text(message: Message) -> str:
    text = message.content or ""
    return f"<tool_response>\n{text}\n</tool_response>" if isinstance(message, ToolMessage) else text
